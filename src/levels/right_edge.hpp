#pragma once

#include <optional>
#include <span>
#include <vector>

#include "jobs/run.hpp"
#include "levels/heap.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"

namespace merklize::runtime {

/// A tree's edge: its nodes that are above fewer than 2^level leaves. They are the last of their level, one a level at most, and
/// so a few merges one after another, which take a host less time than any device. They are made of the peaks: the last whole
/// node of each level that has no whole sibling, which is where the count of leaves has a bit.

/// The edge nodes, each on the level above the one before, up to the highest level; none if every node is whole. The first is on
/// level countr_zero(n) + 1.
/// peaks  the peaks below the highest level, lowest first
std::vector<Digest> edge_above(const TreeLayout& layout, Merges& merges, std::span<const Digest> peaks);

/// Builds the edge of a heap whose whole nodes are there; the leaves may be elsewhere.
/// returns  its highest node; nothing if every node is whole
std::optional<Digest> build_edge(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges,
                                 Run& run);

}  // namespace merklize::runtime
