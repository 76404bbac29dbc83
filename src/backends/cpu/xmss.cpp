// Subtrees of XMSS keys. A thread takes some slots of level 0 at a time, and makes the nodes above them that have no
// others below.
#include <algorithm>
#include <new>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "backends/cpu/loops.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/wipe_stack.hpp"
#include "merklize/error.hpp"

namespace merklize::cpu {
namespace {

using runtime::MakeXmss;

constexpr std::uint32_t node_bytes = 16;
constexpr std::uint32_t most_levels = 8;  // of a part of a subtree
constexpr std::uint64_t most_slots = 1 << most_levels;
constexpr std::uint64_t parts_at_once = 1 << 16;  // 1 MiB of their nodes

// Makes the nodes of slots [first, first + n) of a level from their children at `in`.
void make_level(const MakeXmss& job, std::uint32_t level, std::uint64_t first, std::uint64_t n, const std::uint8_t* in,
                std::uint8_t* out) {
    XmssSlot slots[most_slots];
    for (std::uint64_t done = 0; done < n; done += most_slots) {
        const std::uint64_t count = std::min(most_slots, n - done);
        for (std::uint64_t i = 0; i < count; i++) {
            const MakeXmss::Slot slot = job.slot(level, first + done + i);
            slots[i] = {job.keys[slot.key].seed, slot.index, slot.is_there};
        }
        if (level == 0)
            lanes().xmss_leaves(slots, count, out + node_bytes * done);
        else
            lanes().xmss_nodes(slots, count, level, in + 2 * node_bytes * done, out + node_bytes * done);
    }
}

// Makes levels (from, to] above n slots of level `from`, the first of which is slot `first`. The nodes of these slots
// are at `nodes`, where the nodes of level `to` overwrite them.
void climb(const MakeXmss& job, std::uint32_t from, std::uint32_t to, std::uint64_t first, std::uint64_t n,
           std::uint8_t* nodes) {
    for (std::uint32_t level = from + 1; level <= to; level++) {
        const std::uint32_t up = level - from;
        make_level(job, level, first >> up, n >> up, nodes, nodes);
    }
}

runtime::Pace leaf_pace;

// returns  false if the caller cancelled
bool make(const MakeXmss& a, const Workers& workers) {
    const std::uint32_t part_levels = std::min(a.levels, most_levels), above = a.levels - part_levels;
    const std::uint64_t trees_at_once = std::max<std::uint64_t>(1, parts_at_once >> above);
    std::vector<std::uint8_t> tops(node_bytes * (std::min(a.n, trees_at_once) << above));
    const std::uint64_t batches = (a.n + trees_at_once - 1) / trees_at_once;
    for (std::uint64_t batch = 0; batch < batches; batch++) {
        MakeXmss job = a;
        job.begin = a.begin + batch * trees_at_once;
        job.n = std::min(trees_at_once, a.n - batch * trees_at_once);
        const runtime::Tick tick = [&](double done) {
            return !workers.tick || workers.tick((static_cast<double>(batch) + done) / static_cast<double>(batches));
        };
        const auto body = [&](std::uint64_t first, std::uint64_t count) {
            std::uint8_t nodes[node_bytes * most_slots];
            make_level(job, 0, first << part_levels, count << part_levels, nullptr, nodes);
            climb(job, 0, part_levels, first << part_levels, count << part_levels, nodes);
            std::copy_n(nodes, node_bytes * count, &tops[node_bytes * first]);
        };
        const std::uint64_t per_piece = most_slots >> part_levels;
        const bool is_done = in_pieces({workers.threads, tick, true}, job.n << above, per_piece, body,
                                       {&leaf_pace, std::uint64_t{1} << part_levels});
        if (is_done) climb(job, part_levels, a.levels, 0, job.n << above, tops.data());
        runtime::wipe_stack();
        if (!is_done) return false;
        std::copy_n(tops.data(), node_bytes * job.n,
                    reinterpret_cast<std::uint8_t*>(a.out) + node_bytes * batch * trees_at_once);
    }
    return true;
}

}  // namespace
}  // namespace merklize::cpu

namespace merklize::runtime {

bool HostExecutor::launch(const MakeXmss& a, const Tick& tick) {
    try {
        return cpu::make(a, {threads_, tick});
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
