#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/tree_form.hpp>

namespace merklize::inline v0 {

/// Computes the root of a tree whose leaves come in pieces. It holds one digest a level and one batch of leaves with
/// the nodes above them (32 MiB), never the whole tree. Large pieces are merged where they lie, with at most 64 MiB of
/// working memory.
class MERKLIZE_API TreeBuilder {
public:
    /// errors  invalid_argument (a mode with a hash other than blake3)
    explicit TreeBuilder(const TreeForm& form = {}, const RunOptions& options = {});
    TreeBuilder(TreeBuilder&&) noexcept;
    TreeBuilder& operator=(TreeBuilder&&) noexcept;
    ~TreeBuilder();

    /// Any number of leaves. After an error the builder is as before the call.
    /// errors  invalid_argument (a field hash with a word >= p, with its place), cancelled
    void append(std::span<const Digest> leaves);
    /// leaves  [k, 32] bytes on options.device; whole batches are merged there
    void append(const ConstBuffer& leaves);
    std::uint64_t n_leaves() const noexcept;
    /// The root of the leaves so far. More leaves may follow.
    /// errors  invalid_argument (no leaves; a number of leaves that the rule does not allow), cancelled
    /// cost    fewer than 2^19 merges: the nodes above the leaves of the last batch
    Digest root() const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace merklize::inline v0
