/* poseidon2_given.h: Poseidon2's permutation with the constants and the diagonal of a caller (docs/hashes.md, `poseidon2:...`). A unit
 * includes it, after its field's header, and first defines MKZ_P2(name), MKZ_P2_BITS, MKZ_P2_WIDTH, and for 31-bit fields MKZ_P2_FIELD
 * and MKZ_P2_P (poseidon2_permutation.h). It undefines them.
 *
 * The table, words of 64 bits (src/digests/poseidon2.cpp makes it):
 *   rate; half of the external rounds; the internal rounds
 *   the diagonal: one word a cell
 *   the constants in the order of use: initial rounds, internal rounds, terminal rounds
 * Goldilocks: canonical words. 31-bit fields: Montgomery form; constants less p, as the S-box adds them. */

#if MKZ_P2_BITS == 64
MKZ_FN void MKZ_P2(external_round)(mkz_gl s[MKZ_P2_WIDTH], mkz_table constants) {
    mkz_lane64 lo[16] = {0}, hi[16] = {0};
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) s[k] = mkz_gl_pow7(mkz_gl_add(s[k], MKZ_SPLAT64(constants[k])));
    mkz_p2_goldilocks_external_halves(lo, hi, s, MKZ_P2_WIDTH);
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) s[k] = mkz_gl_join(lo[k], hi[k]);
}

/* Sums of the halves of at most 16 cells are below 2^36, and no product is needed to add them. */
MKZ_FN void MKZ_P2(internal_round)(mkz_gl s[MKZ_P2_WIDTH], mkz_u64 c, mkz_table diagonal) {
    mkz_lane64 low = MKZ_SPLAT64(0), high = MKZ_SPLAT64(0);
    s[0] = mkz_gl_pow7(mkz_gl_add(s[0], MKZ_SPLAT64(c)));
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) {
        low = low + (s[k] & MKZ_SPLAT64(MKZ_GL_E));
        high = high + (s[k] >> 32);
    }
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) {
        mkz_gl product = mkz_gl_mul(s[k], MKZ_SPLAT64(diagonal[k]));
        s[k] = mkz_gl_join(low + (product & MKZ_SPLAT64(MKZ_GL_E)), high + (product >> 32));
    }
}

MKZ_FN void MKZ_P2(begin)(mkz_gl s[MKZ_P2_WIDTH]) {
    mkz_lane64 lo[16] = {0}, hi[16] = {0};
    mkz_p2_goldilocks_external_halves(lo, hi, s, MKZ_P2_WIDTH);
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) s[k] = mkz_gl_join(lo[k], hi[k]);
}
#define MKZ_P2_CELL mkz_gl
#else
MKZ_FN void MKZ_P2(external_round)(mkz_lane32 s[MKZ_P2_WIDTH], mkz_table constants) {
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) s[k] = MKZ_P2_FIELD(sbox)(s[k], (mkz_u32)constants[k]);
    MKZ_P2_FIELD(external)(s, MKZ_P2_WIDTH);
}

MKZ_FN void MKZ_P2(internal_round)(mkz_lane32 s[MKZ_P2_WIDTH], mkz_u64 c, mkz_table diagonal) {
    mkz_lane32 sum;
    s[0] = MKZ_P2_FIELD(sbox)(s[0], (mkz_u32)c);
    sum = mkz_m31_sum(s, MKZ_P2_WIDTH, MKZ_P2_P);
    MKZ_UNROLL for (int k = 0; k < MKZ_P2_WIDTH; k++) s[k] =
        mkz_m31_add(sum, mkz_m31_mul(s[k], MKZ_SPLAT32((mkz_u32)diagonal[k]), MKZ_P2_P), MKZ_P2_P);
}

MKZ_FN void MKZ_P2(begin)(mkz_lane32 s[MKZ_P2_WIDTH]) { MKZ_P2_FIELD(external)(s, MKZ_P2_WIDTH); }
#define MKZ_P2_CELL mkz_lane32
#endif

MKZ_FN_CALL void MKZ_P2(permute)(MKZ_P2_CELL s[MKZ_P2_WIDTH], mkz_table table) {
    mkz_u32 side = (mkz_u32)table[1], middle = (mkz_u32)table[2];
    mkz_table diagonal = table + 3, constants = diagonal + MKZ_P2_WIDTH;
    MKZ_P2(begin)(s);
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < side; r++) MKZ_P2(external_round)(s, constants + MKZ_P2_WIDTH * r);
    constants += MKZ_P2_WIDTH * side;
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < middle; r++) MKZ_P2(internal_round)(s, constants[r], diagonal);
    constants += middle;
    MKZ_NO_UNROLL for (mkz_u32 r = 0; r < side; r++) MKZ_P2(external_round)(s, constants + MKZ_P2_WIDTH * r);
}

#undef MKZ_P2
#undef MKZ_P2_BITS
#undef MKZ_P2_CELL
#undef MKZ_P2_FIELD
#undef MKZ_P2_P
#undef MKZ_P2_WIDTH
