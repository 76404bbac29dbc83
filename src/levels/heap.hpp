#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "calls/run.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"
#include "merklize/buffer.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// Nodes of one level, one after another. The first is `first` nodes into `place`.
struct LevelAt {
    Place place;
    std::uint64_t first;
};

/// Read and write single nodes of a heap on the host or on the run's device, by their slots. Complete when they return.
void gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, Digest* out, Run& run);
void scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const Digest* values, Run& run);

/// Copies n nodes from one place to another; each place is on the host or on the run's device. A copy to the host is
/// complete on return. A copy to a device is complete after run.finish(); host memory must stay until then.
void copy_nodes(const Place& to, const Place& from, std::uint64_t n, Run& run);

/// Writes zeros to the unused slots. On a device this is only enqueued.
void clear_gaps(const Place& nodes, const TreeLayout& layout, Run& run);

/// Throws invalid_argument if the leaves of a field hash are not field elements.
void require_leaves(const Place& leaves, std::uint64_t n, const Merges& merges, const char* argument, Run& run);

/// The number of digests in a buffer.  errors  invalid_argument (not a whole count)
std::uint64_t digests_in(const ConstBuffer& buffer, const char* argument);

}  // namespace merklize::runtime
