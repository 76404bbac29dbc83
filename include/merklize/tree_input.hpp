#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <merklize/digest.hpp>
#include <merklize/hash.hpp>
#include <merklize/tree_form.hpp>

namespace merklize {

/// Where the leaves of a tree came from, as its file notes it; 0: not known.
struct LeafSource {
    std::uint64_t leaf_bytes = 0;   ///< bytes that a leaf stands for; the last one may stand for fewer
    std::uint64_t total_bytes = 0;  ///< of the whole input
};

/// A file, pipe or device, and how its bytes become the leaves of a tree.
struct TreeInput {
    enum class Kind : std::uint8_t {
        pieces,  ///< leaf k is hash_leaves() of bytes [k leaf_bytes, (k+1) leaf_bytes); the last piece may be shorter, but not for a
        ///< field hash. Nothing is one empty leaf.
        rows,    ///< the same of rows of equal length: there are only whole ones, and at least one
        leaves,  ///< the leaves themselves, 32 bytes each
    };

    /// What to open; of a descriptor its name, for error texts.
    std::filesystem::path path;
    Kind kind;
    /// At least 1; at most 64 MiB for other hashes than blake3, and for what can only be read in order.
    std::uint64_t leaf_bytes;
    /// Open for reading: read from where it stands to its end, not closed. -1: `path` is opened.
    int descriptor = -1;

    static TreeInput pieces(const std::filesystem::path& path, std::uint64_t leaf_bytes) {
        return {path, Kind::pieces, leaf_bytes};
    }
    static TreeInput rows(const std::filesystem::path& path, std::uint64_t row_bytes) {
        return {path, Kind::rows, row_bytes};
    }
    static TreeInput leaves(const std::filesystem::path& path) { return {path, Kind::leaves, Digest::size}; }
};

/// What was built of an input.
struct TreeFacts {
    Digest root;
    std::uint64_t n_leaves;
    unsigned height;      ///< levels above the leaves
    std::uint64_t bytes;  ///< of the input
    Hash hash;
    TreeRule rule;
};

}  // namespace merklize
