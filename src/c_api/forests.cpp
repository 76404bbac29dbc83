// Many small trees.
#include "c_api/calls.hpp"
#include "c_api/new_proof.hpp"

using namespace merklize::c_api;
using merklize::MerkleForest;

merklize_status merklize_forest_from_leaves(merklize_view leaves, uint64_t n_leaves, const merklize_form* form,
                                            const merklize_run_options* options, merklize_forest** forest) {
    return run("merklize_forest_from_leaves", [&](const Call& call) {
        merklize_forest*& out = call.result(forest, "forest");
        const Options run(call, options);
        const merklize::TreeForm made = call.form(form);
        out = new merklize_forest{call.on_device(leaves, "leaves")
                                      ? MerkleForest(leaves.buffer->value, n_leaves, made, run.get())
                                      : MerkleForest(call.digests(leaves, "leaves"), n_leaves, made, run.get())};
        run.finish();
    });
}

void merklize_forest_free(merklize_forest* forest) { delete forest; }

merklize_status merklize_forest_get_info(const merklize_forest* forest, merklize_forest_info* info) {
    return run("merklize_forest_get_info", [&](const Call& call) {
        const MerkleForest& value = call.need(forest, "forest").value;
        call.need(info, "info") = {.n_trees = value.n_trees(),
                                   .n_leaves = value.n_leaves(),
                                   .height = value.height(),
                                   .on_device = value.on_device() ? 1u : 0u};
    });
}

merklize_status merklize_forest_roots(const merklize_forest* forest, merklize_digest* roots, size_t capacity,
                                      size_t* count) {
    return run("merklize_forest_roots", [&](const Call& call) {
        call.put_digests(call.need(forest, "forest").value.roots(), roots, capacity, count);
    });
}

merklize_status merklize_forest_level(const merklize_forest* forest, uint32_t level, const merklize_digest** nodes,
                                      uint64_t* count) {
    return run("merklize_forest_level",
               [&](const Call& call) { call.put_nodes(call.need(forest, "forest").value.level(level), nodes, count); });
}

merklize_status merklize_forest_prove(const merklize_forest* forest, uint64_t tree, uint64_t index,
                                      merklize_proof** proof) {
    return run("merklize_forest_prove", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(forest, "forest").value.prove(tree, index));
    });
}
