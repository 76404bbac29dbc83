#pragma once

#include <cstdint>
#include <cstring>
#include <new>

#include "../reference.hpp"

#ifdef __ACPP__
#include "adaptivecpp.hpp"
#else
#include "run_time_compiled.hpp"
#endif

namespace sycl_headers {

using reference::Bytes;

/// USM of the test's queue: `bytes` bytes that begin `shift` bytes after a multiple of 64.
class Memory {
public:
    explicit Memory(std::size_t bytes, std::size_t shift = 0)
        : bytes_(bytes),
          shift_(shift),
          p_(static_cast<std::uint8_t*>(
              ::sycl::aligned_alloc_shared(64, (bytes + shift + 64) / 64 * 64, Runtime::get().queue))) {
        if (p_ == nullptr) throw std::bad_alloc();
        std::memset(p_, 0xa5, bytes + shift + 1);
    }
    explicit Memory(const Bytes& from, std::size_t shift = 0) : Memory(from.size(), shift) {
        if (!from.empty()) std::memcpy(data(), from.data(), from.size());
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { ::sycl::free(p_, Runtime::get().queue); }

    std::uint8_t* data() { return p_ + shift_; }
    Bytes bytes() { return part(0, bytes_); }
    Bytes part(std::size_t first, std::size_t count) { return Bytes(data() + first, data() + first + count); }

private:
    std::size_t bytes_, shift_;
    std::uint8_t* p_;
};

}  // namespace sycl_headers
