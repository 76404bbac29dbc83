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

/// An array in the memory of somebody else (PyTorch, CuPy, JAX, Numba, ...), as DLPack or the CUDA array interface describe it.
/// Keeps it alive.
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
    /// Whether the items lie together in C order.
    bool is_contiguous() const;
    /// All items in C order, in the device's memory: where they are, or packed there.
    Buffer buffer(const Device& where, const std::optional<Stream>& stream) const;
};

/// Which device of CUDA an object's data is on, or nothing: the host, or no tensor. Nothing is exported for that. "cuda" alone is
/// a device that only the pointer tells (the CUDA array interface).
/// errors  InvalidArgument (a device that the library has no backend for)
std::optional<std::string> cuda_device_of(nb::handle object, const char* what);

/// The tensor of an object that cuda_device_of() knows.
/// wanted  the device asked for by name, or "auto"
/// stream  CUDA's handle of the queue that the data shall be ready on
Tensor import_cuda(nb::handle object, const char* what, std::string_view wanted, std::uint64_t stream);

/// Where the bytes of a tensor lie.
struct Extent {
    dlpack::Device device;
    std::byte* first;
    std::uint64_t bytes;
};

/// Looks at tensors by the functions that their types have for that (DLPack 1.3): some ten nanoseconds each, and nothing is exported.
/// Of one thread, with the GIL.
class TensorViewer {
public:
    /// The bytes of a tensor in C order, on the host or on a device of CUDA, as long as the object lives and is not changed. Nothing if
    /// the type has no such functions, or import_array() has to say or do more: pack it, or name what is wrong.
    /// errors  those of a stream of the tensor's device
    /// stream  CUDA's handle of the queue that shall come after what the producer has enqueued
    std::optional<Extent> view(nb::handle object, std::uint64_t stream);

private:
    const PyTypeObject* type_ = nullptr;  // the last one seen
    const dlpack::ExchangeApi* api_ = nullptr;
    std::vector<std::int32_t> ordered_;  // devices whose producers are waited for
};

/// The tensor of an object that exports host memory by DLPack (cuda_device_of() is nothing); nothing if it does not.
std::optional<Tensor> import_host(nb::handle object, const char* what);

}  // namespace merklize::binding
