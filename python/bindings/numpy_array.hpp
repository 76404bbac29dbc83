#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <nanobind/nanobind.h>

namespace merklize::binding {

namespace nb = nanobind;

/// An array of NumPy in C order, each of whose items is one number in the processor's byte order. Its fields are read
/// where they lie, as NumPy's own macros do (numpy/ndarraytypes.h): the buffer protocol takes 60 ns, as a small hash.
struct NumpyArray {
    std::span<std::byte> bytes;
    std::span<const Py_ssize_t> shape;
    char format;  ///< of the buffer protocol
    Py_ssize_t item_bytes;

    /// The caller owns the array and keeps it alive.
    /// array    of the type numpy.ndarray, no subclass
    /// returns  none for any other array, and for arrays of a version of NumPy that this package does not know
    static std::optional<NumpyArray> of(nb::handle array);
    /// A new array of the type and shape of an array that of() takes, with undefined content.
    static nb::object like(nb::handle array);
    /// A new array uint8[rows, columns] with undefined content. of() must have taken an array before.
    static nb::object of_bytes(Py_ssize_t rows, Py_ssize_t columns);
};

}  // namespace merklize::binding
