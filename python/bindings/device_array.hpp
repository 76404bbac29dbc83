#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "dlpack.hpp"
#include "jobs/internals.hpp"
#include "settings.hpp"
#include "tensor.hpp"

namespace merklize::binding {

inline constexpr dlpack::DataType type_uint8{dlpack::type_uint, 8, 1};

/// The enqueued work that writes an array.
struct Pending {
    Event event;
    Stream stream;
    std::uint64_t handle;  ///< the stream's handle, as callers give it; 0: the package's own stream
};

/// An array in C order in the memory of a device: a result that stays there, or somebody's tensor for the time of a
/// call.
struct DeviceArray {
    ConstBuffer buffer;
    dlpack::DataType dtype;
    std::vector<Py_ssize_t> shape;
    /// Keeps a tensor of another library alive. Exported memory of the package waits for its readers by itself
    /// (Buffer::native()).
    std::shared_ptr<void> owner{};
    bool is_writable = true;           ///< writes reach the caller's tensor; false for a packed copy
    std::optional<Pending> pending{};  ///< none: the array is complete

    /// Waits until the array is complete, without the GIL.  errors  those of Event::wait()
    void settle();
    bool is_ready() const;

    /// The same bytes, to be written.
    Buffer writable() const { return runtime::Internals::writable(buffer); }
    const DeviceInfo& device() const { return buffer.device().info(); }
    nb::tuple shape_tuple() const;
};

/// uint8[n, 32], or for hashes of field elements uint64[n, 4] or uint32[n, 8].
DeviceArray digests_array(ConstBuffer digests, Hash hash);

/// Whether an object is a NumPy array, or of a subclass (a masked array, a matrix).
bool is_ndarray(nb::handle object);
bool is_plain_ndarray(nb::handle object);
/// Whether the class of an object is ndarray, bytearray, memoryview, array.array or mmap.mmap itself.
bool is_plain_memory(nb::handle object);

/// Imports what a caller gave as data. Arrays, tensors and bytes come in by this function alone.
/// settings  of the call that needs the data; null: a call that takes host memory alone
/// returns   on a device: a DeviceArray, packed if it was not contiguous. On the host: `object` itself if it is a NumPy
///           array or has the buffer protocol, else a HostTensor, which has it. None for an object that is no array
/// errors    InvalidArgument (masked; on another device than the one asked for, or on one that the library does not
///           know)
nb::object import_array(nb::handle object, const char* argument, const Settings* settings);
/// The same for a matrix of any strides.
/// transposed  set to whether the result, on a device, is the transposed matrix, because its columns are contiguous
nb::object import_matrix(nb::handle object, const char* argument, const Settings& settings, bool& transposed);

}  // namespace merklize::binding
