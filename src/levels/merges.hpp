#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hashes/hash_info.hpp"
#include "merklize/tree_form.hpp"

namespace merklize::runtime {

/// The merges of one tree: its form, prepared for jobs and single merges.
class Merges {
public:
    /// below   the level of the tree that is called level 0 here
    /// errors  invalid_argument (no such rule, a mode that the hash does not have, padding that is no field element)
    explicit Merges(const TreeForm& form, unsigned below = 0);
    Merges(const Merges&) = delete;
    Merges& operator=(const Merges&) = delete;

    const TreeForm& form() const noexcept { return form_; }
    Hash hash() const noexcept { return form_.hash; }
    const Mode& mode() const noexcept { return form_.mode; }
    const mkz_hash_info& info() const noexcept { return info_; }

    /// As require_tree_size(), but for a form that has an empty tree. Also throws invalid_argument for a count that the
    /// rule does not take.
    /// file  what the leaves are in, for the text; empty: memory
    void require_count(std::uint64_t n, const char* argument = "leaves", const std::string& file = {}) const;

    Digest merge(const Digest& left, const Digest& right) const noexcept;
    /// The parent of a node that has no sibling.
    Digest above_odd_node(const Digest& node, unsigned level);
    /// The node with which an odd node is merged under the rule pad: the root of a subtree of padding.
    const Digest& pad(unsigned level);

private:
    const TreeForm form_;
    const mkz_hash_info& info_;
    const unsigned below_;
    std::vector<Digest> pads_{};
};

/// The root of a tree of no leaves: SHA-256 of nothing in RFC 6962, section 2.1, which is the hash sha256_rfc6962 under
/// the rule left_full. No other form has one.
bool has_empty_tree(const TreeForm& form) noexcept;
Digest empty_root();

/// Throws invalid_argument (n_leaves = 0) or out_of_memory (more leaves than memory can hold).
void require_tree_size(std::uint64_t n_leaves, const char* argument = "leaves");

}  // namespace merklize::runtime
