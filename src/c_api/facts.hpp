#pragma once

#include "c_api/calls.hpp"

namespace merklize::c_api {

/// The facts of a MerkleTree or a TreeFile. Fields that only one of the two has become 0.
template <class Tree>
void put_facts(merklize_tree_info& out, const Tree& tree) {
    out = {.n_leaves = tree.n_leaves(),
           .hash = to_c(tree.form().hash),
           .rule = to_c(tree.form().rule),
           .height = tree.height(),
           .drop_levels = 0,
           .on_device = 0,
           .is_keyed = 0,
           .root = to_c(tree.root()),
           .leaf_bytes = tree.source().leaf_bytes,
           .total_bytes = tree.source().total_bytes};
}

/// The facts of a tree that was built from an input and not kept.
inline void put_facts(merklize_tree_info& out, const TreeFacts& facts, const TreeInput& input,
                      const merklize_form* form) {
    const bool is_keyed =
        form != nullptr && form->mode != nullptr && (form->mode->key != nullptr || form->mode->context != nullptr);
    out = {.n_leaves = facts.n_leaves,
           .hash = to_c(facts.hash),
           .rule = to_c(facts.rule),
           .height = facts.height,
           .drop_levels = 0,
           .on_device = 0,
           .is_keyed = is_keyed ? 1u : 0u,
           .root = to_c(facts.root),
           .leaf_bytes = input.leaf_bytes,
           .total_bytes = facts.bytes};
}

}  // namespace merklize::c_api
