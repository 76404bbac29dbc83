// The nodes of the tree inside a digest, in the order of an outboard.
#include <algorithm>
#include <bit>

#include "merklize/core/hashes/blake3.h"
#include "queue/launches/parents.hpp"

namespace merklize::runtime {

// All levels are kept, one behind the other in one block. The last launch puts the nodes in order.
bool DeviceCall::launch(const DigestNodes& a, const Tick& tick) {
    const std::uint64_t groups = divide_up(a.bytes, std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << a.levels);
    std::uint64_t all = 2;
    for (std::uint64_t n = groups; n > 2; n = divide_up(n, 2)) all += n;
    const Lease all_values = scratch(32 * all);
    const Range values = range_of(all_values);
    const HashChunks chunks{.data = a.data, .bytes = a.bytes, .levels = a.levels, .out = values.place()};
    if (!launch(chunks, tick)) return false;
    const Kernel parents = parents_kernel(*this, chunks.hash);
    std::uint64_t at = 0;
    for (std::uint64_t n = groups; n > 2;) {
        const std::uint32_t levels =
            std::min(static_cast<std::uint32_t>(std::bit_width(n - 1) - 1), most_levels(parents));
        launch_parents(*this, parents, chunks.mode,
                       {.in = {values.memory, 32 * at},
                        .out = {values.memory, 32 * (at + n)},
                        .count = n,
                        .levels = levels,
                        .keep = true});
        for (std::uint32_t level = 0; level < levels; level++) {
            at += n;
            n = divide_up(n, 2);
        }
    }
    const std::uint64_t nodes = groups - 1;
    const Lease to = aligned_out(range_of(a.out), 64 * nodes);
    const Range out = range_of(to);
    const Kernel order = free_kernel(data_variant(), bodies::order_parents);
    enqueue(order, divide_up(nodes, order.group_size),
            {values.memory, std::uint64_t{0}, groups, std::uint32_t{a.post_order}, out.memory, out.offset / 32});
    return_out(range_of(a.out), out, 64 * nodes);
    return true;
}

}  // namespace merklize::runtime
