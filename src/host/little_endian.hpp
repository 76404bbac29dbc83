#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace merklize::runtime {

/// The bytes of a number in files and proofs, little endian.
template <std::unsigned_integral Number>
constexpr std::array<std::byte, sizeof(Number)> little_endian(Number number) noexcept {
    std::array<std::byte, sizeof(Number)> bytes{};
    for (std::size_t i = 0; i < sizeof number; i++) bytes[i] = static_cast<std::byte>(number >> 8 * i & 0xff);
    return bytes;
}

/// The number of these bytes, 8 at most.
constexpr std::uint64_t from_little_endian(std::span<const std::byte> bytes) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return number;
}

template <std::unsigned_integral Number>
constexpr void put_number(std::span<std::byte> bytes, std::size_t at, Number number) noexcept {
    std::ranges::copy(little_endian(number), bytes.subspan(at, sizeof number).begin());
}

template <std::unsigned_integral Number = std::uint64_t>
constexpr Number get_number(std::span<const std::byte> bytes, std::size_t at) noexcept {
    return static_cast<Number>(from_little_endian(bytes.subspan(at, sizeof(Number))));
}

/// bytes  a vector of bytes, or a string
template <class Bytes, std::unsigned_integral Number>
void append_number(Bytes& bytes, Number number) {
    for (const std::byte byte : little_endian(number)) bytes.push_back(static_cast<typename Bytes::value_type>(byte));
}

}  // namespace merklize::runtime
