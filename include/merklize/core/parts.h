/* parts.h: the list of parts: units that are no hashes, but functions that hashes need. A row states a part's facts, as
 * a unit does (hashes.h), from its name to the end of unit.h. hashes.h walks them behind the hashes if MKZ_WITH_PARTS
 * is defined. By id. */
#if !defined(MKZ_HASH) && !defined(MKZ_PARTS_H)
#define MKZ_PARTS_H
#define MKZ_DEFINES_PARTS
#endif

/* Merges of four nodes of Plonky3's Poseidon2 trees, TruncatedPermutation<4, digest, width>, as the hash of a row: all
 * cells. They are no hashes of rows, since they have no capacity. */
#define MKZ_UNIT_NAME poseidon2_goldilocks_quad
#define MKZ_UNIT_ID 39
#define MKZ_UNIT_IS_PART 1
#define MKZ_UNIT_WORD_BITS 64
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 16
#define MKZ_UNIT_STATE_WORDS 16
#define MKZ_UNIT_TAKES_TWO 1
#define MKZ_UNIT_PERMUTATION p2_goldilocks_16
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_goldilocks.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_babybear_quad
#define MKZ_UNIT_ID 40
#define MKZ_UNIT_IS_PART 1
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x78000001
#define MKZ_UNIT_RATE 32
#define MKZ_UNIT_STATE_WORDS 32
#define MKZ_UNIT_PERMUTATION p2_babybear_32
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_babybear.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_koalabear_quad
#define MKZ_UNIT_ID 41
#define MKZ_UNIT_IS_PART 1
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_MODULUS 0x7f000001
#define MKZ_UNIT_RATE 32
#define MKZ_UNIT_STATE_WORDS 32
#define MKZ_UNIT_PERMUTATION p2_koalabear_32
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_koalabear.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

/* Poseidon2 with the constants of a caller, by field and cells: rows by PaddingFreeSponge<cells, rate, digest>, merges
 * by TruncatedPermutation<2, digest, cells>. The table has the rate; docs/hashes.md has the definition. */
#define MKZ_UNIT_NAME poseidon2_given_goldilocks_8
#define MKZ_UNIT_ID 42
#define MKZ_UNIT_RATE 8
#include "hashes/given_goldilocks.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_goldilocks_12
#define MKZ_UNIT_ID 43
#define MKZ_UNIT_RATE 12
#include "hashes/given_goldilocks.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_babybear_16
#define MKZ_UNIT_ID 44
#define MKZ_UNIT_RATE 16
#include "hashes/given_babybear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_babybear_24
#define MKZ_UNIT_ID 45
#define MKZ_UNIT_RATE 24
#include "hashes/given_babybear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_koalabear_16
#define MKZ_UNIT_ID 46
#define MKZ_UNIT_RATE 16
#include "hashes/given_koalabear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_koalabear_24
#define MKZ_UNIT_ID 47
#define MKZ_UNIT_RATE 24
#include "hashes/given_koalabear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_goldilocks_16
#define MKZ_UNIT_ID 52
#define MKZ_UNIT_RATE 16
#include "hashes/given_goldilocks.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_babybear_32
#define MKZ_UNIT_ID 53
#define MKZ_UNIT_RATE 32
#include "hashes/given_babybear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon2_given_koalabear_32
#define MKZ_UNIT_ID 54
#define MKZ_UNIT_RATE 32
#include "hashes/given_koalabear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon2_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

/* Poseidon, version 1, with the constants of a caller: the same. */
#define MKZ_UNIT_NAME poseidon_given_goldilocks_8
#define MKZ_UNIT_ID 66
#define MKZ_UNIT_RATE 8
#include "hashes/given_goldilocks.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon_given_goldilocks_12
#define MKZ_UNIT_ID 67
#define MKZ_UNIT_RATE 12
#include "hashes/given_goldilocks.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon_given_babybear_16
#define MKZ_UNIT_ID 68
#define MKZ_UNIT_RATE 16
#include "hashes/given_babybear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon_given_babybear_24
#define MKZ_UNIT_ID 69
#define MKZ_UNIT_RATE 24
#include "hashes/given_babybear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon_given_koalabear_16
#define MKZ_UNIT_ID 70
#define MKZ_UNIT_RATE 16
#include "hashes/given_koalabear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#define MKZ_UNIT_NAME poseidon_given_koalabear_24
#define MKZ_UNIT_ID 71
#define MKZ_UNIT_RATE 24
#include "hashes/given_koalabear.h"
#ifdef MKZ_DEFINES_PARTS
#include "hashes/poseidon_given.h"

#include "hashes/field_sponge.h"
#endif
#include "unit.h"

#undef MKZ_DEFINES_PARTS
