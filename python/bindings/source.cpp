#include "source.hpp"

#include <algorithm>
#include <utility>

#include "arguments.hpp"
#include "host/input_file.hpp"
#include "host/invalid.hpp"
#include "python_calls.hpp"

namespace merklize::binding {

namespace {

using runtime::ByteRange;

// If the count of bytes is known, the last one is kept back until the iterator has ended. So a reader that takes no
// more than it asked for learns of a surplus, too. (All of the piece cannot be kept: the iterator may fill it again.)
class PythonStream final : public runtime::ByteStream {
public:
    /// Called with the GIL.
    /// bytes  that the pieces have in all; none if only reading tells
    PythonStream(const std::string& name, nb::handle pieces, std::optional<std::uint64_t> bytes)
        : name_(name),
          pieces_(checked(PyObject_GetIter(pieces.ptr()))),
          next_(nb::module_::import_("builtins").attr("next")),
          bytes_(bytes) {}
    ~PythonStream() override {
        const GilTaken taken;
        piece_.reset();
        pieces_.reset();
        next_.reset();
    }

    std::span<const std::byte> next(const Wait&) override {
        for (;;) {
            const std::span<const std::byte> piece = in_python([&] { return next_piece(); });
            if (!bytes_) return piece;
            if (piece.empty()) return std::exchange(kept_, {});
            if (piece.size() > *bytes_ - come_)
                throw Error(ErrorCode::io, name_ + ": changed while being read: it gave more than the " +
                                               std::to_string(*bytes_) + " bytes that were expected");
            come_ += piece.size();
            if (come_ < *bytes_) return piece;
            last_ = piece.back();
            kept_ = {&last_, 1};
            if (piece.size() > 1) return piece.first(piece.size() - 1);
        }
    }

private:
    // Empty: the end.
    std::span<const std::byte> next_piece() {
        do {
            piece_.reset();
            const nb::object made = next_(pieces_, nb::none());
            if (made.is_none()) return {};
            piece_.emplace(made, "source: piece");
        } while (piece_->span().empty());
        return piece_->span();
    }

    const std::string name_;
    nb::object pieces_, next_;
    std::optional<InputBytes> piece_{};
    const std::optional<std::uint64_t> bytes_;
    std::uint64_t come_ = 0;
    std::byte last_{};
    std::span<const std::byte> kept_{};  // last_, or nothing
};

}  // namespace

std::optional<Error> error_of(nb::handle exception) {
    const nb::module_ errors = nb::module_::import_("merklize.errors");
    if (nb::isinstance(exception, errors.attr("InvalidArgument")))
        return Error(ErrorCode::invalid_argument, text_of(exception));
    if (nb::isinstance(exception, errors.attr("Unavailable"))) return Error(ErrorCode::unavailable, text_of(exception));
    if (!nb::isinstance(exception, errors.attr("FileError"))) return {};
    const nb::object number = nb::getattr(exception, "errno", nb::none()),
                     name = nb::getattr(exception, "filename", nb::none());
    return Error(ErrorCode::io, text_of(nb::getattr(exception, "text", exception)),
                 number.is_none() ? 0 : to_int(number, "errno"), name.is_none() ? std::string() : text_of(name));
}

PythonSource::PythonSource(nb::handle object)
    : ByteSource(text_of(object.attr("name"))), object_(nb::borrow<nb::object>(object)) {}

PythonSource::~PythonSource() {
    const GilTaken taken;
    object_.reset();
}

std::optional<PythonSource::Extent> PythonSource::extent() const {
    return in_python([&]() -> std::optional<Extent> {
        const nb::object size = object_.attr("size");
        if (size.is_none()) return {};
        const Extent all{0, to_u64(size, "source: size"), {}};
        if (all.bytes == 0 && !is_known_empty_.exchange(true)) {  // readers of no bytes ask for none
            nb::list none;
            none.append(nb::make_tuple(0, 0));
            PythonStream(name(), object_.attr("pieces")(none), 0).next({});
        }
        return all;
    });
}

std::unique_ptr<runtime::ByteStream> PythonSource::stream(std::span<const ByteRange> ranges) const {
    return in_python([&] {
        nb::list list;
        std::uint64_t all = 0;
        for (const auto& [offset, bytes] : ranges) {
            list.append(nb::make_tuple(offset, offset + bytes));
            all += bytes;
        }
        return std::make_unique<PythonStream>(name(), all == 0 ? nb::list() : object_.attr("pieces")(list), all);
    });
}

std::unique_ptr<runtime::ByteStream> PythonSource::stream() const {
    return in_python(
        [&] { return std::make_unique<PythonStream>(name(), object_.attr("pieces")(nb::none()), std::nullopt); });
}

void PythonSource::read_at(std::span<std::byte> out, std::uint64_t offset) const {
    const ByteRange range{offset, out.size()};
    const auto pieces = stream({&range, 1});
    while (!out.empty()) {
        const auto piece = pieces->next();
        if (piece.empty())
            throw Error(ErrorCode::io, name() + ": changed while being read: it ended before byte " +
                                           std::to_string(offset + range.bytes - out.size()));
        std::ranges::copy(piece, out.begin());
        out = out.subspan(piece.size());
    }
}

void PythonSource::require_unchanged(const Identity&) const {
    in_python([&] { object_.attr("require_same")(); });
}

std::unique_ptr<runtime::ByteSource> to_source(nb::handle object) {
    if (nb::isinstance<nb::bytes>(object)) {
        const std::filesystem::path path = to_path(object, "path");
        refuse_empty_path(path.native());
        return std::make_unique<runtime::InputFile>(path);
    }
    const nb::object descriptor = object.attr("descriptor");
    if (descriptor.is_none()) return std::make_unique<PythonSource>(object);
    return std::make_unique<runtime::InputFile>(to_int(descriptor, "source: descriptor"), text_of(object.attr("name")));
}

}  // namespace merklize::binding
