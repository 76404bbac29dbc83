/* rpx256.h: RPX256 of miden-crypto 0.29.0 to 0.36.3 (its revision r4). docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 17
#define MKZ_UNIT_NAME rpx256
#include "goldilocks_12.h"
#define MKZ_UNIT_FILLS_BLOCK 1
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */
#define MKZ_UNIT_PERMUTATION rpx
#define MKZ_UNIT_LENGTH_CELL 8

#ifdef MKZ_RESET
#undef MKZ_RPX256_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPX256_H)
#define MKZ_RPX256_H
#include "rpo.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
