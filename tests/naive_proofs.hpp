#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <merklize/proof.hpp>

// Trees, proofs and their verification by the definitions, with sets, maps and recursion. They share no code with the
// library.
namespace naive {

using merklize::ConsistencyProof;
using merklize::Digest;
using merklize::Hash;
using merklize::MerkleProof;
using merklize::MultiProof;
using merklize::TreeRule;

using Merge = std::function<Digest(const Digest& left, const Digest& right)>;
using Nodes = std::vector<Digest>;

/// RFC 6962, section 2.1: MTH, with leaves as they are.
inline Digest tree_hash(const Nodes& leaves, const Merge& merge) {
    if (leaves.size() == 1) return leaves[0];
    const auto middle = leaves.begin() + static_cast<std::ptrdiff_t>(std::bit_floor(leaves.size() - 1));
    return merge(tree_hash({leaves.begin(), middle}, merge), tree_hash({middle, leaves.end()}, merge));
}

/// RFC 6962, section 2.1.2: SUBPROOF(m, D[n], b).
inline Nodes subproof(std::size_t m, const Nodes& leaves, bool known, const Merge& merge) {
    if (m == leaves.size()) return known ? Nodes{} : Nodes{tree_hash(leaves, merge)};
    const std::size_t k = std::bit_floor(leaves.size() - 1);
    const auto middle = leaves.begin() + static_cast<std::ptrdiff_t>(k);
    const Nodes left(leaves.begin(), middle), right(middle, leaves.end());
    Nodes out = m <= k ? subproof(m, left, known, merge) : subproof(m - k, right, false, merge);
    out.push_back(tree_hash(m <= k ? right : left, merge));
    return out;
}

/// The reverse: the old and the new root from a subproof, whose nodes are taken from the front.
inline std::optional<std::pair<Digest, Digest>> subroots(std::uint64_t m, std::uint64_t n, bool known,
                                                         const Digest& old_root, const Nodes& nodes, std::size_t& next,
                                                         const Merge& merge) {
    const auto take = [&] { return next < nodes.size() ? std::optional(nodes[next++]) : std::nullopt; };
    if (m == n) {
        const auto node = known ? std::optional(old_root) : take();
        return node ? std::optional(std::pair(*node, *node)) : std::nullopt;
    }
    const std::uint64_t k = std::bit_floor(n - 1);
    const auto below = m <= k ? subroots(m, k, known, old_root, nodes, next, merge)
                              : subroots(m - k, n - k, false, old_root, nodes, next, merge);
    const auto node = take();
    if (!below || !node) return std::nullopt;
    if (m <= k) return std::pair(below->first, merge(below->second, *node));
    return std::pair(merge(*node, below->first), merge(*node, below->second));
}

inline bool verify(const ConsistencyProof& proof, const Digest& old_root, const Digest& new_root, const Merge& merge) {
    if (proof.old_leaves == 0 || proof.old_leaves > proof.new_leaves) return false;
    std::size_t next = 0;
    const auto roots = subroots(proof.old_leaves, proof.new_leaves, true, old_root, proof.nodes, next, merge);
    return roots == std::pair(old_root, new_root) && next == proof.nodes.size();
}

/// The root from leaves at their indices and siblings; nullopt if there are too few or too many siblings.
inline std::optional<Digest> root_of(std::uint64_t n, TreeRule rule, std::map<std::uint64_t, Digest> nodes,
                                     const Nodes& siblings, const Merge& merge) {
    if (n == 0 || rule > TreeRule::duplicate_last || (rule == TreeRule::perfect && !std::has_single_bit(n)) ||
        nodes.empty() || nodes.rbegin()->first >= n) {
        return std::nullopt;
    }
    std::size_t next = 0;
    for (std::uint64_t width = n; width > 1; width = width / 2 + width % 2) {
        std::map<std::uint64_t, Digest> parents;
        for (const auto& [position, node] : nodes) {
            if (parents.contains(position / 2)) continue;
            const std::uint64_t beside = position % 2 == 0 ? position + 1 : position - 1;
            if (beside >= width && rule == TreeRule::left_full) {
                parents[position / 2] = node;
                continue;
            }
            Digest other = node;
            if (const auto known = nodes.find(beside); known != nodes.end()) {
                other = known->second;
            } else if (beside < width || rule == TreeRule::pad) {
                if (next == siblings.size()) return std::nullopt;
                other = siblings[next++];
            }
            parents[position / 2] = position % 2 == 0 ? merge(node, other) : merge(other, node);
        }
        nodes = std::move(parents);
    }
    return next == siblings.size() ? std::optional(nodes.begin()->second) : std::nullopt;
}

inline bool verify(const MerkleProof& proof, const Digest& root, const Merge& merge) {
    return root_of(proof.n_leaves, proof.rule, {{proof.index, proof.leaf}}, proof.siblings, merge) == root;
}

inline bool verify(const MultiProof& proof, const Digest& root, const Merge& merge) {
    std::map<std::uint64_t, Digest> leaves;
    if (proof.indices.size() != proof.leaves.size()) return false;
    for (std::size_t i = 0; i < proof.indices.size(); ++i) {
        if (i > 0 && proof.indices[i] <= proof.indices[i - 1]) return false;
        leaves[proof.indices[i]] = proof.leaves[i];
    }
    return root_of(proof.n_leaves, proof.rule, leaves, proof.siblings, merge) == root;
}

/// All levels of a tree, leaves first.
class Tree {
public:
    Tree(Hash hash, TreeRule rule, Nodes leaves, const Merge& merge, Digest pad = {}) : hash_(hash), rule_(rule) {
        levels_.push_back(std::move(leaves));
        while (levels_.back().size() > 1) {
            const Nodes& below = levels_.back();
            Nodes above;
            for (std::size_t i = 0; i < below.size(); i += 2) {
                if (i + 1 < below.size())
                    above.push_back(merge(below[i], below[i + 1]));
                else if (rule == TreeRule::left_full)
                    above.push_back(below[i]);
                else
                    above.push_back(merge(below[i], rule == TreeRule::pad ? pad : below[i]));
            }
            pads_.push_back(pad);
            pad = merge(pad, pad);
            levels_.push_back(std::move(above));
        }
    }

    const Digest& root() const { return levels_.back()[0]; }
    const Nodes& leaves() const { return levels_[0]; }

    MerkleProof prove(std::uint64_t index) const {
        const MultiProof proof = prove_together({index});
        return {hash_, rule_, leaves().size(), index, leaves()[index], proof.siblings};
    }

    MultiProof prove_together(const std::set<std::uint64_t>& indices) const {
        MultiProof proof{hash_, rule_, leaves().size(), {indices.begin(), indices.end()}};
        for (const std::uint64_t index : indices) proof.leaves.push_back(leaves()[index]);
        std::set<std::uint64_t> known = indices;
        for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
            std::set<std::uint64_t> parents;
            for (const std::uint64_t k : known) {
                parents.insert(k / 2);
                if (known.contains(k ^ 1)) continue;
                if ((k ^ 1) < levels_[level].size())
                    proof.siblings.push_back(levels_[level][k ^ 1]);
                else if (rule_ == TreeRule::pad)
                    proof.siblings.push_back(pads_[level]);
            }
            known = std::move(parents);
        }
        return proof;
    }

private:
    Hash hash_;
    TreeRule rule_;
    std::vector<Nodes> levels_{};
    Nodes pads_{};
};

}  // namespace naive
