#pragma once

#include <cstdint>
#include <string_view>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

namespace merklize::inline v0 {

/// What becomes of the last node of a level with an odd number of nodes, which has no sibling. Nothing else differs
/// between the rules: under each of them level l of n leaves has ceil(n / 2^l) nodes, up to the root. docs/layouts.md
/// draws each rule. The numbers are stored in files and proofs; merklize.h has them plus one, because 0 is the default
/// there.
enum class TreeRule : std::uint8_t {
    perfect = 0,         ///< there is no such node: n must be a power of two
    left_full = 1,       ///< it moves up unchanged, as in RFC 6962 and BLAKE3. Also called "promote".
    pad = 2,             ///< it is merged with TreeForm::padding, or with the root of a subtree of padding
    duplicate_last = 3,  ///< it is merged with itself (Bitcoin): two different lists of leaves can have one root
};

/// "perfect", "left_full", "pad", "duplicate_last".
MERKLIZE_API std::string_view rule_name(TreeRule rule);
/// Takes the same names, and "promote" for left_full.
/// errors  invalid_argument (unknown name; the text lists the known ones)
MERKLIZE_API TreeRule rule_from_name(std::string_view name);

/// perfect for field hashes, as in proof systems; left_full for all others. If n is a power of two, all rules agree.
MERKLIZE_API TreeRule default_rule(Hash hash);

/// All that defines a tree besides its leaves: equal forms and equal leaves give equal roots.
struct TreeForm {
    Hash hash;
    TreeRule rule;
    /// Merges under a key, or of key derivation: of `blake3` and `blake2s`.
    Mode mode;
    /// The leaf that the rule `pad` adds; other rules ignore it.
    Digest padding;
    /// Refuse leaves whose root another list of leaves shares, which the rule duplicate_last allows (CVE-2012-2459): a
    /// level ends with two equal nodes. Only calls that look at nodes take it: MerkleTree without dropped levels, tree
    /// files and merkle_root_file(); others refuse it. A tree file does not record it.
    bool unambiguous = false;

    /// With default_rule() of the hash.
    TreeForm(Hash of = Hash::blake3) : TreeForm(of, default_rule(of)) {}  // NOLINT: a hash is a form
    TreeForm(Hash of, TreeRule by, const Mode& merges = {}, const Digest& with = {})
        : hash(of), rule(by), mode(merges), padding(with) {}
};

}  // namespace merklize::inline v0
