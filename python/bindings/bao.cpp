#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "arguments.hpp"
#include "bao/shape.hpp"
#include "bao/verify.hpp"
#include "bao/write.hpp"
#include "module.hpp"
#include "object_lock.hpp"
#include "run.hpp"
#include "source.hpp"

namespace merklize::binding {

namespace {

using BaoKind = runtime::Placer::Kind;

// (group_log, is_post_order, has_size), as merklize.bao makes it.
BaoForm to_form(nb::handle form) {
    return {static_cast<std::uint32_t>(std::min<std::uint64_t>(to_u64(form[0], "group_log"), UINT32_MAX)),
            is_true(form[1]) ? BaoOrder::post : BaoOrder::pre, is_true(form[2])};
}

nb::tuple to_encoding(const BaoOutput& made) { return nb::make_tuple(to_bytes(made.bytes), to_bytes(made.root.bytes)); }

// A new bytes object that is filled before Python sees it.
struct NewBytes {
    explicit NewBytes(std::uint64_t size)
        : bytes(checked<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)))) {
        // Huge pages, because touching pages of 4 KiB first would take much of the time.
        constexpr std::size_t huge = 2 << 20;
        const auto begin = (reinterpret_cast<std::uintptr_t>(span().data()) + huge - 1) / huge * huge;
        const auto end = reinterpret_cast<std::uintptr_t>(span().data() + size) / huge * huge;
        if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
    std::span<std::byte> span() const {
        return {reinterpret_cast<std::byte*>(PyBytes_AsString(bytes.ptr())), bytes.size()};
    }

    nb::bytes bytes;
};

nb::tuple bao_outboard(nb::handle data, nb::handle form, nb::handle out, const Settings& settings) {
    const Input input(data, "data", settings);
    const BaoForm as = to_form(form);
    const DeviceArray* there = input.on_device();
    const Run run(settings, there);
    Digest root;
    if (!out.is_none()) {
        if (there == nullptr)
            throw Error(ErrorCode::invalid_argument, "out is for data on a device, and this is on the host");
        const Buffer nodes = bound<DeviceArray>(out).writable();
        run([&](const RunOptions& options) { root = merklize::bao_outboard(there->buffer, nodes, as, options); });
        return nb::make_tuple(nb::bytes("", 0), to_bytes(root.bytes));
    }
    const NewBytes made(
        merklize::bao_outboard_bytes(there != nullptr ? there->buffer.size() : input.span().size(), as));
    run([&](const RunOptions& options) {
        root = there != nullptr ? merklize::bao_outboard(there->buffer, made.span(), as, options)
                                : merklize::bao_outboard(input.span(), made.span(), as, options);
    });
    return nb::make_tuple(made.bytes, to_bytes(root.bytes));
}

// source  what to_source() takes
nb::tuple bao_outboard_file(nb::handle source, nb::handle form, nb::handle out, const Settings& settings) {
    const auto from = to_source(source);
    const BaoForm as = to_form(form);
    std::optional<std::filesystem::path> path;
    if (!out.is_none()) path = to_path(out, "out");
    BaoOutput made;
    Run{settings}([&](const RunOptions& options) {
        if (path) {
            made.root = runtime::bao_of(*from, as, BaoKind::outboard, *path, options);
        } else {
            made = runtime::bao_of(*from, as, BaoKind::outboard, options);
        }
    });
    return to_encoding(made);
}

nb::tuple bao_encode(nb::handle data, nb::handle form, const Settings& settings) {
    const InputBytes input(data, "data");
    const BaoForm as = to_form(form);
    const NewBytes out(merklize::bao_encoding_bytes(input.span().size(), as));
    Digest root;
    Run{settings}(
        [&](const RunOptions& options) { root = merklize::bao_encode(input.span(), out.span(), as, options); });
    return nb::make_tuple(out.bytes, to_bytes(root.bytes));
}

// source  what to_source() takes
nb::bytes bao_encode_file(nb::handle source, nb::handle form, nb::handle out, const Settings& settings) {
    const auto from = to_source(source);
    const BaoForm as = to_form(form);
    const std::filesystem::path path = to_path(out, "out");
    Digest root;
    Run{settings}(
        [&](const RunOptions& options) { root = runtime::bao_of(*from, as, BaoKind::encoding, path, options); });
    return to_bytes(root.bytes);
}

nb::bytes bao_slice(nb::handle data, nb::handle outboard, nb::handle ranges, nb::handle form, nb::handle size) {
    const InputBytes input(data, "data");
    const BaoForm as = to_form(form);
    const std::vector<FileRange> wanted = to_ranges(ranges, "start", "length");
    std::optional<InputBytes> nodes;
    if (!outboard.is_none()) nodes.emplace(outboard, "outboard");
    const std::uint64_t bytes = nodes ? 0 : to_u64(size, "size");
    std::vector<std::byte> made;
    Run::without_gil([&] {
        made = merklize::bao_slice(
            nodes ? bao_source(input.span(), nodes->span(), as) : bao_source(input.span(), as, bytes), wanted);
    });
    return to_bytes(made);
}

nb::bytes bao_decode(nb::handle encoding, nb::handle root, nb::handle form, nb::handle size) {
    const InputBytes input(encoding, "encoding");
    const Digest trusted = to_digest(root, "root");
    const BaoForm as = to_form(form);
    const std::uint64_t bytes = to_u64(size, "size");
    std::vector<std::byte> message;
    Run::without_gil([&] { message = merklize::bao_decode(input.span(), trusted, as, bytes); });
    return to_bytes(message);
}

nb::bytes bao_decode_slice(nb::handle slice, nb::handle root, nb::handle start, nb::handle length, nb::handle form,
                           nb::handle size) {
    const InputBytes input(slice, "slice");
    const Digest trusted = to_digest(root, "root");
    const FileRange range{to_u64(start, "start"), to_u64(length, "length")};
    const BaoForm as = to_form(form);
    const std::uint64_t bytes = to_u64(size, "size");
    std::vector<std::byte> part;
    Run::without_gil([&] { part = merklize::bao_decode_slice(input.span(), trusted, range, as, bytes); });
    return to_bytes(part);
}

nb::list to_list(const std::vector<BaoFault>& faults) {
    nb::list list;
    for (const BaoFault& fault : faults) list.append(nb::make_tuple(fault.offset, fault.bytes, fault.in_outboard));
    return list;
}

nb::list bao_verify(nb::handle part, nb::handle offset, nb::handle size, nb::handle root, nb::handle outboard,
                    nb::handle form, const Settings& settings) {
    const InputBytes input(part, "data"), nodes(outboard, "outboard");
    const std::uint64_t first = to_u64(offset, "offset"), bytes = to_u64(size, "size");
    const BaoTrust trust{to_digest(root, "root"), nodes.span(), to_form(form)};
    std::vector<BaoFault> faults;
    Run{settings}(
        [&](const RunOptions& options) { faults = merklize::bao_verify(input.span(), first, bytes, trust, options); });
    return to_list(faults);
}

// source  what to_source() takes
// returns the faults, and the bytes of the message
nb::tuple bao_verify_source(nb::handle source, nb::handle offset, nb::handle length, nb::handle root,
                            nb::handle outboard, nb::handle form, const Settings& settings) {
    const auto from = to_source(source);
    const FileRange range{to_u64(offset, "offset"), length.is_none() ? UINT64_MAX : to_u64(length, "length")};
    const InputBytes nodes(outboard, "outboard");
    const BaoTrust trust{to_digest(root, "root"), nodes.span(), to_form(form)};
    runtime::VerifiedSource verified;
    Run{settings}([&](const RunOptions& options) { verified = runtime::verify_source(*from, range, trust, options); });
    return nb::make_tuple(to_list(verified.faults), verified.bytes);
}

void bao_require_outboard(nb::handle outboard, nb::handle size, nb::handle form) {
    const InputBytes nodes(outboard, "outboard");
    merklize::runtime::require_outboard(nodes.span(), to_u64(size, "size"), to_form(form));
}

std::uint64_t bao_outboard_bytes(nb::handle size, nb::handle form) {
    return merklize::bao_outboard_bytes(to_u64(size, "size"), to_form(form));
}

std::uint64_t bao_encoding_bytes(nb::handle size, nb::handle form) {
    return merklize::bao_encoding_bytes(to_u64(size, "size"), to_form(form));
}

/// merklize::BaoDecoder behind a lock, so that a second thread waits for the first.
class Decoder {
public:
    Decoder(nb::handle root, nb::handle ranges, nb::handle form, nb::handle size)
        : decoder_(make(root, ranges, form, size)) {}

    nb::bytes take(nb::handle item) {
        const InputBytes input(item, "item");
        const ObjectLock::Changing changing(lock_, "Decoder");
        std::span<const std::byte> data;
        Run::without_gil([&] { data = decoder_.take(input.span()); });
        return to_bytes(data);
    }
    std::size_t wants() const {
        const ObjectLock::Changing changing(lock_, "Decoder");
        return decoder_.wants();
    }
    std::uint64_t offset() const {
        const ObjectLock::Changing changing(lock_, "Decoder");
        return decoder_.offset();
    }
    std::uint64_t size() const {
        const ObjectLock::Changing changing(lock_, "Decoder");
        return decoder_.size();
    }

private:
    static BaoDecoder make(nb::handle root, nb::handle ranges, nb::handle form, nb::handle size) {
        const Digest trusted = to_digest(root, "root");
        const std::uint64_t bytes = to_u64(size, "size");
        if (ranges.is_none()) return {trusted, to_form(form), bytes};
        return {trusted, to_ranges(ranges, "start", "length"), to_form(form), bytes};
    }

    BaoDecoder decoder_;
    mutable ObjectLock lock_;
};

}  // namespace

void bind_bao(nb::module_& m) {
    define(m,
           "def bao_outboard(data: object, form: tuple[int, bool, bool], out: DeviceArray | None, settings: Settings, "
           "/) -> tuple[bytes, bytes]",
           bao_outboard);
    define(m,
           "def bao_outboard_file(source: object, form: tuple[int, bool, bool], out: bytes | None, "
           "settings: Settings, /) -> tuple[bytes, bytes]",
           bao_outboard_file);
    define(m,
           "def bao_encode(data: object, form: tuple[int, bool, bool], settings: Settings, /) -> tuple[bytes, bytes]",
           bao_encode);
    define(m,
           "def bao_encode_file(source: object, form: tuple[int, bool, bool], out: bytes, "
           "settings: Settings, /) -> bytes",
           bao_encode_file);
    define(m,
           "def bao_slice(data: object, outboard: object, ranges: collections.abc.Iterable[tuple[int, int]], form: "
           "tuple[int, bool, bool], "
           "size: int, /) -> bytes",
           bao_slice);
    define(m, "def bao_decode(encoding: object, root: object, form: tuple[int, bool, bool], size: int, /) -> bytes",
           bao_decode);
    define(m,
           "def bao_decode_slice(slice: object, root: object, start: int, length: int, form: tuple[int, bool, bool], "
           "size: int, /) -> bytes",
           bao_decode_slice);
    define(m,
           "def bao_verify(part: object, offset: int, size: int, root: object, outboard: object, "
           "form: tuple[int, bool, bool], settings: Settings, /) -> list[tuple[int, int, bool]]",
           bao_verify);
    define(m,
           "def bao_verify_source(source: object, offset: int, length: int | None, root: object, outboard: object, "
           "form: tuple[int, bool, bool], settings: Settings, /) -> tuple[list[tuple[int, int, bool]], int]",
           bao_verify_source);
    define(m, "def bao_require_outboard(outboard: object, size: int, form: tuple[int, bool, bool], /) -> None",
           bao_require_outboard);
    define(m, "def bao_outboard_bytes(size: int, form: tuple[int, bool, bool], /) -> int", bao_outboard_bytes);
    define(m, "def bao_encoding_bytes(size: int, form: tuple[int, bool, bool], /) -> int", bao_encoding_bytes);

    nb::class_<Decoder> decoder(m, "BaoDecoder", "merklize.bao.Decoder is the public class.");
    decoder.def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle>(), nb::arg().none(), nb::arg().none(),
                nb::arg().none(), nb::arg().none(),
                nb::sig("def __init__(self, root: object, ranges: collections.abc.Iterable[tuple[int, int]] | None, "
                        "form: tuple[int, bool, bool], size: int, /) -> None"));
    decoder.def("take", &Decoder::take, nb::arg().none(), nb::sig("def take(self, item: typing.Any, /) -> bytes"));
    decoder.def("wants", &Decoder::wants);
    decoder.def_prop_ro("offset", &Decoder::offset);
    decoder.def_prop_ro("size", &Decoder::size);
}

}  // namespace merklize::binding
