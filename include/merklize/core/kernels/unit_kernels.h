/* unit_kernels.h: the kernels of one unit. unit.h includes it once for each unit of the program. */

/* The merge as kernels call it, and the additional arguments of the kernels. */
#if MKZ_KEYED && MKZ_UNIT_IS_KEYED
#define MKZ_KEY_PARAMETERS , mkz_key key, mkz_u32 flags
#define MKZ_TAKE_KEY(ctx) ((ctx).key = key, (ctx).flags = flags)
#define MKZ_MERGE(out, left, right) MKZ_HASH_FN(merge_by)(out, left, right, ctx)
#elif MKZ_UNIT_TABLE_WORDS || MKZ_UNIT_TABLE_IS_GIVEN
#define MKZ_KEY_PARAMETERS
#define MKZ_TAKE_KEY(ctx) ((void)0)
#define MKZ_MERGE(out, left, right) MKZ_HASH_FN(merge_by)(out, left, right, ctx)
#else
#define MKZ_KEY_PARAMETERS
#define MKZ_TAKE_KEY(ctx) ((void)0)
#define MKZ_MERGE(out, left, right) ((void)ctx, MKZ_HASH_FN(merge)(out, left, right))
#endif
/* How rows of bytes begin under a key of a hash without a tree of chunks: ctx.key is the state behind the block of the
 * key. */
#if MKZ_KEYED && MKZ_UNIT_IS_KEYED && !MKZ_UNIT_CHUNK_BYTES
#define MKZ_ROW_KEY_PARAMETERS MKZ_KEY_PARAMETERS
#define MKZ_TAKE_ROW_KEY(ctx) MKZ_TAKE_KEY(ctx)
#define MKZ_KEY_BLOCKS 1
#define MKZ_INIT(s, bytes) MKZ_HASH_FN(init_by)(s, ctx)
#else
#define MKZ_ROW_KEY_PARAMETERS
#define MKZ_TAKE_ROW_KEY(ctx) ((void)0)
#define MKZ_KEY_BLOCKS 0
#define MKZ_INIT(s, bytes) MKZ_HASH_FN(init)(s, bytes)
#endif
#if MKZ_UNIT_TABLE_WORDS || MKZ_UNIT_TABLE_IS_GIVEN
#define MKZ_PERMUTE(s) MKZ_HASH_FN(permute_by)(s, ctx)
#else
#define MKZ_PERMUTE(s) MKZ_HASH_FN(permute)(s)
#endif

/* Whether a group has teams, how many, and the words of local memory for their cells. */
#if MKZ_TEAMS && MKZ_UNIT_TEAM_ITEMS && MKZ_LANES == 1
#define MKZ_UNIT_HAS_TEAMS 1
#define MKZ_GROUP_TEAMS (MKZ_GROUP_SIZE / MKZ_UNIT_TEAM_ITEMS)
#define MKZ_TEAM_WORDS MKZ_GROUP_SIZE
#else
#define MKZ_UNIT_HAS_TEAMS 0
#define MKZ_TEAM_WORDS 1
#endif

#include "merge_at.h"
#include "merge_edge.h"
#include "merge_keep.h"
#include "merge_level.h"
#include "merge_pairs.h"
#include "merge_subtree.h"
#if MKZ_UNIT_CHUNK_BYTES
#include "chunk_blocks.h"
#include "hash_chunks.h"
#include "hash_parents.h"
/* Its towers are those of hash_parents. */
#include "hash_each.h"
#include "hash_tiles.h"
#endif
#include "hash_rows.h"
#if MKZ_UNIT_HAS_XMSS
#include "xmss.h"
#endif

#undef MKZ_KEY_PARAMETERS
#undef MKZ_TAKE_KEY
#undef MKZ_ROW_KEY_PARAMETERS
#undef MKZ_TAKE_ROW_KEY
#undef MKZ_KEY_BLOCKS
#undef MKZ_INIT
#undef MKZ_MERGE
#undef MKZ_PERMUTE
#undef MKZ_UNIT_HAS_TEAMS
#undef MKZ_GROUP_TEAMS
#undef MKZ_TEAM_WORDS
