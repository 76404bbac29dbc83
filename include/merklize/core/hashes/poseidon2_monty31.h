/* poseidon2_monty31.h: the functions of Poseidon2 over one 31-bit field. poseidon2_babybear.h and poseidon2_koalabear.h include it and
 * first define MKZ_P2_FIELD(name) and MKZ_P2_P (poseidon2_permutation.h), and MKZ_P2_ALPHA, 3 or 7. */
/* (x + c)^alpha, where c is a constant less p: so x + c is between -p and p. */
MKZ_FN mkz_lane32 MKZ_P2_FIELD(sbox)(mkz_lane32 x, mkz_u32 c) {
    return MKZ_JOIN(mkz_m31_pow, MKZ_P2_ALPHA)(x + MKZ_SPLAT32(c), MKZ_P2_P);
}

/* The product of four cells by the matrix 2 3 1 1 / 1 2 3 1 / 1 1 2 3 / 3 1 1 2. */
MKZ_FN void MKZ_P2_FIELD(m4)(mkz_lane32 x[4]) {
    mkz_lane32 a = mkz_m31_add(x[0], x[1], MKZ_P2_P), b = mkz_m31_add(x[2], x[3], MKZ_P2_P);
    mkz_lane32 c = mkz_m31_add(a, b, MKZ_P2_P);
    mkz_lane32 d = mkz_m31_add(c, x[1], MKZ_P2_P), e = mkz_m31_add(c, x[3], MKZ_P2_P);
    x[3] = mkz_m31_add(e, mkz_m31_times(x[0], 2, MKZ_P2_P), MKZ_P2_P);
    x[1] = mkz_m31_add(d, mkz_m31_times(x[2], 2, MKZ_P2_P), MKZ_P2_P);
    x[0] = mkz_m31_add(d, a, MKZ_P2_P);
    x[2] = mkz_m31_add(e, b, MKZ_P2_P);
}

/* The external layer. The sums of all blocks are added before the product, which gives the same. */
MKZ_FN void MKZ_P2_FIELD(external)(mkz_lane32 *s, int width) {
    mkz_lane32 sums[4] = {s[0], s[1], s[2], s[3]};
    MKZ_UNROLL for (int k = 4; k < width; k++) sums[k % 4] = mkz_m31_add(sums[k % 4], s[k], MKZ_P2_P);
    MKZ_UNROLL for (int k = 0; k < width; k++) s[k] = mkz_m31_add(s[k], sums[k % 4], MKZ_P2_P);
    MKZ_UNROLL for (int k = 0; k < width; k += 4) MKZ_P2_FIELD(m4)(s + k);
}
