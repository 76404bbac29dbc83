/* rescue_prime_variant.h: one variant of Rp64_256, MKZ_RP_VARIANT = 1, 2 or 3. Included by rescue_prime.h, once each.
 *
 *              v1 (winter-crypto 0.3.0-0.3.1)   v2 (0.3.2-0.4.0)   v3 (0.4.1 and later)
 *   rate       cells 0..8                       4..12              4..12
 *   length     cell 11                          0                  0
 *   digest     cells 0..4                       4..8               4..8
 *   MDS        dense                            dense              circulant */

#if MKZ_RP_VARIANT == 1
#define MKZ_RP(name) mkz_rp64_256_v1_##name
#define MKZ_RP_FIRST 0
#define MKZ_RP_LENGTH 11
#define MKZ_RP_PERMUTATION mkz_rp_permute_dense
#define MKZ_RP_PERMUTATION_BY(s, table) MKZ_RP_PERMUTE_BY(dense, s, table)
#define MKZ_RP_READS MKZ_RP_TABLE_WORDS
#elif MKZ_RP_VARIANT == 2
#define MKZ_RP(name) mkz_rp64_256_v2_##name
#define MKZ_RP_FIRST 4
#define MKZ_RP_LENGTH 0
#define MKZ_RP_PERMUTATION mkz_rp_permute_dense
#define MKZ_RP_PERMUTATION_BY(s, table) MKZ_RP_PERMUTE_BY(dense, s, table)
#define MKZ_RP_READS MKZ_RP_TABLE_WORDS
#elif MKZ_RP_VARIANT == 3
#define MKZ_RP(name) mkz_rp64_256_v3_##name
#define MKZ_RP_FIRST 4
#define MKZ_RP_LENGTH 0
#define MKZ_RP_PERMUTATION mkz_rp_permute_circulant
#define MKZ_RP_PERMUTATION_BY(s, table) MKZ_RP_PERMUTE_BY(circulant, s, table)
#define MKZ_RP_READS MKZ_RP_ARK_WORDS
#endif

MKZ_FN void MKZ_RP(permute)(mkz_gl s[MKZ_RP_WIDTH]) { MKZ_RP_PERMUTATION(s); }

/* The same with a kernel's table. */
MKZ_FN void MKZ_RP(permute_by)(mkz_gl s[MKZ_RP_WIDTH], mkz_rp_table table) { MKZ_RP_PERMUTATION_BY(s, table); }

/* Words of a kernel's table that this variant reads, and where its state has what: for kernels of teams. */
enum {
    MKZ_RP(table_words) = MKZ_RP_READS,
    MKZ_RP(first_cell) = MKZ_RP_FIRST,
    MKZ_RP(length_cell) = MKZ_RP_LENGTH,
    MKZ_RP(is_circulant) = MKZ_RP_VARIANT == 3
};

/* The state before the first block of `length` elements. */
MKZ_FN void MKZ_RP(init)(mkz_gl s[MKZ_RP_WIDTH], mkz_u64 length) {
    for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = MKZ_SPLAT64(0);
    s[MKZ_RP_LENGTH] = MKZ_SPLAT64(length % MKZ_GL_P);
}

/* Adds rate cell k of a block, 0 <= k < 8. element: canonical. Permute after each full block and after a last partial one. */
MKZ_FN void MKZ_RP(add)(mkz_gl s[MKZ_RP_WIDTH], int k, mkz_gl element) {
    s[MKZ_RP_FIRST + k] = mkz_gl_add(s[MKZ_RP_FIRST + k], element);
}

/* The digest: 4 canonical elements. */
MKZ_FN void MKZ_RP(digest)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl s[MKZ_RP_WIDTH]) {
    for (int k = 0; k < MKZ_RP_DIGEST; k++) out[k] = mkz_gl_canonical(s[MKZ_RP_FIRST + k]);
}

/* The state of a merge before its permutation. */
MKZ_FN void MKZ_RP(merge_init)(mkz_gl s[MKZ_RP_WIDTH], const mkz_gl left[MKZ_RP_DIGEST],
                               const mkz_gl right[MKZ_RP_DIGEST]) {
    MKZ_RP(init)(s, 2 * MKZ_RP_DIGEST);
    for (int k = 0; k < MKZ_RP_DIGEST; k++) {
        s[MKZ_RP_FIRST + k] = left[k];
        s[MKZ_RP_FIRST + MKZ_RP_DIGEST + k] = right[k];
    }
}

/* Merge of a Merkle tree: hash_elements of the 8 elements left || right: one permutation. Canonical in and out. */
MKZ_FN void MKZ_RP(merge)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl left[MKZ_RP_DIGEST],
                          const mkz_gl right[MKZ_RP_DIGEST]) {
    mkz_gl s[MKZ_RP_WIDTH];
    MKZ_RP(merge_init)(s, left, right);
    MKZ_RP(permute)(s);
    MKZ_RP(digest)(out, s);
}

/* The same with a kernel's table. */
MKZ_FN void MKZ_RP(merge_by)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl left[MKZ_RP_DIGEST],
                             const mkz_gl right[MKZ_RP_DIGEST], mkz_rp_table table) {
    mkz_gl s[MKZ_RP_WIDTH];
    MKZ_RP(merge_init)(s, left, right);
    MKZ_RP(permute_by)(s, table);
    MKZ_RP(digest)(out, s);
}

#undef MKZ_RP
#undef MKZ_RP_FIRST
#undef MKZ_RP_LENGTH
#undef MKZ_RP_PERMUTATION
#undef MKZ_RP_PERMUTATION_BY
#undef MKZ_RP_READS
