/* rescue_prime_variant.h: the functions of one variant of Rp64_256. Its unit includes this file, with three facts more
 * than hashes.h has:
 *
 *   MKZ_UNIT_MATRIX         the MDS: dense or circulant
 *   MKZ_UNIT_FIRST_CELL     first cell of the rate and of the digest
 *   MKZ_UNIT_LENGTH_CELL    cell that holds the row's length */
#include "../names.h"
#include "rescue_prime.h"

MKZ_FN void MKZ_HASH_FN(permute)(mkz_gl s[MKZ_RP_WIDTH]) { MKZ_JOIN(mkz_rp_permute_, MKZ_UNIT_MATRIX)(s); }

/* The same with a kernel's table. */
MKZ_FN void MKZ_HASH_FN(permute_by)(mkz_gl s[MKZ_RP_WIDTH], mkz_context ctx) {
    MKZ_RP_PERMUTE_BY(MKZ_UNIT_MATRIX, s, ctx.table);
}

MKZ_FN mkz_u64 MKZ_HASH_FN(table_word)(mkz_u32 i) { return mkz_rp_table_word(i); }

/* The state before the first block of `length` elements. */
MKZ_FN void MKZ_HASH_FN(init)(mkz_gl s[MKZ_RP_WIDTH], mkz_u64 length) {
    for (int k = 0; k < MKZ_RP_WIDTH; k++) s[k] = MKZ_SPLAT64(0);
    s[MKZ_UNIT_LENGTH_CELL] = MKZ_SPLAT64(length % MKZ_GL_P);
}

/* Adds any word, taken mod p, to rate cell k of a block, 0 <= k < 8. Permute after each full block and after the last
 * partial block. */
MKZ_FN void MKZ_HASH_FN(add)(mkz_gl s[MKZ_RP_WIDTH], int k, mkz_gl word) {
    s[MKZ_UNIT_FIRST_CELL + k] = mkz_gl_add(s[MKZ_UNIT_FIRST_CELL + k], mkz_gl_canonical(word));
}

/* The digest: 4 canonical elements. */
MKZ_FN void MKZ_HASH_FN(digest)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl s[MKZ_RP_WIDTH]) {
    for (int k = 0; k < MKZ_RP_DIGEST; k++) out[k] = mkz_gl_canonical(s[MKZ_UNIT_FIRST_CELL + k]);
}

/* The state of a merge before its permutation. */
MKZ_FN void MKZ_HASH_FN(merge_init)(mkz_gl s[MKZ_RP_WIDTH], const mkz_gl left[MKZ_RP_DIGEST],
                                    const mkz_gl right[MKZ_RP_DIGEST]) {
    MKZ_HASH_FN(init)(s, 2 * MKZ_RP_DIGEST);
    for (int k = 0; k < MKZ_RP_DIGEST; k++) {
        s[MKZ_UNIT_FIRST_CELL + k] = left[k];
        s[MKZ_UNIT_FIRST_CELL + MKZ_RP_DIGEST + k] = right[k];
    }
}

/* Merge of a Merkle tree: hash_elements of the 8 elements left || right, which is one permutation. Canonical in and
 * out. */
MKZ_FN void MKZ_HASH_FN(merge)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl left[MKZ_RP_DIGEST],
                               const mkz_gl right[MKZ_RP_DIGEST]) {
    mkz_gl s[MKZ_RP_WIDTH];
    MKZ_HASH_FN(merge_init)(s, left, right);
    MKZ_HASH_FN(permute)(s);
    MKZ_HASH_FN(digest)(out, s);
}

/* The same with a kernel's table. */
MKZ_FN void MKZ_HASH_FN(merge_by)(mkz_gl out[MKZ_RP_DIGEST], const mkz_gl left[MKZ_RP_DIGEST],
                                  const mkz_gl right[MKZ_RP_DIGEST], mkz_context ctx) {
    mkz_gl s[MKZ_RP_WIDTH];
    MKZ_HASH_FN(merge_init)(s, left, right);
    MKZ_HASH_FN(permute_by)(s, ctx);
    MKZ_HASH_FN(digest)(out, s);
}

#if MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team of 16 items, one cell for each item. Near its root a tree has fewer merges than a GPU has items, so
 * a level takes the time of one merge. The S-boxes of the 12 cells are independent. The MDS needs all cells and reads
 * them from local memory. */

/* Index of the word of left || right that an item of a team begins with; 8 or more: none. An item with index < 4 ends
 * with the word of that index in the parent. */
MKZ_BODY mkz_u32 MKZ_HASH_FN(team_input)(mkz_u32 cell) { return cell - MKZ_UNIT_FIRST_CELL; }

/* All items of a group must call it together. x: the item's word, 0 if it has none. cells: the team's 16 words of local
 * memory. works: 0 for an item that only waits. */
MKZ_BODY mkz_u64 MKZ_HASH_FN(merge_team)(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                         mkz_u64 x, mkz_context ctx) {
    (void)ctx;
    if (cell == MKZ_UNIT_LENGTH_CELL) x = 2 * MKZ_RP_DIGEST;
    MKZ_NO_UNROLL for (int h = 0; h < 2 * MKZ_RP_ROUNDS; h++) {
        if (works) {
            if (h % 2 == 0)
                x = mkz_gl_pow7(x);
            else
                mkz_rp_root7(&x, 1);
            cells[cell] = x;
        }
        MKZ_BARRIER(item);
        if (works)
            x = MKZ_JOIN(MKZ_RP_PLACE(team_row_), MKZ_UNIT_MATRIX)(cells, (int)cell, h, MKZ_RP_TABLES(ctx.table));
        MKZ_BARRIER(item);
    }
    return mkz_gl_canonical(x);
}
#endif
