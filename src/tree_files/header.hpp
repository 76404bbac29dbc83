#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "levels/plan.hpp"
#include "merklize/tree_file.hpp"

namespace merklize::runtime {

/// The first 128 bytes of a tree file, finished or not. docs/file-format.md describes them byte by byte.
struct TreeHeader {
    static constexpr std::size_t size = 128;
    using Bytes = std::array<std::byte, size>;

    /// What the file says about the mode: 0 plain, 1 keyed, 2 key derivation. The key itself is not in the file.
    enum class Merges : std::uint8_t { plain = 0, keyed = 1, derived = 2 };

    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    Merges merges = Merges::plain;
    std::uint64_t key_check = 0;  ///< detects a wrong key; 0 for plain merges
    std::uint64_t n_leaves = 0;   ///< 0: not known yet (in an unfinished file), or the empty tree (in a finished one)
    LeafSource source{};
    Digest padding{};
    Digest root{};

    TreeHeader() = default;
    TreeHeader(const TreeForm& form, std::uint64_t leaves, const LeafSource& from);

    TreeLayout layout() const noexcept { return {n_leaves}; }
    /// The offset of a node in the file. The offset of a leaf does not depend on the count.
    std::uint64_t offset(unsigned level, std::uint64_t index = 0) const noexcept {
        return size + Digest::size * ((level == 0 ? 0 : layout().nodes_below(level)) + index);
    }
    std::uint64_t file_bytes() const noexcept { return size + Digest::size * layout().nodes(); }

    Bytes encode() const;
    /// errors      io; the text begins with the file's name and says what is wrong
    /// bytes       the first min(size, 128) of the file
    /// file_bytes  its size
    static TreeHeader decode(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& name);

    /// Whether a finished or unfinished file may begin with these bytes, at most 8; after a power failure, some may be
    /// zeros.
    static bool may_begin(std::span<const std::byte> bytes) noexcept;

    /// The header of an unfinished file. It has another magic and, in place of the root, room for two notes of the
    /// progress.
    /// stamp  of the data that the leaves come from; not stored, but find_notes() accepts a header only with the same
    ///        stamp
    Bytes encode_unfinished(std::uint64_t stamp) const;
    /// A note that `leaves` leaves are written, and its offset. Successive notes have different offsets, so that a torn
    /// write leaves one of them.
    struct Note {
        std::array<std::byte, 16> bytes;
        std::uint64_t offset;
    };
    static Note note(const Bytes& unfinished, std::uint64_t turn, std::uint64_t leaves);
    struct Progress {
        std::uint64_t leaves;
        std::uint64_t next_turn;
    };
    /// The progress in the notes of a file's first bytes, if the file is unfinished and has this header and stamp.
    std::optional<Progress> find_notes(std::span<const std::byte> bytes, std::uint64_t stamp) const;
};

/// First 8 bytes of BLAKE3 of these bytes, computed by the calling thread whatever the default device is.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// First 8 bytes of the merge of two zero digests in this mode; 0 for plain merges.
std::uint64_t key_check(const Mode& mode) noexcept;

}  // namespace merklize::runtime
