#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "merklize/manifest.hpp"

namespace merklize::inline v0::manifests {

/// Compares lists that are sorted by their keys. An entry of one list alone is a difference, too.
/// excused  names for which a difference was reported already
void compare(const std::vector<Tensor>& expected, const std::vector<Tensor>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);
void compare(const std::vector<File>& expected, const std::vector<File>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);
void compare(const std::vector<Shard>& expected, const std::vector<Shard>& found, std::uint64_t piece_size,
             const std::vector<std::string>& excused, Differences& out);

}  // namespace merklize::inline v0::manifests
