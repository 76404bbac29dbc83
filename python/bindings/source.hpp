#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>
#include <merklize/error.hpp>

#include "gil.hpp"
#include "host/byte_source.hpp"

namespace merklize::binding {

namespace nb = nanobind;

/// The library's error for an exception about one file (FileError, InvalidArgument, Unavailable). None for any other
/// exception.
std::optional<Error> error_of(nb::handle exception);

/// Runs Python code inside a call of the library, in any thread. Exceptions about files become errors of the library.
template <class Work>
auto in_python(const Work& work) {
    const GilTaken taken;
    try {
        return work();
    } catch (nb::python_error& raised) {
        if (const auto error = error_of(raised.value())) throw *error;
        throw;
    }
}

/// An object of Python as a source, merklize.stores' Source:
///
///     name                  for error texts
///     descriptor            of a file of this machine, or None
///     size                  bytes, or None if only reading tells
///     pieces(ranges)        an iterator of bytes: those of ranges (start, end), one after another; ranges None: all
///                           bytes. More or fewer than these, or than size: FileError
///     require_same() -> None   raises FileError if the bytes have changed since the object was opened
///
/// It is called with the GIL. It reads ahead by threads of its own.
class PythonSource final : public runtime::ByteSource {
public:
    /// Holds a reference.
    explicit PythonSource(nb::handle object);
    ~PythonSource() override;

    std::optional<Extent> extent() const override;
    void read_at(std::span<std::byte> out, std::uint64_t offset) const override;
    std::unique_ptr<runtime::ByteStream> stream(std::span<const runtime::ByteRange> ranges) const override;
    std::unique_ptr<runtime::ByteStream> stream() const override;
    void require_unchanged(const Identity& before) const override;

private:
    nb::object object_;
    mutable std::atomic<bool> is_known_empty_{false};
};

/// The source of a path as bytes, or of a Source: of a file of this machine its descriptor, which all threads read,
/// else PythonSource.
std::unique_ptr<runtime::ByteSource> to_source(nb::handle object);

}  // namespace merklize::binding
