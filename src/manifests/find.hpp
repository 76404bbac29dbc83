#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/byte_source.hpp"
#include "merklize/manifest.hpp"

namespace merklize::inline v0::manifests {

/// Whether a name matches a pattern of a shell: * any characters, also /; ? one; [a-z] one of these; [!a-z] any other.
bool matches(std::string_view name, std::string_view pattern);

/// Whether patterns leave out a path below a folder: they match it, the path of a folder above it, or the name of one
/// of these.
bool is_ignored(std::string_view path, const std::vector<std::string>& patterns);
/// The pattern as it is matched and recorded: `.git/` and `./.git` of shells and `**/.git` of Git's lists are `.git`,
/// which is at any depth.
std::string plain_pattern(std::string_view pattern);
std::vector<std::string> plain_patterns(const std::vector<std::string>& patterns);

/// The files of a safetensors file, an index of shards, or a folder.
struct Source {
    Kind kind = Kind::folder;
    std::string folder{};
    std::string name{};  ///< of the file, or of the index in its folder
    /// Relative to the folder, sorted by their bytes.
    std::vector<std::string> shards{}, files{};
    std::vector<std::string> unmatched{};  ///< patterns of files to be left out that match none
    /// For an index: tensors and their shards.
    std::vector<std::pair<std::string, std::string>> weights{};
};

/// ignore        plain patterns of names, or of paths below the folder, that are left out
/// follow_links  take symbolic links to files for the files
/// own           the manifest's own path, which is left out
/// wait          as ByteStream::next() calls it
/// errors        io (unreadable), invalid_argument (names that no manifest can hold; links and devices in a folder)
Source find_source(const std::string& path, const std::vector<std::string>& ignore, bool follow_links,
                   const std::string& own, const runtime::ByteStream::Wait& wait);

/// The parts of find_source() that read nothing, for files on a disk or in a store.
/// text  of the index;  path  for error texts
void take_index(Source& found, std::string_view text, const std::string& path);
/// names  of all files below a folder, sorted
void take_folder(Source& found, const std::vector<std::string>& names);
/// Whether the name of a file is that of an index or of a safetensors file.
Kind kind_of_file(std::string_view name);

/// folder/name
std::string joined(const std::string& folder, std::string_view name);
bool is_folder(const std::string& path);

}  // namespace merklize::inline v0::manifests
