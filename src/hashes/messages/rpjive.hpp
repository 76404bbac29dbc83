#pragma once

#include "merklize/core/hashes/rpjive64_256.h"

// RpJive64_256 of bytes. No library is needed: web/wasm includes it, too.
namespace merklize::runtime {

/// Each 7 bytes are an element of a row, little endian; a bit follows the last byte of the message, and no bytes have
/// the digest of zeros.
struct RpJiveMessage {
    static constexpr unsigned element_bytes = 7, rate = 4 * element_bytes;

    mkz_u64 cells[8], left;  ///< left: bytes of the message that have not come yet

    void begin(mkz_u64 length) {
        left = length;
        mkz_rpjive64_256_init(cells, length / element_bytes + (length % element_bytes != 0));
    }
    /// bytes  1 to rate; fewer at the end of the message alone
    void absorb(const unsigned char* data, unsigned bytes) {
        left -= bytes;
        for (unsigned k = 0, at = 0; k < 4; k++, at += element_bytes) {
            if (at >= bytes) {  // the first of these is a one
                mkz_rpjive64_256_fill(cells, static_cast<int>(k), at < bytes + element_bytes);
                continue;
            }
            mkz_u64 word = 0;
            const unsigned n = bytes - at < element_bytes ? bytes - at : element_bytes;
            for (unsigned i = 0; i < n; i++) word |= mkz_u64{data[at + i]} << (8 * i);
            if (left == 0 && at + n == bytes) word |= mkz_u64{1} << (8 * n);
            mkz_rpjive64_256_add(cells, static_cast<int>(k), word);
        }
        mkz_rpjive64_256_permute(cells);
    }
    /// data  `count` blocks of `rate` bytes
    void blocks(const unsigned char* data, mkz_u64 count) {
        for (mkz_u64 i = 0; i < count; i++) absorb(data + rate * i, rate);
    }
    /// rest  the bytes behind the whole blocks, fewer than `rate`
    void finish(const unsigned char* rest, unsigned bytes, void* out) {
        if (bytes != 0) absorb(rest, bytes);
        mkz_u64 digest[4];
        mkz_rpjive64_256_digest(digest, cells);
        __builtin_memcpy(out, digest, sizeof digest);
    }
};

}  // namespace merklize::runtime
