/* eidos.h: Eidos, the hash of Miden 1.0 (miden-crypto from 1.0.0-rc.0 on): BLAKE3's compression on elements of
 * the Goldilocks field. docs/hashes.md has the definition.
 *
 * An element is two words of 32 bits, the low one first. */
#define MKZ_UNIT_ID 37
#define MKZ_UNIT_NAME eidos
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_ELEMENT_WORDS 2
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 24
#define MKZ_UNIT_IV_MASK 0xffffffffu
#define MKZ_UNIT_EMPTY 0x5c203861, 0x394b8298, 0x38c588d9, 0x767f9ee7, 0xcf50b7c6, 0x4a582bcd, 0xdd12e195, 0x29d2a973

#ifdef MKZ_RESET
#undef MKZ_EIDOS_H
#elif !defined(MKZ_HASH) && !defined(MKZ_EIDOS_H)
#define MKZ_EIDOS_H
#include "eidos_variant.h"
#endif
#include "../unit.h"
