#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <merklize/merklize.hpp>

#include "device_array.hpp"
#include "hashes/merge_one.hpp"
#include "python_calls.hpp"

/// How Python values become arguments of the library. `argument` names the argument in error texts, in front of which
/// the function that was called comes (module.cpp).
namespace merklize::binding {

namespace nb = nanobind;

/// A text with the function that was called in front (merklize.errors.in_call()).
std::string in_call(std::string_view text);
[[noreturn]] void wrong_type(const char* argument, const char* expected, nb::handle got);

/// The bytes of what import_array() takes on the host, in C order. They are copied only if they are not contiguous.
/// errors  TypeError (no array), InvalidArgument (an array of Python objects, a masked one, one on a device; closed,
///         released)
class InputBytes {
public:
    InputBytes(nb::handle object, const char* argument);
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    std::span<const std::byte> span() const noexcept;

private:
    std::optional<BufferView> view_;
};

/// The memory of a NumPy array, bytearray, memoryview, array.array or mmap (no subclass) in C order, each of whose
/// items is one number. All other objects need InputBytes, which takes microseconds.
class PlainMemory {
public:
    explicit PlainMemory(nb::handle object);
    PlainMemory(const PlainMemory&) = delete;
    PlainMemory& operator=(const PlainMemory&) = delete;

    bool is_valid() const noexcept { return is_valid_; }
    std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    nb::object array_{};  // of NumPy, which is read without its buffer
    std::optional<BufferView> view_{};
    std::span<const std::byte> bytes_{};
    bool is_valid_ = false;
};

/// Whether an argument is a large array on the host that is not contiguous, so that InputBytes would copy all of it.
bool is_large_and_apart(nb::handle object, const char* argument);
/// Calls `use` with the bytes of what InputBytes takes, in C order and in pieces: of an array that is not contiguous,
/// at most 16 MiB are copied at a time. `use` is called with the GIL.
void each_piece(nb::handle object, const char* argument, const std::function<void(std::span<const std::byte>)>& use);

/// The bytes of a writable, contiguous buffer. For arrays that the package itself made.
class OutputBytes {
public:
    explicit OutputBytes(nb::handle object) : view_(object, PyBUF_WRITABLE, "out") {}

    std::span<std::byte> span() const noexcept;

private:
    BufferView view_;
};

/// Data of a call, wherever it is.
class Input {
public:
    /// settings  of the call, whose device and stream a tensor is imported for
    Input(nb::handle object, const char* argument, const Settings& settings);

    /// Null if the data is on the host.
    const DeviceArray* on_device() const noexcept { return array_; }
    /// The data on the device; or on the host.
    const ConstBuffer& buffer() const noexcept { return array_->buffer; }
    std::span<const std::byte> span() const noexcept { return bytes_->span(); }

private:
    nb::object imported_;
    const DeviceArray* array_ = nullptr;
    std::optional<InputBytes> bytes_;
};

nb::bytes to_bytes(std::span<const std::byte> bytes);
/// Text of the library. It may quote a file's name, which can be any bytes; those that are not UTF-8 are shown as \xff.
nb::str to_str(std::string_view text);
/// A file's name, as os.fsdecode() gives it.
nb::str to_file_name(std::string_view path);

/// Room for extendable output: `length` bytes from position `seek` on.
/// errors  InvalidArgument (beyond the 2^64 bytes of output), OutOfMemory
class Output {
public:
    Output(nb::handle length, nb::handle seek);

    std::span<std::byte> span() const noexcept;
    std::uint64_t seek() const noexcept { return seek_; }
    const nb::bytes& bytes() const noexcept { return bytes_; }

private:
    std::uint64_t seek_;
    nb::bytes bytes_;
};

nb::int_ to_integer(nb::handle value, const char* argument);
std::uint64_t to_u64(nb::handle value, const char* argument);
std::int64_t to_i64(nb::handle value, const char* argument);
int to_int(nb::handle value, const char* argument);
/// The truth of what an object of another library states.
bool is_true(nb::handle value);
/// Whether a value is True or False, of Python or of NumPy: "no", [False] and [] have a truth, too.
bool is_flag(nb::handle value);
/// An option that is_flag().
bool to_flag(nb::handle value, const char* argument);
/// Whether a progress function's answer cancels its call: False. None goes on, as 0 does.
bool cancels(nb::handle answer);
nb::tuple to_tuple(nb::handle value, const char* argument);
/// A tuple of so many items. (Those of an nb::tuple are read without a look at its size.)
nb::tuple to_fields(nb::handle value, std::size_t count, const char* argument);
nb::tuple to_pair(nb::handle value, const char* argument);
/// An argument that is iterated over.
/// errors  TypeError: an object without an iterator; a set, which has no order; a memoryview of several dimensions.
///         (Of the last one CPython says NotImplementedError.)
nb::handle to_iterable(nb::handle values, const char* argument);
/// A range of bytes, two integers: a tuple, a list, a row of an array.
/// begin, bytes  what error texts call the two
FileRange to_range(nb::handle range, const char* argument, const char* begin, const char* bytes);
std::vector<FileRange> to_ranges(nb::handle ranges, const char* begin, const char* bytes);
/// None is 0, "all"; otherwise at least 1.
unsigned to_threads(nb::handle value, const char* argument = "threads");
std::string_view to_text(nb::handle value, const char* argument);
/// path  bytes, as os.fsencode() gives them
std::filesystem::path to_path(nb::handle value, const char* argument);
Digest to_digest(nb::handle value, const char* argument);
/// An array of digests as bytes, as the library's type: a digest is 32 bytes of any alignment.
/// errors  InvalidArgument: bytes that are not whole digests
std::span<const Digest> as_digests(std::span<const std::byte> bytes, const char* argument = "digests");
std::span<Digest> as_digests(std::span<std::byte> bytes, const char* argument = "digests");
/// The mode of a key, of a context, or of neither.
Mode to_mode(nb::handle key, nb::handle context, Hash hash = Hash::blake3,
             Mode (*keyed)(ByteView key, Hash hash) = runtime::keyed_mode);

template <class>
auto maybe_none() {
    return nb::arg().none();
}

/// m.def() for a function that takes handles. All may be None, because the conversions here give better errors than
/// nanobind.
/// signature  "def NAME(...) -> ...", from which nanobind takes the name
template <class Return, class... Handles>
void define(nb::module_& m, const char* signature, Return (*function)(Handles...)) {
    m.def(signature, function, nb::sig(signature), maybe_none<Handles>()...);
}

}  // namespace merklize::binding
