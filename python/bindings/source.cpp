#include "source.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "host/input_file.hpp"
#include "python_calls.hpp"

namespace merklize::binding {

namespace {

using runtime::ByteRange;

class PythonStream final : public runtime::ByteStream {
public:
    /// Called with the GIL.
    explicit PythonStream(nb::handle pieces)
        : pieces_(checked(PyObject_GetIter(pieces.ptr()))), next_(nb::module_::import_("builtins").attr("next")) {}
    ~PythonStream() override {
        const GilTaken taken;
        piece_.reset();
        pieces_.reset();
        next_.reset();
    }

    std::span<const std::byte> next(const Wait&) override {
        return in_python([&]() -> std::span<const std::byte> {
            do {
                piece_.reset();
                const nb::object made = next_(pieces_, nb::none());
                if (made.is_none()) return {};
                piece_.emplace(made, "source: piece");
            } while (piece_->span().empty());
            return piece_->span();
        });
    }

private:
    nb::object pieces_, next_;
    std::optional<InputBytes> piece_{};
};

std::unique_ptr<runtime::ByteStream> stream_of(nb::handle source, nb::handle ranges) {
    return std::make_unique<PythonStream>(source.attr("pieces")(ranges));
}

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
        return Extent{0, to_u64(size, "source: size"), {}};
    });
}

std::unique_ptr<runtime::ByteStream> PythonSource::stream(std::span<const ByteRange> ranges) const {
    return in_python([&] {
        nb::list list;
        for (const auto& [offset, bytes] : ranges) list.append(nb::make_tuple(offset, offset + bytes));
        return stream_of(object_, list);
    });
}

std::unique_ptr<runtime::ByteStream> PythonSource::stream() const {
    return in_python([&] { return stream_of(object_, nb::none()); });
}

void PythonSource::read_at(std::span<std::byte> out, std::uint64_t offset) const {
    const ByteRange range{offset, out.size()};
    const auto pieces = stream({&range, 1});
    while (!out.empty()) {
        const auto piece = pieces->next();
        if (piece.empty() || piece.size() > out.size())
            throw Error(ErrorCode::internal, name() + ": a source gave more or fewer bytes than it was asked for");
        std::ranges::copy(piece, out.begin());
        out = out.subspan(piece.size());
    }
}

void PythonSource::require_unchanged(const Identity&) const {
    in_python([&] { object_.attr("require_same")(); });
}

std::unique_ptr<runtime::ByteSource> to_source(nb::handle object) {
    if (nb::isinstance<nb::bytes>(object)) return std::make_unique<runtime::InputFile>(to_path(object, "path"));
    const nb::object descriptor = object.attr("descriptor");
    if (descriptor.is_none()) return std::make_unique<PythonSource>(object);
    return std::make_unique<runtime::InputFile>(to_int(descriptor, "source: descriptor"), text_of(object.attr("name")));
}

}  // namespace merklize::binding
