#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace merklize::runtime {

/// SHA-512 (FIPS 180-4) of one message, on the calling thread. No hash of the library: dm-verity's blocks need it.
class Sha512 {
public:
    static constexpr std::size_t size = 64, block = 128;

    void update(std::span<const std::byte> data);
    /// Ends the message.
    std::array<std::byte, size> digest();

private:
    void compress(const std::byte* data);

    std::array<std::uint64_t, 8> state_ = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                           0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                           0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
    std::array<std::byte, block> rest_{};
    std::uint64_t bytes_ = 0;
};

}  // namespace merklize::runtime
