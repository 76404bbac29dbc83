// Trees in files.
#include "c_api/calls.hpp"
#include "c_api/facts.hpp"
#include "c_api/new_proof.hpp"

using namespace merklize::c_api;

merklize_status merklize_build_tree_file(const merklize_input* input, const char* output, const merklize_form* form,
                                         int resume, merklize_tree_info* info, const merklize_run_options* options) {
    return run("merklize_build_tree_file", [&](const Call& call) {
        const Options run(call, options);
        const merklize::TreeInput from = call.input(input);
        const merklize::TreeFacts facts = merklize::build_tree_file(from, call.path(output, "output"), call.form(form),
                                                                    call.flag(resume, "resume"), run.get());
        if (info != nullptr) put_facts(*info, facts, from, form);
        run.finish();
    });
}

merklize_status merklize_tree_file_open(const char* path, merklize_tree_file** file) {
    return run("merklize_tree_file_open", [&](const Call& call) {
        merklize_tree_file*& out = call.result(file, "file");
        out = new merklize_tree_file{merklize::TreeFile(call.path(path, "path"))};
    });
}

void merklize_tree_file_free(merklize_tree_file* file) { delete file; }

merklize_status merklize_tree_file_set_mode(merklize_tree_file* file, const merklize_mode* mode) {
    return run("merklize_tree_file_set_mode", [&](const Call& call) {
        merklize::TreeFile& value = call.need(file, "file").value;
        value.set_mode(call.mode(mode, value.form().hash));
    });
}

merklize_status merklize_tree_file_get_info(const merklize_tree_file* file, merklize_tree_info* info) {
    return run("merklize_tree_file_get_info", [&](const Call& call) {
        merklize_tree_info& out = call.need(info, "info");
        const merklize::TreeFile& value = call.need(file, "file").value;
        put_facts(out, value);
        out.is_keyed = value.is_keyed() ? 1 : 0;
    });
}

merklize_status merklize_tree_file_root(const merklize_tree_file* file, merklize_digest* root) {
    return run("merklize_tree_file_root",
               [&](const Call& call) { call.need(root, "root") = to_c(call.need(file, "file").value.root()); });
}

merklize_status merklize_tree_file_read(const merklize_tree_file* file, uint32_t level, uint64_t first,
                                        merklize_digest* nodes, size_t count) {
    return run("merklize_tree_file_read", [&](const Call& call) {
        call.need(file, "file").value.read(level, first, call.digests(nodes, count, "nodes"));
    });
}

merklize_status merklize_tree_file_prove(const merklize_tree_file* file, uint64_t index, merklize_proof** proof) {
    return run("merklize_tree_file_prove", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(file, "file").value.prove(index));
    });
}

merklize_status merklize_tree_file_prove_together(const merklize_tree_file* file, const uint64_t* indices, size_t count,
                                                  merklize_proof** proof) {
    return run("merklize_tree_file_prove_together", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(file, "file").value.prove_together(call.items(indices, count, "indices")));
    });
}

merklize_status merklize_tree_file_prove_range(const merklize_tree_file* file, uint64_t first, uint64_t last,
                                               merklize_proof** proof) {
    return run("merklize_tree_file_prove_range", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(file, "file").value.prove_range(first, last));
    });
}

merklize_status merklize_tree_file_prove_consistency(const merklize_tree_file* file, uint64_t old_leaves,
                                                     merklize_proof** proof) {
    return run("merklize_tree_file_prove_consistency", [&](const Call& call) {
        merklize_proof*& out = call.result(proof, "proof");
        out = new_proof(call.need(file, "file").value.prove_consistency(old_leaves));
    });
}

merklize_status merklize_tree_file_check(const merklize_tree_file* file, merklize_wrong_node* wrong, size_t capacity,
                                         size_t* count, const merklize_run_options* options) {
    return run("merklize_tree_file_check", [&](const Call& call) {
        size_t& found = call.need(count, "count");
        const auto out = call.items(wrong, capacity, "wrong");
        const Options run(call, options);
        const std::vector<merklize::WrongNode> nodes =
            call.need(file, "file").value.check(capacity == 0 ? 1 : capacity, run.get());
        for (std::size_t i = 0; i < nodes.size() && i < capacity; i++)
            out[i] = {.index = nodes[i].index, .level = nodes[i].level};
        found = nodes.size();
        run.finish();
    });
}

merklize_status merklize_tree_file_update(merklize_tree_file* file, const uint64_t* indices,
                                          const merklize_digest* leaves, size_t count,
                                          const merklize_run_options* options) {
    return run("merklize_tree_file_update", [&](const Call& call) {
        const Options run(call, options);
        call.need(file, "file")
            .value.update(call.items(indices, count, "indices"), call.digests(leaves, count, "leaves"), run.get());
        run.finish();
    });
}

merklize_status merklize_tree_file_append(merklize_tree_file* file, const merklize_digest* leaves, uint64_t count,
                                          const merklize_run_options* options) {
    return run("merklize_tree_file_append", [&](const Call& call) {
        const Options run(call, options);
        call.need(file, "file").value.append(call.digests(leaves, count, "leaves"), run.get());
        run.finish();
    });
}

merklize_status merklize_tree_writer_create(const char* path, uint64_t n_leaves, const merklize_form* form,
                                            uint64_t leaf_bytes, uint64_t total_bytes, int resume,
                                            const merklize_run_options* options, merklize_tree_writer** writer) {
    return run("merklize_tree_writer_create", [&](const Call& call) {
        merklize_tree_writer*& out = call.result(writer, "writer");
        const merklize::RunOptions kept = Options(call, options).kept(call);
        out = new merklize_tree_writer{merklize::TreeWriter(call.path(path, "path"), n_leaves, call.form(form),
                                                            {leaf_bytes, total_bytes}, call.flag(resume, "resume"),
                                                            kept)};
    });
}

void merklize_tree_writer_free(merklize_tree_writer* writer) { delete writer; }

uint64_t merklize_tree_writer_written(const merklize_tree_writer* writer) {
    return writer != nullptr ? writer->value.written() : 0;
}

merklize_status merklize_tree_writer_append(merklize_tree_writer* writer, const merklize_digest* leaves,
                                            uint64_t count) {
    return run("merklize_tree_writer_append", [&](const Call& call) {
        call.need(writer, "writer").value.append(call.digests(leaves, count, "leaves"));
    });
}

merklize_status merklize_tree_writer_checkpoint(merklize_tree_writer* writer) {
    return run("merklize_tree_writer_checkpoint",
               [&](const Call& call) { call.need(writer, "writer").value.checkpoint(); });
}

merklize_status merklize_tree_writer_finish(merklize_tree_writer* writer, uint64_t total_bytes, merklize_digest* root) {
    return run("merklize_tree_writer_finish", [&](const Call& call) {
        merklize_digest& out = call.need(root, "root");
        out = to_c(call.need(writer, "writer").value.finish(total_bytes));
    });
}
