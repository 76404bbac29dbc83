#pragma once

#include <span>
#include <string>
#include <string_view>

namespace merklize::runtime {

/// Returns the name that was perhaps meant by a misspelt one, or nothing if no name is like it. Case does not count.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// Returns the text of the error: "unknown hash 'blake2'; did you mean 'blake3'? known: blake3, sha256".
///
/// what  what is named: "hash"
std::string unknown_name(std::string_view what, std::string_view typed, std::span<const std::string_view> known);

}  // namespace merklize::runtime
