/* poseidon_goldilocks_12.h: Plonky3's hash by Poseidon over Goldilocks: rows by PaddingFreeSponge<12, 8, 4>, merges by
 * TruncatedPermutation<2, 4, 8> of 8 cells. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 59
#define MKZ_UNIT_NAME poseidon_goldilocks_12
#include "goldilocks_12.h"
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_PERMUTATION pos_goldilocks_12
#define MKZ_UNIT_MERGE_PERMUTATION pos_goldilocks_8
#define MKZ_UNIT_MERGE_WORDS 8

#ifdef MKZ_RESET
#undef MKZ_POSEIDON_GOLDILOCKS_12_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON_GOLDILOCKS_12_H)
#define MKZ_POSEIDON_GOLDILOCKS_12_H
#include "poseidon_goldilocks.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
