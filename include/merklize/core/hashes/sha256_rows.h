/* sha256_rows.h: rows as messages of SHA-256, without a prefix: functions of the unit that includes it. */
#include "../names.h"
#include "sha256_compression.h"

MKZ_FN void MKZ_HASH_FN(init)(mkz_lane32 s[8], mkz_u64 bytes) {
    (void)bytes;
    mkz_sha256_iv(s);
}

/* Number of blocks of a message of `bytes` bytes, padding included. */
MKZ_FN mkz_u64 MKZ_HASH_FN(blocks)(mkz_u64 bytes) { return (bytes + 8) / MKZ_SHA256_BLOCK_LEN + 1; }

/* Takes 64 bytes, as little-endian words. The last block ends with the length in bits. */
MKZ_FN void MKZ_HASH_FN(absorb)(mkz_lane32 s[8], const mkz_lane32 words[16], mkz_u64 b, mkz_u64 blocks, mkz_u64 bytes) {
    mkz_lane32 m[16];
    for (int k = 0; k < 16; k++) m[k] = MKZ_BSWAP32(words[k]);
    if (b + 1 == blocks) {
        m[14] = MKZ_SPLAT32((mkz_u32)(bytes >> 29));
        m[15] = MKZ_SPLAT32((mkz_u32)(bytes << 3));
    }
    mkz_sha256_compress(s, m);
}
