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

/// What is enqueued and writes an array.
struct Pending {
    Event event;
    Stream stream;
    std::uint64_t handle;  ///< the stream's, as callers give it; 0: the package's own
};

/// An array in C order in the memory of a device: a result that stays there, or somebody's tensor for the time of a call.
struct DeviceArray {
    ConstBuffer buffer;
    dlpack::DataType dtype;
    std::vector<Py_ssize_t> shape;
    /// Keeps somebody's tensor alive. Memory of ours that is exported waits for its readers by itself (Buffer::native()).
    std::shared_ptr<void> owner{};
    bool is_writable = true;           ///< in place; not a packed copy
    std::optional<Pending> pending{};  ///< none: complete

    /// Waits until it is complete, without the GIL.  errors  those of Event::wait()
    void settle();
    bool is_ready() const;

    /// The same bytes, to be written.
    Buffer writable() const { return runtime::Internals::writable(buffer); }
    const DeviceInfo& device() const { return buffer.device().info(); }
    nb::tuple shape_tuple() const;
};

/// uint8[n, 32], or for hashes of field elements uint64[n, 4] or uint32[n, 8].
DeviceArray digests_array(ConstBuffer digests, Hash hash);

/// Whether it is a NumPy array, or of a subclass (a masked array, a matrix).
bool is_ndarray(nb::handle object);
bool is_plain_ndarray(nb::handle object);

/// Imports what a caller gave as data. The one way in for arrays, tensors and bytes.
/// settings  of the call that it is for; null: a call that takes host memory alone
/// returns   on a device: a DeviceArray, packed if its items lie apart. On the host: `object` itself if it is a NumPy array or has
///           the buffer protocol, else a HostTensor, which has it. Nothing for what is no array
/// errors    InvalidArgument (masked; on a device that is not the one asked for, or that the library does not know)
nb::object import_array(nb::handle object, const char* what, const Settings* settings);

}  // namespace merklize::binding
