/* field_sponge.h: the functions of a field hash whose rows go through a sponge in overwrite mode and whose merge is one
 * permutation. A block of a row replaces the rate's cells; the digest is in the first of them. A unit includes this
 * file, after its permutation's header, with these facts more than hashes.h has:
 *
 *   MKZ_UNIT_PERMUTATION         mkz_PERMUTATION_permute(s) permutes a row's state of STATE_WORDS cells, and if the
 *                                unit TAKES_TWO, mkz_PERMUTATION_permute_two(s) two states, one behind the other. With
 *                                a given table: none
 *   MKZ_UNIT_MERGE_PERMUTATION   the permutation of a merge, of
 *   MKZ_UNIT_MERGE_WORDS         cells: left, right, zeros. Both may be left out: as for rows
 *   MKZ_UNIT_FIRST_CELL 0        first cell of the rate and of the digest
 *   MKZ_UNIT_LENGTH_CELL -1      this cell is at first the row's length mod the rate, or with FILLS_BLOCK 2 whether
 *                                that is not 0; -1: none, the length is not bound
 *
 * With a given table (TABLE_IS_GIVEN) the functions that permute are permute_by and merge_by, and have ctx. */
#include "../names.h"

#ifndef MKZ_UNIT_MERGE_WORDS
#define MKZ_UNIT_MERGE_PERMUTATION MKZ_UNIT_PERMUTATION
#define MKZ_UNIT_MERGE_WORDS MKZ_UNIT_STATE_WORDS
#endif
#ifndef MKZ_UNIT_FIRST_CELL
#define MKZ_UNIT_FIRST_CELL 0
#endif
#ifndef MKZ_UNIT_LENGTH_CELL
#define MKZ_UNIT_LENGTH_CELL -1
#endif

/* Any word as a cell, and a cell as a canonical word. */
#define MKZ_SPONGE_IN(word) MKZ_JOIN(MKZ_SPONGE_IN, MKZ_UNIT_WORD_BITS)(word)
#define MKZ_SPONGE_IN32(word) mkz_m31_from_word(word, MKZ_UNIT_MODULUS)
#define MKZ_SPONGE_IN64(word) (word)
#define MKZ_SPONGE_OUT(cell) MKZ_JOIN(MKZ_SPONGE_OUT, MKZ_UNIT_WORD_BITS)(cell)
#define MKZ_SPONGE_OUT32(cell) mkz_m31_to_word(cell, MKZ_UNIT_MODULUS)
#define MKZ_SPONGE_OUT64(cell) mkz_gl_canonical(cell)

#if MKZ_UNIT_TABLE_IS_GIVEN
#define MKZ_SPONGE_FN(function) MKZ_HASH_FN(function##_by)
#define MKZ_SPONGE_AND_CONTEXT , mkz_context ctx
#define MKZ_SPONGE_PERMUTE(permutation, s) MKZ_HASH_FN(rounds)(s, ctx.table)
#else
#define MKZ_SPONGE_FN(function) MKZ_HASH_FN(function)
#define MKZ_SPONGE_AND_CONTEXT
#define MKZ_SPONGE_PERMUTE(permutation, s) MKZ_JOIN(MKZ_JOIN(mkz_, permutation), _permute)(s)
#endif

MKZ_FN void MKZ_SPONGE_FN(permute)(MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS] MKZ_SPONGE_AND_CONTEXT) {
    MKZ_SPONGE_PERMUTE(MKZ_UNIT_PERMUTATION, s);
}

#if MKZ_STATES == 2 && MKZ_UNIT_TAKES_TWO
MKZ_FN void MKZ_HASH_FN(permute_two)(MKZ_WORD_LANE s[2 * MKZ_UNIT_STATE_WORDS]) {
    MKZ_JOIN(MKZ_JOIN(mkz_, MKZ_UNIT_PERMUTATION), _permute_two)(s);
}
#endif

/* The state before the first block of `length` elements. */
MKZ_FN void MKZ_HASH_FN(init)(MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], mkz_u64 length) {
    for (int k = 0; k < MKZ_UNIT_STATE_WORDS; k++) s[k] = MKZ_SPLAT(0);
#if MKZ_UNIT_LENGTH_CELL >= 0 && MKZ_UNIT_FILLS_BLOCK == 2
    s[MKZ_UNIT_LENGTH_CELL] = MKZ_SPLAT((mkz_u64)(length % MKZ_UNIT_RATE != 0));
#elif MKZ_UNIT_LENGTH_CELL >= 0
    s[MKZ_UNIT_LENGTH_CELL] = MKZ_SPLAT(length % MKZ_UNIT_RATE);
#else
    (void)length;
#endif
}

/* Any word as word k of a block. Permute after each block; a last block may have fewer words (FILLS_BLOCK). */
MKZ_FN void MKZ_HASH_FN(add)(MKZ_WORD_LANE s[MKZ_UNIT_STATE_WORDS], int k, MKZ_WORD_LANE word) {
    s[MKZ_UNIT_FIRST_CELL + k] = MKZ_SPONGE_IN(word);
}

/* The digest: canonical words. */
MKZ_FN void MKZ_HASH_FN(digest)(MKZ_WORD_LANE out[MKZ_NODE_WORDS], const MKZ_WORD_LANE *s) {
    for (int k = 0; k < MKZ_NODE_WORDS; k++) out[k] = MKZ_SPONGE_OUT(s[MKZ_UNIT_FIRST_CELL + k]);
}

/* Merge of a Merkle tree: one permutation of left || right. Canonical in and out. */
MKZ_FN void MKZ_SPONGE_FN(merge)(MKZ_WORD_LANE out[MKZ_NODE_WORDS], const MKZ_WORD_LANE left[MKZ_NODE_WORDS],
                                 const MKZ_WORD_LANE right[MKZ_NODE_WORDS] MKZ_SPONGE_AND_CONTEXT) {
    MKZ_WORD_LANE s[MKZ_UNIT_MERGE_WORDS];
    for (int k = 0; k < MKZ_UNIT_MERGE_WORDS; k++) s[k] = MKZ_SPLAT(0);
    for (int k = 0; k < MKZ_NODE_WORDS; k++) {
        s[MKZ_UNIT_FIRST_CELL + k] = MKZ_SPONGE_IN(left[k]);
        s[MKZ_UNIT_FIRST_CELL + MKZ_NODE_WORDS + k] = MKZ_SPONGE_IN(right[k]);
    }
    MKZ_SPONGE_PERMUTE(MKZ_UNIT_MERGE_PERMUTATION, s);
    MKZ_HASH_FN(digest)(out, s);
}

#if MKZ_UNIT_TEAM_ITEMS && MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team, as in rescue_prime_variant.h, over mkz_PERMUTATION_team. */
MKZ_BODY mkz_u32 MKZ_HASH_FN(team_input)(mkz_u32 cell) { return cell - MKZ_UNIT_FIRST_CELL; }
MKZ_BODY mkz_u64 MKZ_HASH_FN(merge_team)(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                         mkz_u64 x, mkz_context ctx) {
    (void)ctx;
    return MKZ_JOIN(MKZ_JOIN(mkz_, MKZ_UNIT_PERMUTATION), _team)(item, cells, cell, works, x);
}
#endif

#undef MKZ_SPONGE_FN
#undef MKZ_SPONGE_AND_CONTEXT
#undef MKZ_SPONGE_PERMUTE
