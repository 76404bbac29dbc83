#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/invalid.hpp"

namespace merklize::runtime {

/// Returns the name that was perhaps meant by a misspelt one, or nothing if no name is like it. Case does not count.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// Returns the text of the error: "unknown hash 'blake2'; did you mean 'blake3'? known: blake3, sha256".
///
/// what  what is named: "hash"
std::string unknown_name(std::string_view what, std::string_view typed, std::span<const std::string_view> known);

/// Returns the row of that name. Throws invalid_argument with the text of unknown_name() if there is none.
template <class Row, std::size_t n>
const Row& row_named(std::string_view what, const Row (&rows)[n], std::string_view name) {
    std::vector<std::string_view> known;
    for (const Row& row : rows) {
        if (row.name == name) return row;
        known.push_back(row.name);
    }
    invalid(unknown_name(what, name, known));
}

}  // namespace merklize::runtime
