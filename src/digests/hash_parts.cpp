// Data that lies in the memories of several devices: each part is hashed where it lies, the host merges what comes back.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "digests/chunk_tree.hpp"
#include "jobs/run.hpp"
#include "jobs/side_by_side.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"
#include "merklize/tree.hpp"

namespace merklize {
namespace {

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, text); }

RunOptions on_the_cpu(const RunOptions& options) {
    static const Device cpu("cpu");
    RunOptions here = options;
    here.device = cpu;
    here.stream = {};
    here.timings = nullptr;
    return here;
}

void require_no_stream(const char* what, const RunOptions& options) {
    if (!options.stream) return;
    invalid(std::string(what) + ": parts on several devices have no common stream; options.stream is one of " +
            options.stream->device().info().id);
}

// Runs body(k, options) for each part k on the part's device; parts of one device one after another.
void on_their_devices(std::span<const Buffer> parts, const RunOptions& options, runtime::Run& run,
                      const std::function<void(std::size_t k, const RunOptions& here)>& body) {
    std::vector<Device> devices;
    std::vector<std::vector<std::size_t>> parts_of;
    for (std::size_t k = 0; k < parts.size(); k++) {
        const auto known = std::ranges::find_if(
            devices, [&](const Device& device) { return &device.state() == &parts[k].device().state(); });
        const auto i = static_cast<std::size_t>(known - devices.begin());
        if (known == devices.end()) {
            devices.push_back(parts[k].device());
            parts_of.emplace_back();
        }
        parts_of[i].push_back(k);
    }
    if (options.timings != nullptr) *options.timings = Timings{};
    const auto tick = [&](double done) { return run.tick(done); };
    const bool finished = runtime::side_by_side(
        devices, options, run.threads(),
        [&](std::size_t i, const RunOptions& here) {
            // A call zeroes the times that it fills, so each part has its own.
            Timings sum{.available = true};
            for (const std::size_t k : parts_of[i]) {
                Timings one;
                RunOptions alone = here;
                alone.timings = here.timings == nullptr ? nullptr : &one;
                body(k, alone);
                sum.available = sum.available && one.available;
                sum.kernel += one.kernel;
                sum.to_device += one.to_device;
                sum.to_host += one.to_host;
            }
            if (here.timings != nullptr) *here.timings = sum;
        },
        options.progress ? runtime::Tick(tick) : runtime::Tick());
    if (!finished) run.throw_cancelled();
}

}  // namespace

Digest hash_parts(std::span<const Buffer> parts, const Mode& mode, const RunOptions& options) {
    Digest digest;
    hash_parts(parts, digest.bytes, 0, mode, options);
    return digest;
}

void hash_parts(std::span<const Buffer> all_parts, std::span<std::byte> out, std::uint64_t seek, const Mode& mode,
                const RunOptions& options) {
    require_no_stream("hash_parts", options);
    std::vector<Buffer> parts;
    std::vector<std::uint64_t> first_chunks;
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < all_parts.size(); k++) {
        if (all_parts[k].empty()) continue;
        if (bytes % MKZ_BLAKE3_CHUNK_LEN != 0) {
            invalid("hash_parts: every part but the last must be a multiple of " +
                    std::to_string(MKZ_BLAKE3_CHUNK_LEN) + " bytes; the one before part " + std::to_string(k) +
                    " has " + std::to_string(parts.back().size()));
        }
        parts.push_back(all_parts[k]);
        first_chunks.push_back(bytes / MKZ_BLAKE3_CHUNK_LEN);
        bytes += all_parts[k].size();
    }
    if (parts.empty()) return hash(std::span<const std::byte>(), out, seek, mode, on_the_cpu(options));
    if (parts.size() == 1) return hash(parts[0], out, seek, mode, options);

    struct Value {
        runtime::ChainingValue value;
        std::uint64_t first_chunk;
    };
    std::vector<std::vector<Value>> values(parts.size());
    runtime::Node last{};  // what is left of the last part: at most a chunk
    bool has_last = false;
    const RunOptions cpu = on_the_cpu(options);
    runtime::Run run(cpu);
    on_their_devices(parts, options, run, [&](std::size_t k, const RunOptions& here) {
        runtime::Run part(here);
        const mkz_place data = runtime::place_of(parts[k]);
        const std::uint64_t done = runtime::push_subtrees(
            data, parts[k].size(), first_chunks[k], mode, part,
            [&](const runtime::ChainingValue& value, std::uint64_t first) { values[k].push_back({value, first}); });
        const std::uint64_t rest = parts[k].size() - done, chunk = first_chunks[k] + done / MKZ_BLAKE3_CHUNK_LEN;
        if (rest == 0) return;
        const runtime::Node node =
            runtime::chunk_node({data.pointer, data.offset + done, data.on_device}, rest, chunk, mode, part);
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
    root.expand(out, seek, run);
}

Digest merkle_root_parts(std::span<const Buffer> leaves, const TreeForm& form, const RunOptions& options) {
    require_no_stream("merkle_root_parts", options);
    if (!std::has_single_bit(leaves.size()))
        invalid("merkle_root_parts: the count of parts must be a power of two, got " + std::to_string(leaves.size()));
    if (!std::has_single_bit(leaves[0].size() / Digest::size) || leaves[0].size() % Digest::size != 0) {
        invalid("merkle_root_parts: a part must have a power of two of leaves of 32 bytes, got " +
                std::to_string(leaves[0].size()) + " bytes");
    }
    for (std::size_t k = 0; k < leaves.size(); k++) {
        if (leaves[k].size() == leaves[0].size()) continue;
        invalid("merkle_root_parts: parts must have equal counts of leaves; part 0 has " +
                std::to_string(leaves[0].size()) + " bytes, part " + std::to_string(k) + " has " +
                std::to_string(leaves[k].size()));
    }
    std::vector<Digest> roots(leaves.size());
    const RunOptions cpu = on_the_cpu(options);
    runtime::Run run(cpu);
    on_their_devices(leaves, options, run,
                     [&](std::size_t k, const RunOptions& here) { roots[k] = merkle_root(leaves[k], form, here); });
    return merkle_root(roots, form, cpu);
}

}  // namespace merklize
