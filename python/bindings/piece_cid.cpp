#include "arguments.hpp"
#include "formats/sources.hpp"
#include "module.hpp"
#include "run.hpp"
#include "source.hpp"

namespace merklize::binding {

namespace {

nb::tuple piece_fields(const PieceCid& piece) {
    return nb::make_tuple(to_str(piece.v2()), to_str(piece.v1()), to_bytes(piece.root.bytes), piece.bytes,
                          piece.height);
}

nb::tuple piece_cid(nb::handle data, const Settings& settings) {
    const InputBytes input(data, "data");
    PieceCid piece;
    Run{settings}([&](const RunOptions& options) { piece = merklize::piece_cid(input.span(), options); });
    return piece_fields(piece);
}

// source  what to_source() takes
nb::tuple piece_cid_file(nb::handle source, const Settings& settings) {
    const auto from = to_source(source);
    PieceCid piece;
    Run{settings}([&](const RunOptions& options) { piece = runtime::piece_cid_of(*from, options); });
    return piece_fields(piece);
}

nb::bytes piece_leaves(nb::handle data) {
    const InputBytes input(data, "data");
    return joined(merklize::piece_leaves(input.span()));
}

}  // namespace

void bind_piece_cid(nb::module_& m) {
    define(m, "def piece_cid(data: object, settings: Settings, /) -> tuple[str, str, bytes, int, int]", piece_cid);
    define(m, "def piece_cid_file(source: object, settings: Settings, /) -> tuple[str, str, bytes, int, int]",
           piece_cid_file);
    define(m, "def piece_leaves(data: object, /) -> bytes", piece_leaves);
}

}  // namespace merklize::binding
