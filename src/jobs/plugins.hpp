#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "seams/plugin.h"

namespace merklize::runtime {

/// The names of the plug-ins in the folder of plug-ins, sorted. Opens none.
std::vector<std::string> plugin_names();

/// A plug-in's table, or why there is none.
struct Plugin {
    const mkz_backend* backend = nullptr;
    std::string why{};  // empty if there is a table
};

/// The plug-in of this name: opened at the first call, never closed.
const Plugin& plugin(std::string_view name);

}  // namespace merklize::runtime
