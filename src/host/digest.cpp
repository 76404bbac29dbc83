#include "merklize/digest.hpp"

#include <cstring>

namespace merklize::inline v0 {

Digest Digest::from_words(const std::array<std::uint64_t, 4>& words) noexcept {
    Digest digest;
    std::memcpy(digest.bytes.data(), words.data(), size);
    return digest;
}

std::optional<Digest> Digest::from_hex(std::string_view hex) noexcept {
    if (hex.starts_with("0x") || hex.starts_with("0X")) hex.remove_prefix(2);
    if (hex.size() != 2 * size) return std::nullopt;
    const auto value = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    Digest digest;
    for (std::size_t i = 0; i < size; i++) {
        const int high = value(hex[2 * i]), low = value(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        digest.bytes[i] = static_cast<std::byte>(16 * high + low);
    }
    return digest;
}

std::array<std::uint64_t, 4> Digest::words() const noexcept {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data(), size);
    return words;
}

std::string Digest::hex() const {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * size);
    for (const std::byte b : bytes) {
        text += digits[std::to_integer<unsigned>(b) >> 4];
        text += digits[std::to_integer<unsigned>(b) & 15];
    }
    return text;
}

}  // namespace merklize::inline v0
