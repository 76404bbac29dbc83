#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <merklize/merklize.hpp>

/// How Python values become arguments of the library. `what` names the argument in error texts ("hash: length").
namespace merklize::binding {

namespace nb = nanobind;

/// The bytes of anything with the buffer protocol and of any NumPy array, in C order; they are copied only if they lie apart.
/// errors  TypeError (no buffer), InvalidArgument (an array of Python objects)
class InputBytes {
public:
    InputBytes(nb::handle object, const char* what);
    ~InputBytes();
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    std::span<const std::byte> span() const noexcept;

private:
    Py_buffer view_{};
};

/// The bytes of a writable, contiguous buffer: arrays that the package itself made.
class OutputBytes {
public:
    explicit OutputBytes(nb::handle object);
    ~OutputBytes();
    OutputBytes(const OutputBytes&) = delete;
    OutputBytes& operator=(const OutputBytes&) = delete;

    std::span<std::byte> span() const noexcept;

private:
    Py_buffer view_{};
};

nb::bytes to_bytes(std::span<const std::byte> bytes);
/// Text of the library. It may quote a file's name, which is any bytes: those that are not UTF-8 are shown as \xff.
nb::str to_str(std::string_view text);

/// Room for extendable output: `length` bytes from position `seek` on.
/// errors  InvalidArgument (beyond the 2^64 bytes that there are), OutOfMemory
class Output {
public:
    Output(nb::handle length, nb::handle seek, const char* what);

    std::span<std::byte> span() const noexcept;
    std::uint64_t seek() const noexcept { return seek_; }
    const nb::bytes& bytes() const noexcept { return bytes_; }

private:
    std::uint64_t seek_;
    nb::bytes bytes_;
};

std::uint64_t to_u64(nb::handle value, const char* what);
int to_int(nb::handle value, const char* what);
/// None is 0, "all"; otherwise at least 1.
unsigned to_threads(nb::handle value);
std::string_view to_text(nb::handle value, const char* what);
/// path  bytes, as os.fsencode() gives them
std::filesystem::path to_path(nb::handle value, const char* what);
Digest to_digest(nb::handle value, const char* what);
/// key or context or neither.
Mode to_mode(nb::handle key, nb::handle context, const char* what);

template <class>
auto maybe_none() {
    return nb::arg().none();
}

/// m.def() for a function that takes handles. Every one may be None: the conversions here tell better than nanobind what is wrong.
template <class Return, class... Handles>
void define(nb::module_& m, const char* name, Return (*function)(Handles...), const char* signature) {
    m.def(name, function, nb::sig(signature), maybe_none<Handles>()...);
}

/// Runs library code without the GIL. Ctrl-C, or an exception of the caller's progress function, ends it and is raised.
class Run {
public:
    /// progress  None, or called with the share of the work that is done; returning False cancels
    Run(nb::handle device, nb::handle threads, nb::handle progress = nb::none());

    const RunOptions& options() const noexcept { return options_; }

    template <class Work>
    void operator()(Work&& work) const {
        without_gil([&] { work(options_); });
    }

    template <class Work>
    static void without_gil(Work&& work) {
        std::exception_ptr failure;
        {
            nb::gil_scoped_release released;
            try {
                work();
            } catch (...) {
                failure = std::current_exception();
            }
        }
        // What was raised in Python goes before the library's "cancelled" that it led to.
        if (auto raised = std::exchange(raised_, nullptr)) std::rethrow_exception(raised);
        if (failure) std::rethrow_exception(failure);
    }

private:
    static bool call_progress(PyObject* progress, double done);

    // The library calls progress functions from the thread that called it, so a slot a thread is enough; and an options object
    // that outlives its Run (a Hasher's) then holds no pointer to it.
    static thread_local std::exception_ptr raised_;
    RunOptions options_;
};

}  // namespace merklize::binding
