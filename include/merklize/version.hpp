#pragma once

/// Version of the library, as in semantic versioning.
#define MERKLIZE_VERSION_MAJOR 0
#define MERKLIZE_VERSION_MINOR 1
#define MERKLIZE_VERSION_PATCH 0
#define MERKLIZE_VERSION_STRING "0.1.0"

namespace merklize {

/// Version of the library that runs, "major.minor.patch"; may differ from the headers' MERKLIZE_VERSION_STRING.
const char* version() noexcept;

}  // namespace merklize
