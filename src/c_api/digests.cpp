// The list of hashes, digests, merges and the streaming hasher.
#include <cstring>
#include <string>
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::Hash;

namespace {

merklize::Poseidon2 read_poseidon2(const Call& call, const merklize_poseidon2* instance, const std::string& name) {
    const merklize_poseidon2& given = call.need(instance, name.c_str());
    if (given.field > 2) call.invalid(name + "->field must be 0, 1 or 2, got " + std::to_string(given.field));
    const auto constants = call.items(given.constants, given.constant_count, (name + "->constants").c_str());
    const auto diagonal = call.items(given.diagonal, given.diagonal_count, (name + "->diagonal").c_str());
    return {static_cast<merklize::Poseidon2Field>(given.field),
            given.width,
            given.rate,
            given.external_rounds,
            given.internal_rounds,
            {constants.begin(), constants.end()},
            {diagonal.begin(), diagonal.end()}};
}

void put_info(const merklize::HashTraits& traits, merklize_hash_info& out) {
    out.hash = to_c(traits.hash);
    out.is_field = traits.is_field ? 1 : 0;
    out.row_unit_bytes = row_unit_bytes(traits.hash);
    out.modulus = traits.modulus;
    std::memset(out.name, 0, sizeof out.name);
    if (traits.name.size() < sizeof out.name) std::memcpy(out.name, traits.name.data(), traits.name.size());
}

}  // namespace

size_t merklize_hash_count() { return merklize::hashes().size(); }

merklize_status merklize_hash_describe(size_t index, merklize_hash_info* info) {
    return run("merklize_hash_describe", [&](const Call& call) {
        merklize_hash_info& out = call.need(info, "info");
        const auto all = merklize::hashes();
        if (index >= all.size()) {
            call.invalid("index must be below the number of hashes, " + std::to_string(all.size()) + ", got " +
                         std::to_string(index));
        }
        put_info(all[index], out);
    });
}

merklize_status merklize_hash_get_info(merklize_hash hash, merklize_hash_info* info) {
    return run("merklize_hash_get_info", [&](const Call& call) {
        merklize_hash_info& out = call.need(info, "info");
        put_info(merklize::traits(call.hash(hash)), out);
    });
}

merklize_status merklize_hash_name(merklize_hash hash, char* text, size_t capacity, size_t* length) {
    return run("merklize_hash_name", [&](const Call& call) {
        call.put_text(merklize::traits(call.hash(hash)).name, text, capacity, length);
    });
}

merklize_status merklize_hash_from_name(const char* name, merklize_hash* hash) {
    return run("merklize_hash_from_name", [&](const Call& call) {
        merklize_hash& out = call.need(hash, "hash");
        out = to_c(merklize::hash_from_name(&call.need(name, "name")));
    });
}

merklize_status merklize_hash_poseidon2(const merklize_poseidon2* instance, const merklize_poseidon2* quad,
                                        merklize_hash* hash) {
    return run("merklize_hash_poseidon2", [&](const Call& call) {
        const merklize::Poseidon2 rows = read_poseidon2(call, instance, "instance");
        merklize_hash& out = call.need(hash, "hash");
        if (quad == nullptr) {
            out = to_c(merklize::poseidon2(rows));
            return;
        }
        const merklize::Poseidon2 four = read_poseidon2(call, quad, "quad");
        out = to_c(merklize::poseidon2(rows, &four));
    });
}

merklize_status merklize_hash_bytes(const void* data, size_t bytes, const merklize_mode* mode, uint64_t seek,
                                    uint8_t* out, size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash_bytes", [&](const Call& call) {
        const Options run(call, options);
        merklize::hash(call.bytes(data, bytes, "data"), call.bytes(out, out_bytes, "out"), seek, call.mode(mode),
                       run.get());
        run.finish();
    });
}

merklize_status merklize_hash_buffer(const merklize_buffer* data, const merklize_mode* mode, uint64_t seek,
                                     uint8_t* out, size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash_buffer", [&](const Call& call) {
        const Options run(call, options);
        merklize::hash(call.need(data, "data").value, call.bytes(out, out_bytes, "out"), seek, call.mode(mode),
                       run.get());
        run.finish();
    });
}

merklize_status merklize_hash_file(const char* path, const merklize_mode* mode, uint64_t seek, uint8_t* out,
                                   size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash_file", [&](const Call& call) {
        const Options run(call, options);
        merklize::hash_file(call.path(path, "path"), call.bytes(out, out_bytes, "out"), seek, call.mode(mode),
                            run.get());
        run.finish();
    });
}

merklize_status merklize_hash_descriptor(int descriptor, const char* name, const merklize_mode* mode, uint64_t seek,
                                         uint8_t* out, size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash_descriptor", [&](const Call& call) {
        const Options run(call, options);
        const std::string shown = name != nullptr ? name : "descriptor " + std::to_string(descriptor);
        merklize::hash_descriptor(descriptor, shown, call.bytes(out, out_bytes, "out"), seek, call.mode(mode),
                                  run.get());
        run.finish();
    });
}

merklize_status merklize_hash_message(merklize_hash hash, const void* data, size_t bytes, merklize_digest* digest,
                                      const merklize_run_options* options) {
    return run("merklize_hash_message", [&](const Call& call) {
        merklize_digest& out = call.need(digest, "digest");
        const Options run(call, options);
        out = to_c(merklize::hash_message(call.bytes(data, bytes, "data"), call.hash(hash), run.get()));
        run.finish();
    });
}

merklize_status merklize_hash_message_buffer(merklize_hash hash, const merklize_buffer* data, merklize_digest* digest,
                                             const merklize_run_options* options) {
    return run("merklize_hash_message_buffer", [&](const Call& call) {
        merklize_digest& out = call.need(digest, "digest");
        const Options run(call, options);
        out = to_c(merklize::hash_message(call.need(data, "data").value, call.hash(hash), run.get()));
        run.finish();
    });
}

merklize_status merklize_hash_message_file(merklize_hash hash, const char* path, merklize_digest* digest,
                                           const merklize_run_options* options) {
    return run("merklize_hash_message_file", [&](const Call& call) {
        merklize_digest& out = call.need(digest, "digest");
        const Options run(call, options);
        out = to_c(merklize::hash_message_file(call.path(path, "path"), call.hash(hash), run.get()));
        run.finish();
    });
}

merklize_status merklize_hash_each(const merklize_message* messages, size_t n, const merklize_mode* mode, uint64_t seek,
                                   uint8_t* out, size_t length, const merklize_run_options* options) {
    return run("merklize_hash_each", [&](const Call& call) {
        const Options run(call, options);
        std::vector<merklize::MessageView> views;
        for (const merklize_message& message : call.items(messages, n, "messages")) {
            if (message.buffer == nullptr) {
                views.emplace_back(call.bytes(message.data, message.bytes, "messages[].data"));
                continue;
            }
            if (message.data != nullptr || message.bytes != 0)
                call.invalid("message " + std::to_string(views.size()) +
                             " has data and a buffer, must have one of them");
            views.emplace_back(message.buffer->value);
        }
        if (length != 0 && n > SIZE_MAX / length)
            call.invalid(std::to_string(n) + " outputs of " + std::to_string(length) + " bytes fit in no memory");
        merklize::hash_each(views, call.bytes(out, n * length, "out"), length, seek, call.mode(mode), run.get());
        run.finish();
    });
}

merklize_status merklize_hash_leaves(merklize_hash hash, const void* rows, size_t row_length, size_t n,
                                     const merklize_mode* mode, merklize_digest* out,
                                     const merklize_run_options* options) {
    return run("merklize_hash_leaves", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const auto given = call.rows(by, rows, row_length, n);
        merklize::hash_leaves(given, row_length * row_unit_bytes(by), call.digests(out, n, "out"), by, call.mode(mode),
                              run.get());
        run.finish();
    });
}

merklize_status merklize_hash_leaves_buffer(merklize_hash hash, const merklize_buffer* rows, size_t row_length,
                                            const merklize_mode* mode, merklize_buffer* out,
                                            const merklize_run_options* options) {
    return run("merklize_hash_leaves_buffer", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const merklize::ConstBuffer& from = call.need(rows, "rows").value;
        merklize::hash_leaves(from, call.row_bytes(by, from, row_length), call.written(out, "out"), by, call.mode(mode),
                              run.get());
        run.finish();
    });
}

merklize_status merklize_merge(merklize_hash hash, const merklize_digest* left, const merklize_digest* right, size_t n,
                               const merklize_mode* mode, merklize_digest* out, const merklize_run_options* options) {
    return run("merklize_merge", [&](const Call& call) {
        const Options run(call, options);
        const auto from = call.digests(left, n, "left"), with = call.digests(right, n, "right");
        merklize::merge(from, with, call.digests(out, n, "out"), call.hash(hash), call.mode(mode), run.get());
        run.finish();
    });
}

merklize_status merklize_merge_buffers(merklize_hash hash, const merklize_buffer* left, const merklize_buffer* right,
                                       const merklize_mode* mode, merklize_buffer* out,
                                       const merklize_run_options* options) {
    return run("merklize_merge_buffers", [&](const Call& call) {
        const Options run(call, options);
        const merklize::ConstBuffer &from = call.need(left, "left").value, &with = call.need(right, "right").value;
        merklize::merge(from, with, call.written(out, "out"), call.hash(hash), call.mode(mode), run.get());
        run.finish();
    });
}

merklize_status merklize_hasher_create(const merklize_mode* mode, const merklize_run_options* options,
                                       merklize_hasher** hasher) {
    return run("merklize_hasher_create", [&](const Call& call) {
        merklize_hasher*& out = call.handle(hasher, "hasher");
        out = new merklize_hasher{merklize::Hasher(call.mode(mode), Options(call, options).kept(call))};
    });
}

merklize_status merklize_hasher_create_by(merklize_hash hash, const merklize_run_options* options,
                                          merklize_hasher** hasher) {
    return run("merklize_hasher_create_by", [&](const Call& call) {
        merklize_hasher*& out = call.handle(hasher, "hasher");
        out = new merklize_hasher{merklize::Hasher::of(call.hash(hash), Options(call, options).kept(call))};
    });
}

merklize_status merklize_hasher_update(merklize_hasher* hasher, const void* data, size_t bytes) {
    return run("merklize_hasher_update",
               [&](const Call& call) { call.need(hasher, "hasher").value.update(call.bytes(data, bytes, "data")); });
}

merklize_status merklize_hasher_output(const merklize_hasher* hasher, uint64_t seek, uint8_t* out, size_t out_bytes) {
    return run("merklize_hasher_output", [&](const Call& call) {
        call.need(hasher, "hasher").value.digest(call.bytes(out, out_bytes, "out"), seek);
    });
}

uint64_t merklize_hasher_count(const merklize_hasher* hasher) { return hasher != nullptr ? hasher->value.count() : 0; }

merklize_status merklize_hasher_reset(merklize_hasher* hasher) {
    return run("merklize_hasher_reset", [&](const Call& call) { call.need(hasher, "hasher").value.reset(); });
}

merklize_status merklize_hasher_copy(const merklize_hasher* hasher, merklize_hasher** copy) {
    return run("merklize_hasher_copy", [&](const Call& call) {
        merklize_hasher*& out = call.handle(copy, "copy");
        out = new merklize_hasher{call.need(hasher, "hasher").value};
    });
}

void merklize_hasher_free(merklize_hasher* hasher) { delete hasher; }
