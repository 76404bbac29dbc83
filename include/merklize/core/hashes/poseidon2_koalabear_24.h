/* poseidon2_koalabear_24.h: Plonky3's hash over KoalaBear: rows by PaddingFreeSponge<24, 16, 8>, merges by
 * TruncatedPermutation<2, 8, 16>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 24
#define MKZ_UNIT_NAME poseidon2_koalabear_24
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_RATE 16
#define MKZ_UNIT_STATE_WORDS 24
#define MKZ_UNIT_QUAD_HASH 41
#define MKZ_UNIT_PERMUTATION p2_koalabear_24
#define MKZ_UNIT_MERGE_PERMUTATION p2_koalabear_16
#define MKZ_UNIT_MERGE_WORDS 16

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_KOALABEAR_24_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_KOALABEAR_24_H)
#define MKZ_POSEIDON2_KOALABEAR_24_H
#include "poseidon2_koalabear.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
