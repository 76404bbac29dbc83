#pragma once

#include <string>

#include "merklize/device.hpp"
#include "merklize/digest.hpp"

namespace merklize::command {

/// The fs-verity digest of a file with blocks of 4096 bytes, SHA-256 and no salt, as `fsverity digest` prints it and the kernel measures it.
/// Source: Linux, Documentation/filesystems/fsverity.rst.
/// errors  io
Digest fs_verity(const std::string& path, const RunOptions& options);

}  // namespace merklize::command
