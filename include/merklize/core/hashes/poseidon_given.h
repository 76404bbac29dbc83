/* poseidon_given.h: Poseidon's permutation with the constants and the matrix of a caller (docs/hashes.md,
 * `poseidon:...`), of as many cells as the state has words.
 *
 * The table, words of 64 bits (src/digests/poseidon.cpp makes it):
 *   rate; half of the full rounds; the partial rounds the constants of the full rounds: one word a cell the constants
 *   of the partial rounds, folded forward: one word each the matrix, row after row; the one that takes its place before
 *   the partial rounds for each partial round one word a cell of its first row and as many of its first column, whose
 *   first word nothing reads
 * The matrices of partial rounds are factored, as in poseidon_monty31.h. Goldilocks: canonical words. 31-bit fields:
 * Montgomery form; constants less p, as the S-box adds them. */

#include "../context.h"

#if MKZ_UNIT_WORD_BITS == 64
#include "../words/goldilocks.h"

MKZ_FN mkz_gl MKZ_HASH_FN(sbox)(mkz_gl x, mkz_u64 c) { return mkz_gl_pow7(mkz_gl_add(x, MKZ_SPLAT64(c))); }

/* Sums of the halves of at most 12 products are below 2^36. */
MKZ_FN mkz_gl MKZ_HASH_FN(dot)(const mkz_gl x[MKZ_UNIT_STATE_WORDS], mkz_table row) {
    mkz_lane64 low = MKZ_SPLAT64(0), high = MKZ_SPLAT64(0);
    MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) {
        mkz_gl product = mkz_gl_mul(x[k], MKZ_SPLAT64(row[k]));
        low = low + (product & MKZ_SPLAT64(MKZ_GL_E));
        high = high + (product >> 32);
    }
    return mkz_gl_join(low, high);
}

MKZ_FN mkz_gl MKZ_HASH_FN(add_product)(mkz_gl x, mkz_gl a, mkz_u64 c) {
    mkz_gl product = mkz_gl_mul(a, MKZ_SPLAT64(c));
    return mkz_gl_join((x & MKZ_SPLAT64(MKZ_GL_E)) + (product & MKZ_SPLAT64(MKZ_GL_E)), (x >> 32) + (product >> 32));
}
#else
#include "../words/monty31.h"

MKZ_FN mkz_lane32 MKZ_HASH_FN(sbox)(mkz_lane32 x, mkz_u64 c) { return mkz_m31_sbox(x, (mkz_u32)c, MKZ_UNIT_MODULUS); }

MKZ_FN mkz_lane32 MKZ_HASH_FN(dot)(const mkz_lane32 x[MKZ_UNIT_STATE_WORDS], mkz_table row) {
    const int n = MKZ_UNIT_STATE_WORDS;
    mkz_m31_products sum = mkz_m31_product(x[n - 1], (mkz_u32)row[n - 1]);
    MKZ_UNROLL for (int taken = 2; taken <= n; taken++) sum =
        mkz_m31_take(sum, x[n - taken], (mkz_u32)row[n - taken], taken, n, MKZ_UNIT_MODULUS);
    return mkz_m31_reduce(sum, MKZ_UNIT_MODULUS);
}

MKZ_FN mkz_lane32 MKZ_HASH_FN(add_product)(mkz_lane32 x, mkz_lane32 a, mkz_u64 c) {
    return mkz_m31_add(x, mkz_m31_mul(a, MKZ_SPLAT32((mkz_u32)c), MKZ_UNIT_MODULUS), MKZ_UNIT_MODULUS);
}
#endif

MKZ_FN_CALL void MKZ_HASH_FN(rounds)(MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], mkz_table table) {
    mkz_u32 side = (mkz_u32)table[1], middle = (mkz_u32)table[2];
    mkz_table constants = table + 3, folded = constants + 2 * MKZ_UNIT_STATE_WORDS * side, matrix = folded + middle;
    mkz_table before = matrix + MKZ_UNIT_STATE_WORDS * MKZ_UNIT_STATE_WORDS;
    mkz_table sparse = before + MKZ_UNIT_STATE_WORDS * MKZ_UNIT_STATE_WORDS;
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < 2 * side; r++) {
        MKZ_WORD_LANE x[MKZ_UNIT_STATE_WORDS] = {MKZ_SPLAT(0)}, first = MKZ_SPLAT(0);
        mkz_table rows = r + 1 == side ? before : matrix;
        mkz_u32 partial = r + 1 == side ? middle : 0;
        MKZ_UNROLL for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) x[k] = MKZ_HASH_FN(sbox)(s[k], constants[k]);
        MKZ_UNROLL_CELLS for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] =
            MKZ_HASH_FN(dot)(x, rows + MKZ_UNIT_STATE_WORDS * k);
        constants += MKZ_UNIT_STATE_WORDS;
        MKZ_NO_UNROLL for (mkz_u32 i = 0; i < partial; i++) {
            s[0] = MKZ_HASH_FN(sbox)(s[0], folded[i]);
            first = MKZ_HASH_FN(dot)(s, sparse);
            sparse += MKZ_UNIT_STATE_WORDS;
            MKZ_UNROLL for (int k = 1; k < MKZ_UNIT_STATE_WORDS; k++) s[k] =
                MKZ_HASH_FN(add_product)(s[k], s[0], sparse[k]);
            s[0] = first;
            sparse += MKZ_UNIT_STATE_WORDS;
        }
    }
}
