#pragma once

#include <cstdint>
#include <string_view>

#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

namespace merklize {

/// How the nodes of a level pair up where their count is odd. Level l of n leaves has ceil(n / 2^l) nodes under every rule, up to
/// the one root; only what becomes of a level's lone last node differs. docs/layouts.md draws each. The numbers are stored in files.
enum class TreeRule : std::uint8_t {
    perfect = 0,         ///< there is none: n is a power of two
    left_full = 1,       ///< it goes up as it is: RFC 6962's and BLAKE3's shape. Also called "promote".
    pad = 2,             ///< it is merged with TreeForm::padding, or the root of a subtree of those
    duplicate_last = 3,  ///< it is merged with itself (Bitcoin): two different lists of leaves can have one root
};

/// "perfect", "left_full", "pad", "duplicate_last".
std::string_view rule_name(TreeRule rule);
/// The same names, and "promote" for left_full.  errors  invalid_argument (unknown name; the text lists the known ones)
TreeRule rule_from_name(std::string_view name);

/// perfect for field hashes, whose trees are those of proof systems; else left_full. For n a power of two all rules agree.
TreeRule default_rule(Hash hash);

/// What a tree is, apart from its leaves: equal forms and equal leaves make equal roots.
struct TreeForm {
    Hash hash;
    TreeRule rule;
    /// Keyed or derive-key merges; for `blake3` alone.
    Mode mode;
    /// Of the rule `pad`.
    Digest padding;

    /// Without a rule, that which is usual for the hash.
    TreeForm(Hash of = Hash::blake3) : TreeForm(of, default_rule(of)) {}  // NOLINT: a hash is a form
    TreeForm(Hash of, TreeRule by, const Mode& merges = {}, const Digest& with = {})
        : hash(of), rule(by), mode(merges), padding(with) {}
};

}  // namespace merklize
