/* rpo256_r1.h: RPO256 of miden-crypto up to 0.10.3 (its revision r1). docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 48
#define MKZ_UNIT_NAME rpo256_r1
#define MKZ_UNIT_FILLS_BLOCK 2
#include "rescue_prime_facts.h"

#ifdef MKZ_RESET
#undef MKZ_RPO256_R1_H
#undef MKZ_RPO_H
#undef MKZ_RPO_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPO256_R1_H)
#define MKZ_RPO256_R1_H

#include "rpo.h"

#define MKZ_SPONGE(name) mkz_rpo256_r1_##name
#define MKZ_SPONGE_CELL mkz_gl
#define MKZ_SPONGE_IN(word) (word)
#define MKZ_SPONGE_OUT(cell) mkz_gl_canonical(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_rpo_permute(s)
#define MKZ_SPONGE_MERGE(s) mkz_rpo_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 12
#define MKZ_SPONGE_FIRST 4
#define MKZ_SPONGE_LENGTH_CELL 0
#define MKZ_SPONGE_IS_PADDED 1
#include "field_sponge.h"

#if MKZ_TEAMS && MKZ_LANES == 1
/* A merge by a team of 16 items (rpo.h). */
MKZ_BODY mkz_u32 mkz_rpo256_r1_team_input(mkz_u32 cell) { return cell - 4; }
MKZ_BODY mkz_u64 mkz_rpo256_r1_merge_team(mkz_work_item item, MKZ_LOCAL mkz_u64 *cells, mkz_u32 cell, mkz_u32 works,
                                          mkz_u64 x, mkz_context ctx) {
    (void)ctx;
    return mkz_rpo_team(item, cells, cell, works, x);
}
#endif

#endif /* MKZ_RPO256_R1_H */
#include "../unit.h"
