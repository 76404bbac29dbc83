// Trees in memory, roots, and trees that come in pieces.
#include <algorithm>

#include "c_api/calls.hpp"
#include "c_api/facts.hpp"
#include "c_api/new_proof.hpp"

using namespace merklize::c_api;
using merklize::MerkleTree;

merklize_status merklize_heap_slots(uint64_t n_leaves, uint64_t* slots) {
    return run("merklize_heap_slots",
               [&](const Call& call) { call.need(slots, "slots") = merklize::heap_slots(n_leaves); });
}

merklize_status merklize_build_tree(merklize_output nodes, const merklize_form* form,
                                    const merklize_run_options* options) {
    return run("merklize_build_tree", [&](const Call& call) {
        const Options run(call, options);
        if (call.on_device(nodes, "nodes"))
            merklize::build_tree(call.written(nodes.buffer, "nodes"), call.form(form), run.get());
        else
            merklize::build_tree(call.digests(nodes, "nodes"), call.form(form), run.get());
        run.finish();
    });
}

merklize_status merklize_merkle_root(merklize_view leaves, const merklize_form* form, merklize_digest* root,
                                     const merklize_run_options* options) {
    return run("merklize_merkle_root", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        const Options run(call, options);
        out = to_c(call.on_device(leaves, "leaves")
                       ? merklize::merkle_root(leaves.buffer->value, call.form(form), run.get())
                       : merklize::merkle_root(call.digests(leaves, "leaves"), call.form(form), run.get()));
        run.finish();
    });
}

merklize_status merklize_merkle_root_parts(const merklize_buffer* const* parts, size_t n, const merklize_form* form,
                                           merklize_digest* root, const merklize_run_options* options) {
    return run("merklize_merkle_root_parts", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        const Options run(call, options);
        out = to_c(merklize::merkle_root_parts(call.parts(parts, n), call.form(form), run.get()));
        run.finish();
    });
}

merklize_status merklize_merkle_root_file(const merklize_input* input, const merklize_form* form,
                                          merklize_tree_info* info, const merklize_run_options* options) {
    return run("merklize_merkle_root_file", [&](const Call& call) {
        merklize_tree_info& out = call.need(info, "info");
        const Options run(call, options);
        const merklize::TreeInput from = call.input(input);
        put_facts(out, merklize::merkle_root_file(from, call.form(form), run.get()), from, form);
        run.finish();
    });
}

merklize_status merklize_tree_from_leaves(merklize_view leaves, const merklize_form* form, uint32_t drop_levels,
                                          const merklize_run_options* options, merklize_tree** tree) {
    return run("merklize_tree_from_leaves", [&](const Call& call) {
        merklize_tree*& out = call.result(tree, "tree");
        const Options run(call, options);
        const merklize::TreeForm made = call.form(form);
        out = new merklize_tree{call.on_device(leaves, "leaves")
                                    ? MerkleTree(leaves.buffer->value, made, run.get(), drop_levels)
                                    : MerkleTree(call.digests(leaves, "leaves"), made, run.get(), drop_levels)};
        run.finish();
    });
}

merklize_status merklize_tree_from_messages(const merklize_view* messages, size_t n, const merklize_form* form,
                                            const merklize_run_options* options, merklize_tree** tree) {
    return run("merklize_tree_from_messages", [&](const Call& call) {
        merklize_tree*& out = call.result(tree, "tree");
        const Options run(call, options);
        out = new merklize_tree{MerkleTree::from_messages(call.messages(messages, n), call.form(form), run.get())};
        run.finish();
    });
}

merklize_status merklize_tree_from_rows(merklize_view rows, uint64_t n, const merklize_form* form,
                                        const merklize_run_options* options, merklize_tree** tree) {
    return run("merklize_tree_from_rows", [&](const Call& call) {
        merklize_tree*& out = call.result(tree, "tree");
        const Options run(call, options);
        const merklize::TreeForm made = call.form(form);
        out = new merklize_tree{call.on_device(rows, "rows")
                                    ? MerkleTree::from_rows(rows.buffer->value, n, made, run.get())
                                    : MerkleTree::from_rows(call.bytes(rows, "rows"), n, made, run.get())};
        run.finish();
    });
}

merklize_status merklize_tree_from_file(const merklize_input* input, const merklize_form* form,
                                        const merklize_run_options* options, merklize_tree** tree) {
    return run("merklize_tree_from_file", [&](const Call& call) {
        merklize_tree*& out = call.result(tree, "tree");
        const Options run(call, options);
        out = new merklize_tree{MerkleTree::from_file(call.input(input), call.form(form), run.get())};
        run.finish();
    });
}

void merklize_tree_free(merklize_tree* tree) { delete tree; }

merklize_status merklize_tree_get_info(const merklize_tree* tree, merklize_tree_info* info) {
    return run("merklize_tree_get_info", [&](const Call& call) {
        merklize_tree_info& out = call.need(info, "info");
        const MerkleTree& value = call.need(tree, "tree").value;
        put_facts(out, value);
        out.drop_levels = value.drop_levels();
        out.on_device = value.on_device() ? 1 : 0;
    });
}

merklize_status merklize_tree_root(const merklize_tree* tree, merklize_digest* root) {
    return run("merklize_tree_root",
               [&](const Call& call) { call.need(root, "root") = to_c(call.need(tree, "tree").value.root()); });
}

merklize_status merklize_tree_nodes(const merklize_tree* tree, const merklize_digest** nodes, uint64_t* slots) {
    return run("merklize_tree_nodes",
               [&](const Call& call) { call.put_nodes(call.need(tree, "tree").value.nodes(), nodes, slots, "slots"); });
}

merklize_status merklize_tree_level(const merklize_tree* tree, uint32_t level, const merklize_digest** nodes,
                                    uint64_t* count) {
    return run("merklize_tree_level",
               [&](const Call& call) { call.put_nodes(call.need(tree, "tree").value.level(level), nodes, count); });
}

merklize_status merklize_tree_cap(const merklize_tree* tree, uint32_t height, merklize_digest* nodes, size_t capacity,
                                  size_t* count) {
    return run("merklize_tree_cap", [&](const Call& call) {
        call.put_digests(call.need(tree, "tree").value.cap(height), nodes, capacity, count);
    });
}

merklize_status merklize_tree_device_nodes(const merklize_tree* tree, merklize_buffer** nodes) {
    return run("merklize_tree_device_nodes", [&](const Call& call) {
        merklize_buffer*& out = call.result(nodes, "nodes");
        out = new merklize_buffer(call.need(tree, "tree").value.device_nodes());
    });
}

merklize_status merklize_tree_device_level(const merklize_tree* tree, uint32_t level, merklize_buffer** nodes) {
    return run("merklize_tree_device_level", [&](const Call& call) {
        merklize_buffer*& out = call.result(nodes, "nodes");
        out = new merklize_buffer(call.need(tree, "tree").value.device_level(level));
    });
}

merklize_status merklize_tree_prove(const merklize_tree* tree, uint64_t index, const merklize_digest* leaves,
                                    uint64_t n_leaves, merklize_proof** proof) {
    return run("merklize_tree_prove", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(tree, "tree").value.prove(index, call.digests(leaves, n_leaves, "leaves")));
    });
}

merklize_status merklize_tree_prove_each(const merklize_tree* tree, const uint64_t* indices, size_t count,
                                         const merklize_digest* leaves, uint64_t n_leaves, merklize_proof** proofs) {
    return run("merklize_tree_prove_each", [&](const Call& call) {
        const std::span<merklize_proof*> out = call.results(proofs, count, "proofs");
        std::vector<merklize::MerkleProof> made =
            call.need(tree, "tree")
                .value.prove(call.items(indices, count, "indices"), call.digests(leaves, n_leaves, "leaves"));
        std::vector<std::unique_ptr<merklize_proof>> handles;
        handles.reserve(count);
        for (merklize::MerkleProof& proof : made) handles.emplace_back(new_proof(std::move(proof)));
        for (std::size_t i = 0; i < count; i++) out[i] = handles[i].release();
    });
}

merklize_status merklize_tree_prove_together(const merklize_tree* tree, const uint64_t* indices, size_t count,
                                             const merklize_digest* leaves, uint64_t n_leaves, merklize_proof** proof) {
    return run("merklize_tree_prove_together", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(
            call.need(tree, "tree")
                .value.prove_together(call.items(indices, count, "indices"), call.digests(leaves, n_leaves, "leaves")));
    });
}

merklize_status merklize_tree_prove_range(const merklize_tree* tree, uint64_t first, uint64_t last,
                                          const merklize_digest* leaves, uint64_t n_leaves, merklize_proof** proof) {
    return run("merklize_tree_prove_range", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out =
            new_proof(call.need(tree, "tree").value.prove_range(first, last, call.digests(leaves, n_leaves, "leaves")));
    });
}

merklize_status merklize_tree_prove_consistency(const merklize_tree* tree, uint64_t old_leaves,
                                                merklize_proof** proof) {
    return run("merklize_tree_prove_consistency", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(tree, "tree").value.prove_consistency(old_leaves));
    });
}

merklize_status merklize_tree_update(merklize_tree* tree, const uint64_t* indices, const merklize_digest* leaves,
                                     size_t count, const merklize_run_options* options) {
    return run("merklize_tree_update", [&](const Call& call) {
        const Options run(call, options);
        call.need(tree, "tree")
            .value.update(call.items(indices, count, "indices"), call.digests(leaves, count, "leaves"), run.get());
        run.finish();
    });
}

merklize_status merklize_tree_append(merklize_tree* tree, const merklize_digest* leaves, uint64_t count,
                                     const merklize_run_options* options) {
    return run("merklize_tree_append", [&](const Call& call) {
        const Options run(call, options);
        call.need(tree, "tree").value.append(call.digests(leaves, count, "leaves"), run.get());
        run.finish();
    });
}

merklize_status merklize_tree_save(const merklize_tree* tree, const char* path) {
    return run("merklize_tree_save",
               [&](const Call& call) { merklize::save_tree(call.need(tree, "tree").value, call.path(path, "path")); });
}

merklize_status merklize_tree_builder_create(const merklize_form* form, const merklize_run_options* options,
                                             merklize_tree_builder** builder) {
    return run("merklize_tree_builder_create", [&](const Call& call) {
        merklize_tree_builder*& out = call.result(builder, "builder");
        out = new merklize_tree_builder{merklize::TreeBuilder(call.form(form), Options(call, options).kept(call))};
    });
}

merklize_status merklize_tree_builder_append(merklize_tree_builder* builder, merklize_view leaves) {
    return run("merklize_tree_builder_append", [&](const Call& call) {
        merklize::TreeBuilder& value = call.need(builder, "builder").value;
        call.on_device(leaves, "leaves") ? value.append(leaves.buffer->value)
                                         : value.append(call.digests(leaves, "leaves"));
    });
}

uint64_t merklize_tree_builder_count(const merklize_tree_builder* builder) {
    return builder != nullptr ? builder->value.n_leaves() : 0;
}

merklize_status merklize_tree_builder_root(const merklize_tree_builder* builder, merklize_digest* root) {
    return run("merklize_tree_builder_root",
               [&](const Call& call) { call.need(root, "root") = to_c(call.need(builder, "builder").value.root()); });
}

void merklize_tree_builder_free(merklize_tree_builder* builder) { delete builder; }
