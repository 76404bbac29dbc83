#include "merklize/policy.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "host/invalid.hpp"
#include "host/names.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

constexpr std::string_view names[] = {
#define MKZ_POLICY_NAME(value, name) #name,
#include "merklize/policy.def"
};

// "a, b or c"
std::string one_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); i++)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string rule(const PolicyField& field) {
    constexpr std::uint32_t few = 16;
    switch (field.values) {
        case PolicyValues::name: return one_of({std::begin(names), std::end(names)});
        case PolicyValues::count: return "1 to " + std::to_string(field.greatest);
        case PolicyValues::power: break;
    }
    if (field.greatest > few) return "a power of two up to " + std::to_string(field.greatest);
    std::vector<std::string> powers;
    for (std::uint32_t power = 1; power <= field.greatest; power *= 2) powers.push_back(std::to_string(power));
    return one_of(powers);
}

[[noreturn]] void invalid_value(const PolicyField& field, std::string_view got) {
    invalid("policy: " + std::string(field.name) + " must be " + rule(field) + ", got " + std::string(got));
}

const PolicyField& field_of(std::string_view name) {
    const auto* field = std::ranges::find(policy_fields, name, &PolicyField::name);
    if (field != std::end(policy_fields)) return *field;
    std::vector<std::string_view> known;
    for (const PolicyField& each : policy_fields) known.push_back(each.name);
    invalid("policy: " + runtime::unknown_name("field", name, known));
}

std::string_view trimmed(std::string_view text) {
    constexpr const char* blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

}  // namespace

void require_valid(const Policy& policy) {
    for (const PolicyField& field : policy_fields) {
        const std::uint32_t value = field.get(policy);
        if (!field.takes(value)) invalid_value(field, std::to_string(value));
    }
}

void set_field(Policy& policy, std::string_view name, std::string_view value) {
    const PolicyField& field = field_of(name);
    if (field.values == PolicyValues::name) {
        const auto* found = std::ranges::find(names, value);
        if (found == std::end(names)) invalid_value(field, value);
        return field.set(policy, static_cast<std::uint32_t>(found - std::begin(names)));
    }
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || !field.takes(number))
        invalid_value(field, value.empty() ? "nothing" : value);
    field.set(policy, number);
}

std::string field_text(const PolicyField& field, const Policy& policy) {
    const std::uint32_t value = field.get(policy);
    const bool is_named = field.values == PolicyValues::name && value < std::size(names);
    return is_named ? std::string(names[value]) : std::to_string(value);
}

std::string to_text(const Policy& policy) {
    std::string text;
    for (const PolicyField& field : policy_fields) {
        if (field.get(policy) == 0) continue;
        text.append(text.empty() ? "" : ",").append(field.name).append("=").append(field_text(field, policy));
    }
    return text;
}

Policy policy_from_text(std::string_view text) {
    Policy policy;
    std::vector<std::string_view> seen;
    for (std::size_t begin = 0; !trimmed(text).empty() && begin <= text.size();) {
        const std::string_view part = text.substr(begin, text.find(',', begin) - begin);
        begin += part.size() + 1;
        const std::size_t equals = part.find('=');
        if (equals == part.npos)
            invalid(std::string("policy: must be NAME=VALUE,..., got '") + std::string(part) + "' in '" +
                    std::string(text) + "'");
        const std::string_view name = trimmed(part.substr(0, equals));
        set_field(policy, name, trimmed(part.substr(equals + 1)));
        if (std::ranges::find(seen, name) != seen.end()) invalid("policy: " + std::string(name) + " is there twice");
        seen.push_back(name);
    }
    return policy;
}

}  // namespace merklize::inline v0
