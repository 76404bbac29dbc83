#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <merklize/cxx20.h>
#include <merklize/export.h>

namespace merklize::inline v0 {

/// Where a device's kernel reads the constants of a field hash: tuned, literal, constant, global or local (policy.def).
enum class Constants : std::uint32_t {
#define MKZ_POLICY_NAME(value, name) name = value,
#include <merklize/policy.def>
};

/// Tuning values of one call: how a digest or a tree is computed on a device. Every choice gives the same bytes. Where
/// a field is 0 (Constants::tuned), the library chooses; MerkleTree::policy() tells what was used. The CPU uses only
/// levels_per_launch, because its lanes are fixed by its instruction set.
///
/// policy.def lists the fields, their meaning and their values: levels_per_launch, group_size, lanes, constants.
struct Policy {
#define MKZ_TYPE_count std::uint32_t
#define MKZ_TYPE_power std::uint32_t
#define MKZ_TYPE_name Constants
#define MKZ_MEMBER_caller(field, values) MKZ_TYPE_##values field{};
#define MKZ_MEMBER_compiler(field, values)
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_MEMBER_##chooser(field, values)
#include <merklize/policy.def>
#undef MKZ_MEMBER_caller
#undef MKZ_MEMBER_compiler
#undef MKZ_TYPE_count
#undef MKZ_TYPE_power
#undef MKZ_TYPE_name

    bool operator==(const Policy&) const = default;
};

/// The values that a field of a policy takes besides 0.
enum class PolicyValues : std::uint8_t {
    count,  ///< 1 to greatest
    power,  ///< a power of two, 1 to greatest
    name,   ///< as count, but written in texts as a name of Constants
};

/// A field of Policy, for code that treats all fields alike.
struct PolicyField {
    std::string_view name;
    PolicyValues values;
    std::uint32_t greatest;
    std::uint32_t (*get)(const Policy& policy);
    void (*set)(Policy& policy, std::uint32_t value);

    constexpr bool takes(std::uint32_t value) const {
        return value == 0 || (value <= greatest && (values != PolicyValues::power || std::has_single_bit(value)));
    }
};

inline constexpr PolicyField policy_fields[] = {
#define MKZ_FIELD_caller(field, values, greatest)                                   \
    {#field, PolicyValues::values, greatest,                                        \
     [](const Policy& policy) { return static_cast<std::uint32_t>(policy.field); }, \
     [](Policy& policy, std::uint32_t value) { policy.field = decltype(policy.field)(value); }},
#define MKZ_FIELD_compiler(field, values, greatest)
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_FIELD_##chooser(field, values, greatest)
#include <merklize/policy.def>
#undef MKZ_FIELD_caller
#undef MKZ_FIELD_compiler
};

constexpr bool is_valid(const Policy& policy) {
    for (const PolicyField& field : policy_fields) {
        if (!field.takes(field.get(policy))) return false;
    }
    return true;
}

/// errors  invalid_argument (the text has the field, its value and the values that it takes)
MERKLIZE_API void require_valid(const Policy& policy);

/// Sets a field from text: a number, or a name of Constants.
/// errors  invalid_argument (an unknown field, or a value that it does not take; the text lists the valid ones)
MERKLIZE_API void set_field(Policy& policy, std::string_view field, std::string_view value);
/// The value of a field as text: a number, or a name of Constants.
MERKLIZE_API std::string field_text(const PolicyField& field, const Policy& policy);

/// "levels_per_launch=3,constants=local": the fields that are not 0; empty if there are none.
MERKLIZE_API std::string to_text(const Policy& policy);
/// The reverse of to_text(). Spaces around names and values are ignored.
/// errors  invalid_argument (as set_field(); text that is not NAME=VALUE; a field that is set twice)
MERKLIZE_API Policy policy_from_text(std::string_view text);

}  // namespace merklize::inline v0
