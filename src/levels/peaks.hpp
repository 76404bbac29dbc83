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

/// Trees whose leaves come in order: whole subtrees of them, and one digest a level above.

/// Told of the nodes above the leaves while they are made: `nodes` are first, first + 1, ... of a level. Each node comes once.
using NodeSink = std::function<void(unsigned level, std::uint64_t first, std::span<const Digest> nodes)>;

/// What is held of the leaves so far: one digest for each 1 bit of their count, the roots of the whole subtrees that they make.
/// Above whole subtrees no rule matters; the rule makes the nodes that are left when no leaf follows.
class Peaks {
public:
    explicit Peaks(const TreeForm& form) : form_(form) {}

    const TreeForm& form() const noexcept { return form_; }
    std::uint64_t n_leaves() const noexcept { return n_leaves_; }
    /// Level of the largest whole subtree that the next `n` >= 1 leaves begin with.
    unsigned next_level(std::uint64_t n) const noexcept;
    /// Takes the root of the next 2^level leaves, level <= next_level(); gives the sink the nodes above it that are whole now.
    void push(unsigned level, const Digest& root, const NodeSink& sink = {});
    /// Builds and pushes the subtrees that `leaves` make; gives the sink their nodes, too. After an error the peaks are between two
    /// of them.
    void push_leaves(std::span<const Digest> leaves, const RunOptions& options, const NodeSink& sink = {});
    /// The root of all leaves; gives the sink the nodes that are not whole.
    /// errors  invalid_argument (no leaf; a count that the rule does not take)
    Digest root(const NodeSink& sink = {}) const;

    /// The peaks of a tree of n leaves, of which read(level, index) gives a node.
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
    std::array<Digest, 64> peaks_{};  // [level], where n_leaves_ has this bit
};

/// A subtree of 2^19 leaves that is filled, built at once and given on: enough for all threads or a device, and little memory.
class Batch {
public:
    static constexpr unsigned levels = 19;
    static constexpr std::uint64_t capacity = std::uint64_t{1} << levels;

    std::span<Digest> leaves() const noexcept { return {slots() + capacity, capacity}; }
    /// All nodes above the leaves, none of which it changes.
    void build(const TreeForm& form, const RunOptions& options);
    /// Gives the sink the nodes that build() made, and the peaks the root.
    void push(Peaks& peaks, const NodeSink& sink = {}) const;

private:
    Digest* slots() const noexcept { return static_cast<Digest*>(block_.data()); }
    HostBlock block_{Digest::size * 2 * capacity};  // heap order
};

}  // namespace merklize::runtime
