#include "policy.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "arguments.hpp"

namespace merklize::binding {

namespace {

nb::object to_object(const PolicyField& field, const Policy& policy) {
    if (field.values == PolicyValues::name) return nb::cast(field_text(field, policy));
    return nb::cast(field.get(policy));
}

}  // namespace

Policy to_policy(nb::handle policy) {
    Policy result;
    if (policy.is_none()) return result;
    nb::dict given;
    if (!nb::hasattr(policy, "keys") || PyDict_Update(given.ptr(), policy.ptr()) != 0) {
        PyErr_Clear();
        wrong_type("policy", "a mapping or None", policy);
    }
    for (auto [key, value] : given) {
        const std::string name(to_text(key, "policy: key"));
        const std::string what = "policy: " + name;
        const auto* field = std::ranges::find(policy_fields, name, &PolicyField::name);
        const bool is_count = field != std::end(policy_fields) && field->values != PolicyValues::name;
        set_field(result, name,
                  is_count ? std::to_string(to_int(value, what.c_str())) : std::string(to_text(value, what.c_str())));
    }
    return result;
}

nb::dict to_dict(const Policy& policy, bool on_host) {
    nb::dict result;
    for (const PolicyField& field : policy_fields) {
        if (!on_host || field.name == "levels_per_launch")
            result[to_str(std::string(field.name))] = to_object(field, policy);
    }
    return result;
}

nb::dict chosen(const Policy& policy) {
    nb::dict result;
    for (const PolicyField& field : policy_fields) {
        if (field.get(policy) != 0) result[to_str(std::string(field.name))] = to_object(field, policy);
    }
    return result;
}

}  // namespace merklize::binding
