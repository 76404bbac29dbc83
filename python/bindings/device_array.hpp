#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "dlpack.hpp"
#include "tensor.hpp"

namespace merklize::binding {

/// An array in C order in the memory of a device: a result that stays there, or somebody's tensor for the time of a call.
struct DeviceArray {
    Buffer buffer;
    dlpack::DataType dtype;
    std::vector<Py_ssize_t> shape;
    /// Keeps somebody's tensor alive. Memory of ours that is exported waits for its readers by itself (Buffer::native()).
    std::shared_ptr<void> owner{};
    bool is_writable = true;  ///< in place; not a packed copy

    const DeviceInfo& device() const { return buffer.device().info(); }
    nb::tuple shape_tuple() const;
};

/// uint8[n, 32], or uint64[n, 4] for hashes of field elements.
DeviceArray digests_array(Buffer digests, Hash hash);

/// A tensor on a device of CUDA as such an array, packed if its items lie apart; nothing if `object` is none.
/// settings  those of the call that it is for
std::optional<DeviceArray> to_device_array(nb::handle object, const char* what, nb::handle settings);

}  // namespace merklize::binding
