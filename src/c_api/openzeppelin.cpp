// Trees of @openzeppelin/merkle-tree.
#include <algorithm>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::OpenZeppelinTree;

merklize_status merklize_openzeppelin_leaf(const void* abi_encoded, size_t bytes, merklize_digest* leaf) {
    return run("merklize_openzeppelin_leaf", [&](const Call& call) {
        merklize_digest& out = call.need(leaf, "leaf");
        out = to_c(merklize::openzeppelin_leaf(call.bytes(abi_encoded, bytes, "abi_encoded")));
    });
}

merklize_status merklize_openzeppelin_tree_create(const merklize_digest* leaves, size_t n, const uint64_t* tree_indices,
                                                  const merklize_run_options* options,
                                                  merklize_openzeppelin_tree** tree) {
    return run("merklize_openzeppelin_tree_create", [&](const Call& call) {
        merklize_openzeppelin_tree*& out = call.result(tree, "tree");
        const Options run(call, options);
        const auto given = call.digests(leaves, n, "leaves");
        out = new merklize_openzeppelin_tree{
            tree_indices == nullptr ? OpenZeppelinTree(given, true, run.get())
                                    : OpenZeppelinTree(given, call.items(tree_indices, n, "tree_indices"), run.get())};
    });
}

void merklize_openzeppelin_tree_free(merklize_openzeppelin_tree* tree) { delete tree; }

merklize_status merklize_openzeppelin_tree_nodes(const merklize_openzeppelin_tree* tree, const merklize_digest** nodes,
                                                 uint64_t* count) {
    return run("merklize_openzeppelin_tree_nodes",
               [&](const Call& call) { call.put_nodes(call.need(tree, "tree").value.nodes(), nodes, count); });
}

merklize_status merklize_openzeppelin_tree_index(const merklize_openzeppelin_tree* tree, uint64_t index,
                                                 uint64_t* tree_index) {
    return run("merklize_openzeppelin_tree_index", [&](const Call& call) {
        call.need(tree_index, "tree_index") = call.need(tree, "tree").value.tree_index(index);
    });
}

merklize_status merklize_openzeppelin_tree_prove(const merklize_openzeppelin_tree* tree, uint64_t index,
                                                 merklize_digest* proof, size_t capacity, size_t* length) {
    return run("merklize_openzeppelin_tree_prove", [&](const Call& call) {
        call.put_digests(call.need(tree, "tree").value.prove(index), proof, capacity, length);
    });
}

merklize_status merklize_openzeppelin_tree_prove_together(const merklize_openzeppelin_tree* tree,
                                                          const uint64_t* indices, size_t count,
                                                          merklize_digest* leaves, merklize_digest* proof,
                                                          size_t capacity, size_t* length, uint8_t* flags) {
    return run("merklize_openzeppelin_tree_prove_together", [&](const Call& call) {
        const merklize::OpenZeppelinMultiProof made =
            call.need(tree, "tree").value.prove_together(call.items(indices, count, "indices"));
        call.put_digests(made.proof, proof, capacity, length);
        if (proof == nullptr) return;
        std::ranges::copy(made.leaves, call.digests(leaves, count, "leaves").begin());
        std::ranges::copy(made.flags, call.items(flags, made.flags.size(), "flags").begin());
    });
}

merklize_status merklize_verify_openzeppelin(const merklize_digest* proof, size_t length, const merklize_digest* root,
                                             const merklize_digest* leaf, int* valid) {
    return run("merklize_verify_openzeppelin", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const merklize::Digest of = from_c(call.need(root, "root")), from = from_c(call.need(leaf, "leaf"));
        out = merklize::verify_openzeppelin(call.digests(proof, length, "proof"), of, from) ? 1 : 0;
    });
}
