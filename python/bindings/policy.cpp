#include "policy.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "arguments.hpp"

namespace merklize::binding {

namespace {

// In the order of the enumeration.
constexpr std::array<const char*, 5> constants_names = {"tuned", "literal", "constant", "global", "local"};

/// A field of a policy: a count, or else `constants`.
template <class Policy>
struct Field {
    const char* name;
    std::uint32_t Policy::* count;
};

constexpr Field<TreePolicy> tree_fields[] = {
    {"levels_per_launch", &TreePolicy::levels_per_launch},
    {"group_size", &TreePolicy::group_size},
    {"merges_per_item", &TreePolicy::merges_per_item},
};
constexpr Field<HashPolicy> hash_fields[] = {
    {"chunks_per_item", &HashPolicy::chunks_per_item},
    {"group_size", &HashPolicy::group_size},
};

Constants to_constants(nb::handle value) {
    const std::string_view text = to_text(value, "policy: constants");
    std::string known;
    for (std::size_t i = 0; i < constants_names.size(); i++) {
        if (text == constants_names[i]) return static_cast<Constants>(i);
        known += std::string(i == 0 ? "" : ", ") + constants_names[i];
    }
    throw Error(ErrorCode::invalid_argument, "policy: constants '" + std::string(text) + "'; known: " + known);
}

template <class Policy, std::size_t n>
Policy to_policy(nb::handle policy, const Field<Policy> (&fields)[n]) {
    Policy result;
    if (policy.is_none()) return result;
    nb::dict given;
    if (!nb::hasattr(policy, "keys") || PyDict_Update(given.ptr(), policy.ptr()) != 0) {
        PyErr_Clear();
        wrong_type("policy", "a mapping or None", policy);
    }
    for (auto [key, value] : given) {
        const std::string_view name = to_text(key, "policy: key");
        bool is_known = name == "constants";
        if (is_known) result.constants = to_constants(value);
        std::string names;
        for (const Field<Policy>& field : fields) {
            names += std::string(field.name) + ", ";
            if (name != field.name) continue;
            is_known = true;
            result.*field.count = static_cast<std::uint32_t>(to_int(value, ("policy: " + std::string(name)).c_str()));
        }
        if (!is_known) {
            throw Error(ErrorCode::invalid_argument,
                        "policy: unknown field '" + std::string(name) + "'; the fields are: " + names + "constants");
        }
    }
    return result;
}

template <class Policy, std::size_t n>
nb::dict chosen_of(const Policy& policy, const Field<Policy> (&fields)[n]) {
    nb::dict result;
    for (const Field<Policy>& field : fields) {
        if (policy.*field.count != 0) result[field.name] = policy.*field.count;
    }
    if (policy.constants != Constants::tuned)
        result["constants"] = constants_names[static_cast<std::size_t>(policy.constants)];
    return result;
}

}  // namespace

nb::dict chosen(const TreePolicy& policy) { return chosen_of(policy, tree_fields); }
nb::dict chosen(const HashPolicy& policy) { return chosen_of(policy, hash_fields); }

TreePolicy to_tree_policy(nb::handle policy) { return to_policy(policy, tree_fields); }

HashPolicy to_hash_policy(nb::handle policy) { return to_policy(policy, hash_fields); }

nb::dict to_dict(const TreePolicy& policy, bool on_host) {
    nb::dict result;
    result["levels_per_launch"] = policy.levels_per_launch;
    if (on_host) return result;
    for (const Field<TreePolicy>& field : tree_fields) result[field.name] = policy.*field.count;
    result["constants"] = constants_names[static_cast<std::size_t>(policy.constants)];
    return result;
}

}  // namespace merklize::binding
