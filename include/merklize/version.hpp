#pragma once

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/version.h>

// All public names are in the inline namespace v0, whose number is MERKLIZE_ABI_VERSION. Programs write
// merklize::Digest.
namespace merklize::inline v0 {

/// Version of the library in use, "major.minor.patch". It may differ from MERKLIZE_VERSION_STRING of the headers.
MERKLIZE_API const char* version() noexcept;

}  // namespace merklize::inline v0
