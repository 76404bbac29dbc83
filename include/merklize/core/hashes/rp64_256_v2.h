/* rp64_256_v2.h: Rescue Prime as in winter-crypto 0.3.2 to 0.4.0. Rate in cells 4 to 11, length in cell 0, digest in
 * cells 4 to 7, dense MDS. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 2
#define MKZ_UNIT_NAME rp64_256_v2
#include "goldilocks_12.h"
#define MKZ_UNIT_TABLE_WORDS 600
#define MKZ_UNIT_TEAM_ITEMS 16 /* one cell for each item; four items are idle */
#define MKZ_UNIT_MATRIX dense
#define MKZ_UNIT_FIRST_CELL 4
#define MKZ_UNIT_LENGTH_CELL 0

#ifdef MKZ_RESET
#undef MKZ_RP64_256_V2_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RP64_256_V2_H)
#define MKZ_RP64_256_V2_H
#include "rescue_prime_variant.h"
#endif
#include "../unit.h"
