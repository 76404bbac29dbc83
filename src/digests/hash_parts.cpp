// One digest of data in the memories of several devices. Each device hashes its own part; the host merges the values of
// the parts.
#include <algorithm>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "calls/side_by_side.hpp"
#include "digests/chunk_tree.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
Digest hash_parts(std::span<const ConstBuffer> parts, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash_parts(parts, digest.bytes, 0, mode, options);
    return digest;
}

void hash_parts(std::span<const ConstBuffer> all_parts, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
                const RunOptions& options) {
    const PublicCall entry("hash_parts");
    runtime::require_blake3(mode);
    runtime::require_no_stream(options);
    std::vector<ConstBuffer> parts;
    std::vector<std::uint64_t> first_chunks;
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < all_parts.size(); k++) {
        if (all_parts[k].empty()) continue;
        if (bytes % MKZ_BLAKE3_CHUNK_LEN != 0) {
            invalid_call("every part but the last must be a multiple of " + std::to_string(MKZ_BLAKE3_CHUNK_LEN) +
                         " bytes; the one before part " + std::to_string(k) + " has " +
                         std::to_string(parts.back().size()));
        }
        parts.push_back(all_parts[k]);
        first_chunks.push_back(bytes / MKZ_BLAKE3_CHUNK_LEN);
        bytes += all_parts[k].size();
    }
    const RunOptions cpu = runtime::on_the_cpu(options);
    if (parts.empty()) return hash(std::span<const std::byte>(), out, seek, mode, cpu);
    if (parts.size() == 1) return hash(parts[0], out, seek, mode, options);

    struct Value {
        runtime::ChainingValue value;
        std::uint64_t first_chunk;
    };
    std::vector<std::vector<Value>> values(parts.size());
    runtime::Node last{};  // the rest of the last part: at most a chunk
    bool has_last = false;
    runtime::on_their_devices(parts, options, [&](std::size_t k, const RunOptions& here) {
        runtime::Run part(here);
        const runtime::Place data = runtime::place_of(parts[k]);
        const std::uint64_t done = runtime::push_subtrees(
            data, parts[k].size(), first_chunks[k], mode, part, 1,
            [&](const runtime::ChainingValue& value, std::uint64_t first) { values[k].push_back({value, first}); });
        const std::uint64_t rest = parts[k].size() - done, chunk = first_chunks[k] + done / MKZ_BLAKE3_CHUNK_LEN;
        if (rest == 0) return;
        const runtime::Node node = runtime::chunk_node(runtime::moved(data, done), rest, chunk, mode, part);
        if (k + 1 < parts.size()) {
            values[k].push_back({runtime::value_of(node), chunk});
        } else {
            last = node;
            has_last = true;
        }
    });
    runtime::ValueStack stack(mode);
    for (const std::vector<Value>& of_part : values) {
        for (const Value& value : of_part) stack.push(value.value, value.first_chunk);
    }
    const runtime::Node root = has_last ? stack.root(last, (bytes - 1) / MKZ_BLAKE3_CHUNK_LEN) : stack.root();
    runtime::Run run(cpu);
    root.expand(out, seek, run);
}

}  // namespace merklize::inline v0
