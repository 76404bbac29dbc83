/* poseidon2_goldilocks_12.h: Plonky3's hash over Goldilocks: rows by PaddingFreeSponge<12, 8, 4>, merges by
 * TruncatedPermutation<2, 4, 8>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 19
#define MKZ_UNIT_NAME poseidon2_goldilocks_12
#include "goldilocks_12.h"
#define MKZ_UNIT_QUAD_HASH 39
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_PERMUTATION p2_goldilocks_12
#define MKZ_UNIT_MERGE_PERMUTATION p2_goldilocks_8
#define MKZ_UNIT_MERGE_WORDS 8

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_GOLDILOCKS_12_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_GOLDILOCKS_12_H)
#define MKZ_POSEIDON2_GOLDILOCKS_12_H
#include "poseidon2_goldilocks.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
