// The list of hashes, digests, merges and the streaming hasher.
#include <cstring>
#include <string>
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::Digest;
using merklize::Hash;

namespace {

merklize::Poseidon2 read_poseidon2(const Call& call, const merklize_poseidon2* instance, const std::string& name) {
    const merklize_poseidon2& given = call.need(instance, name.c_str());
    if (given.field > 2) call.invalid(name + "->field", "must be 0, 1 or 2, got " + std::to_string(given.field));
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

merklize::Poseidon read_poseidon(const Call& call, const merklize_poseidon* instance) {
    const merklize_poseidon& given = call.need(instance, "instance");
    if (given.field > 2) call.invalid("instance->field", "must be 0, 1 or 2, got " + std::to_string(given.field));
    const auto constants = call.items(given.constants, given.constant_count, "instance->constants");
    const auto matrix = call.items(given.matrix, given.matrix_count, "instance->matrix");
    return {static_cast<merklize::Poseidon2Field>(given.field),
            given.width,
            given.rate,
            given.full_rounds,
            given.partial_rounds,
            {constants.begin(), constants.end()},
            {matrix.begin(), matrix.end()}};
}

void put_info(const merklize::HashTraits& traits, merklize_hash_info& out) {
    out.hash = to_c(traits.hash);
    out.is_field = traits.is_field ? 1 : 0;
    out.element_bytes = element_bytes(traits.hash);
    out.modulus = traits.modulus;
    std::memset(out.name, 0, sizeof out.name);
    if (traits.name.size() < sizeof out.name) std::memcpy(out.name, traits.name.data(), traits.name.size());
}

// Whether the hash is BLAKE3, which has output of any length. Refuses what another hash does not have.
bool is_blake3(const Call& call, Hash hash, const merklize_mode* mode, uint64_t seek, size_t length) {
    if (hash == Hash::blake3) return true;
    const std::string name(merklize::traits(hash).name);
    const bool is_blake2s = hash == Hash::blake2s;
    if (!is_blake2s && mode != nullptr && (mode->key != nullptr || mode->context != nullptr))
        call.invalid("mode", "must be null, or plain, of the hash '" + name + "': only blake3 and blake2s have others");
    if (seek != 0 || (is_blake2s ? length == 0 || length > Digest::size : length != Digest::size)) {
        call.invalid("the hash '" + name + "' has " + (is_blake2s ? "1 to 32" : "32") +
                     " bytes of output from 0 on, got " + std::to_string(length) + " from " + std::to_string(seek) +
                     " on; blake3 has output of any length");
    }
    return false;
}

}  // namespace

size_t merklize_hash_count() { return merklize::hashes().size(); }

merklize_status merklize_hash_describe(size_t index, merklize_hash_info* info) {
    return run("merklize_hash_describe", [&](const Call& call) {
        merklize_hash_info& out = call.need(info, "info");
        const auto all = merklize::hashes();
        call.require_index(index, all.size(), "hashes");
        put_info(all[index], out);
    });
}

merklize_status merklize_hash_get_info(merklize_hash_id hash, merklize_hash_info* info) {
    return run("merklize_hash_get_info", [&](const Call& call) {
        merklize_hash_info& out = call.need(info, "info");
        put_info(merklize::traits(call.hash(hash)), out);
    });
}

merklize_status merklize_hash_name(merklize_hash_id hash, char* text, size_t capacity, size_t* length) {
    return run("merklize_hash_name", [&](const Call& call) {
        call.put_text(merklize::traits(call.hash(hash)).name, text, capacity, length);
    });
}

merklize_status merklize_hash_from_name(const char* name, merklize_hash_id* hash) {
    return run("merklize_hash_from_name", [&](const Call& call) {
        merklize_hash_id& out = call.need(hash, "hash");
        out = to_c(merklize::hash_from_name(&call.need(name, "name")));
    });
}

merklize_status merklize_hash_poseidon2(const merklize_poseidon2* instance, const merklize_poseidon2* quad,
                                        merklize_hash_id* hash) {
    return run("merklize_hash_poseidon2", [&](const Call& call) {
        const merklize::Poseidon2 rows = read_poseidon2(call, instance, "instance");
        merklize_hash_id& out = call.need(hash, "hash");
        if (quad == nullptr) {
            out = to_c(merklize::poseidon2(rows));
            return;
        }
        const merklize::Poseidon2 four = read_poseidon2(call, quad, "quad");
        out = to_c(merklize::poseidon2(rows, &four));
    });
}

merklize_status merklize_hash_poseidon(const merklize_poseidon* instance, merklize_hash_id* hash) {
    return run("merklize_hash_poseidon", [&](const Call& call) {
        const merklize::Poseidon given = read_poseidon(call, instance);
        call.need(hash, "hash") = to_c(merklize::poseidon(given));
    });
}

merklize_status merklize_hash(merklize_view data, merklize_hash_id hash, const merklize_mode* mode, uint64_t seek,
                              uint8_t* out, size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const auto to = call.bytes(out, out_bytes, "out");
        const auto put_of = [&](const auto& bytes) {
            if (is_blake3(call, by, mode, seek, out_bytes))
                merklize::hash(bytes, to, seek, call.mode(mode), run.get());
            else
                merklize::hash_message(bytes, to, {by, call.mode(mode, by)}, run.get());
        };
        call.on_device(data, "data") ? put_of(data.buffer->value) : put_of(call.bytes(data, "data"));
        run.finish();
    });
}

merklize_status merklize_hash_file(const char* path, merklize_hash_id hash, const merklize_mode* mode, uint64_t seek,
                                   uint8_t* out, size_t out_bytes, const merklize_run_options* options) {
    return run("merklize_hash_file", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const char* const from = call.path(path, "path");
        const auto to = call.bytes(out, out_bytes, "out");
        if (is_blake3(call, by, mode, seek, out_bytes))
            merklize::hash_file(from, to, seek, call.mode(mode), run.get());
        else
            merklize::hash_message_file(from, to, {by, call.mode(mode, by)}, run.get());
        run.finish();
    });
}

merklize_status merklize_hash_descriptor(int descriptor, const char* name, merklize_hash_id hash,
                                         const merklize_mode* mode, uint64_t seek, uint8_t* out, size_t out_bytes,
                                         const merklize_run_options* options) {
    return run("merklize_hash_descriptor", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const std::string shown = descriptor_name(descriptor, name);
        const auto to = call.bytes(out, out_bytes, "out");
        if (is_blake3(call, by, mode, seek, out_bytes))
            merklize::hash_descriptor(descriptor, shown, to, seek, call.mode(mode), run.get());
        else
            merklize::hash_message_descriptor(descriptor, shown, to, {by, call.mode(mode, by)}, run.get());
        run.finish();
    });
}

merklize_status merklize_hash_files(const char* const* paths, size_t n, merklize_hash_id hash,
                                    const merklize_mode* mode, uint64_t seek, size_t length,
                                    const merklize_run_options* options, merklize_file_digests** digests) {
    return run("merklize_hash_files", [&](const Call& call) {
        merklize_file_digests*& out = call.result(digests, "digests");
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const auto files = call.paths(paths, n);
        out = new merklize_file_digests{
            is_blake3(call, by, mode, seek, length)
                ? merklize::hash_files(files, length, seek, call.mode(mode), run.get())
                : merklize::hash_message_files(files, {by, call.mode(mode, by)}, run.get(), length)};
        run.finish();
    });
}

merklize_status merklize_file_digests_get(const merklize_file_digests* digests, size_t index,
                                          merklize_file_digest* digest) {
    return run("merklize_file_digests_get", [&](const Call& call) {
        const std::vector<merklize::FileDigest>& all = call.need(digests, "digests").value;
        merklize_file_digest& out = call.need(digest, "digest");
        call.require_index(index, all.size(), "files");
        const merklize::FileDigest& one = all[index];
        const bool failed = !one.error.empty();
        out = {.output = failed ? nullptr : reinterpret_cast<const uint8_t*>(one.output.data()),
               .error = failed ? one.error.c_str() : nullptr,
               .system_error = one.system_error};
    });
}

void merklize_file_digests_free(merklize_file_digests* digests) { delete digests; }

merklize_status merklize_hash_each(const merklize_view* messages, size_t n, merklize_hash_id hash,
                                   const merklize_mode* mode, uint64_t seek, uint8_t* out, size_t length,
                                   const merklize_run_options* options) {
    return run("merklize_hash_each", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        const std::vector<merklize::MessageView> views = call.messages(messages, n);
        if (length != 0 && n > SIZE_MAX / length)
            call.invalid(std::to_string(n) + " outputs of " + std::to_string(length) + " bytes fit in no memory");
        const auto to = call.bytes(out, n * length, "out");
        if (is_blake3(call, by, mode, seek, length))
            merklize::hash_each(views, to, length, seek, call.mode(mode), run.get());
        else
            merklize::hash_message_each(views, to, length, {by, call.mode(mode, by)}, run.get());
        run.finish();
    });
}

merklize_status merklize_hash_parts(const merklize_buffer* const* parts, size_t n, const merklize_mode* mode,
                                    uint64_t seek, uint8_t* out, size_t out_bytes,
                                    const merklize_run_options* options) {
    return run("merklize_hash_parts", [&](const Call& call) {
        const Options run(call, options);
        merklize::hash_parts(call.parts(parts, n), call.bytes(out, out_bytes, "out"), seek, call.mode(mode), run.get());
        run.finish();
    });
}

merklize_status merklize_hash_leaves(merklize_view rows, uint64_t row_bytes, merklize_hash_id hash,
                                     const merklize_mode* mode, merklize_output out,
                                     const merklize_run_options* options) {
    return run("merklize_hash_leaves", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        if (call.all_on_device("rows and out", rows, out))
            merklize::hash_leaves(rows.buffer->value, row_bytes, call.written(out.buffer, "out"), by,
                                  call.mode(mode, by), run.get());
        else
            merklize::hash_leaves(call.bytes(rows, "rows"), row_bytes, call.digests(out, "out"), by,
                                  call.mode(mode, by), run.get());
        run.finish();
    });
}

merklize_status merklize_merge(merklize_view left, merklize_view right, merklize_hash_id hash,
                               const merklize_mode* mode, merklize_output out, const merklize_run_options* options) {
    return run("merklize_merge", [&](const Call& call) {
        const Options run(call, options);
        const Hash by = call.hash(hash);
        if (call.all_on_device("left, right and out", left, right, out))
            merklize::merge(left.buffer->value, right.buffer->value, call.written(out.buffer, "out"), by,
                            call.mode(mode, by), run.get());
        else
            merklize::merge(call.digests(left, "left"), call.digests(right, "right"), call.digests(out, "out"), by,
                            call.mode(mode, by), run.get());
        run.finish();
    });
}

merklize_status merklize_hasher_create(merklize_hash_id hash, const merklize_mode* mode,
                                       const merklize_run_options* options, merklize_hasher** hasher) {
    return run("merklize_hasher_create", [&](const Call& call) {
        merklize_hasher*& out = call.result(hasher, "hasher");
        const Hash by = call.hash(hash);
        const merklize::RunOptions kept = Options(call, options).kept(call);
        (void)is_blake3(call, by, mode, 0, Digest::size);
        out = new merklize_hasher{merklize::Hasher::of({by, call.mode(mode, by)}, kept)};
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
        merklize_hasher*& out = call.result(copy, "copy");
        out = new merklize_hasher{call.need(hasher, "hasher").value};
    });
}

void merklize_hasher_free(merklize_hasher* hasher) { delete hasher; }
