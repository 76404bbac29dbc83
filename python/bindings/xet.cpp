#include <algorithm>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

nb::str xet_hash(nb::handle data, const Settings& settings) {
    const InputBytes input(data, "data");
    Digest digest;
    Run{settings}([&](const RunOptions& options) { digest = merklize::xet_hash(input.span(), options); });
    return to_str(xet_hex(digest));
}

nb::str xet_hash_file(nb::handle path, const Settings& settings) {
    const std::filesystem::path file = to_path(path, "path");
    Digest digest;
    Run{settings}([&](const RunOptions& options) { digest = merklize::xet_hash_file(file, options); });
    return to_str(xet_hex(digest));
}

nb::str xet_hash_descriptor(nb::handle descriptor, nb::handle name, const Settings& settings) {
    const int fd = to_int(descriptor, "file descriptor");
    const std::string_view shown = to_text(name, "name");
    Digest digest;
    Run{settings}([&](const RunOptions& options) { digest = merklize::xet_hash_descriptor(fd, shown, options); });
    return to_str(xet_hex(digest));
}

// The hash of each file, or its error as hash_files() has it.
nb::list xet_hash_files(nb::handle paths, const Settings& settings) {
    std::vector<std::filesystem::path> files;
    for (nb::handle path : nb::cast<nb::list>(paths)) files.push_back(to_path(path, "path"));
    std::vector<FileDigest> digests;
    Run{settings}([&](const RunOptions& options) { digests = merklize::xet_hash_files(files, options); });
    nb::list result;
    for (std::size_t i = 0; i < digests.size(); i++) {
        const FileDigest& one = digests[i];
        if (one.error.empty()) {
            Digest digest;
            std::ranges::copy(one.output, digest.bytes.begin());
            result.append(to_str(xet_hex(digest)));
        } else {
            result.append(nb::make_tuple(to_str(one.error), one.system_error, to_file_name(files[i].string())));
        }
    }
    return result;
}

nb::list xet_chunks(nb::handle data, const Settings& settings) {
    const InputBytes input(data, "data");
    std::vector<XetChunk> chunks;
    Run{settings}([&](const RunOptions& options) { chunks = merklize::xet_chunks(input.span(), options); });
    nb::list result;
    for (const XetChunk& chunk : chunks) result.append(nb::make_tuple(to_str(xet_hex(chunk.hash)), chunk.bytes));
    return result;
}

}  // namespace

void bind_xet(nb::module_& m) {
    define(m, "def xet_hash(data: object, settings: Settings, /) -> str", xet_hash);
    define(m, "def xet_hash_file(path: bytes, settings: Settings, /) -> str", xet_hash_file);
    define(m, "def xet_hash_descriptor(descriptor: int, name: str, settings: Settings, /) -> str", xet_hash_descriptor);
    define(m,
           "def xet_hash_files(paths: list[bytes], settings: Settings, /) -> list[str | tuple[str, int, str | None]]",
           xet_hash_files);
    define(m, "def xet_chunks(data: object, settings: Settings, /) -> list[tuple[str, int]]", xet_chunks);
}

}  // namespace merklize::binding
