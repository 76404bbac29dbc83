#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"

// Trees of every form and their witnesses.
namespace support {

using merklize::Mode;
using merklize::TreeForm;
using merklize::TreeRule;

constexpr TreeRule rules[] = {TreeRule::perfect, TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last};

struct TestForm {
    TreeForm form;
    reference::Mode mode{};  ///< key and context of the form, for the reference
};

/// Every hash under every rule, and BLAKE3 also with a key and with a context, and BLAKE2s with a key.
inline std::vector<TestForm> test_forms() {
    std::vector<TestForm> forms;
    for (const TreeRule rule : rules) {
        for (const merklize::HashTraits& t : hashes_here()) {
            const Digest padding = rule == TreeRule::pad && t.is_field ? leaves(t.hash, 1, 77)[0] : Digest{};
            forms.push_back({TreeForm(t.hash, rule, {}, padding)});
        }
        const Bytes key = Random(5).bytes(32);
        forms.push_back({TreeForm(Hash::blake3, rule, Mode::keyed(view(key))), {.key = key}});
        forms.push_back({TreeForm(Hash::blake3, rule, Mode::derive_key("trees")), {.context = "trees"}});
        const Bytes short_key(key.begin(), key.begin() + 9);
        forms.push_back(
            {TreeForm(Hash::blake2s, rule, Mode::keyed(view(short_key), Hash::blake2s)), {.key = short_key}});
    }
    return forms;
}

inline reference::Merge witness_merge(const TestForm& f) {
    return [&f](const Bytes& left, const Bytes& right) {
        if (f.form.hash != Hash::blake3) return reference::merge(static_cast<int>(f.form.hash), left, right, f.mode);
        Bytes both = left;
        both.insert(both.end(), right.begin(), right.end());
        return reference::blake3(both, 32, 0, f.mode);
    };
}

/// All levels by the rule's definition, leaves first.
inline std::vector<std::vector<Digest>> witness_levels(const TestForm& f, const std::vector<Digest>& given) {
    std::vector<Bytes> bytes;
    for (const Digest& leaf : given) bytes.push_back(to_bytes(leaf));
    const reference::Merge merge = witness_merge(f);
    const reference::Levels levels = f.form.rule == TreeRule::pad
                                         ? reference::pad(merge, bytes, to_bytes(f.form.padding))
                                     : f.form.rule == TreeRule::duplicate_last ? reference::duplicate_last(merge, bytes)
                                                                               : reference::left_full(merge, bytes);
    std::vector<std::vector<Digest>> out;
    for (const auto& level : levels) {
        out.emplace_back();
        for (const Bytes& node : level) out.back().push_back(to_digest(node));
    }
    return out;
}

/// All slots in heap order.
inline std::vector<Digest> witness_heap(const TestForm& f, const std::vector<Digest>& given) {
    const auto levels = witness_levels(f, given);
    const std::size_t height = levels.size() - 1;
    std::vector<Digest> heap((std::size_t{1} << height) + given.size());
    for (std::size_t l = 0; l <= height; ++l) std::ranges::copy(levels[l], heap.begin() + (1l << (height - l)));
    return heap;
}

inline bool fits(const TestForm& f, std::size_t n) { return f.form.rule != TreeRule::perfect || (n & (n - 1)) == 0; }

}  // namespace support
