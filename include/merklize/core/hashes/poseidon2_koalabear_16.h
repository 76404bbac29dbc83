/* poseidon2_koalabear_16.h: Plonky3's hash over KoalaBear: rows by PaddingFreeSponge<16, 8, 8>, merges by
 * TruncatedPermutation<2, 8, 16>. docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 23
#define MKZ_UNIT_NAME poseidon2_koalabear_16
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 16
#define MKZ_UNIT_QUAD_HASH 41
#define MKZ_UNIT_PERMUTATION p2_koalabear_16

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_KOALABEAR_16_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_KOALABEAR_16_H)
#define MKZ_POSEIDON2_KOALABEAR_16_H
#include "poseidon2_koalabear.h"

#include "field_sponge.h"
#endif
#include "../unit.h"
