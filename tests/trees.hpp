#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support.hpp"

// Trees of every form, level by level as docs/layouts.md has them: what builders and files are compared with.
namespace support {

using merklize::Mode;
using merklize::TreeForm;
using merklize::TreeRule;

using Levels = std::vector<std::vector<Digest>>;

inline Levels levels_of(const std::vector<Digest>& leaves, const TreeForm& form) {
    const auto merge = [&](const Digest& left, const Digest& right) {
        return merklize::merge(left, right, form.hash, form.mode);
    };
    Levels levels{leaves};
    Digest filler = form.padding;
    while (levels.back().size() > 1) {
        const std::vector<Digest>& below = levels.back();
        std::vector<Digest> above;
        for (std::size_t i = 0; i + 1 < below.size(); i += 2) above.push_back(merge(below[i], below[i + 1]));
        if (below.size() % 2 != 0) {
            above.push_back(form.rule == TreeRule::left_full        ? below.back()
                            : form.rule == TreeRule::duplicate_last ? merge(below.back(), below.back())
                                                                    : merge(below.back(), filler));
        }
        filler = merge(filler, filler);
        levels.push_back(above);
    }
    return levels;
}

inline Digest root_of(const std::vector<Digest>& leaves, const TreeForm& form) {
    return levels_of(leaves, form).back()[0];
}

/// Every rule of every hash, and keyed ones.
inline std::vector<TreeForm> all_forms() {
    std::vector<TreeForm> out;
    for (const merklize::HashTraits& t : merklize::hashes()) {
        for (const TreeRule rule : {TreeRule::perfect, TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last}) {
            out.emplace_back(t.hash, rule, Mode(), leaves(t.hash, 1, 77)[0]);
        }
    }
    const Bytes key = pattern(32);
    out.emplace_back(Hash::blake3, TreeRule::left_full, Mode::keyed(view(key)));
    out.emplace_back(Hash::blake3, TreeRule::pad, Mode::derive_key("merklize 2026 tests of trees"), Digest{});
    return out;
}

inline std::string name_of(const TreeForm& form) {
    return std::string(merklize::traits(form.hash).name) + " " + std::string(merklize::rule_name(form.rule)) +
           (form.mode.flags() != 0 ? " keyed" : "");
}

/// Fails with the form's name in the text.
inline void check_equal(const char* file, int line, const Digest& found, const Digest& expected, const TreeForm& form,
                        std::size_t n) {
    if (found == expected) return;
    check::fail(file, line,
                name_of(form) + ", " + std::to_string(n) + " leaves: " + found.hex() + " against " + expected.hex());
}
#define CHECK_DIGEST(found, expected, form, n) \
    support::check_equal(__FILE__, __LINE__, found, expected, form, static_cast<std::size_t>(n))

}  // namespace support
