#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hashes/wipe.hpp"
#include "merklize/bytes.hpp"
#include "merklize/core/hashes/blake2s.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// BLAKE2s of one message: a digest of 1 to 32 bytes, with or without a key. The last block is compressed in another
/// way than those before it, so a block waits until another block comes.
struct Blake2sMessage {
    static constexpr std::size_t rate = MKZ_BLAKE2S_BLOCK_LEN;

    /// key  at most 32 bytes; a block of it comes before the message
    void begin(std::size_t digest_bytes, ByteView key) {
        mkz_blake2s_begin(h, static_cast<std::uint32_t>(digest_bytes), static_cast<std::uint32_t>(key.size()));
        std::memset(waiting, 0, sizeof waiting);
        if (key.empty()) return;
        std::memcpy(waiting, key.data(), key.size());
        has_waiting = 1;
    }
    /// Takes n whole blocks.
    void blocks(const std::uint8_t* data, std::size_t n) {
        if (n == 0) return;
        if (has_waiting != 0) compress(waiting, rate, false);
        for (std::size_t i = 0; i + 1 < n; i++) compress(data + rate * i, rate, false);
        std::memcpy(waiting, data + rate * (n - 1), rate);
        has_waiting = 1;
    }
    /// rest  the last `bytes` < 64 bytes of the message
    /// out   [32], of which the digest is the beginning
    void finish(const std::uint8_t* rest, std::size_t bytes, std::uint8_t* out) {
        if (bytes != 0) {
            if (has_waiting != 0) compress(waiting, rate, false);
            std::memset(waiting, 0, sizeof waiting);
            std::memcpy(waiting, rest, bytes);
        }
        compress(waiting, bytes != 0 ? bytes : has_waiting != 0 ? rate : 0, true);
        std::memcpy(out, h, sizeof h);
    }

    std::uint64_t count = 0;  ///< bytes of the blocks that were compressed
    std::uint32_t h[8];
    std::uint32_t has_waiting = 0;
    std::uint8_t waiting[rate];  ///< the last whole block, or zeros

private:
    void compress(const std::uint8_t* block, std::size_t bytes, bool is_last) {
        std::uint32_t m[16];
        std::memcpy(m, block, sizeof m);
        count += bytes;
        mkz_blake2s_compress(h, m, count, is_last ? 1 : 0);
    }
};

/// What kernels of rows take as the key of a hash without a tree of chunks: the state behind the block of the key; of
/// rows that have no bytes their digest, because the block of the key is then the last one.
class RowKey {
public:
    /// mode  may be plain: then the key is not used
    RowKey(const Mode& mode, std::uint64_t row_bytes) {
        if (mode.flags() == 0 || row_bytes != 0) {
            std::copy_n(mode.key_words(), 8, words_);
            return;
        }
        Blake2sMessage message;
        message.begin(Digest::size, mode.secret());
        message.finish(nullptr, 0, reinterpret_cast<std::uint8_t*>(words_));
    }
    ~RowKey() { wipe(words_, sizeof words_); }
    RowKey(const RowKey&) = delete;
    RowKey& operator=(const RowKey&) = delete;

    const std::uint32_t* words() const noexcept { return words_; }

private:
    alignas(8) std::uint32_t words_[8];
};

}  // namespace merklize::runtime
