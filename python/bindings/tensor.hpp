#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "dlpack.hpp"

namespace merklize::binding {

namespace nb = nanobind;

/// "uint8", "bfloat16", ...
std::string name_of(const dlpack::DataType& dtype);

/// An array in another library's memory (PyTorch, CuPy, JAX, Numba, ...), as DLPack or the CUDA array interface
/// describe it. Keeps the array alive.
struct Tensor {
    std::string device;          ///< its id, "cpu" or "cuda:0"
    std::byte* first = nullptr;  ///< item [0, 0, ...]
    dlpack::DataType dtype{};
    std::uint64_t item_bytes = 0;
    std::vector<Py_ssize_t> shape{};
    std::vector<Py_ssize_t> strides{};  ///< bytes
    bool is_read_only = false;
    std::shared_ptr<void> owner{};
    std::string format{};  ///< of the buffer protocol

    std::uint64_t bytes() const;
    /// Whether the items are contiguous in C order.
    bool is_contiguous() const;
    /// All items in C order, in the device's memory: in place, or packed there.
    Buffer buffer(const Device& where, const std::optional<Stream>& stream) const;
};

/// The CUDA device of an object's data; none if the data is on the host or the object is no tensor. Exports nothing.
/// "cuda" alone is a device that only the pointer tells (the CUDA array interface).
/// errors  InvalidArgument (a device that the library has no backend for)
std::optional<std::string> cuda_device_of(nb::handle object, const char* argument);

/// The tensor of an object for which cuda_device_of() gives a device.
/// wanted  the device asked for by name, or "auto"
/// stream  CUDA's handle of the queue on which the data will be used
Tensor import_cuda(nb::handle object, const char* argument, std::string_view wanted, std::uint64_t stream);

/// Whether an object is of the type whose exchange functions (DLPack 1.3) were used last.
bool is_known_tensor(nb::handle object) noexcept;

/// A tensor that a TensorViewer has looked at last. It is a reference to what the tensor's library has written, because
/// a copy so soon after would wait for the processor's stores.
struct Seen {
    const dlpack::Tensor& tensor;
    std::byte* first;
    std::uint64_t bytes;

    const dlpack::Device& device() const noexcept { return tensor.device; }
    std::uint64_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(first); }
    /// Whether it is uint8[n, 32], or as many bytes of words of 32 or 64 bits.
    bool are_digests() const noexcept;
};

/// Looks at tensors by the exchange functions of their types (DLPack 1.3), which takes some ten nanoseconds each and
/// exports nothing. Only one thread may use it, with the GIL.
class TensorViewer {
public:
    /// The bytes of a tensor in C order, on the host or on a CUDA device, valid as long as the object lives and is not
    /// changed. None if the type has no such functions, or if import_array() is needed: to pack the tensor, or to tell
    /// what is wrong.
    /// errors  those of a stream of the tensor's device
    /// stream  CUDA's handle of the queue that is ordered after the producer's work
    std::optional<Seen> view(nb::handle object, std::uint64_t stream);

private:
    const PyTypeObject* type_ = nullptr;  // the last one seen
    const dlpack::ExchangeApi* api_ = nullptr;
    dlpack::Tensor tensor_{};
    std::vector<std::int32_t> ordered_;  // devices on which the order is made already
};

/// The tensor of an object that exports host memory by DLPack (cuda_device_of() gives none); none if it does not.
std::optional<Tensor> import_host(nb::handle object, const char* argument);

}  // namespace merklize::binding
