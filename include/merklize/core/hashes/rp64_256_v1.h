/* rp64_256_v1.h: Rescue Prime as in winter-crypto 0.3.0 and 0.3.1. Rate in cells 0 to 7, length in cell 11, digest in cells
 * 0 to 3, dense MDS. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 1
#define MKZ_UNIT_NAME rp64_256_v1
#define MKZ_UNIT_TABLE_WORDS 600
#include "rescue_prime_facts.h"

#ifdef MKZ_RESET
#undef MKZ_RP64_256_V1_H
#elif !defined(MKZ_HASH) && !defined(MKZ_RP64_256_V1_H)
#define MKZ_RP64_256_V1_H

#define MKZ_RP(name) mkz_rp64_256_v1_##name
#define MKZ_RP_FIRST 0
#define MKZ_RP_LENGTH 11
#define MKZ_RP_MATRIX dense
#include "rescue_prime_variant.h"

#endif /* MKZ_RP64_256_V1_H */
#include "../unit.h"
