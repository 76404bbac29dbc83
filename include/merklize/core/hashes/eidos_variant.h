/* eidos_variant.h: the functions of one version of Eidos. Its unit includes this file, with two facts more than
 * hashes.h has:
 *
 *   MKZ_UNIT_IV_MASK    the bits of the initial value's constants that count
 *   MKZ_UNIT_EMPTY      the eight words of the digest of no elements
 *
 * The state of a row is 8 words of chaining value, then the 16 words of a block. */
#include "../names.h"
#include "blake3_rounds.h"

/* What the message is; the first word of the initial value. */
#define MKZ_EIDOS_MERGE 0u
#define MKZ_EIDOS_BYTES 0x301u
#define MKZ_EIDOS_ELEMENTS 0xa01u

/* The compression, in place: BLAKE3's, with constants where BLAKE3 has counter, length and flags. Then the top bit of
 * each 64-bit word of the result is cleared, so that it is a field element. */
MKZ_FN void MKZ_HASH_FN(compress)(mkz_lane32 cv[8], const mkz_lane32 m[16]) {
    mkz_lane32 v[16];
    for (int i = 0; i < 8; i++) v[i] = cv[i];
    mkz_blake3_iv(v + 8);
    mkz_blake3_rounds(v, m);
    for (int i = 0; i < 8; i++) cv[i] = v[i] ^ v[i + 8];
    for (int i = 1; i < 8; i += 2) cv[i] = cv[i] & MKZ_SPLAT32(0x7fffffffu);
}

/* The initial value. length: of the message in its own units; 0 for a merge. */
MKZ_FN void MKZ_HASH_FN(iv)(mkz_lane32 cv[8], mkz_u32 tag, mkz_u32 length) {
    cv[0] = MKZ_SPLAT32(tag);
    cv[1] = MKZ_SPLAT32(MKZ_BLAKE3_IV1 & MKZ_UNIT_IV_MASK);
    cv[2] = MKZ_SPLAT32(length);
    cv[3] = MKZ_SPLAT32(MKZ_BLAKE3_IV3 & MKZ_UNIT_IV_MASK);
    cv[4] = MKZ_SPLAT32(0);
    cv[5] = MKZ_SPLAT32(MKZ_BLAKE3_IV5 & MKZ_UNIT_IV_MASK);
    cv[6] = MKZ_SPLAT32(0);
    cv[7] = MKZ_SPLAT32(MKZ_BLAKE3_IV7 & MKZ_UNIT_IV_MASK);
}

/* Merge of a Merkle tree: one compression. Not the digest of the 8 elements left || right. */
MKZ_FN void MKZ_HASH_FN(merge)(mkz_lane32 out[8], const mkz_lane32 left[8], const mkz_lane32 right[8]) {
    mkz_lane32 m[16];
    for (int i = 0; i < 8; i++) {
        m[i] = left[i];
        m[i + 8] = right[i];
    }
    MKZ_HASH_FN(iv)(out, MKZ_EIDOS_MERGE, 0);
    MKZ_HASH_FN(compress)(out, m);
}

/* A row of no elements counts as one block of zeros. It gets no permute(), so it begins with the result. */
MKZ_FN void MKZ_HASH_FN(init)(mkz_lane32 s[24], mkz_u64 elements) {
    MKZ_HASH_FN(iv)(s, MKZ_EIDOS_ELEMENTS, (mkz_u32)elements);
    if (elements == 0) {
        const mkz_u32 empty[8] = {MKZ_UNIT_EMPTY};
        MKZ_UNROLL for (int i = 0; i < 8; i++) s[i] = MKZ_SPLAT32(empty[i]);
    }
    for (int i = 8; i < 24; i++) s[i] = MKZ_SPLAT32(0);
}

MKZ_FN void MKZ_HASH_FN(add)(mkz_lane32 s[24], int k, mkz_lane32 word) { s[8 + k] = word; }

/* Takes the block; the next one begins as zeros. */
MKZ_FN void MKZ_HASH_FN(permute)(mkz_lane32 s[24]) {
    MKZ_HASH_FN(compress)(s, s + 8);
    for (int i = 8; i < 24; i++) s[i] = MKZ_SPLAT32(0);
}

MKZ_FN void MKZ_HASH_FN(digest)(mkz_lane32 out[8], const mkz_lane32 s[24]) {
    for (int i = 0; i < 8; i++) out[i] = s[i];
}
