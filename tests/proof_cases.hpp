#pragma once

#include "forms.hpp"
#include "naive_proofs.hpp"

// Forms of trees for the tests of proofs, and the merges that the naive trees need.
namespace proof_cases {

using support::Bytes;
using support::Digest;
using support::Hash;
using support::Mode;
using support::TreeRule;

struct Case {
    Hash hash;
    TreeRule rule;
    Mode mode{};
    reference::Mode witness{};

    bool takes(std::size_t n) const { return rule != TreeRule::perfect || std::has_single_bit(n); }

    /// Merges by the reference, which is slow.
    naive::Merge merge() const {
        return [*this](const Digest& left, const Digest& right) {
            const Bytes l = support::to_bytes(left), r = support::to_bytes(right);
            if (hash != Hash::blake3)
                return support::to_digest(reference::merge(static_cast<int>(hash), l, r, witness));
            Bytes both = l;
            both.insert(both.end(), r.begin(), r.end());
            return support::to_digest(reference::blake3(both, 32, 0, witness));
        };
    }
    /// Merges by the library.
    naive::Merge fast_merge() const {
        return [*this](const Digest& left, const Digest& right) { return merklize::merge(left, right, hash, mode); };
    }
    naive::Tree tree(std::size_t n, std::uint64_t seed, const naive::Merge& merge) const {
        return {hash, rule, support::leaves(hash, n, seed), merge, support::leaves(hash, 1, 99)[0]};
    }
};

inline std::vector<Case> all_cases() {
    std::vector<Case> out;
    for (const support::TestForm& f : support::test_forms())
        out.push_back({f.form.hash, f.form.rule, f.form.mode, f.mode});
    return out;
}

inline std::set<std::uint64_t> random_indices(std::size_t n, std::size_t count, support::Random& random) {
    std::set<std::uint64_t> out;
    while (out.size() < std::min(n, count)) out.insert(random.below(n));
    return out;
}

}  // namespace proof_cases
