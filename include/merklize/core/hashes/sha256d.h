/* sha256d.h: SHA-256 twice, as in Bitcoin: of a row, and of the 64 bytes left || right. */
#define MKZ_UNIT_ID 33
#define MKZ_UNIT_NAME sha256d
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_STATE_WORDS 8
#define MKZ_UNIT_PAD_BYTE 0x80
#define MKZ_UNIT_TAKES_TWO 1

#ifdef MKZ_RESET
#undef MKZ_SHA256D_H
#elif !defined(MKZ_HASH) && !defined(MKZ_SHA256D_H)
#define MKZ_SHA256D_H

#include "sha256_compression.h"

/* SHA-256 of the 32 bytes of the state. */
MKZ_FN void mkz_sha256d_digest(mkz_lane32 out[8], const mkz_lane32 s[8]) {
    mkz_lane32 h[8], m[16];
    for (int k = 0; k < 8; k++) m[k] = s[k];
    m[8] = MKZ_SPLAT32(0x80000000u);
    for (int k = 9; k < 15; k++) m[k] = MKZ_SPLAT32(0);
    m[15] = MKZ_SPLAT32(8 * 32);
    mkz_sha256_iv(h);
    mkz_sha256_compress(h, m);
    mkz_sha256_digest(out, h);
}

/* Merge of a Merkle tree: SHA-256 of SHA-256 of the 64 bytes left || right. */
MKZ_FN void mkz_sha256d_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 h[8];
    mkz_sha256_first_64(h, left, right);
    mkz_sha256_compress_end_64(h);
    mkz_sha256d_digest(out, h);
}

#if MKZ_SHA256_STATES == 2
MKZ_FN void mkz_sha256d_merge_two(mkz_lane32 out[16], const mkz_lane32 pairs[32]) {
    mkz_lane32 h[16];
    mkz_sha256_first_64_two(h, pairs);
    mkz_sha256_compress_end_64_two(h);
    mkz_sha256d_digest(out, h);
    mkz_sha256d_digest(out + 8, h + 8);
}
#endif

#endif /* MKZ_SHA256D_H */
#include "../unit.h"
