#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "command/manifest/entries.hpp"
#include "command/manifest/find.hpp"
#include "merklize/device.hpp"

namespace merklize::command::manifest {

/// Files that could not be read, and why, in the order in which that was found.
using Failed = std::vector<std::pair<std::string, std::string>>;

/// What is in the files of a source.
struct Found {
    std::vector<Tensor> tensors{};
    std::vector<File> files{};
    std::vector<Shard> shards{};
    Failed failed{};

    /// Bytes of what was hashed.
    std::uint64_t bytes() const noexcept;
};

/// What to hash: of a tensor its name and shard, of a file its name alone.
using Wanted = std::function<bool(const std::string& name, const std::string* shard)>;

/// Hashes the files of a source: ranges of one shard, or several files, at once. What cannot be read is noted, and the rest goes on.
/// options  with their progress function
/// errors   Failure (two tensors would have one name), cancelled
Found read_files(const Source& source, std::uint64_t piece_size, bool follow_links, const Wanted& wanted,
                 const RunOptions& options);

}  // namespace merklize::command::manifest
