/* poseidon2_koalabear_24.h: Plonky3's hash over KoalaBear: rows by PaddingFreeSponge<24, 16, 8>, merges by TruncatedPermutation<2, 8, 16>.
 * docs/hashes.md has the definition. */
#define MKZ_UNIT_ID 24
#define MKZ_UNIT_NAME poseidon2_koalabear_24
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_RATE 16
#define MKZ_UNIT_QUAD_HASH 41
#define MKZ_UNIT_STATE_WORDS 24

#ifdef MKZ_RESET
#undef MKZ_POSEIDON2_KOALABEAR_24_H
#undef MKZ_POSEIDON2_KOALABEAR_H
#undef MKZ_POSEIDON2_KOALABEAR_CONSTANTS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_POSEIDON2_KOALABEAR_24_H)
#define MKZ_POSEIDON2_KOALABEAR_24_H

#include "poseidon2_koalabear.h"

#define MKZ_SPONGE(name) mkz_poseidon2_koalabear_24_##name
#define MKZ_SPONGE_CELL mkz_lane32
#define MKZ_SPONGE_IN(word) mkz_p2_koalabear_in(word)
#define MKZ_SPONGE_OUT(cell) mkz_p2_koalabear_out(cell)
#define MKZ_SPONGE_PERMUTE(s) mkz_p2_koalabear_24_permute(s)
#define MKZ_SPONGE_MERGE(s) mkz_p2_koalabear_16_permute(s)
#define MKZ_SPONGE_MERGE_WIDTH 16
#define MKZ_SPONGE_LENGTH_CELL -1
#include "field_sponge.h"

#endif /* MKZ_POSEIDON2_KOALABEAR_24_H */
#include "../unit.h"
