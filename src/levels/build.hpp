#pragma once

#include <cstdint>
#include <span>

#include "calls/run.hpp"
#include "levels/heap.hpp"
#include "levels/merges.hpp"
#include "levels/plan.hpp"
#include "merklize/policy.hpp"

namespace merklize::runtime {

/// Builds all levels above the leaves in the heap at `nodes`. Unused slots do not change.
/// top         where to put the first node of the highest level, or null
/// first_leaf  as in plan_tree()
/// keep        copies all leaves to their slots as they are read. Then first_leaf is 0, and nodes on the host are built
///             by the CPU
/// returns     the policy for the widest part of the tree: the caller's, with open fields filled by the backend
Policy build_levels(const LevelAt& leaves, const Place& nodes, const TreeLayout& layout, Merges& merges, Run& run,
                    double share = 1, Digest* top = nullptr, std::uint64_t first_leaf = 0, bool keep = false);

/// build_tree() of host memory, for other functions of the library.
Policy build_heap(std::span<Digest> nodes, const TreeForm& form, const RunOptions& options);
/// The root of leaves whose count the form takes.
/// argument  a literal: what the called function calls the leaves
Digest root_of(const char* argument, std::span<const Digest> leaves, const TreeForm& form, const RunOptions& options);
Digest root_of(const char* argument, const ConstBuffer& leaves, const TreeForm& form, const RunOptions& options);

/// The root of leaves on the run's device, in a call that enqueues. Its levels are enqueued all at once, or the first
/// one before the others.
class EnqueuedRoot {
public:
    /// leaves  at least 1, a count that the form takes
    /// argument  a literal, as above
    EnqueuedRoot(const ConstBuffer& leaves, const TreeForm& form, const char* argument, Run& run);
    EnqueuedRoot(const EnqueuedRoot&) = delete;
    EnqueuedRoot& operator=(const EnqueuedRoot&) = delete;

    std::uint64_t width() const noexcept { return n_; }
    /// Enqueues one level above a power of two of leaves, at least 2.
    void build_level() { build({n_, 1, n_}); }
    /// Enqueues all remaining levels.  returns  the root's place, in working memory of this object, or that of the only
    ///                                 leaf
    Place finish();

private:
    // From here on the nodes of the highest level are the leaves.
    void build(const TreeLayout& layout);

    Run& run_;
    Merges merges_;
    std::uint64_t n_;
    LevelAt at_;
    Lease leaves_{}, nodes_{};
};

/// A part has 2^22 leaves: 128 MiB.
constexpr unsigned part_levels = 22;

/// Makes the nodes `levels` levels above n leaves, 1 <= levels <= ceil(log2 n), part by part, so that the nodes in
/// between take little memory.
/// leaves       on the host or on the run's device
/// below        as in Merges
/// part         a part has 2^part leaves
/// out          [ceil(n / 2^levels)] digests, on the host or on the run's device
void reduce_levels(const LevelAt& leaves, std::uint64_t n, unsigned levels, const TreeForm& form, unsigned below,
                   unsigned part, const Place& out, Run& run, double share = 1);

}  // namespace merklize::runtime
