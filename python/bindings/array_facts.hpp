#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "device_array.hpp"

namespace merklize::binding {

/// "[8, 32]"
std::string in_brackets(const std::vector<Py_ssize_t>& numbers);

/// An imported array with what rules ask of it.
struct ArrayFacts {
    nb::object array{};                      ///< of NumPy, or a DeviceArray
    const DeviceArray* on_device = nullptr;  ///< null: on the host
    std::string word{};                      ///< "uint8", "int64", "V16"; empty: no plain words of this machine's order
    std::vector<Py_ssize_t> shape{};

    /// dtype and shape as in "uint8[8, 32]"
    std::string text() const;
    /// name  of an unsigned dtype, whose signed one will do, too
    bool has_words_of(std::string_view name) const { return word == name || word == name.substr(1); }
    /// The array, or a copy in C order that is aligned and of no subclass.
    nb::object contiguous() const;
};

/// imported  by import_array() or import_matrix()
/// value     what the caller gave
/// errors    TypeError (no array)
ArrayFacts facts_of(const nb::object& imported, nb::handle value, const char* what);

}  // namespace merklize::binding
