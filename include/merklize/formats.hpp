#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/tree.hpp>

namespace merklize::inline v0 {

/// Trees that other systems verify: one word fixes the hashes of leaves and nodes, what happens to an odd node, and the
/// order of pairs. docs/formats.md has the table.
enum class Format : std::uint8_t {
    merklize,
    rfc6962,
    bitcoin,
    ssz,
    bittorrent_v2,
    glacier,
    winterfell,
    miden,
    plonky3,
};

struct FormatTraits {
    Format format;
    std::string_view name;
    Hash hash;                 ///< of nodes
    TreeRule rule;             ///< the padding of the rule pad is zeros
    bool hashes_messages;      ///< a leaf is hash_leaves() of a message by `hash`; else leaves are given
    std::uint64_t piece_size;  ///< bytes of a file that are one leaf; 0: the caller says
    bool is_ambiguous;         ///< two lists of leaves can have one root: TreeForm::unambiguous
};

/// All formats.
MERKLIZE_API std::span<const FormatTraits> formats() noexcept;
/// errors  invalid_argument (unknown format)
MERKLIZE_API const FormatTraits& traits(Format format);
/// errors  invalid_argument (unknown name; the text lists the known ones)
MERKLIZE_API Format format_from_name(std::string_view name);
/// What trees of the format are built with. Of a format that is ambiguous it is TreeForm::unambiguous.
MERKLIZE_API TreeForm form_of(Format format);

/// Refuses a tree whose root another list of leaves shares. In formats that merge an odd node with itself, that is a
/// tree with a level that ends with two equal nodes (CVE-2012-2459).
/// errors  invalid_argument (such a tree; the text names the level), and those of MerkleTree::level()
MERKLIZE_API void require_unambiguous(const MerkleTree& tree, Format format);

}  // namespace merklize::inline v0
