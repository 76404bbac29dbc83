/* unit.h: included at the end of each unit. Gives defaults to the facts that the unit left out, does what the walk asks
 * for (hashes.h), and undefines the facts, those of families, too (hashes/field_sponge.h, eidos_variant.h,
 * rescue_prime_variant.h). */
#ifndef MKZ_UNIT_ELEMENT_WORDS
#define MKZ_UNIT_ELEMENT_WORDS 1
#endif
#ifndef MKZ_UNIT_MODULUS
#define MKZ_UNIT_MODULUS 0
#endif
#ifndef MKZ_UNIT_FILLS_BLOCK
#define MKZ_UNIT_FILLS_BLOCK 0
#endif
#ifndef MKZ_UNIT_FILL_BY
#define MKZ_UNIT_FILL_BY add
#endif
#ifndef MKZ_UNIT_PAD_BYTE
#define MKZ_UNIT_PAD_BYTE 0
#endif
#ifndef MKZ_UNIT_LEAF_PREFIX
#define MKZ_UNIT_LEAF_PREFIX -1
#endif
#ifndef MKZ_UNIT_IS_KEYED
#define MKZ_UNIT_IS_KEYED 0
#endif
#ifndef MKZ_UNIT_CHUNK_BYTES
#define MKZ_UNIT_CHUNK_BYTES 0
#endif
#ifndef MKZ_UNIT_ROOT_FLAG
#define MKZ_UNIT_ROOT_FLAG 0
#endif
#ifndef MKZ_UNIT_MERGE_FLAGS
#define MKZ_UNIT_MERGE_FLAGS 0
#endif
#ifndef MKZ_UNIT_TABLE_WORDS
#define MKZ_UNIT_TABLE_WORDS 0
#endif
#ifndef MKZ_UNIT_TABLE_IS_GIVEN
#define MKZ_UNIT_TABLE_IS_GIVEN 0
#endif
#ifndef MKZ_UNIT_TEAM_ITEMS
#define MKZ_UNIT_TEAM_ITEMS 0
#endif
#ifndef MKZ_UNIT_TAKES_TWO
#define MKZ_UNIT_TAKES_TWO 0
#endif
#ifndef MKZ_UNIT_QUAD_HASH
#define MKZ_UNIT_QUAD_HASH -1
#endif
#ifndef MKZ_UNIT_HAS_XMSS
#define MKZ_UNIT_HAS_XMSS 0
#endif
#ifndef MKZ_UNIT_IS_PART
#define MKZ_UNIT_IS_PART 0
#endif

#if defined(MKZ_HASH)
#define MKZ_UNIT_EXPANDED(id, name) MKZ_HASH(id, name)
MKZ_UNIT_EXPANDED(MKZ_UNIT_ID, MKZ_UNIT_NAME)
#undef MKZ_UNIT_EXPANDED
#elif defined(MKZ_EACH_HASH)
#include MKZ_EACH_HASH
#elif defined(MKZ_WITH_KERNELS)
#include "kernels/unit_kernels.h"
#endif

#undef MKZ_UNIT_ID
#undef MKZ_UNIT_NAME
#undef MKZ_UNIT_WORD_BITS
#undef MKZ_UNIT_ELEMENT_WORDS
#undef MKZ_UNIT_MODULUS
#undef MKZ_UNIT_RATE
#undef MKZ_UNIT_STATE_WORDS
#undef MKZ_UNIT_FILLS_BLOCK
#undef MKZ_UNIT_FILL_BY
#undef MKZ_UNIT_PAD_BYTE
#undef MKZ_UNIT_LEAF_PREFIX
#undef MKZ_UNIT_IS_KEYED
#undef MKZ_UNIT_CHUNK_BYTES
#undef MKZ_UNIT_ROOT_FLAG
#undef MKZ_UNIT_MERGE_FLAGS
#undef MKZ_UNIT_TABLE_WORDS
#undef MKZ_UNIT_TABLE_IS_GIVEN
#undef MKZ_UNIT_TEAM_ITEMS
#undef MKZ_UNIT_TAKES_TWO
#undef MKZ_UNIT_QUAD_HASH
#undef MKZ_UNIT_HAS_XMSS
#undef MKZ_UNIT_IS_PART
#undef MKZ_UNIT_PERMUTATION
#undef MKZ_UNIT_MERGE_PERMUTATION
#undef MKZ_UNIT_MERGE_WORDS
#undef MKZ_UNIT_FIRST_CELL
#undef MKZ_UNIT_LENGTH_CELL
#undef MKZ_UNIT_MATRIX
#undef MKZ_UNIT_IV_MASK
#undef MKZ_UNIT_EMPTY
