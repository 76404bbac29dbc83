/* rpx256_r2.h: RPX256 of miden-crypto 0.11.0 to 0.20.1 (its revision r2). docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 50
#define MKZ_UNIT_NAME rpx256_r2
#include "goldilocks_12.h"
#define MKZ_UNIT_FILLS_BLOCK 1
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */
#define MKZ_UNIT_PERMUTATION rpx
#define MKZ_UNIT_FIRST_CELL 4
#define MKZ_UNIT_LENGTH_CELL 0

#ifdef MKZ_RESET
#undef MKZ_RPX256_R2_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPX256_R2_H)
#define MKZ_RPX256_R2_H
#include "rpo.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
