/* sha256_compress.h: SHA-256 of a row; a node is one compression of the 64 bytes left || right from the initial state,
 * without padding. Provers use it as a 2-to-1 function. A node is not the SHA-256 of any message. */
#define MKZ_UNIT_ID 34
#define MKZ_UNIT_NAME sha256_compress
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_STATE_WORDS 8
#define MKZ_UNIT_PAD_BYTE 0x80
#define MKZ_UNIT_TAKES_TWO 1

#ifdef MKZ_RESET
#undef MKZ_SHA256_COMPRESS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_SHA256_COMPRESS_H)
#define MKZ_SHA256_COMPRESS_H

#include "sha256_compression.h"

MKZ_FN void mkz_sha256_compress_digest(mkz_lane32 out[8], const mkz_lane32 s[8]) { mkz_sha256_digest(out, s); }

/* Merge of a Merkle tree. */
MKZ_FN void mkz_sha256_compress_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 h[8];
    mkz_sha256_first_64(h, left, right);
    mkz_sha256_digest(out, h);
}

#if MKZ_SHA256_STATES == 2
MKZ_FN void mkz_sha256_compress_merge_two(mkz_lane32 out[16], const mkz_lane32 pairs[32]) {
    mkz_lane32 h[16];
    mkz_sha256_first_64_two(h, pairs);
    mkz_sha256_digest(out, h);
    mkz_sha256_digest(out + 8, h + 8);
}
#endif

#endif /* MKZ_SHA256_COMPRESS_H */
#include "../unit.h"
