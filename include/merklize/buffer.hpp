#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>

namespace merklize::runtime {
class Block;
}

namespace merklize::inline v0 {

/// Bytes in the memory of a device that are only read: a cheap handle to a range of a block of memory. The block lives
/// as long as any handle to it. Every Buffer is a ConstBuffer. The CPU has neither: host memory is passed as std::span.
class MERKLIZE_API ConstBuffer {
public:
    /// The caller's memory, not owned. It must outlive every handle and every call that was enqueued on it.
    /// native  a CUdeviceptr as a pointer, a cl_mem or a USM pointer
    /// errors  invalid_argument (memory of another device or of the host)
    static ConstBuffer wrap(const Device& device, const void* native, std::uint64_t bytes);

    std::uint64_t size() const noexcept { return bytes_; }
    bool empty() const noexcept { return bytes_ == 0; }
    const Device& device() const noexcept { return device_; }
    /// Bytes [first, first + bytes).
    /// errors  invalid_argument (outside)
    ConstBuffer slice(std::uint64_t first, std::uint64_t bytes) const;

    /// Waits until the copy is done.
    /// errors  invalid_argument (unequal sizes)
    void copy_to(std::span<std::byte> host, const std::optional<Stream>& stream = {}) const;

    /// CUDA and USM: the address of the first byte. OpenCL: the cl_mem, in which the range begins at offset(). Once
    /// native() has been called, the memory is freed only after all work on the device has ended, because others may be
    /// using it.
    const void* native() const;
    std::uint64_t offset() const noexcept { return offset_; }

protected:
    ConstBuffer(const Device& device, std::shared_ptr<runtime::Block> block, std::uint64_t bytes);

private:
    friend struct runtime::Internals;

    Device device_;
    std::shared_ptr<runtime::Block> block_;
    std::uint64_t offset_ = 0;
    std::uint64_t bytes_;
};

/// Bytes in the memory of a device that may be written. A call that writes takes a Buffer by value, as it would take a
/// std::span.
class MERKLIZE_API Buffer : public ConstBuffer {
public:
    /// Allocates a block, aligned to 256 bytes. Its content is undefined.
    /// errors  unavailable (the CPU), out_of_memory
    Buffer(const Device& device, std::uint64_t bytes);
    /// As ConstBuffer::wrap().
    static Buffer wrap(const Device& device, void* native, std::uint64_t bytes);
    /// Copies host bytes into a new block.
    static Buffer copy_of(ByteView host, const Device& device);

    /// Copies the elements of a strided array, in C order, into a new block. The device does the copy.
    /// source      memory that holds all elements
    /// first       place of element [0, 0, ...] in `source`, in bytes
    /// extents     number of elements along each dimension
    /// strides     bytes from one element to the next along each dimension; may be negative. After dimensions that are
    ///             contiguous with each other are merged, at most 8 may be left.
    /// element_bytes  1, 2, 4, 8 or 16
    /// stream      the copy is enqueued there and may still run when this returns; without a stream it has ended
    /// errors      invalid_argument (sizes that do not fit), out_of_memory
    static Buffer pack(const ConstBuffer& source, std::uint64_t first, std::span<const std::uint64_t> extents,
                       std::span<const std::int64_t> strides, std::uint32_t element_bytes,
                       const std::optional<Stream>& stream = {});

    /// Bytes [first, first + bytes).
    /// errors  invalid_argument (outside)
    Buffer slice(std::uint64_t first, std::uint64_t bytes) const;  // NOLINT: hides the base's, which reads

    /// Waits until the copy is done.
    /// errors  invalid_argument (unequal sizes)
    void copy_from(ByteView host, const std::optional<Stream>& stream = {});

    /// As ConstBuffer::native().
    void* native() const;  // NOLINT: hides the base's, which reads

private:
    friend struct runtime::Internals;
    using ConstBuffer::ConstBuffer;
    explicit Buffer(const ConstBuffer& bytes) : ConstBuffer(bytes) {}
};

}  // namespace merklize::inline v0
