/* poseidon2_miden.h: Poseidon2 of miden-crypto since 0.24.0: Plonky3's permutation of 12 cells in the sponge of RPO.
 * docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 20
#define MKZ_UNIT_NAME poseidon2_miden
#include "goldilocks_12.h"
#define MKZ_UNIT_FILLS_BLOCK 1
#define MKZ_UNIT_PERMUTATION p2_goldilocks_12
#define MKZ_UNIT_LENGTH_CELL 8

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_MIDEN_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_MIDEN_H)
#define MKZ_POSEIDON2_MIDEN_H
#include "poseidon2_goldilocks.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
