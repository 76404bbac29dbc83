#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace merklize::runtime {

/// The file's own name, so short that a file of its folder may have `more` bytes in addition. Where the whole name is
/// too long, its beginning, a dash and 16 hexadecimal digits of its BLAKE3, so that different files have different
/// names.
std::string name_for(const std::filesystem::path& path, std::size_t more);

/// The path of the file beside `path` that has this ending: PATH.partial, PATH.journal.
std::filesystem::path beside(const std::filesystem::path& path, std::string_view end);

}  // namespace merklize::runtime
