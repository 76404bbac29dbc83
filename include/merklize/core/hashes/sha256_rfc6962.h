/* sha256_rfc6962.h: SHA-256 with the prefixes of RFC 6962's Merkle trees.
 *
 * Source: FIPS 180-4, section 6.2; RFC 6962, section 2.1: a node is the digest of the byte 1 and its two children, a
 * leaf is the digest of the byte 0 and the record. Nodes are little-endian words, as everywhere in the core; SHA-256's
 * own words are big endian. Every function works on mkz_lane32: one word, or a vector of independent states. */
#define MKZ_UNIT_ID 4
#define MKZ_UNIT_NAME sha256_rfc6962
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_RATE 64
#define MKZ_UNIT_STATE_WORDS 9
#define MKZ_UNIT_PAD_BYTE 0x80
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_LEAF_PREFIX 0

#ifdef MKZ_RESET
#undef MKZ_SHA256_RFC6962_H
#elif !defined(MKZ_HASH) && !defined(MKZ_SHA256_RFC6962_H)
#define MKZ_SHA256_RFC6962_H

#include "sha256_compression.h"

#define MKZ_SHA256_LEAF_PREFIX 0u
#define MKZ_SHA256_NODE_PREFIX 1u

/* Makes the block m, which begins one byte before the 64 bytes `words`, because the prefix moves all bytes on by one.
 * Its first byte is the low byte of `before`.
 * returns  a word whose low byte is the last byte of `words`, for the next block */
MKZ_FN mkz_lane32 mkz_sha256_rfc6962_block(mkz_lane32 m[16], const mkz_lane32 words[16], mkz_lane32 before) {
    for (int k = 0; k < 16; k++) {
        mkz_lane32 word = MKZ_BSWAP32(words[k]);
        m[k] = (before << 24) | (word >> 8);
        before = word;
    }
    return before;
}

/* Merge of a Merkle tree: SHA-256 of the 65 bytes 1 || left || right. */
MKZ_FN void mkz_sha256_rfc6962_merge(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 h[8], m[16], words[16], last;
    for (int k = 0; k < 8; k++) {
        words[k] = left[k];
        words[k + 8] = right[k];
    }
    mkz_sha256_iv(h);
    last = mkz_sha256_rfc6962_block(m, words, MKZ_SPLAT32(MKZ_SHA256_NODE_PREFIX));
    mkz_sha256_compress(h, m);
    /* The message's last byte, the bit that ends the message, and its length in bits. */
    m[0] = (last << 24) | MKZ_SPLAT32(0x00800000u);
    for (int k = 1; k < 15; k++) m[k] = MKZ_SPLAT32(0);
    m[15] = MKZ_SPLAT32(8 * 65);
    mkz_sha256_compress(h, m);
    mkz_sha256_digest(out, h);
}

/* A leaf: the byte 0, then the row. The state of a row is SHA-256's state and one more word: the byte that goes before
 * the next 64 bytes of the row, because the prefix moves all bytes on by one. */
MKZ_FN void mkz_sha256_rfc6962_init(mkz_lane32 s[9], mkz_u64 bytes) {
    (void)bytes;
    mkz_sha256_iv(s);
    s[8] = MKZ_SPLAT32(MKZ_SHA256_LEAF_PREFIX);
}

/* Number of blocks of a leaf whose row has `bytes` bytes, prefix and padding included. */
MKZ_FN mkz_u64 mkz_sha256_rfc6962_blocks(mkz_u64 bytes) { return (bytes + 9) / MKZ_SHA256_BLOCK_LEN + 1; }

/* Takes 64 bytes of the row, as little-endian words. The last block ends with the length in bits. */
MKZ_FN void mkz_sha256_rfc6962_absorb(mkz_lane32 s[9], const mkz_lane32 words[16], mkz_u64 b, mkz_u64 blocks,
                                      mkz_u64 bytes) {
    mkz_lane32 m[16];
    s[8] = mkz_sha256_rfc6962_block(m, words, s[8]);
    if (b + 1 == blocks) {
        m[14] = MKZ_SPLAT32((mkz_u32)((bytes + 1) >> 29));
        m[15] = MKZ_SPLAT32((mkz_u32)((bytes + 1) << 3));
    }
    mkz_sha256_compress(s, m);
}

MKZ_FN void mkz_sha256_rfc6962_digest(mkz_lane32 out[8], const mkz_lane32 s[9]) { mkz_sha256_digest(out, s); }

#if MKZ_SHA256_STATES == 2
MKZ_FN void mkz_sha256_rfc6962_merge_two(mkz_lane32 out[16], const mkz_lane32 pairs[32]) {
    mkz_lane32 h[16], m[32], last;
    for (int s = 0; s < 2; s++) {
        mkz_sha256_iv(h + 8 * s);
        mkz_sha256_rfc6962_block(m + 16 * s, pairs + 16 * s, MKZ_SPLAT32(MKZ_SHA256_NODE_PREFIX));
    }
    mkz_sha256_compress_two(h, m);
    for (int s = 0; s < 2; s++) {
        last = MKZ_BSWAP32(pairs[16 * s + 15]);
        m[16 * s] = (last << 24) | MKZ_SPLAT32(0x00800000u);
        for (int k = 1; k < 15; k++) m[16 * s + k] = MKZ_SPLAT32(0);
        m[16 * s + 15] = MKZ_SPLAT32(8 * 65);
    }
    mkz_sha256_compress_two(h, m);
    for (int s = 0; s < 2; s++) mkz_sha256_digest(out + 8 * s, h + 8 * s);
}

MKZ_FN void mkz_sha256_rfc6962_absorb_two(mkz_lane32 s[18], const mkz_lane32 words[32], mkz_u64 b, mkz_u64 blocks,
                                          mkz_u64 bytes) {
    mkz_lane32 h[16], m[32];
    for (int i = 0; i < 2; i++) {
        s[9 * i + 8] = mkz_sha256_rfc6962_block(m + 16 * i, words + 16 * i, s[9 * i + 8]);
        for (int k = 0; k < 8; k++) h[8 * i + k] = s[9 * i + k];
    }
    if (b + 1 == blocks) {
        m[14] = m[30] = MKZ_SPLAT32((mkz_u32)((bytes + 1) >> 29));
        m[15] = m[31] = MKZ_SPLAT32((mkz_u32)((bytes + 1) << 3));
    }
    mkz_sha256_compress_two(h, m);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 8; k++) s[9 * i + k] = h[8 * i + k];
    }
}
#endif

#endif /* MKZ_SHA256_RFC6962_H */
#include "../unit.h"
