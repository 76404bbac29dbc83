#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/byte_source.hpp"
#include "manifests/find.hpp"
#include "manifests/storage.hpp"
#include "merklize/device.hpp"
#include "merklize/manifest.hpp"

namespace merklize::inline v0::manifests {

/// The work of the public functions, for files on a disk or in a store.

/// load() of any source.
/// wait  as ByteStream::next() calls it
Manifest load(const runtime::ByteSource& source, const runtime::ByteStream::Wait& wait);

/// Throws invalid_argument unless a manifest can have pieces of this size.
void require_piece_size(std::uint64_t size);
/// The path of the file or index, which is in `path` if that is a folder.
std::string path_in(const Manifest& known, const std::string& path);
/// Throws invalid_argument: a manifest of tensors in memory cannot be refreshed.
void require_files(const Manifest& known);

Manifest create(const Source& source, Storage& storage, const Options& options, const RunOptions& run);
Refreshed refresh(const Manifest& known, const Source& source, Storage& storage, bool everything,
                  const RunOptions& run);

/// A source and its storage.
struct Place {
    Source source{};
    std::unique_ptr<Storage> storage{};
};
/// open  finds the source; if that fails for a file or an index, all of its shards count as unreadable
Report check(const Manifest& known, const CheckOptions& options, const std::function<Place()>& open,
             const RunOptions& run);
/// Compares tensors in memory.
/// found    sorted by name
/// only     patterns; tensors of other names were not hashed
Report check_tensors(const Manifest& known, const std::vector<std::string>& only, std::vector<Tensor> found);
/// The names of tensors in the manifest that match `only`; no pattern means all.
/// errors  invalid_argument (a pattern that matches nothing in the manifest)
std::vector<std::string> tensors_of(const Manifest& known, const std::vector<std::string>& only);

}  // namespace merklize::inline v0::manifests
