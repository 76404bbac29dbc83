#include "merklize/tree_form.hpp"
#include "host/invalid.hpp"
#include "host/names.hpp"

#include <string>

namespace merklize::inline v0 {
namespace {

constexpr struct {
    TreeRule rule;
    std::string_view name;
} rules[] = {
    {TreeRule::perfect, "perfect"},   {TreeRule::left_full, "left_full"},
    {TreeRule::pad, "pad"},           {TreeRule::duplicate_last, "duplicate_last"},
    {TreeRule::left_full, "promote"},
};

}  // namespace

std::string_view rule_name(TreeRule rule) {
    for (const auto& known : rules) {
        if (known.rule == rule) return known.name;
    }
    invalid("no tree rule has the number " + std::to_string(static_cast<unsigned>(rule)));
}

TreeRule rule_from_name(std::string_view name) { return runtime::row_named("tree rule", rules, name).rule; }

TreeRule default_rule(Hash hash) { return traits(hash).is_field ? TreeRule::perfect : TreeRule::left_full; }

}  // namespace merklize::inline v0
