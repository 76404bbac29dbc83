#include "levels/merges.hpp"

#include <bit>
#include <string>

#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/message.hpp"
#include "host/invalid.hpp"
#include "jobs/jobs.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

bool has_empty_tree(const TreeForm& form) noexcept {
    return form.hash == Hash::sha256_rfc6962 && form.rule == TreeRule::left_full;
}

Digest empty_root() { return Message(Hash::sha256, 0).digest(); }

void require_tree_size(std::uint64_t n_leaves, const char* argument) {
    if (n_leaves == 0) invalid_call(argument, "must be at least 1, got 0");
    if (n_leaves > UINT64_MAX / (8 * Digest::size))
        throw Error(ErrorCode::out_of_memory, PublicCall::name(),
                    "too many leaves: a tree has at most 2^56 - 1, got " + std::to_string(n_leaves));
}

Merges::Merges(const TreeForm& form, unsigned below) : form_(form), info_(runtime::info(form.hash)), below_(below) {
    rule_name(form.rule);  // throws on a number that is no rule
    require_merges(form.hash, form.mode);
    if (form.rule == TreeRule::pad) require_canonical(form.hash, {&form_.padding, 1}, "padding");
}

void Merges::require_count(std::uint64_t n, const char* argument, const std::string& file) const {
    if (n == 0 && has_empty_tree(form_)) return;
    require_tree_size(n, argument);
    if (form_.rule == TreeRule::perfect && !std::has_single_bit(n)) {
        invalid_call((file.empty() ? "" : file + ": ") +
                     "the count of leaves must be a power of two under the rule 'perfect', got " + std::to_string(n) +
                     "; the rules 'left_full', 'pad' and 'duplicate_last' take any count");
    }
}

Digest Merges::merge(const Digest& left, const Digest& right) const noexcept {
    return merge_one(form_.hash, left, right, form_.mode);
}

Digest Merges::above_odd_node(const Digest& node, unsigned level) {
    switch (odd_node_of(form_.rule)) {
        case OddNode::pad: return merge(node, pad(level));
        case OddNode::duplicate: return merge(node, node);
        case OddNode::promote: break;
    }
    return node;
}

const Digest& Merges::pad(unsigned level) {
    if (pads_.empty()) pads_.push_back(form_.padding);
    while (pads_.size() <= below_ + level) pads_.push_back(merge(pads_.back(), pads_.back()));
    return pads_[below_ + level];
}

}  // namespace merklize::runtime
