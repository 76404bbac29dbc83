#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/tree_form.hpp>

namespace merklize {

/// The root of a tree whose leaves come in pieces: holds one digest a level and a batch of leaves with the nodes above them (32 MiB),
/// never the tree. Large pieces are merged where the caller has them, with at most 64 MiB beside.
class TreeBuilder {
public:
    /// errors  invalid_argument (a mode for another hash than blake3)
    explicit TreeBuilder(const TreeForm& form = {}, const RunOptions& options = {});
    TreeBuilder(TreeBuilder&&) noexcept;
    TreeBuilder& operator=(TreeBuilder&&) noexcept;
    ~TreeBuilder();

    /// Any count. After an error the builder is as before the call.
    /// errors  invalid_argument (for field hashes a word >= p, with its place), cancelled
    void append(std::span<const Digest> leaves);
    /// leaves  [k, 32] bytes on options.device, where whole batches of them are merged
    void append(const Buffer& leaves);
    std::uint64_t n_leaves() const noexcept;
    /// The root of the leaves so far; the builder goes on.
    /// errors  invalid_argument (no leaf; a count that the rule does not take), cancelled
    /// cost    the merges above the leaves of the last batch, fewer than 2^19
    Digest root() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace merklize
