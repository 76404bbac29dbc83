#pragma once

#include <memory>
#include <string>

#include "manifests/storage.hpp"

namespace merklize::inline v0::manifests {

/// Files of a folder of the system. Below the folder no part of a name may be a link, unless links are followed.
std::unique_ptr<Storage> open_disk(const std::string& folder, bool follow_links, unsigned threads);

}  // namespace merklize::inline v0::manifests
