#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "host/little_endian.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// Appends numbers (little endian) and digests.
class ProofWriter {
public:
    explicit ProofWriter(std::size_t expected) { bytes_.reserve(expected); }

    void u8(std::uint8_t value) { bytes_.push_back(std::byte{value}); }
    void u64(std::uint64_t value) { append_number(bytes_, value); }
    /// 7 bits a byte, lowest first. The top bit says that more bytes follow.
    void leb128(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
        u8(static_cast<std::uint8_t>(value));
    }
    void digests(std::span<const Digest> digests) { append(digests.data(), digests.size_bytes()); }
    void append(const void* data, std::size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what ProofWriter writes. After the end, or after a number that is not in its shortest form, ok() is false and
/// everything reads as zeros.
class ProofReader {
public:
    explicit ProofReader(std::span<const std::byte> bytes) noexcept : left_(bytes) {}

    bool ok() const noexcept { return ok_; }
    void refuse() noexcept { ok_ = false; }
    std::size_t left() const noexcept { return left_.size(); }

    /// The next `size` bytes, or none.
    std::span<const std::byte> take(std::uint64_t size) noexcept {
        if (!ok_ || size > left_.size()) {
            refuse();
            return {};
        }
        const auto part = left_.first(static_cast<std::size_t>(size));
        left_ = left_.subspan(part.size());
        return part;
    }
    std::uint8_t u8() noexcept {
        const auto part = take(1);
        return part.empty() ? 0 : std::to_integer<std::uint8_t>(part[0]);
    }
    std::uint64_t u64() noexcept { return from_little_endian(take(8)); }
    std::uint64_t leb128() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = u8();
            if (shift == 63 && byte > 1) break;
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte >= 0x80) continue;
            if (byte == 0 && shift != 0) break;
            return value;
        }
        refuse();
        return 0;
    }
    /// Allocates no more than the remaining bytes.  errors  bad_alloc
    std::vector<Digest> digests(std::uint64_t count) {
        if (count > left_.size() / Digest::size) refuse();
        if (!ok_) return {};
        std::vector<Digest> out(static_cast<std::size_t>(count));
        const auto part = take(count * Digest::size);
        if (!out.empty()) std::memcpy(out.data(), part.data(), part.size());
        return out;
    }

private:
    std::span<const std::byte> left_;
    bool ok_ = true;
};

}  // namespace merklize::runtime
