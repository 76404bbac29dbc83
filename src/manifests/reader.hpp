#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "manifests/find.hpp"
#include "manifests/storage.hpp"
#include "merklize/device.hpp"

namespace merklize::inline v0::manifests {

/// What is in the files of a source.
struct Found {
    std::vector<Tensor> tensors{};
    std::vector<File> files{};
    std::vector<Shard> shards{};
    std::vector<Seen> seen{};
    std::vector<std::string> hashed{};  ///< files that were hashed, not known already
    /// Files that could not be read, where that is no error, and why, in the order in which that was found.
    std::vector<std::pair<std::string, std::string>> failed{};
};

/// Which tensors and files to read, and how.
struct Reading {
    std::uint64_t piece_size = 0;
    /// What to hash: of a tensor its name and shard, of a file its name alone. None: all.
    std::function<bool(const std::string& name, const std::string* shard)> wanted{};
    bool keeps_going = false;         ///< files that cannot be read are noted as failed
    const Manifest* known = nullptr;  ///< whose files that did not change since are not hashed again
};

/// Hashes the files of a source: ranges of one shard, or several files, at once.
/// errors  invalid_argument (two tensors would have one name), those of `storage`, cancelled
Found read_files(const Source& source, Storage& storage, const Reading& reading, const RunOptions& options);

/// The manifest of what was found.
Manifest manifest_of(const Source& source, Found found, std::uint64_t piece_size, std::vector<std::string> ignore);

}  // namespace merklize::inline v0::manifests
