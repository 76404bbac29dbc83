/* rp64_256_v3.h: Rescue Prime as in winter-crypto 0.4.1 and later. Rate in cells 4 to 11, length in cell 0, digest in
 * cells 4 to 7, circulant MDS. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 3
#define MKZ_UNIT_NAME rp64_256_v3
#include "goldilocks_12.h"
#define MKZ_UNIT_TABLE_WORDS 168 /* only the round constants; the MDS is in the code */
#define MKZ_UNIT_TEAM_ITEMS 16   /* one cell for each item; four items are idle */
#define MKZ_UNIT_MATRIX circulant
#define MKZ_UNIT_FIRST_CELL 4
#define MKZ_UNIT_LENGTH_CELL 0

#ifdef MKZ_RESET
#undef MKZ_RP64_256_V3_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RP64_256_V3_H)
#define MKZ_RP64_256_V3_H
#include "rescue_prime_variant.h"
#endif
#include "../unit.h"
