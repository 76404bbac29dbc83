#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <merklize/cxx20.h>
#include <merklize/export.h>

namespace merklize::inline v0 {

/// 32 bytes: the digest of a byte hash, or 4 field elements as little-endian words. A plain value, compared byte by
/// byte.
struct MERKLIZE_API Digest {
    static constexpr std::size_t size = 32;

    std::array<std::byte, size> bytes{};

    /// Copies `words` as little-endian 64-bit words.
    static Digest from_words(const std::array<std::uint64_t, 4>& words) noexcept;
    /// Takes 64 hexadecimal digits of any case, with or without 0x in front. Any other text gives nullopt.
    static std::optional<Digest> from_hex(std::string_view hex) noexcept;

    std::array<std::uint64_t, 4> words() const noexcept;
    /// 64 lower-case hexadecimal digits.
    std::string hex() const;

    friend auto operator<=>(const Digest&, const Digest&) = default;
};

}  // namespace merklize::inline v0
