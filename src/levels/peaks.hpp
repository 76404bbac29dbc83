#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "host/host_block.hpp"
#include "merklize/device.hpp"
#include "merklize/digest.hpp"
#include "merklize/tree_form.hpp"

namespace merklize::runtime {

/// Trees whose leaves come in order. Only one digest a level is kept, and the subtree in the making.

/// Receives the nodes above the leaves as they are made: `nodes` are the nodes first, first + 1, ... of a level. Each
/// node comes once.
using NodeSink = std::function<void(unsigned level, std::uint64_t first, std::span<const Digest> nodes)>;

/// The peaks of the leaves so far: the roots of the whole subtrees that they make, one digest for each 1 bit of their
/// count. Whole subtrees are the same under every rule. The rule only matters for the nodes that are made after the
/// last leaf.
class Peaks {
public:
    explicit Peaks(const TreeForm& form) : form_(form) {}

    const TreeForm& form() const noexcept { return form_; }
    std::uint64_t n_leaves() const noexcept { return n_leaves_; }
    /// Level of the largest whole subtree at the beginning of the next `n` >= 1 leaves.
    unsigned next_level(std::uint64_t n) const noexcept;
    /// Takes the root of the next 2^level leaves, level <= next_level(). Gives the sink the nodes above it that are
    /// whole now.
    void push(unsigned level, const Digest& root, const NodeSink& sink = {});
    /// Builds the subtrees of `leaves` and pushes them; gives the sink their nodes as well. After an error, some of the
    /// subtrees were pushed and the others were not.
    void push_leaves(std::span<const Digest> leaves, const RunOptions& options, const NodeSink& sink = {});
    /// The root of all leaves. Gives the sink the nodes that are not whole.
    /// errors  invalid_argument (no leaf, where the form has no empty tree; a count that the rule does not take)
    Digest root(const NodeSink& sink = {}) const;

    /// Takes the peaks of a tree of n leaves. read(level, index) gives a node of that tree.
    template <class Read>
    void restore(std::uint64_t n, Read read) {
        n_leaves_ = n;
        for (unsigned level = 0; level < peaks_.size(); level++) {
            if (n >> level & 1) peaks_[level] = read(level, (n >> level) - 1);
        }
    }

private:
    TreeForm form_;
    std::uint64_t n_leaves_ = 0;
    std::array<Digest, 64> peaks_{};  // [level], valid where n_leaves_ has this bit
};

/// A subtree of 2^19 leaves that is filled, built at once and passed on: enough work for all threads or a device, and
/// little memory.
class Batch {
public:
    static constexpr unsigned levels = 19;
    static constexpr std::uint64_t capacity = std::uint64_t{1} << levels;

    std::span<Digest> leaves() const noexcept { return {slots() + capacity, capacity}; }
    /// Builds all nodes above the leaves. Does not change the leaves.
    void build(const TreeForm& form, const RunOptions& options);
    /// Gives the sink the nodes that build() made, and pushes the root to the peaks.
    void push(Peaks& peaks, const NodeSink& sink = {}) const;

private:
    Digest* slots() const noexcept { return static_cast<Digest*>(block_.data()); }
    HostBlock block_{Digest::size * 2 * capacity};  // heap order
};

}  // namespace merklize::runtime
