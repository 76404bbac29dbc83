#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/tree_form.hpp>

namespace merklize::runtime {
class ByteSource;
}

namespace merklize::inline v0 {

/// Where the leaves of a tree came from, as recorded in its file. 0 means not known.
struct LeafSource {
    std::uint64_t leaf_bytes = 0;   ///< bytes of the input that one leaf stands for; the last leaf may stand for fewer
    std::uint64_t total_bytes = 0;  ///< bytes of the whole input; 0: not known
};

/// A file, pipe or device, and how its bytes become the leaves of a tree.
struct TreeInput {
    enum class Kind : std::uint8_t {
        blocks,  ///< leaf k is hash_leaves() of bytes [k leaf_bytes, (k+1) leaf_bytes). The last block may be shorter, but not for a
        ///< field hash. An empty input gives one leaf, of no bytes.
        rows,    ///< the same, but every row must be complete, and there must be at least one
        leaves,  ///< the leaves themselves, 32 bytes each
    };

    /// The file to open. With a descriptor: a name for error texts.
    std::filesystem::path path;
    Kind kind;
    /// At least 1. At most 64 MiB for hashes other than blake3, and for an input that can only be read in order.
    std::uint64_t leaf_bytes;
    /// A descriptor that is open for reading. It is read from its current position to its end and not closed. -1:
    /// `path` is opened.
    int descriptor = -1;
    /// For the library itself: where the bytes come from instead. It must outlive the call.
    const runtime::ByteSource* source = nullptr;
    /// Refuse an input of no bytes: in BitTorrent v2 an empty file has no root.
    bool needs_bytes = false;

    static TreeInput blocks(const std::filesystem::path& path, std::uint64_t leaf_bytes) {
        return {path, Kind::blocks, leaf_bytes};
    }
    static TreeInput rows(const std::filesystem::path& path, std::uint64_t row_bytes) {
        return {path, Kind::rows, row_bytes};
    }
    static TreeInput leaves(const std::filesystem::path& path) { return {path, Kind::leaves, Digest::size}; }
};

/// Describes the tree that was built from an input.
struct TreeFacts {
    Digest root;
    std::uint64_t n_leaves;
    unsigned height;      ///< levels above the leaves
    std::uint64_t bytes;  ///< size of the input
    Hash hash;
    TreeRule rule;
};

}  // namespace merklize::inline v0
