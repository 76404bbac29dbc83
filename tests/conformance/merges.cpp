// Merges in every mode, and the paths up from some nodes of a level, against single merges of the reference.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "calls/run.hpp"
#include "hashes/merge_one.hpp"
#include "jobs/internals.hpp"
#include "support.hpp"

using namespace support;
using merklize::Mode;
using merklize::RunOptions;
namespace runtime = merklize::runtime;

namespace {

/// A mode of merges, and the same mode for the reference.
struct Merges {
    Hash hash;
    Mode mode{};
    reference::Mode witness{};

    Digest operator()(const Digest& left, const Digest& right) const {
        return to_digest(reference::merge(static_cast<int>(hash), to_bytes(left), to_bytes(right), witness));
    }
};

std::vector<Merges> all_merges() {
    std::vector<Merges> out;
    for (const merklize::HashTraits& t : hashes_here()) out.push_back({t.hash});
    const Bytes key = Random(7).bytes(32);
    const std::string context = "merklize tests 2026-11-21 merges of a tree";
    out.push_back({Hash::blake3, Mode::keyed(view(key)), {.key = key}});
    out.push_back({Hash::blake3, Mode::derive_key(context), {.context = context}});
    out.push_back({Hash::blake2s, Mode::keyed(view(key), Hash::blake2s), {.key = key}});
    return out;
}

/// The parents of n leaves, level after level, by single merges under a rule for odd nodes; in heap order.
std::vector<Digest> heap(const Merges& merge, const std::vector<Digest>& given, runtime::OddNode odd_node,
                         const std::vector<Digest>& pads) {
    const std::size_t first = std::bit_ceil(given.size());
    std::vector<Digest> nodes(2 * first);
    std::ranges::copy(given, nodes.begin() + static_cast<std::ptrdiff_t>(first));
    std::size_t width = given.size(), level = 0;
    for (std::size_t at = first; at > 1; at /= 2, width = (width + 1) / 2, level++) {
        for (std::size_t i = 0; i < (width + 1) / 2; i++) {
            const Digest& left = nodes[at + 2 * i];
            Digest& out = nodes[at / 2 + i];
            if (2 * i + 1 < width)
                out = merge(left, nodes[at + 2 * i + 1]);
            else if (odd_node == runtime::OddNode::promote)
                out = left;
            else
                out = merge(left, odd_node == runtime::OddNode::pad ? pads[level] : left);
        }
    }
    return nodes;
}

}  // namespace

TEST("merge: every hash and mode, any count") {
    for (const Merges& merges : all_merges()) {
        for (const std::size_t n : {1, 2, 7, 8, 9, 16, 17, 255, 256, 257, 600}) {
            if (merklize::traits(merges.hash).is_field && n > 17) continue;
            const std::vector<Digest> left = leaves(merges.hash, n, 1), right = leaves(merges.hash, n, 2);
            std::vector<Digest> out(n);
            merklize::merge(left, right, out, merges.hash, merges.mode, threads(2));
            for (std::size_t i = 0; i < n; i++) {
                const Digest expected = merges(left[i], right[i]);
                CHECK_EQ(out[i], expected);
                CHECK_EQ(runtime::merge_one(merges.hash, left[i], right[i], merges.mode), expected);
                CHECK_EQ(merklize::merge(left[i], right[i], merges.hash, merges.mode), expected);
            }
        }
    }
}

TEST("merge: keys are of blake3 and blake2s, hashes are known") {
    const Mode keyed = Mode::keyed(view(Bytes(32)));
    std::vector<Digest> one(1);
    CHECK_ERROR(invalid_argument, "merge: the key is of the hash 'blake3', not of 'blake2s'; Mode::keyed(key, hash)",
                merklize::merge(one[0], one[0], Hash::blake2s, keyed));
    const Mode short_key = Mode::keyed(view(Bytes(5)), Hash::blake2s);
    CHECK_ERROR(invalid_argument, "merge: the key is of the hash 'blake2s', not of 'blake3'",
                merklize::merge(one[0], one[0], Hash::blake3, short_key));
    CHECK_ERROR(invalid_argument, "hash: the key is of the hash 'blake2s', not of 'blake3'",
                merklize::hash(view(Bytes(5)), short_key));
    CHECK_ERROR(invalid_argument, "keys are of the hashes 'blake3' and 'blake2s', not of 'sha256'",
                Mode::keyed(view(Bytes(32)), Hash::sha256));
    CHECK_ERROR(invalid_argument, "unknown hash id 77", merklize::merge(one[0], one[0], static_cast<Hash>(77)));
    CHECK_EQ(runtime::merge_one(static_cast<Hash>(77), one[0], one[0]), Digest{});
}

TEST("merge: the paths up from some leaves make the tree of all") {
    Random random(3);
    for (const Merges& merges : all_merges()) {
        const bool is_field = merklize::traits(merges.hash).is_field;
        for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 127, 128, 129, 1000, 1024, 1025}) {
            if (is_field && n > 33) continue;
            const std::vector<Digest> pads = leaves(merges.hash, 11, 5);
            const std::uint64_t first = std::bit_ceil(n);
            for (const runtime::OddNode odd_node :
                 {runtime::OddNode::promote, runtime::OddNode::duplicate, runtime::OddNode::pad}) {
                std::vector<Digest> given = leaves(merges.hash, n, 3);
                std::vector<Digest> nodes = heap(merges, given, odd_node, pads);
                std::vector<std::uint64_t> changed;
                for (std::uint64_t i = 0; i < n; i++) {
                    if (i + 1 == n || random.below(1 + n / 20) == 0) changed.push_back(i);
                }
                const std::vector<Digest> fresh = leaves(merges.hash, n, 4);
                for (const std::uint64_t i : changed) nodes[first + i] = given[i] = fresh[i];
                const std::vector<Digest> expected = heap(merges, given, odd_node, pads);
                const runtime::MergeAt job{.hash = merges.hash,
                                           .mode = merges.mode,
                                           .nodes = runtime::host_place(nodes.data()),
                                           .first = first,
                                           .width = n,
                                           .changed = changed.data(),
                                           .n = changed.size(),
                                           .levels = static_cast<std::uint32_t>(std::bit_width(first) - 1),
                                           .odd_node = odd_node,
                                           .pads = pads.data()};
                const RunOptions options = threads(2);
                runtime::Run run(options);
                run.launch(job, 1);
                run.finish();
                CHECK_EQ(nodes, expected);
            }
        }
    }
}

TEST("merge: nodes of any slots come from a device") {
    RunOptions options;
    if (merklize::runtime::state_of(options.device).is_host()) return;
    const std::vector<Digest> nodes = leaves(Hash::blake3, 5000, 6);
    merklize::Buffer buffer(options.device, Digest::size * (nodes.size() + 1));
    buffer.slice(Digest::size, Digest::size * nodes.size()).copy_from(std::as_bytes(std::span(nodes)));
    const runtime::Place place = runtime::place_of(buffer.slice(Digest::size, Digest::size * nodes.size()));
    Random random(7);
    runtime::Run run(options);
    for (const std::size_t n : {0u, 1u, 1000u, 300000u}) {  // the last list goes through pinned memory
        std::vector<std::uint32_t> slots(n);
        for (std::uint32_t& slot : slots) slot = static_cast<std::uint32_t>(random.below(nodes.size()));
        const std::vector<std::uint64_t> wide(slots.begin(), slots.end());
        std::vector<Digest> expected, by_slots(n), by_wide(n);
        for (const std::uint32_t slot : slots) expected.push_back(nodes[slot]);
        run.on_device().gather_nodes(place, std::span<const std::uint32_t>(slots), by_slots.data());
        run.on_device().gather_nodes(place, std::span<const std::uint64_t>(wide), by_wide.data());
        CHECK_EQ(by_slots, expected);
        CHECK_EQ(by_wide, expected);
    }
}
