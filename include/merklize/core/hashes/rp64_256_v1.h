/* rp64_256_v1.h: Rescue Prime as in winter-crypto 0.3.0 and 0.3.1. Rate in cells 0 to 7, length in cell 11, digest in
 * cells 0 to 3, dense MDS. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 1
#define MKZ_UNIT_NAME rp64_256_v1
#include "goldilocks_12.h"
#define MKZ_UNIT_TABLE_WORDS 600
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */
#define MKZ_UNIT_MATRIX dense
#define MKZ_UNIT_FIRST_CELL 0
#define MKZ_UNIT_LENGTH_CELL 11

#ifdef MKZ_RESET
#undef MKZ_RP64_256_V1_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RP64_256_V1_H)
#define MKZ_RP64_256_V1_H
#include "rescue_prime_variant.h"
#endif
#include "../unit.h"
