/* poseidon2_permutation.h: Poseidon2's permutation of one instance. docs/hashes.md has the definition.
 * poseidon2_FIELD.h includes it once an instance and first defines:
 *
 *   MKZ_P2_FIELD, MKZ_P2_P    the field's name and modulus
 *   MKZ_P2_WIDTH              cells: a multiple of 4
 *   MKZ_P2_ROUNDS             internal rounds
 *   MKZ_P2_DIAGONAL(TIMES, HALVE, LESS_HALF)    cells 1 and up as TIMES(cell, d) for a product by d, HALVE(cell, k) for
 *                                               one by 2^-k and LESS_HALF(cell, k) for one by -2^-k. In all instances
 *                                               cell 0 has -2
 *
 * The functions are mkz_p2_FIELD_WIDTH_permute and so on. mkz_p2_FIELD_WIDTH_constants has the constants in the order
 * of use (scripts/generate_hash_constants.py).
 *
 * Goldilocks: each linear layer adds the constants of the round that follows, because that costs no carry. The table
 * has rows of MKZ_P2_WIDTH words for external layers: initial rounds 0 to 3; the first internal constant and zeros;
 * terminal rounds 1 to 3; zeros. Then the other internal constants, and terminal round 0. 31-bit fields: the S-box adds
 * them, less p. The table has the initial rounds, the terminal rounds, the internal rounds. */

#define MKZ_P2_FN(name)                                                            \
    MKZ_JOIN(MKZ_JOIN(MKZ_JOIN(mkz_p2_, MKZ_P2_FIELD), MKZ_JOIN(_, MKZ_P2_WIDTH)), \
             _##name) /* mkz_p2_babybear_16_permute */
#define MKZ_P2_TABLE MKZ_P2_FN(constants)

#if MKZ_P2_P > 0xffffffff
/* Internal rounds on halves of the cells (goldilocks.h): cell = lo + 2^32 hi mod p. Only cell 0 becomes a word in each
 * round. The others are signed and grow by less than 4 bits a round, so they are made small again after every sixth. */
MKZ_FN void MKZ_P2_FN(internal)(mkz_gl *s, int states) {
    mkz_lane64 lows[MKZ_STATES][MKZ_P2_WIDTH], highs[MKZ_STATES][MKZ_P2_WIDTH];
    mkz_gl x[MKZ_STATES];
    MKZ_UNROLL for (int v = 0; v < states; v++) {
        x[v] = s[MKZ_P2_WIDTH * v];
        MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) {
            lows[v][k] = s[MKZ_P2_WIDTH * v + k] & MKZ_SPLAT64(MKZ_GL_E);
            highs[v][k] = s[MKZ_P2_WIDTH * v + k] >> 32;
        }
    }
    MKZ_NO_UNROLL for (int r = 0; r < MKZ_P2_ROUNDS; r++) {
        mkz_gl_pow7_each(x, states);
        MKZ_UNROLL for (int v = 0; v < states; v++) {
            mkz_lane64 *lo = lows[v], *hi = highs[v], low_sum = lo[1], high_sum = hi[1];
            lo[0] = x[v] & MKZ_SPLAT64(MKZ_GL_E);
            hi[0] = x[v] >> 32;
            MKZ_UNROLL for (int k = 2; k < MKZ_P2_WIDTH; k++) {
                low_sum = low_sum + lo[k];
                high_sum = high_sum + hi[k];
            }
            low_sum = low_sum + lo[0];
            high_sum = high_sum + hi[0];
            x[v] =
                mkz_gl_join_signed(low_sum - (lo[0] << 1), high_sum - (hi[0] << 1), MKZ_P2_TABLE[9 * MKZ_P2_WIDTH + r]);
            MKZ_P2_DIAGONAL(MKZ_P2_GL_TIMES, MKZ_P2_GL_HALVE, MKZ_P2_GL_LESS_HALF)
            if (r % 6 == 5) {
                MKZ_UNROLL for (int k = 1; k < MKZ_P2_WIDTH; k++) mkz_p2_goldilocks_shrink(&lo[k], &hi[k]);
            }
        }
    }
    MKZ_UNROLL for (int v = 0; v < states; v++) {
        mkz_gl *out = s + MKZ_P2_WIDTH * v;
        out[0] = x[v];
        MKZ_UNROLL for (int k = 1; k < MKZ_P2_WIDTH; k++) out[k] =
            mkz_gl_join_signed(lows[v][k], highs[v][k], MKZ_P2_TABLE[9 * MKZ_P2_WIDTH + MKZ_P2_ROUNDS - 1 + k]);
    }
}

/* One state after the other, or two in step where the chain of an internal round leaves a processor idle. */
MKZ_FN void MKZ_P2_FN(permute_states)(mkz_gl *s, int states) {
    MKZ_UNROLL for (int v = 0; v < states; v++)
        mkz_p2_goldilocks_external(s + MKZ_P2_WIDTH * v, MKZ_P2_WIDTH, MKZ_P2_TABLE);
    MKZ_NO_UNROLL for (int r = 0; r < 8; r++) {
        if (r == 4) MKZ_P2_FN(internal)(s, states);
        MKZ_UNROLL for (int v = 0; v < states; v++) {
            mkz_gl_pow7_each(s + MKZ_P2_WIDTH * v, MKZ_P2_WIDTH);
            mkz_p2_goldilocks_external(s + MKZ_P2_WIDTH * v, MKZ_P2_WIDTH, MKZ_P2_TABLE + MKZ_P2_WIDTH * (r + 1));
        }
    }
}

MKZ_FN_CALL void MKZ_P2_FN(permute)(mkz_gl s[MKZ_P2_WIDTH]) { MKZ_P2_FN(permute_states)(s, 1); }
#if MKZ_STATES == 2
MKZ_FN_CALL void MKZ_P2_FN(permute_two)(mkz_gl s[2 * MKZ_P2_WIDTH]) { MKZ_P2_FN(permute_states)(s, 2); }
#endif
#else
MKZ_FN void MKZ_P2_FN(internal)(mkz_lane32 s[MKZ_P2_WIDTH]) {
    const mkz_u32 p = MKZ_P2_P;
    MKZ_NO_UNROLL for (int r = 0; r < MKZ_P2_ROUNDS; r++) {
        mkz_lane32 x = mkz_m31_sbox(s[0], MKZ_P2_TABLE[8 * MKZ_P2_WIDTH + r], p);
        mkz_lane32 sum = mkz_m31_sum(s + 1, MKZ_P2_WIDTH - 1, p);
        s[0] = mkz_m31_sub(sum, x, p);
        sum = mkz_m31_add(sum, x, p);
        MKZ_P2_DIAGONAL(MKZ_P2_M31_TIMES, MKZ_P2_M31_HALVE, MKZ_P2_M31_LESS_HALF)
    }
}

MKZ_FN_CALL void MKZ_P2_FN(permute)(mkz_lane32 s[MKZ_P2_WIDTH]) {
    mkz_p2_m31_external(s, MKZ_P2_WIDTH, MKZ_P2_P);
    MKZ_NO_UNROLL for (int r = 0; r < 8; r++) {
        if (r == 4) MKZ_P2_FN(internal)(s);
        MKZ_UNROLL_CELLS for (int k = 0; k < MKZ_P2_WIDTH; k += MKZ_M31_STEP(MKZ_P2_WIDTH, MKZ_P2_P))
            MKZ_M31_SBOXES(MKZ_M31_STEP(MKZ_P2_WIDTH, MKZ_P2_P), s + k, MKZ_P2_TABLE + MKZ_P2_WIDTH * r + k, MKZ_P2_P);
        mkz_p2_m31_external(s, MKZ_P2_WIDTH, MKZ_P2_P);
    }
}
#endif

#undef MKZ_P2_WIDTH
#undef MKZ_P2_ROUNDS
#undef MKZ_P2_DIAGONAL
