/* field_sponge.h: the functions of a field hash whose rows go through a sponge in overwrite mode and whose merge is one permutation.
 * A block of a row replaces the rate's cells, which are the first; the digest is the first cells. A unit includes it and first defines:
 *
 *   MKZ_SPONGE(name)         the functions' names
 *   MKZ_SPONGE_CELL          type of a cell, and how any word becomes a cell and a cell a canonical word:
 *   MKZ_SPONGE_IN(word), MKZ_SPONGE_OUT(cell)
 *   MKZ_SPONGE_PERMUTE       the permutation of a row's state, of MKZ_UNIT_STATE_WORDS cells
 *   MKZ_SPONGE_MERGE         the permutation of a merge, of
 *   MKZ_SPONGE_MERGE_WIDTH   cells: left, right, zeros
 *   MKZ_SPONGE_LENGTH_CELL   this cell is the row's length mod the rate at first; -1: none, the length is not bound
 *
 * With a given table (MKZ_UNIT_TABLE_IS_GIVEN) the functions that permute are permute_by and merge_by, and have ctx. */
#if MKZ_UNIT_TABLE_IS_GIVEN
#define MKZ_SPONGE_BY(name) MKZ_SPONGE(name##_by)
#define MKZ_SPONGE_AND_CONTEXT , mkz_context ctx
#else
#define MKZ_SPONGE_BY(name) MKZ_SPONGE(name)
#define MKZ_SPONGE_AND_CONTEXT
#endif
#define MKZ_SPONGE_DIGEST (256 / MKZ_UNIT_WORD_BITS)

MKZ_FN void MKZ_SPONGE_BY(permute)(MKZ_SPONGE_CELL s[MKZ_UNIT_STATE_WORDS] MKZ_SPONGE_AND_CONTEXT) {
    MKZ_SPONGE_PERMUTE(s);
}

/* The state before the first block of `length` elements. */
MKZ_FN void MKZ_SPONGE(init)(MKZ_SPONGE_CELL s[MKZ_UNIT_STATE_WORDS], mkz_u64 length) {
    for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] = MKZ_JOIN(MKZ_SPLAT, MKZ_UNIT_WORD_BITS)(0);
#if MKZ_SPONGE_LENGTH_CELL >= 0
    s[MKZ_SPONGE_LENGTH_CELL] = MKZ_JOIN(MKZ_SPLAT, MKZ_UNIT_WORD_BITS)(length % MKZ_UNIT_RATE);
#else
    (void)length;
#endif
}

/* Any word as word k of a block. Permute after each block; a last block may have fewer words (MKZ_UNIT_FILLS_BLOCK). */
MKZ_FN void MKZ_SPONGE(add)(MKZ_SPONGE_CELL s[MKZ_UNIT_STATE_WORDS], int k, MKZ_SPONGE_CELL word) {
    s[k] = MKZ_SPONGE_IN(word);
}

/* The digest: canonical words. */
MKZ_FN void MKZ_SPONGE(digest)(MKZ_SPONGE_CELL out[MKZ_SPONGE_DIGEST], const MKZ_SPONGE_CELL *s) {
    for (int k = 0; k < MKZ_SPONGE_DIGEST; k++) out[k] = MKZ_SPONGE_OUT(s[k]);
}

/* Merge of a Merkle tree: one permutation of left || right. Canonical in and out. */
MKZ_FN void MKZ_SPONGE_BY(merge)(MKZ_SPONGE_CELL out[MKZ_SPONGE_DIGEST], const MKZ_SPONGE_CELL left[MKZ_SPONGE_DIGEST],
                                 const MKZ_SPONGE_CELL right[MKZ_SPONGE_DIGEST] MKZ_SPONGE_AND_CONTEXT) {
    MKZ_SPONGE_CELL s[MKZ_SPONGE_MERGE_WIDTH];
    for (int k = 2 * MKZ_SPONGE_DIGEST; k < MKZ_SPONGE_MERGE_WIDTH; k++)
        s[k] = MKZ_JOIN(MKZ_SPLAT, MKZ_UNIT_WORD_BITS)(0);
    for (int k = 0; k < MKZ_SPONGE_DIGEST; k++) {
        s[k] = MKZ_SPONGE_IN(left[k]);
        s[MKZ_SPONGE_DIGEST + k] = MKZ_SPONGE_IN(right[k]);
    }
    MKZ_SPONGE_MERGE(s);
    MKZ_SPONGE(digest)(out, s);
}

#undef MKZ_SPONGE
#undef MKZ_SPONGE_CELL
#undef MKZ_SPONGE_IN
#undef MKZ_SPONGE_OUT
#undef MKZ_SPONGE_PERMUTE
#undef MKZ_SPONGE_MERGE
#undef MKZ_SPONGE_MERGE_WIDTH
#undef MKZ_SPONGE_LENGTH_CELL
#undef MKZ_SPONGE_DIGEST
#undef MKZ_SPONGE_BY
#undef MKZ_SPONGE_AND_CONTEXT
