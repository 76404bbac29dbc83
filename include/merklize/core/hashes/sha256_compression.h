/* sha256_compression.h: SHA-256's compression (FIPS 180-4), for the hashes that are built on it: sha256,
 * sha256_rfc6962, sha256d, sha256_compress and sha256_trunc254; and the functions of a unit that includes this file and
 * puts no prefix before its rows. */
#ifndef MKZ_SHA256_COMPRESSION_H
#define MKZ_SHA256_COMPRESSION_H

#include "../port.h"

#define MKZ_SHA256_BLOCK_LEN 64u

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
MKZ_TABLE mkz_u32 mkz_sha256_k[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
MKZ_FN void mkz_sha256_iv(mkz_lane32 h[8]) {
    h[0] = MKZ_SPLAT32(0x6a09e667u);
    h[1] = MKZ_SPLAT32(0xbb67ae85u);
    h[2] = MKZ_SPLAT32(0x3c6ef372u);
    h[3] = MKZ_SPLAT32(0xa54ff53au);
    h[4] = MKZ_SPLAT32(0x510e527fu);
    h[5] = MKZ_SPLAT32(0x9b05688cu);
    h[6] = MKZ_SPLAT32(0x1f83d9abu);
    h[7] = MKZ_SPLAT32(0x5be0cd19u);
}

/* One round: `wk` is the word of the message schedule plus the round's constant. No register moves from round to round,
 * because the names of the state rotate instead: with i rounds done, a is v[-i mod 8]. */
#define MKZ_SHA256_V(k) v[((k) - i) & 7]
#define MKZ_SHA256_ROUND(wk)                                                                                   \
    do {                                                                                                       \
        mkz_lane32 a = MKZ_SHA256_V(0), e = MKZ_SHA256_V(4);                                                   \
        mkz_lane32 s0 = MKZ_XOR3(MKZ_ROTR32(a, 2), MKZ_ROTR32(a, 13), MKZ_ROTR32(a, 22));                      \
        mkz_lane32 s1 = MKZ_XOR3(MKZ_ROTR32(e, 6), MKZ_ROTR32(e, 11), MKZ_ROTR32(e, 25));                      \
        mkz_lane32 t =                                                                                         \
            MKZ_ADD32(MKZ_ADD32(MKZ_SHA256_V(7), (wk)) + MKZ_CHOOSE(e, MKZ_SHA256_V(5), MKZ_SHA256_V(6)), s1); \
        MKZ_SHA256_V(3) = MKZ_ADD32(MKZ_SHA256_V(3), t);                                                       \
        MKZ_SHA256_V(7) = MKZ_ADD32(t, s0 + MKZ_MAJORITY(a, MKZ_SHA256_V(1), MKZ_SHA256_V(2)));                \
    } while (0)

/* Replaces word i of the message schedule, sixteen words, by word i + 16. */
MKZ_FN void mkz_sha256_schedule(mkz_lane32 w[16], int i) {
    mkz_lane32 x = w[(i + 1) & 15], y = w[(i + 14) & 15];
    w[i] = MKZ_ADD32(w[i], w[(i + 9) & 15]) + (MKZ_XOR3(MKZ_ROTR32(x, 7), MKZ_ROTR32(x, 18), x >> 3) +
                                               MKZ_XOR3(MKZ_ROTR32(y, 17), MKZ_ROTR32(y, 19), y >> 10));
}

/* Takes one block of 16 big-endian words into the state h, sixteen rounds at a time. So the message schedule stays in
 * sixteen words. */
MKZ_FN void mkz_sha256_compress(mkz_lane32 h[8], const mkz_lane32 m[16]) {
    mkz_lane32 v[8], w[16];
    for (int k = 0; k < 8; k++) v[k] = h[k];
    for (int k = 0; k < 16; k++) w[k] = m[k];
    MKZ_NO_UNROLL for (int first = 0; first < 64; first += 16) {
        MKZ_UNROLL for (int i = 0; i < 16; i++) MKZ_SHA256_ROUND(MKZ_ADD32(w[i], MKZ_SPLAT32(mkz_sha256_k[first + i])));
        if (first == 48) break;
        MKZ_UNROLL for (int i = 0; i < 16; i++) mkz_sha256_schedule(w, i);
    }
    for (int k = 0; k < 8; k++) h[k] = h[k] + v[k];
}

#if MKZ_SHA256_STATES == 2
/* GCC takes 1.5 times as long for a message of two blocks whose code has two copies; Clang takes longer with a call. */
#ifdef __clang__
#define MKZ_SHA256_FN_TWO MKZ_FN
#else
#define MKZ_SHA256_FN_TWO MKZ_FN_CALL
#endif

/* The same of two states, one behind the other, in step: a round is a chain of instructions that leaves wide vectors
 * idle. A step of the schedule follows each round, because it waits for nothing that the round makes.
 * MKZ_SHA256_ROUND works on one state `v`. */
MKZ_SHA256_FN_TWO void mkz_sha256_compress_two(mkz_lane32 h[16], const mkz_lane32 m[32]) {
    mkz_lane32 states[2][8], w[2][16];
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 8; k++) states[s][k] = h[8 * s + k];
        for (int k = 0; k < 16; k++) w[s][k] = m[16 * s + k];
    }
    MKZ_NO_UNROLL for (int first = 0; first < 48; first += 16) {
        MKZ_UNROLL for (int i = 0; i < 16; i++) {
            MKZ_UNROLL for (int s = 0; s < 2; s++) {
                mkz_lane32 *v = states[s];
                MKZ_SHA256_ROUND(MKZ_ADD32(w[s][i], MKZ_SPLAT32(mkz_sha256_k[first + i])));
                mkz_sha256_schedule(w[s], i);
            }
        }
    }
    MKZ_UNROLL for (int i = 0; i < 16; i++) {
        MKZ_UNROLL for (int s = 0; s < 2; s++) {
            mkz_lane32 *v = states[s];
            MKZ_SHA256_ROUND(MKZ_ADD32(w[s][i], MKZ_SPLAT32(mkz_sha256_k[48 + i])));
        }
    }
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 8; k++) h[8 * s + k] = h[8 * s + k] + states[s][k];
    }
}
#endif

/* The message schedule plus the constants of the block that ends a message of 64 bytes: the bit that ends the message,
 * and its length. Made from the definition; tests/core checks it. */
MKZ_TABLE mkz_u32 mkz_sha256_end_64[64] = {
    0xc28a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf374u,
    0x649b69c1u, 0xf0fe4786u, 0x0fe1edc6u, 0x240cf254u, 0x4fe9346fu, 0x6cc984beu, 0x61b9411eu, 0x16f988fau,
    0xf2c65152u, 0xa88e5a6du, 0xb019fc65u, 0xb9d99ec7u, 0x9a1231c3u, 0xe70eeaa0u, 0xfdb1232bu, 0xc7353eb0u,
    0x3069bad5u, 0xcb976d5fu, 0x5a0f118fu, 0xdc1eeefdu, 0x0a35b689u, 0xde0b7a04u, 0x58f4ca9du, 0xe15d5b16u,
    0x007f3e86u, 0x37088980u, 0xa507ea32u, 0x6fab9537u, 0x17406110u, 0x0d8cd6f1u, 0xcdaa3b6du, 0xc0bbbe37u,
    0x83613bdau, 0xdb48a363u, 0x0b02e931u, 0x6fd15ca7u, 0x521afacau, 0x31338431u, 0x6ed41a95u, 0x6d437890u,
    0xc39c91f2u, 0x9eccabbdu, 0xb5c9a0e6u, 0x532fb63cu, 0xd2c741c6u, 0x07237ea3u, 0xa4954b68u, 0x4c191d76u,
};

/* Takes the block that ends a message of 64 bytes, whose schedule is known. */
MKZ_FN void mkz_sha256_compress_end_64(mkz_lane32 h[8]) {
    mkz_lane32 v[8];
    for (int k = 0; k < 8; k++) v[k] = h[k];
    MKZ_NO_UNROLL for (int first = 0; first < 64; first += 16) {
        MKZ_UNROLL for (int i = 0; i < 16; i++) MKZ_SHA256_ROUND(MKZ_SPLAT32(mkz_sha256_end_64[first + i]));
    }
    for (int k = 0; k < 8; k++) h[k] = h[k] + v[k];
}

#if MKZ_SHA256_STATES == 2
MKZ_FN void mkz_sha256_compress_end_64_two(mkz_lane32 h[16]) {
    mkz_lane32 states[2][8];
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 8; k++) states[s][k] = h[8 * s + k];
    }
    MKZ_NO_UNROLL for (int first = 0; first < 64; first += 16) {
        MKZ_UNROLL for (int i = 0; i < 16; i++) {
            MKZ_UNROLL for (int s = 0; s < 2; s++) {
                mkz_lane32 *v = states[s];
                MKZ_SHA256_ROUND(MKZ_SPLAT32(mkz_sha256_end_64[first + i]));
            }
        }
    }
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 8; k++) h[8 * s + k] = h[8 * s + k] + states[s][k];
    }
}

/* The states after two pairs of 64 bytes. */
MKZ_FN void mkz_sha256_first_64_two(mkz_lane32 h[16], const mkz_lane32 pairs[32]) {
    mkz_lane32 m[32];
    for (int k = 0; k < 32; k++) m[k] = MKZ_BSWAP32(pairs[k]);
    mkz_sha256_iv(h);
    mkz_sha256_iv(h + 8);
    mkz_sha256_compress_two(h, m);
}
#endif

/* The state after the 64 bytes left || right. */
MKZ_FN void mkz_sha256_first_64(mkz_lane32 h[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 m[16];
    for (int k = 0; k < 8; k++) {
        m[k] = MKZ_BSWAP32(left[k]);
        m[k + 8] = MKZ_BSWAP32(right[k]);
    }
    mkz_sha256_iv(h);
    mkz_sha256_compress(h, m);
}

/* The state as a node. */
MKZ_FN void mkz_sha256_digest(mkz_lane32 out[8], const mkz_lane32 h[8]) {
    for (int k = 0; k < 8; k++) out[k] = MKZ_BSWAP32(h[k]);
}

#endif /* MKZ_SHA256_COMPRESSION_H */

#if defined(MKZ_UNIT_NAME) && !defined(MKZ_UNIT_LEAF_PREFIX)
#include "../names.h"

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

#if MKZ_SHA256_STATES == 2
MKZ_FN void MKZ_HASH_FN(absorb_two)(mkz_lane32 s[16], const mkz_lane32 words[32], mkz_u64 b, mkz_u64 blocks,
                                    mkz_u64 bytes) {
    mkz_lane32 m[32];
    for (int k = 0; k < 32; k++) m[k] = MKZ_BSWAP32(words[k]);
    if (b + 1 == blocks) {
        m[14] = m[30] = MKZ_SPLAT32((mkz_u32)(bytes >> 29));
        m[15] = m[31] = MKZ_SPLAT32((mkz_u32)(bytes << 3));
    }
    mkz_sha256_compress_two(s, m);
}
#endif
#endif
