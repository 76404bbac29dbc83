#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calls/run.hpp"
#include "levels/heap.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"

namespace merklize::runtime {

/// A tree's edge: its nodes that are above fewer than 2^level leaves. There is at most one a level, the last. So the
/// edge is a few merges one after another, which a host does faster than any device. The edge is made from the peaks:
/// on each level where the count of leaves has a 1 bit, the last whole node has no whole sibling and is a peak.

/// The edge nodes, one a level, from level countr_zero(n) + 1 up to the highest level. None if every node is whole.
/// peaks  the peaks below the highest level, lowest first
std::vector<Digest> edge_above(const TreeLayout& layout, Merges& merges, std::span<const Digest> peaks);

/// Builds the edge of a heap that has its whole nodes. The leaves may be elsewhere.
/// returns  its highest node; nothing if every node is whole
std::optional<Digest> build_edge(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges,
                                 Run& run);

}  // namespace merklize::runtime
