/* rpo256_r1.h: RPO256 of miden-crypto up to 0.10.3 (its revision r1). docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 48
#define MKZ_UNIT_NAME rpo256_r1
#include "goldilocks_12.h"
#define MKZ_UNIT_FILLS_BLOCK 2
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */
#define MKZ_UNIT_PERMUTATION rpo
#define MKZ_UNIT_FIRST_CELL 4
#define MKZ_UNIT_LENGTH_CELL 0

#ifdef MKZ_RESET
#undef MKZ_RPO256_R1_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RPO256_R1_H)
#define MKZ_RPO256_R1_H
#include "rpo.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
