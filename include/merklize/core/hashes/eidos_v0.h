/* eidos_v0.h: Eidos, the hash of miden-crypto 0.33.0 to 0.36.3. Its initial values lack their top bits: BLAKE3's
 * compression on elements of the Goldilocks field. docs/hashes.md has the definition.
 *
 * An element is two words of 32 bits, the low one first. */
#define MKZ_UNIT_ID 38
#define MKZ_UNIT_NAME eidos_v0
#define MKZ_UNIT_WORD_BITS 32
#define MKZ_UNIT_ELEMENT_WORDS 2
#define MKZ_UNIT_MODULUS 0xffffffff00000001
#define MKZ_UNIT_RATE 8
#define MKZ_UNIT_STATE_WORDS 24
#define MKZ_UNIT_IV_MASK 0x7fffffffu
#define MKZ_UNIT_EMPTY 0x66a84073, 0x11a6458b, 0xad92252b, 0x4ffff7a2, 0xe9b051f5, 0x3c84006c, 0x7dcdfd93, 0x55b4b684

#ifdef MKZ_RESET
#undef MKZ_EIDOS_V0_H
#elif !defined(MKZ_HASH) && !defined(MKZ_EIDOS_V0_H)
#define MKZ_EIDOS_V0_H
#include "eidos_variant.h"
#endif
#include "../unit.h"
