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

/// The first 128 bytes of a tree file, and of an unfinished one: docs/file-format.md gives them byte by byte.
struct TreeHeader {
    static constexpr std::size_t size = 128;
    using Bytes = std::array<std::byte, size>;

    /// What the file says of the mode: 0 plain, 1 keyed, 2 key derivation. The key itself is not in it.
    enum class Merges : std::uint8_t { plain = 0, keyed = 1, derived = 2 };

    Hash hash = Hash::blake3;
    TreeRule rule = TreeRule::perfect;
    Merges merges = Merges::plain;
    std::uint64_t key_check = 0;  ///< tells a wrong key at once; 0 for plain merges
    std::uint64_t n_leaves = 0;   ///< of an unfinished file also 0: not known yet
    LeafSource source{};
    Digest padding{};
    Digest root{};

    TreeHeader() = default;
    TreeHeader(const TreeForm& form, std::uint64_t leaves, const LeafSource& from);

    TreeLayout layout() const noexcept { return {n_leaves}; }
    /// Where a node is in the file. Leaves are where they are whatever the count.
    std::uint64_t offset(unsigned level, std::uint64_t index = 0) const noexcept {
        return size + Digest::size * ((level == 0 ? 0 : layout().nodes_below(level)) + index);
    }
    std::uint64_t file_bytes() const noexcept { return size + Digest::size * layout().nodes(); }

    Bytes encode() const;
    /// errors  io, the text beginning with the file's name: what is wrong
    /// bytes       the first min(size, 128) of the file
    /// file_bytes  its size
    static TreeHeader decode(std::span<const std::byte> bytes, std::uint64_t file_bytes, const std::string& name);

    /// An unfinished file's header: the same but for its magic, and with room for two notes of how far it is in place of the root.
    /// stamp  of the data that the leaves come from: not stored, but a header is only known again with the same one
    Bytes encode_unfinished(std::uint64_t stamp) const;
    /// A note that so many leaves are written, and where it belongs. Two in turn have different places, so that one that was torn
    /// leaves the other.
    struct Note {
        std::array<std::byte, 16> bytes;
        std::uint64_t offset;
    };
    static Note note(const Bytes& unfinished, std::uint64_t turn, std::uint64_t leaves);
    struct Progress {
        std::uint64_t leaves;
        std::uint64_t next_turn;
    };
    /// What the notes say of a file with these first bytes, if it is unfinished and of this header and stamp.
    std::optional<Progress> find_notes(std::span<const std::byte> bytes, std::uint64_t stamp) const;
};

/// First 8 bytes of BLAKE3 of these bytes, on the calling thread whatever the default device.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// First 8 bytes of the merge of two zero digests in this mode; 0 for plain merges.
std::uint64_t key_check(const Mode& mode) noexcept;

}  // namespace merklize::runtime
