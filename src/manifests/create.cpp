#include <algorithm>

#include "jobs/cancelling.hpp"
#include "manifests/create.hpp"
#include "manifests/disk.hpp"
#include "manifests/names.hpp"
#include "manifests/reader.hpp"

namespace merklize::inline v0::manifests {

void require_piece_size(std::uint64_t size) {
    if (!is_piece_size(size))
        invalid_call("piece_size", "must be 0 or a power of two >= 262144, got " + std::to_string(size));
}

std::string path_in(const Manifest& known, const std::string& path) {
    return known.name && is_folder(path) ? joined(path, *known.name) : path;
}

Manifest create(const Source& source, Storage& storage, const Options& options, const RunOptions& run) {
    const PublicCall entry("manifest");
    require_piece_size(options.piece_size);
    const Reading reading{.piece_size = options.piece_size, .digest = options.digest, .ignore = options.ignore};
    return manifest_of(source, read_files(source, storage, reading, run), reading);
}

Manifest create(const std::string& path, const Options& options, const RunOptions& run) {
    require_piece_size(options.piece_size);
    Options plain = options;
    plain.ignore = plain_patterns(options.ignore);
    runtime::Progress progress(run.progress);
    const Source source =
        find_source(path, plain.ignore, options.follow_links, options.exclude, runtime::waiting(progress));
    return create(source, *open_disk(source.folder, options.follow_links, run.threads), plain, run);
}

Refreshed refresh(const Manifest& known, const Source& source, Storage& storage, bool everything,
                  const RunOptions& run) {
    const Reading reading{.piece_size = known.piece_size,
                          .digest = known.digest,
                          .known = everything ? nullptr : &known,
                          .ignore = known.ignore};
    Found found = read_files(source, storage, reading, run);
    Refreshed made;
    made.hashed = std::move(found.hashed);
    for (const Shard& shard : found.shards) made.kept.push_back(shard.path);
    for (const File& file : found.files) made.kept.push_back(file.path);
    std::erase_if(made.kept, [&](const auto& name) { return std::ranges::binary_search(made.hashed, name); });
    std::ranges::sort(made.kept);
    made.manifest = manifest_of(source, std::move(found), reading);
    return made;
}

void require_files(const Manifest& known) {
    if (known.kind == Kind::tensors) invalid_call("the manifest is of tensors in memory, not of files");
}

Refreshed refresh(const Manifest& known, const std::string& path, const RefreshOptions& options,
                  const RunOptions& run) {
    const PublicCall entry("refresh");
    require_files(known);
    runtime::Progress progress(run.progress);
    const Source source = find_source(path_in(known, path), known.ignore, options.follow_links, options.exclude,
                                      runtime::waiting(progress));
    return refresh(known, source, *open_disk(source.folder, options.follow_links, run.threads), options.everything,
                   run);
}

}  // namespace merklize::inline v0::manifests
