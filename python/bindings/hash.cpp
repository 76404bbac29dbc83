#include <vector>

#include "arguments.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

/// An array of digests as bytes, as the library's type: a digest is 32 bytes of any alignment.
std::span<const Digest> as_digests(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const Digest*>(bytes.data()), bytes.size() / Digest::size};
}
std::span<Digest> as_digests(std::span<std::byte> bytes) {
    return {reinterpret_cast<Digest*>(bytes.data()), bytes.size() / Digest::size};
}

nb::tuple describe(const HashTraits& traits) {
    return nb::make_tuple(static_cast<unsigned>(traits.hash), to_str(traits.name), traits.is_field);
}

nb::bytes hash(nb::handle data, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
               nb::handle device, nb::handle threads) {
    const InputBytes input(data, "hash: data");
    const Mode mode = to_mode(key, context, "hash");
    const Run run(device, threads);
    const Output out(length, seek, "hash");
    // Short work is done before another thread could take over.
    constexpr std::size_t short_work = 2048;
    if (input.span().size() + out.span().size() <= short_work) {
        merklize::hash(input.span(), out.span(), out.seek(), mode, {.device = run.options().device, .threads = 1});
    } else {
        run([&](const RunOptions& options) { merklize::hash(input.span(), out.span(), out.seek(), mode, options); });
    }
    return out.bytes();
}

nb::bytes hash_file(nb::handle path, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
                    nb::handle device, nb::handle threads, nb::handle progress) {
    const std::filesystem::path file = to_path(path, "hash_file: path");
    const Mode mode = to_mode(key, context, "hash_file");
    const Run run(device, threads, progress);
    const Output out(length, seek, "hash_file");
    run([&](const RunOptions& options) { merklize::hash_file(file, out.span(), out.seek(), mode, options); });
    return out.bytes();
}

nb::bytes hash_descriptor(nb::handle descriptor, nb::handle name, nb::handle key, nb::handle context, nb::handle length,
                          nb::handle seek, nb::handle device, nb::handle threads, nb::handle progress) {
    const int fd = to_int(descriptor, "hash_file: file descriptor");
    const std::string_view shown = to_text(name, "hash_file: name");
    const Mode mode = to_mode(key, context, "hash_file");
    const Run run(device, threads, progress);
    const Output out(length, seek, "hash_file");
    run([&](const RunOptions& options) {
        merklize::hash_descriptor(fd, shown, out.span(), out.seek(), mode, options);
    });
    return out.bytes();
}

nb::list hash_files(nb::handle paths, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
                    nb::handle device, nb::handle threads, nb::handle progress) {
    std::vector<std::filesystem::path> files;
    for (nb::handle path : nb::cast<nb::list>(paths)) files.push_back(to_path(path, "hash_files: path"));
    const Mode mode = to_mode(key, context, "hash_files");
    const Output one(length, seek, "hash_files");
    const Run run(device, threads, progress);
    std::vector<FileDigest> digests;
    run([&](const RunOptions& options) {
        digests = merklize::hash_files(files, one.span().size(), one.seek(), mode, options);
    });

    nb::list result;
    for (const FileDigest& digest : digests) {
        if (digest.error.empty()) {
            result.append(to_bytes(digest.output));
        } else {
            result.append(to_str(digest.error));
        }
    }
    return result;
}

void hash_many(nb::handle messages, nb::handle message_bytes, nb::handle out, nb::handle key, nb::handle context,
               nb::handle device, nb::handle threads) {
    const InputBytes input(messages, "hash_many: messages");
    const OutputBytes output(out);
    const Mode mode = to_mode(key, context, "hash_many");
    const std::uint64_t bytes = to_u64(message_bytes, "hash_many: message length");
    Run(device, threads)(
        [&](const RunOptions& options) { merklize::hash_many(input.span(), bytes, output.span(), mode, options); });
}

void hash_elements(nb::handle rows, nb::handle n_rows, nb::handle elements, nb::handle out, nb::handle hash,
                   nb::handle device, nb::handle threads) {
    const InputBytes input(rows, "hash_elements: elements");
    const OutputBytes output(out);
    const std::span<const std::uint64_t> in_words{reinterpret_cast<const std::uint64_t*>(input.span().data()),
                                                  input.span().size() / sizeof(std::uint64_t)};
    const std::span<std::uint64_t> out_words{reinterpret_cast<std::uint64_t*>(output.span().data()),
                                             output.span().size() / sizeof(std::uint64_t)};
    const std::uint64_t n = to_u64(n_rows, "hash_elements: rows");
    const std::uint64_t width = to_u64(elements, "hash_elements: elements");
    const Hash which = hash_from_name(to_text(hash, "hash"));
    Run(device, threads)(
        [&](const RunOptions& options) { merklize::hash_elements(in_words, n, width, out_words, which, options); });
}

void merge(nb::handle left, nb::handle right, nb::handle out, nb::handle hash, nb::handle device, nb::handle threads) {
    const InputBytes first(left, "merge: left");
    const InputBytes second(right, "merge: right");
    const OutputBytes output(out);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    Run(device, threads)([&](const RunOptions& options) {
        merklize::merge(as_digests(first.span()), as_digests(second.span()), as_digests(output.span()), which, options);
    });
}

nb::bytes merge_one(nb::handle left, nb::handle right, nb::handle hash) {
    return to_bytes(merklize::merge(to_digest(left, "merge: left"), to_digest(right, "merge: right"),
                                    hash_from_name(to_text(hash, "hash")))
                        .bytes);
}

}  // namespace

void bind_hash(nb::module_& m) {
    define(
        m, "hashes",
        +[] {
            nb::list result;
            for (const HashTraits& traits : merklize::hashes()) result.append(describe(traits));
            return result;
        },
        "def hashes() -> list[tuple[int, str, bool]]");
    define(
        m, "hash_by_name", +[](nb::handle name) { return describe(traits(hash_from_name(to_text(name, "hash")))); },
        "def hash_by_name(name: str) -> tuple[int, str, bool]");

    define(m, "hash", hash,
           "def hash(data: object, key: object, context: str | None, length: int, seek: int, device: str, "
           "threads: int | None, /) -> bytes");
    define(m, "hash_file", hash_file,
           "def hash_file(path: bytes, key: object, context: str | None, length: int, seek: int, device: str, "
           "threads: int | None, progress: object, /) -> bytes");
    define(m, "hash_descriptor", hash_descriptor,
           "def hash_descriptor(descriptor: int, name: str, key: object, context: str | None, length: int, seek: int, "
           "device: str, threads: int | None, progress: object, /) -> bytes");
    define(m, "hash_files", hash_files,
           "def hash_files(paths: list[bytes], key: object, context: str | None, length: int, seek: int, device: str, "
           "threads: int | None, progress: object, /) -> list[bytes | str]");
    define(m, "hash_many", hash_many,
           "def hash_many(messages: object, message_bytes: int, out: object, key: object, context: str | None, "
           "device: str, threads: int | None, /) -> None");
    define(m, "hash_elements", hash_elements,
           "def hash_elements(rows: object, n_rows: int, elements: int, out: object, hash: str, device: str, "
           "threads: int | None, /) -> None");
    define(
        m, "merge", merge,
        "def merge(left: object, right: object, out: object, hash: str, device: str, threads: int | None, /) -> None");
    define(m, "merge_one", merge_one, "def merge_one(left: object, right: object, hash: str, /) -> bytes");
}

}  // namespace merklize::binding
