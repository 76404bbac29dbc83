// The tree inside a digest, above its chunks.
#include "queue/launches/parents.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace merklize::runtime {

Kernel parents_kernel(DeviceCall& call, Hash hash) {
    return call.free_kernel({.hash = info(hash).id, .policy = group_of(256)}, bodies::hash_parents);
}

std::uint32_t most_levels(const Kernel& parents) {
    return static_cast<std::uint32_t>(std::bit_width(2 * parents.group_size) - 1);
}

void launch_parents(DeviceCall& call, const Kernel& parents, const Mode& mode, const ValueRows& a) {
    call.enqueue(parents, divide_up(a.rows * divide_up(a.count, 2), parents.group_size),
                 {a.in.memory, a.in.offset / 32, a.out.memory, a.out.offset / 32, a.count, a.rows, key_words(mode),
                  mode.flags() | a.root, a.levels, std::uint32_t{a.keep}});
}

void merge_values(DeviceCall& call, Hash hash, Range in, std::uint64_t count, std::uint32_t levels, const Mode& mode,
                  std::uint32_t root, const Range& out) {
    const Kernel parents = parents_kernel(call, hash);
    Lease below;
    while (levels > 0) {
        const std::uint32_t now = std::min(levels, most_levels(parents));
        const std::uint64_t above = divide_up(count, std::uint64_t{1} << now);
        const bool is_last = now == levels;
        Lease values = is_last ? Lease(out.place()) : call.scratch(32 * above);
        const Range to = range_of(values);
        launch_parents(call, parents, mode,
                       {.in = in, .out = to, .count = count, .levels = now, .root = is_last ? root : 0});
        below = std::move(values);
        in = to;
        count = above;
        levels -= now;
    }
}

}  // namespace merklize::runtime
