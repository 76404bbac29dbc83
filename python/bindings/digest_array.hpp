#pragma once

#include <optional>
#include <span>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "arguments.hpp"

namespace merklize::binding {

/// An array of digests as a caller gives it, imported and checked once: uint8[..., 32], or the same bytes as
/// little-endian words.
class DigestArray {
public:
    /// shape     the dimensions before the digest, for the rule and its text: "n", "m, n"; "...": one or more
    /// settings  of the call, as for import_array()
    /// errors    InvalidArgument (another dtype or shape), TypeError (no array and no list of digests); those of
    ///           import_array()
    DigestArray(nb::handle value, const char* what, const char* shape, const Settings* settings);

    /// Null if the digests are on the host.
    const DeviceArray* on_device() const noexcept { return device_; }
    const ConstBuffer& buffer() const noexcept { return device_->buffer; }
    /// The digests on the host, in C order.
    std::span<const Digest> digests() const noexcept {
        return as_digests(
            plain_ ? std::span(static_cast<const std::byte*>((*plain_)->buf), static_cast<std::size_t>((*plain_)->len))
                   : copied_->span());
    }
    std::span<const Py_ssize_t> shape() const noexcept { return shape_; }
    /// The array itself, of NumPy in C order or a DeviceArray.
    nb::object array() const;

private:
    bool take_plain(nb::handle value, const char* what, std::string_view shape);

    nb::object array_;
    const DeviceArray* device_ = nullptr;
    std::vector<Py_ssize_t> shape_{};
    std::optional<BufferView> plain_{};  // of an array that is in C order already
    std::optional<InputBytes> copied_{};
};

}  // namespace merklize::binding
