#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "jobs/run.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"
#include "merklize/buffer.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// Nodes of one level, one after another: the first is `first` nodes into `place`.
struct LevelAt {
    Place place;
    std::uint64_t first;
};

/// Nodes of a heap, on the host or on the run's device, here and there. Complete when they return.
void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, Digest* out, Run& run);
void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const Digest* values, Run& run);

/// n nodes from one place to another, each on the host or on the run's device. What goes to the host is there when it returns; what goes to a
/// device after run.finish(), and host memory must stay until then.
void copy_nodes(const Place& to, const Place& from, std::uint64_t n, Run& run);

/// Zeros for the slots of no node. On a device: enqueued.
void clear_gaps(const Place& nodes, const TreeLayout& layout, Run& run);

/// Throws invalid_argument if leaves of a field hash are not field elements.
void require_leaves(const Place& leaves, std::uint64_t n, const Merges& merges, const char* what, Run& run);

/// How many digests a buffer is.  errors  invalid_argument (not a whole count)
std::uint64_t digests_in(const Buffer& buffer, const char* what);

}  // namespace merklize::runtime
