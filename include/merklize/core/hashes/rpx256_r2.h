/* rpx256_r2.h: RPX256 of miden-crypto 0.11.0 to 0.20.1 (its revision r2). docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 50
#define MKZ_UNIT_NAME rpx256_r2
#define MKZ_UNIT_FILLS_BLOCK 1
#include "rescue_prime_facts.h"

#ifdef MKZ_RESET
#undef MKZ_RPX256_R2_H
#undef MKZ_RPO_H
#undef MKZ_RPO_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPX256_R2_H)
#define MKZ_RPX256_R2_H

#include "rpo.h"

#define MKZ_SPONGE(name) mkz_rpx256_r2_##name
#define MKZ_SPONGE_CELL mkz_gl
#define MKZ_SPONGE_IN(word) (word)
#define MKZ_SPONGE_OUT(cell) mkz_gl_canonical(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_rpx_permute(s)
#define MKZ_SPONGE_MERGE(s) mkz_rpx_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 12
#define MKZ_SPONGE_FIRST 4
#define MKZ_SPONGE_LENGTH_CELL 0
#include "field_sponge.h"

#if MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team of 16 items (rpo.h). */
MKZ_BODY mkz_u32 mkz_rpx256_r2_team_input(mkz_u32 cell) { return cell - 4; }
MKZ_BODY mkz_u64 mkz_rpx256_r2_merge_team(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                          mkz_u64 x, mkz_context ctx) {
    (void)ctx;
    return mkz_rpx_team(item, cells, cell, works, x);
}
#endif

#endif /* MKZ_RPX256_R2_H */
#include "../unit.h"
