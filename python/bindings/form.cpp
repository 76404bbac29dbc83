#include "form.hpp"

#include "arguments.hpp"

namespace merklize::binding {

TreeForm to_form(nb::handle form) {
    const auto fields = nb::cast<nb::tuple>(form);
    TreeForm result(hash_from_name(to_text(fields[0], "hash")));
    if (!fields[1].is_none()) result.rule = rule_from_name(to_text(fields[1], "rule"));
    result.mode = to_mode(fields[2], fields[3], "key");
    if (!fields[4].is_none()) {
        if (result.rule != TreeRule::pad) {
            throw Error(ErrorCode::invalid_argument, "padding is for the rule \"pad\" alone, not for \"" +
                                                         std::string(rule_name(result.rule)) + '"');
        }
        result.padding = to_digest(fields[4], "padding");
    }
    return result;
}

nb::str name_of(Hash hash) { return to_str(traits(hash).name); }
nb::str name_of(TreeRule rule) { return to_str(rule_name(rule)); }

}  // namespace merklize::binding
