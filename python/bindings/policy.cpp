#include "policy.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

nb::object to_object(const PolicyField& field, const Policy& policy) {
    if (field.values == PolicyValues::name) return nb::cast(field_text(field, policy));
    return nb::cast(field.get(policy));
}

std::string value_text(const PolicyField& field, nb::handle value) {
    const std::string argument = "policy: " + std::string(field.name);
    if (field.values == PolicyValues::name) return std::string(to_text(value, argument.c_str()));
    if (PyBool_Check(value.ptr())) wrong_type(argument.c_str(), "an integer", value);
    return shown(to_integer(value, argument.c_str()));  // of any size, because set_field() checks it
}

}  // namespace

Policy to_policy(nb::handle policy) {
    Policy result;
    if (policy.is_none()) return result;
    if (!nb::hasattr(policy, "keys")) wrong_type("policy", "a mapping or None", policy);
    nb::dict given;
    checked(PyDict_Update(given.ptr(), policy.ptr()));
    for (auto [key, value] : given) {
        const std::string name(to_text(key, "policy: key"));
        const auto* field = std::ranges::find(policy_fields, name, &PolicyField::name);
        const bool is_known = field != std::end(policy_fields);  // else the error of set_field() lists the fields
        set_field(result, name, is_known ? value_text(*field, value) : "");
    }
    return result;
}

nb::dict to_dict(const Policy& policy, bool on_host) {
    nb::dict result;
    for (const PolicyField& field : policy_fields) {
        if (!on_host || field.name == "levels_per_launch") result[to_str(field.name)] = to_object(field, policy);
    }
    return result;
}

void bind_policy(nb::module_& m) {
    // Name and values of each field.
    define(
        m, "def policy_fields() -> list[tuple[str, tuple[int | str, ...]]]", +[] {
            nb::list result;
            for (const PolicyField& field : policy_fields) {
                nb::list values;
                for (std::uint32_t value = 1; value <= field.greatest; value++) {
                    Policy policy;
                    field.set(policy, value);
                    if (field.takes(value)) values.append(to_object(field, policy));
                }
                result.append(nb::make_tuple(to_str(field.name), nb::tuple(values)));
            }
            return result;
        });
    define(
        m, "def policy_from_text(text: str, /) -> dict[str, int | str]",
        +[](nb::handle text) { return chosen(policy_from_text(to_text(text, "policy"))); });
    define(
        m, "def policy_text(policy: object, /) -> str",
        +[](nb::handle policy) { return to_str(to_text(to_policy(policy))); });
}

nb::dict chosen(const Policy& policy) {
    nb::dict result;
    for (const PolicyField& field : policy_fields) {
        if (field.get(policy) != 0) result[to_str(field.name)] = to_object(field, policy);
    }
    return result;
}

}  // namespace merklize::binding
