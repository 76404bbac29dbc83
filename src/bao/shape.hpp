#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "merklize/bao.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {

/// A subtree of BLAKE3's tree: up to 2^level chunks from index * 2^level on. A subtree at the message's end has several
/// (level, index) names; the lowest level is canonical.
struct Subtree {
    std::uint32_t level;
    std::uint64_t index;

    std::uint64_t first_chunk() const noexcept { return index << level; }
};

/// The tree of a message of `size` bytes, and the places of its nodes: pure arithmetic.
class Shape {
public:
    Shape(std::uint64_t size, std::uint32_t group_log) noexcept;

    std::uint64_t size() const noexcept { return size_; }
    std::uint32_t group_log() const noexcept { return group_log_; }
    std::uint64_t chunks() const noexcept { return chunks_; }
    std::uint64_t groups() const noexcept { return groups_; }
    /// Nodes above groups.
    std::uint64_t nodes() const noexcept { return groups_ - 1; }

    Subtree root() const noexcept { return {static_cast<std::uint32_t>(std::bit_width(chunks_ - 1)), 0}; }
    Subtree left(const Subtree& t) const noexcept { return {t.level - 1, 2 * t.index}; }
    Subtree right(const Subtree& t) const noexcept { return named({t.level - 1, 2 * t.index + 1}); }
    /// The subtree by its canonical name.
    Subtree named(Subtree t) const noexcept {
        while (t.level > 0 && (2 * t.index + 1) << (t.level - 1) >= chunks_) t = left(t);
        return t;
    }

    std::uint64_t end_chunk(const Subtree& t) const noexcept { return end_at(t.index, t.level, chunks_); }
    std::uint64_t begin(const Subtree& t) const noexcept { return t.first_chunk() * MKZ_BLAKE3_CHUNK_LEN; }
    std::uint64_t end(const Subtree& t) const noexcept {
        const std::uint64_t chunk = end_chunk(t);
        return chunk == chunks_ ? size_ : chunk * MKZ_BLAKE3_CHUNK_LEN;
    }
    std::uint64_t bytes(const Subtree& t) const noexcept { return end(t) - begin(t); }
    /// A range widened to whole groups. An empty range becomes the group at its start, a range beyond the end the last
    /// group.
    FileRange groups_of(const FileRange& range) const noexcept;

    /// The number of nodes in a subtree of at least a group, and of those before it.
    std::uint64_t nodes_in(const Subtree& t) const noexcept;
    std::uint64_t nodes_before(const Subtree& t, BaoOrder order) const noexcept;
    /// The place of its top node.
    std::uint64_t place(const Subtree& t, BaoOrder order) const noexcept {
        return nodes_before(t, order) + (order == BaoOrder::pre ? 0 : nodes_in(t) - 1);
    }

private:
    // The end of index + 1 subtrees of 2^level chunks, or the message's end. Nothing overflows: there are at most 2^54
    // chunks.
    static std::uint64_t end_at(std::uint64_t index, std::uint32_t level, std::uint64_t most) noexcept {
        const std::uint64_t end = (index + 1) << level;
        return end < most ? end : most;
    }

    std::uint64_t size_, chunks_, groups_;
    std::uint32_t group_log_;
};

/// The chunks that some ranges of a message's bytes touch.
class Selection {
public:
    /// All chunks.
    explicit Selection(const Shape& shape) : intervals_{{0, shape.chunks()}} {}
    Selection(const Shape& shape, std::span<const FileRange> ranges);

    enum class Cover : std::uint8_t { none, some, all };
    /// Whether none, some or all of chunks [first, end) are touched.
    Cover cover(std::uint64_t first, std::uint64_t end) const noexcept;

private:
    struct Interval {
        std::uint64_t first, end;
    };
    std::vector<Interval> intervals_;  // ascending, with gaps between them
};

/// Throws invalid_argument for an invalid form.
void require_form(const BaoForm& form);
/// The same, and throws for post-order, which only outboards have.
void require_encoding_form(const BaoForm& form);

/// Throws BaoMismatch unless an outboard can belong to a message of `size` bytes.
/// length  of the outboard
/// stated  the size that it begins with, if the form has one and the outboard is long enough
void require_outboard(std::uint64_t length, std::optional<std::uint64_t> stated, std::uint64_t size,
                      const BaoForm& form);
void require_outboard(std::span<const std::byte> outboard, std::uint64_t size, const BaoForm& form);
/// The size of the longest message that can have an outboard: the stated size, if the form has one. Of an input that
/// does not say where it ends no more need be read.
/// errors  BaoMismatch (no message has such an outboard)
std::uint64_t longest_message(std::span<const std::byte> outboard, const BaoForm& form);
/// Throws BaoMismatch: the message goes on behind its longest_message().
[[noreturn]] void refuse_longer(std::uint64_t longest);
/// Throws BaoMismatch unless an encoding of a message of `size` bytes has this length.
void require_encoding(std::uint64_t length, std::uint64_t size, const BaoForm& form);

/// Bytes before the first node: 8 or 0.
inline std::uint64_t header_bytes(const BaoForm& form) noexcept { return form.has_size ? 8 : 0; }

inline constexpr std::uint64_t node_bytes = 64;

}  // namespace merklize::runtime
