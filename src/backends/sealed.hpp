// What program_binary() gives and program_load() takes: a vendor's binary in an envelope that names its maker and shows
// damage. Vendors' loaders check little themselves: some do not learn the size, some run a damaged binary or one of
// another version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "backends/failure.hpp"

namespace merklize::backends {

/// FNV-1a, eight bytes at a time, against accidents only. Each step is a bijection of the state, so no change of a
/// single word goes unnoticed.
inline std::uint64_t checksum(std::string_view bytes) noexcept {
    std::uint64_t sum = 0xcbf29ce484222325 ^ bytes.size();
    for (std::size_t i = 0; i < bytes.size(); i += sizeof sum) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, bytes.size() - i < sizeof word ? bytes.size() - i : sizeof word);
        sum = (sum ^ word) * 0x100000001b3;
    }
    return sum;
}

/// A binary and its maker, both inside the sealed bytes.
struct Opened {
    std::string_view maker;
    std::string_view binary;
};

struct Envelope {
    char magic[8];
    std::uint64_t sum;  // of all that follows
    std::uint64_t maker_bytes;
    std::uint64_t binary_bytes;  // the maker, then the binary come next
};
inline constexpr std::string_view envelope_magic = "mkzprog1";
inline constexpr std::size_t summed_from = offsetof(Envelope, maker_bytes);

/// maker  any text; the device that loads the binary must have the same
inline std::string seal(std::string_view maker, std::string_view binary) {
    Envelope envelope{.magic = {}, .sum = 0, .maker_bytes = maker.size(), .binary_bytes = binary.size()};
    std::memcpy(envelope.magic, envelope_magic.data(), sizeof envelope.magic);
    std::string all(sizeof envelope, '\0');
    std::memcpy(all.data(), &envelope, sizeof envelope);
    all.append(maker).append(binary);
    envelope.sum = checksum(std::string_view(all).substr(summed_from));
    std::memcpy(all.data(), &envelope, sizeof envelope);
    return all;
}

/// sealed  what seal() gave, or any bytes
/// on      the beginning of error texts
/// errors  MKZ_INVALID_ARGUMENT: not whole, or not sealed at all. The caller must check the maker
inline Opened open_sealed(std::string_view sealed, const std::string& on) {
    const auto refuse = [&](const char* why) {
        throw Failure(MKZ_INVALID_ARGUMENT,
                      on + ": a compiled program of " + std::to_string(sealed.size()) + " bytes is damaged: " + why);
    };
    Envelope envelope{};
    if (sealed.size() <= sizeof envelope) refuse("too short");
    std::memcpy(&envelope, sealed.data(), sizeof envelope);
    if (std::string_view(envelope.magic, sizeof envelope.magic) != envelope_magic) refuse("not one of this library's");
    const std::string_view rest = sealed.substr(sizeof envelope);
    if (envelope.maker_bytes > rest.size() || envelope.binary_bytes != rest.size() - envelope.maker_bytes ||
        envelope.sum != checksum(sealed.substr(summed_from))) {
        refuse("not as it was sealed");
    }
    return {.maker = rest.substr(0, envelope.maker_bytes), .binary = rest.substr(envelope.maker_bytes)};
}

}  // namespace merklize::backends
