#pragma once

/// Version of the headers, as in semantic versioning.
#define MERKLIZE_VERSION_MAJOR 0
#define MERKLIZE_VERSION_MINOR 1
#define MERKLIZE_VERSION_PATCH 0
#define MERKLIZE_VERSION_STRING "0.1.0"

namespace merklize {

/// Version of the library in use, "major.minor.patch". It may differ from MERKLIZE_VERSION_STRING of the headers.
const char* version() noexcept;

}  // namespace merklize
