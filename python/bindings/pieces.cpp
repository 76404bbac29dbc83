#include <optional>
#include <vector>

#include "arguments.hpp"
#include "digest_array.hpp"
#include "digests/file_root.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"

namespace merklize::binding {

namespace {

// (digest, values of the pieces, 32 bytes each).
nb::tuple to_digests(const PieceDigests& made) {
    return nb::make_tuple(to_bytes(made.digest.bytes), to_bytes(std::as_bytes(std::span(made.pieces))));
}

nb::tuple hash_pieces(nb::handle data, nb::handle piece_size, const Settings& settings) {
    const Input input(data, "data", settings);
    const std::uint64_t piece = to_u64(piece_size, "piece_size");
    const Run run(settings, input.on_device());
    PieceDigests made;
    run([&](const RunOptions& options) {
        made = input.on_device() != nullptr ? merklize::hash_pieces(input.buffer(), piece, options)
                                            : merklize::hash_pieces(input.span(), piece, options);
    });
    return to_digests(made);
}

nb::list to_digests(const std::vector<PieceDigests>& made) {
    nb::list result;
    for (const PieceDigests& one : made) result.append(to_digests(one));
    return result;
}

nb::list hash_file_ranges(nb::handle descriptor, nb::handle name, nb::handle ranges, nb::handle piece_size,
                          const Settings& settings) {
    const int fd = to_int(descriptor, "file descriptor");
    const std::string_view shown = to_text(name, "name");
    const std::uint64_t piece = to_u64(piece_size, "piece_size");
    const std::vector<FileRange> wanted = to_ranges(ranges, "offset", "bytes");
    std::vector<PieceDigests> made;
    Run{settings}(
        [&](const RunOptions& options) { made = merklize::hash_file_ranges(fd, shown, wanted, piece, options); });
    return to_digests(made);
}

// source  what to_source() takes
nb::list hash_source_ranges(nb::handle source, nb::handle ranges, nb::handle piece_size, const Settings& settings) {
    const auto from = to_source(source);
    const std::uint64_t piece = to_u64(piece_size, "piece_size");
    const std::vector<FileRange> wanted = to_ranges(ranges, "offset", "bytes");
    std::vector<PieceDigests> made;
    Run{settings}([&](const RunOptions& options) { made = runtime::hash_ranges(*from, wanted, piece, options); });
    return to_digests(made);
}

// The values of the pieces of `part` of a source, which begins at byte `offset` of a message.
nb::bytes piece_values(nb::handle source, nb::handle part, nb::handle offset, nb::handle piece_size, nb::handle key,
                       nb::handle context, const Settings& settings) {
    const auto from = to_source(source);
    const FileRange range = to_range(part, "part", "begin", "bytes");
    const std::uint64_t first = to_u64(offset, "offset"), piece = to_u64(piece_size, "piece_size");
    const Mode mode = to_mode(key, context);
    std::vector<Digest> values;
    Run{settings}(
        [&](const RunOptions& options) { values = runtime::piece_values(*from, range, first, piece, mode, options); });
    return to_bytes(std::as_bytes(std::span(values)));
}

// Values of pieces: bytes, 32 each, or an array whose rows they are.
class Pieces {
public:
    explicit Pieces(nb::handle values) {
        if (!PyMemoryView_Check(values.ptr()) && nb::hasattr(values, "shape") &&
            nb::len(nb::object(values.attr("shape"))) > 1)
            rows_.emplace(values, "pieces", "k", nullptr);
        else
            bytes_.emplace(values, "pieces");
    }
    std::span<const Digest> span() const { return rows_ ? rows_->digests() : as_digests(bytes_->span(), "pieces"); }

private:
    std::optional<DigestArray> rows_;
    std::optional<InputBytes> bytes_;
};

nb::bytes value_of_pieces(nb::handle pieces, nb::handle key, nb::handle context) {
    const Pieces values(pieces);
    const Mode mode = to_mode(key, context);
    return to_bytes(merklize::value_of_pieces(values.span(), mode).bytes);
}

nb::bytes digest_of_pieces(nb::handle pieces, nb::handle key, nb::handle context, nb::handle length, nb::handle seek) {
    const Pieces values(pieces);
    const Mode mode = to_mode(key, context);
    const Output out(length, seek);
    merklize::digest_of_pieces(values.span(), out.span(), out.seek(), mode);
    return out.bytes();
}

}  // namespace

void bind_pieces(nb::module_& m) {
    define(m, "def hash_pieces(data: object, piece_size: int, settings: Settings, /) -> tuple[bytes, bytes]",
           hash_pieces);
    define(m,
           "def hash_file_ranges(descriptor: int, name: str, ranges: collections.abc.Iterable[tuple[int, int]], "
           "piece_size: int, "
           "settings: Settings, /) -> list[tuple[bytes, bytes]]",
           hash_file_ranges);
    define(m,
           "def hash_source_ranges(source: object, ranges: collections.abc.Iterable[tuple[int, int]], piece_size: int, "
           "settings: "
           "Settings, /) -> list[tuple[bytes, bytes]]",
           hash_source_ranges);
    define(
        m,
        "def piece_values(source: object, part: tuple[int, int], offset: int, piece_size: int, key: object, context: "
        "str | None, settings: Settings, /) -> bytes",
        piece_values);
    define(m, "def value_of_pieces(pieces: object, key: object, context: str | None, /) -> bytes", value_of_pieces);
    define(m,
           "def digest_of_pieces(pieces: object, key: object, context: str | None, length: int, seek: int, /) -> bytes",
           digest_of_pieces);
}

}  // namespace merklize::binding
