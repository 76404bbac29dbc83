/* poseidon2_given.h: Poseidon2's permutation with the constants and the diagonal of a caller (docs/hashes.md,
 * `poseidon2:...`), of as many cells as the state has words.
 *
 * The table, words of 64 bits (src/digests/poseidon.cpp makes it):
 *   rate; half of the external rounds; the internal rounds
 *   the diagonal: one word a cell
 *   the constants in the order of use: initial rounds, internal rounds, terminal rounds
 * Goldilocks: canonical words. 31-bit fields: Montgomery form; constants less p, as the S-box adds them. */

#include "../context.h"

#if MKZ_UNIT_WORD_BITS == 64
#include "poseidon2_goldilocks.h"

MKZ_FN void MKZ_HASH_FN(external_round)(mkz_gl s[MKZ_UNIT_STATE_WORDS], mkz_table constants) {
    mkz_lane64 lo[16] = {0}, hi[16] = {0};
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] =
        mkz_gl_pow7(mkz_gl_add(s[k], MKZ_SPLAT64(constants[k])));
    mkz_p2_goldilocks_external_halves(lo, hi, s, MKZ_UNIT_STATE_WORDS);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] = mkz_gl_join(lo[k], hi[k]);
}

/* Sums of the halves of at most 16 cells are below 2^36, and no product is needed to add them. */
MKZ_FN void MKZ_HASH_FN(internal_round)(mkz_gl s[MKZ_UNIT_STATE_WORDS], mkz_u64 c, mkz_table diagonal) {
    mkz_lane64 low = MKZ_SPLAT64(0), high = MKZ_SPLAT64(0);
    s[0] = mkz_gl_pow7(mkz_gl_add(s[0], MKZ_SPLAT64(c)));
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) {
        low = low + (s[k] & MKZ_SPLAT64(MKZ_GL_E));
        high = high + (s[k] >> 32);
    }
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) {
        mkz_gl product = mkz_gl_mul(s[k], MKZ_SPLAT64(diagonal[k]));
        s[k] = mkz_gl_join(low + (product & MKZ_SPLAT64(MKZ_GL_E)), high + (product >> 32));
    }
}

MKZ_FN void MKZ_HASH_FN(begin)(mkz_gl s[MKZ_UNIT_STATE_WORDS]) {
    mkz_lane64 lo[16] = {0}, hi[16] = {0};
    mkz_p2_goldilocks_external_halves(lo, hi, s, MKZ_UNIT_STATE_WORDS);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] = mkz_gl_join(lo[k], hi[k]);
}
#else
#include "poseidon2_monty31.h"

MKZ_FN void MKZ_HASH_FN(external_round)(mkz_lane32 s[MKZ_UNIT_STATE_WORDS], mkz_table constants) {
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] =
        mkz_m31_sbox(s[k], (mkz_u32)constants[k], MKZ_UNIT_MODULUS);
    mkz_p2_m31_external(s, MKZ_UNIT_STATE_WORDS, MKZ_UNIT_MODULUS);
}

MKZ_FN void MKZ_HASH_FN(internal_round)(mkz_lane32 s[MKZ_UNIT_STATE_WORDS], mkz_u64 c, mkz_table diagonal) {
    mkz_lane32 sum;
    s[0] = mkz_m31_sbox(s[0], (mkz_u32)c, MKZ_UNIT_MODULUS);
    sum = mkz_m31_sum(s, MKZ_UNIT_STATE_WORDS, MKZ_UNIT_MODULUS);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] =
        mkz_m31_add(sum, mkz_m31_mul(s[k], MKZ_SPLAT32((mkz_u32)diagonal[k]), MKZ_UNIT_MODULUS), MKZ_UNIT_MODULUS);
}

MKZ_FN void MKZ_HASH_FN(begin)(mkz_lane32 s[MKZ_UNIT_STATE_WORDS]) {
    mkz_p2_m31_external(s, MKZ_UNIT_STATE_WORDS, MKZ_UNIT_MODULUS);
}
#endif

MKZ_FN_CALL void MKZ_HASH_FN(rounds)(MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], mkz_table table) {
    mkz_u32 side = (mkz_u32)table[1], middle = (mkz_u32)table[2];
    mkz_table diagonal = table + 3, constants = diagonal + MKZ_UNIT_STATE_WORDS;
    MKZ_HASH_FN(begin)(s);
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < side; r++)
        MKZ_HASH_FN(external_round)(s, constants + MKZ_UNIT_STATE_WORDS * r);
    constants += MKZ_UNIT_STATE_WORDS * side;
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < middle; r++) MKZ_HASH_FN(internal_round)(s, constants[r], diagonal);
    constants += middle;
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < side; r++)
        MKZ_HASH_FN(external_round)(s, constants + MKZ_UNIT_STATE_WORDS * r);
}
