#pragma once

#include <algorithm>
#include <array>
#include <functional>
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

/// Refuses a tree with a level that ends with two equal nodes: under the rule duplicate_last, the list without the
/// leaves below the last one has the same root (CVE-2012-2459).
/// read  gives nodes first, first + 1, ... of a level
void require_unambiguous(const TreeLayout& layout,
                         const std::function<void(unsigned level, std::uint64_t first, std::span<Digest> out)>& read);

/// The last two nodes of each level of a tree whose nodes come in order and are not kept.
class LastNodes {
public:
    void take(unsigned level, std::span<const Digest> nodes) {
        for (const Digest& node : nodes.last(std::min<std::size_t>(2, nodes.size())))
            pairs_[level] = {pairs_[level][1], node};
    }
    const std::array<Digest, 2>& at(unsigned level) const { return pairs_[level]; }

private:
    std::array<std::array<Digest, 2>, 64> pairs_{};
};

/// Whether TreeForm::unambiguous asks for a look: under other rules no list without its last leaves has the root.
inline bool is_looked_at(const TreeForm& form) noexcept {
    return form.unambiguous && form.rule == TreeRule::duplicate_last;
}

/// Refuses such a form where nobody looks at nodes.
void require_no_look(const TreeForm& form);

}  // namespace merklize::runtime
