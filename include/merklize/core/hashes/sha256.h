/* sha256.h: SHA-256 on words: compression, and the merge of RFC 6962's Merkle trees.
 *
 * Source: FIPS 180-4, section 6.2; RFC 6962, section 2.1: a node is the digest of the byte 1 and its two children, a leaf is the
 * digest of the byte 0 and the record. Nodes are little-endian words, as everywhere in the core; SHA-256's own words are big endian.
 * Every function works on mkz_lane32: one word, or a vector of independent states. */
#define MKZ_UNIT_ID 4
#define MKZ_UNIT_NAME sha256
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_STATE_WORDS 9
#define MKZ_UNIT_PAD_BYTE 0x80
#define MKZ_UNIT_LEAF_PREFIX 0

#ifdef MKZ_RESET
#undef MKZ_SHA256_H
#elif !defined(MKZ_HASH) && !defined(MKZ_SHA256_H)
#define MKZ_SHA256_H

#include "../port.h"

#define MKZ_SHA256_BLOCK_LEN 64u
#define MKZ_SHA256_LEAF_PREFIX 0u
#define MKZ_SHA256_NODE_PREFIX 1u

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

/* Takes one block of 16 big-endian words into the state h, sixteen rounds at a time. So the message schedule stays in sixteen words.
 * No register moves from round to round, because the names of the state rotate instead. */
MKZ_FN void mkz_sha256_compress(mkz_lane32 h[8], const mkz_lane32 m[16]) {
    mkz_lane32 v[8], w[16];
    for (int k = 0; k < 8; k++) v[k] = h[k];
    for (int k = 0; k < 16; k++) w[k] = m[k];
    MKZ_NO_UNROLL for (int first = 0; first < 64; first += 16) {
        mkz_lane32 bc = v[1] ^ v[2];
        MKZ_UNROLL for (int i = 0; i < 16; i++) {
            /* The round's a, e and so on. */
#define MKZ_SHA256_V(k) v[((k) - i) & 7]
            mkz_lane32 a = MKZ_SHA256_V(0), b = MKZ_SHA256_V(1), e = MKZ_SHA256_V(4);
            mkz_lane32 f = MKZ_SHA256_V(5), g = MKZ_SHA256_V(6), ab = a ^ b;
            mkz_lane32 t = MKZ_SHA256_V(7) + (w[i] + MKZ_SPLAT32(mkz_sha256_k[first + i]));
            t += (MKZ_ROTR32(e, 6) ^ MKZ_ROTR32(e, 11) ^ MKZ_ROTR32(e, 25)) + (g ^ (e & (f ^ g)));
            MKZ_SHA256_V(3) = MKZ_SHA256_V(3) + t;
            MKZ_SHA256_V(7) = t + ((MKZ_ROTR32(a, 2) ^ MKZ_ROTR32(a, 13) ^ MKZ_ROTR32(a, 22)) + (b ^ (ab & bc)));
            bc = ab;
#undef MKZ_SHA256_V
        }
        if (first == 48) break;
        MKZ_UNROLL for (int i = 0; i < 16; i++) {
            mkz_lane32 x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i] = (w[i] + w[(i + 9) & 15]) + ((MKZ_ROTR32(x, 7) ^ MKZ_ROTR32(x, 18) ^ (x >> 3)) +
                                               (MKZ_ROTR32(y, 17) ^ MKZ_ROTR32(y, 19) ^ (y >> 10)));
        }
    }
    for (int k = 0; k < 8; k++) h[k] = h[k] + v[k];
}

/* The state as a node. */
MKZ_FN void mkz_sha256_digest(mkz_lane32 out[8], const mkz_lane32 h[8]) {
    for (int k = 0; k < 8; k++) out[k] = MKZ_BSWAP32(h[k]);
}

/* Makes the block m, which begins one byte before the 64 bytes `words`, because the prefix moves all bytes on by one. Its first byte
 * is the low byte of `before`.
 * returns  a word whose low byte is the last byte of `words`, for the next block */
MKZ_FN mkz_lane32 mkz_sha256_block(mkz_lane32 m[16], const mkz_lane32 words[16], mkz_lane32 before) {
    for (int k = 0; k < 16; k++) {
        mkz_lane32 word = MKZ_BSWAP32(words[k]);
        m[k] = (before << 24) | (word >> 8);
        before = word;
    }
    return before;
}

/* Merge of a Merkle tree: SHA-256 of the 65 bytes 1 || left || right. */
MKZ_FN void mkz_sha256_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 h[8], m[16], words[16], last;
    for (int k = 0; k < 8; k++) {
        words[k] = left[k];
        words[k + 8] = right[k];
    }
    mkz_sha256_iv(h);
    last = mkz_sha256_block(m, words, MKZ_SPLAT32(MKZ_SHA256_NODE_PREFIX));
    mkz_sha256_compress(h, m);
    /* The message's last byte, the bit that ends the message, and its length in bits. */
    m[0] = (last << 24) | MKZ_SPLAT32(0x00800000u);
    for (int k = 1; k < 15; k++) m[k] = MKZ_SPLAT32(0);
    m[15] = MKZ_SPLAT32(8 * 65);
    mkz_sha256_compress(h, m);
    mkz_sha256_digest(out, h);
}

/* A leaf: the byte 0, then the row. The state of a row is SHA-256's state and one more word: the byte that goes before the next 64
 * bytes of the row, because the prefix moves all bytes on by one. */
MKZ_FN void mkz_sha256_init(mkz_lane32 s[9], mkz_u64 bytes) {
    (void)bytes;
    mkz_sha256_iv(s);
    s[8] = MKZ_SPLAT32(MKZ_SHA256_LEAF_PREFIX);
}

/* Number of blocks of a leaf whose row has `bytes` bytes, prefix and padding included. */
MKZ_FN mkz_u64 mkz_sha256_blocks(mkz_u64 bytes) { return (bytes + 9) / MKZ_SHA256_BLOCK_LEN + 1; }

/* Takes 64 bytes of the row, as little-endian words. The last block ends with the length in bits. */
MKZ_FN void mkz_sha256_absorb(mkz_lane32 s[9], const mkz_lane32 words[16], mkz_u64 b, mkz_u64 blocks, mkz_u64 bytes) {
    mkz_lane32 m[16];
    s[8] = mkz_sha256_block(m, words, s[8]);
    if (b + 1 == blocks) {
        m[14] = MKZ_SPLAT32((mkz_u32)((bytes + 1) >> 29));
        m[15] = MKZ_SPLAT32((mkz_u32)((bytes + 1) << 3));
    }
    mkz_sha256_compress(s, m);
}

#endif /* MKZ_SHA256_H */
#include "../unit.h"
