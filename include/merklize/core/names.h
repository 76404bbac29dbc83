/* names.h: names of a unit's functions, kernels and words, made from its facts NAME and WORD_BITS. For texts that are
 * included once a unit (hashes.h). */
#ifndef MKZ_NAMES_H
#define MKZ_NAMES_H

#include "port.h"

#define MKZ_HASH_FN(function) MKZ_JOIN(MKZ_JOIN(mkz_, MKZ_UNIT_NAME), _##function) /* mkz_blake3_merge */
#define MKZ_HASH_BODY(kernel) MKZ_JOIN(mkz_body_##kernel##_, MKZ_UNIT_NAME)        /* mkz_body_merge_level_blake3 */
#define MKZ_HASH_ENTRY(kernel) MKZ_JOIN(mkz_##kernel##_, MKZ_UNIT_NAME)            /* mkz_merge_level_blake3 */
#define MKZ_WORD_FN(function) MKZ_JOIN(mkz_##function, MKZ_UNIT_WORD_BITS)         /* mkz_load_nodes32 */
#define MKZ_WORD MKZ_JOIN(mkz_u, MKZ_UNIT_WORD_BITS)                               /* mkz_u32 */
#define MKZ_WORD_LANE MKZ_JOIN(mkz_lane, MKZ_UNIT_WORD_BITS)                       /* mkz_lane32 */
#define MKZ_SPLAT(x) MKZ_JOIN(MKZ_SPLAT, MKZ_UNIT_WORD_BITS)(x)                    /* the word x in every lane */
#define MKZ_NODE_WORDS (256 / MKZ_UNIT_WORD_BITS)                                  /* words of a node */
#define MKZ_FILL(s, k, word) MKZ_JOIN(MKZ_JOIN(mkz_, MKZ_UNIT_NAME), MKZ_JOIN(_, MKZ_UNIT_FILL_BY))(s, k, word)
/* elements of a row that one permutation takes */
#define MKZ_ROW_RATE(ctx) MKZ_JOIN(MKZ_ROW_RATE_, MKZ_UNIT_TABLE_IS_GIVEN)(ctx)
#define MKZ_ROW_RATE_0(ctx) MKZ_UNIT_RATE
#define MKZ_ROW_RATE_1(ctx) ((mkz_u32)(ctx).table[0])
#define MKZ_BLOCK_WORDS (MKZ_UNIT_RATE * 8 / MKZ_UNIT_WORD_BITS) /* byte hashes: words of a block */

#endif /* MKZ_NAMES_H */
