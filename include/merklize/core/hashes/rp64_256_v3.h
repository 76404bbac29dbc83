/* rp64_256_v3.h: Rescue Prime as in winter-crypto 0.4.1 and later. Rate in cells 4 to 11, length in cell 0, digest in cells
 * 4 to 7, circulant MDS. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 3
#define MKZ_UNIT_NAME rp64_256_v3
#define MKZ_UNIT_TABLE_WORDS 168 /* only the round constants; the MDS is in the code */
#include "rescue_prime_facts.h"

#ifdef MKZ_RESET
#undef MKZ_RP64_256_V3_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RP64_256_V3_H)
#define MKZ_RP64_256_V3_H

#define MKZ_RP(name) mkz_rp64_256_v3_##name
#define MKZ_RP_FIRST 4
#define MKZ_RP_LENGTH 0
#define MKZ_RP_MATRIX circulant
#include "rescue_prime_variant.h"

#endif /* MKZ_RP64_256_V3_H */
#include "../unit.h"
