#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Sets variables of the environment, or removes those without a value, and restores them at the end.
class Environment {
public:
    using Value = std::optional<std::string>;

    Environment(std::initializer_list<std::pair<const char*, Value>> values) {
        for (const auto& [name, value] : values) {
            const char* const old = std::getenv(name);
            before_.emplace_back(name, old == nullptr ? Value() : Value(old));
            set(name, value);
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;
    ~Environment() {
        for (const auto& [name, value] : before_) set(name, value);
    }

private:
    static void set(const char* name, const Value& value) {
        value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
    }

    std::vector<std::pair<const char*, Value>> before_{};
};
