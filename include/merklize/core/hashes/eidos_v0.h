/* eidos_v0.h: Eidos, the hash of miden-crypto 0.33.0 to 0.36.3. Its initial values lack their top bits: BLAKE3's compression on elements of
 * the Goldilocks field. docs/hashes.md has the definition.
 *
 * An element is two words of 32 bits, the low one first. */
#define MKZ_UNIT_ID 38
#define MKZ_UNIT_NAME eidos_v0
#include "eidos_facts.h"

#ifdef MKZ_RESET
#undef MKZ_EIDOS_V0_H
#elif !defined(MKZ_HASH) && !defined(MKZ_EIDOS_V0_H)
#define MKZ_EIDOS_V0_H

#define MKZ_EIDOS(name) mkz_eidos_v0_##name
#define MKZ_EIDOS_IV_MASK 0x7fffffffu
#define MKZ_EIDOS_EMPTY(k)    \
    ((k) == 0   ? 0x66a84073u \
     : (k) == 1 ? 0x11a6458bu \
     : (k) == 2 ? 0xad92252bu \
     : (k) == 3 ? 0x4ffff7a2u \
     : (k) == 4 ? 0xe9b051f5u \
     : (k) == 5 ? 0x3c84006cu \
     : (k) == 6 ? 0x7dcdfd93u \
                : 0x55b4b684u)
#include "eidos_variant.h"

#endif /* MKZ_EIDOS_V0_H */
#include "../unit.h"
