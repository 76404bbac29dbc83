#pragma once

#include <filesystem>
#include <optional>

#include "host/threads.hpp"
#include "merklize/tree_file.hpp"

namespace merklize::inline v0 {

/// save_tree() that the caller may cancel.
void save_tree(const MerkleTree& tree, const std::filesystem::path& path, const std::optional<LeafSource>& source,
               const runtime::Tick& progress);

}  // namespace merklize::inline v0
