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
    std::vector<std::string> hashed{};  ///< files that were hashed, because they were not known
    /// Unreadable files with the reasons, in the order in which they were found, if Reading::keeps_going.
    std::vector<std::pair<std::string, std::string>> failed{};
    std::vector<std::string> missing{};  ///< as in Manifest, sorted
};

/// Which tensors and files to read, and how.
struct Reading {
    std::uint64_t piece_size = 0;
    DigestKind digest = DigestKind::bytes;
    /// What to hash: called with a tensor's name and shard, or with a file's name alone. Without it, everything.
    std::function<bool(const std::string& name, const std::string* shard)> wanted{};
    bool keeps_going = false;           ///< unreadable files are noted as failed, and the others are read
    const Manifest* known = nullptr;    ///< its unchanged files are not hashed again
    std::vector<std::string> ignore{};  ///< patterns of files that were left out
};

/// Hashes the files of a source: ranges of one shard, or several files, at once.
/// errors  invalid_argument (two tensors would have one name), those of `storage`, cancelled
Found read_files(const Source& source, Storage& storage, const Reading& reading, const RunOptions& options);

/// The manifest of what was found.
Manifest manifest_of(const Source& source, Found found, const Reading& reading);

}  // namespace merklize::inline v0::manifests
