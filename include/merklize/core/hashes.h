/* hashes.h: the list of hashes, one line each. It is the only list of all hashes.
 *
 * A hash is one header, its unit: hashes/NAME.h. It states its facts as macros and defines its functions,
 * mkz_NAME_merge and so on. Including this file walks the list, so it has no guard:
 *
 *   with MKZ_HASH(id, name)   expands it once for each unit, while the unit's facts are defined. Defines no functions,
 *                             so it works in C and C++: for tables
 *   with MKZ_EACH_HASH        includes the file that it names, as "...", once for each unit, after the unit's functions
 *                             and while its facts are defined. Not available in the text that device compilers get
 *   with neither              defines all functions
 *   with MKZ_WITH_PARTS, too  goes on to the units that are no hashes, but functions that hashes need (parts.h)
 *
 * These macros are undefined at the end. A text that is included once a unit uses names.h for the unit's names.
 *
 * Facts (MKZ_UNIT_...); a fact with a default value here may be left out:
 *
 *   ID                 stored in proof and tree files; never reused. Ids ascend in this list
 *   NAME               the name everywhere: C++, Python, command line, files; the unit is hashes/NAME.h
 *   WORD_BITS          32 or 64: bits of a word in nodes and lanes. A node is 32 bytes: 256 / WORD_BITS words
 *   ELEMENT_WORDS 1    2: an element of a field hash is two words, the low one first
 *   MODULUS 0          the elements of nodes and rows are below it; 0: a byte hash
 *   RATE               how much of a row one call of the inner function takes: in elements if there is a modulus, else
 *                      in bytes
 *   STATE_WORDS        lanes of the state between two blocks of a row
 *   FILLS_BLOCK 0      field hashes: padding of a row's last block: 0 none, 1 zeros, 2 a one and then zeros
 *   FILL_BY add        the function that takes the words of the padding
 *   PAD_BYTE 0         byte hashes: this byte follows the last byte of a row, then zeros; 0: zeros alone, so a hash
 *                      without chunks binds no length and has no plain digest of a message, unless absorb() counts the
 *                      bytes
 *   LEAF_PREFIX -1     byte hashes: the byte that the functions for rows put before a row; -1: none
 *   IS_KEYED 0         1: the hash has merge_keyed, and in programs with MKZ_KEYED 1 merge_by and, without chunks,
 *                      init_by. What they take as the key of a hash without chunks is the state behind a block of the
 *                      key, which comes before a message
 *   CHUNK_BYTES 0      a long message is hashed as a tree of chunks of this many bytes, as in BLAKE3; 0: as one chain
 *                      of blocks
 *   ROOT_FLAG 0        hashes with chunks: the flag of the last compression
 *   MERGE_FLAGS 0      hashes with chunks: the flags of the compression that is a merge without a key
 *   TABLE_WORDS 0      number of 64-bit words of constants that kernels may read from memory; 0: no table
 *   TABLE_IS_GIVEN 0   1: the constants are the caller's, in a table that only ctx has, whose first word is the rate;
 *                      RATE is the greatest. Such a unit is a part; hashes that are made of it have ids of their own
 *                      (src/hashes/given.hpp)
 *   TEAM_ITEMS 0       number of items that share one merge where a level is narrow (merge_team); 0: one item merges
 *                      alone
 *   QUAD_HASH -1       id of the hash whose row of four nodes is the merge of four nodes, for trees of arity 4; -1:
 *                      there is none
 *   HAS_XMSS 0         1: keys of XMSS are made with it: hashes/xmss.h
 *   TAKES_TWO 0        1: there are functions of two states at once: permute_two of field hashes, if MKZ_STATES is 2;
 *                      absorb_two and merge_two of byte hashes, if MKZ_SHA256_STATES is 2
 *   IS_PART 0          1: no hash, but a function that hashes need; the host does not list it
 *
 * A family's header documents the facts that only this family has: hashes/field_sponge.h, eidos_variant.h,
 * rescue_prime_variant.h.
 *
 * Functions; each name begins with mkz_NAME_. Nodes, states and blocks are arrays of lanes of the hash's word. `out`
 * may be an input:
 *
 *   merge(out, left, right)                      always, unless the table is given
 *   merge_by(out, left, right, ctx)              with a table or a key: the same for kernels (context.h)
 *   merge_keyed(out, left, right, key, flags)    with a key
 *   init(s, length)                              the state before the first block of a row of `length` elements or
 *                                                bytes
 *   init_by(s, ctx)                              byte hashes with a key and no chunks: the same for kernels, behind the
 *                                                key's block
 *   add(s, k, word)                              field hashes: takes any word as word k of a block: adds it to the
 *                                                state or puts it there
 *   fill(s, k, word)                             if FILL_BY names it: the same for a word of the padding
 *   permute(s)                                   field hashes: the inner function; with a table also permute_by(s,
 *                                                ctx), and with a given one nothing else
 *   permute_two(s)                               if it TAKES_TWO: the same of two states, one behind the other
 *   blocks(length)                               byte hashes: number of blocks, prefix and padding included
 *   absorb(s, block, b, blocks, length)          byte hashes: takes block b
 *   absorb_two, merge_two(out, pairs)            if it TAKES_TWO: the same of two states and blocks, and of two pairs,
 *                                                one behind the other
 *   digest(out, s)                               state after the last block -> node; a row without words has no block
 *   table_word(i)                                with a table of its own: its word i, for the host
 *   iv, compress, parent, block_flags            with chunks, instead of the functions for rows: as in blake3.h */
/* By id. */
/* clang-format off */
#include "hashes/blake3.h"
#include "hashes/rp64_256_v1.h"
#include "hashes/rp64_256_v2.h"
#include "hashes/rp64_256_v3.h"
#include "hashes/sha256_rfc6962.h"
#include "hashes/rpo256.h"
#include "hashes/rpx256.h"
#include "hashes/poseidon2_goldilocks_8.h"
#include "hashes/poseidon2_goldilocks_12.h"
#include "hashes/poseidon2_miden.h"
#include "hashes/poseidon2_babybear_16.h"
#include "hashes/poseidon2_babybear_24.h"
#include "hashes/poseidon2_koalabear_16.h"
#include "hashes/poseidon2_koalabear_24.h"
#include "hashes/sha256.h"
#include "hashes/sha256d.h"
#include "hashes/sha256_compress.h"
#include "hashes/keccak256.h"
#include "hashes/keccak256_sorted.h"
#include "hashes/eidos.h"
#include "hashes/eidos_v0.h"
#include "hashes/rpo256_r1.h"
#include "hashes/rpo256_r2.h"
#include "hashes/rpx256_r2.h"
#include "hashes/keccakf64.h"
#include "hashes/blake2s.h"
#include "hashes/sha3_256.h"
#include "hashes/rpjive64_256.h"
#include "hashes/poseidon_goldilocks_8.h"
#include "hashes/poseidon_goldilocks_12.h"
#include "hashes/poseidon_babybear_16.h"
#include "hashes/poseidon_koalabear_16.h"
#include "hashes/poseidon_babybear_24.h"
#include "hashes/poseidon_koalabear_24.h"
#include "hashes/blake3_parent.h"
#include "hashes/sha256_trunc254.h"
/* clang-format on */
#ifdef MKZ_WITH_PARTS
#include "parts.h"
#endif
#undef MKZ_WITH_PARTS
#undef MKZ_HASH
#undef MKZ_EACH_HASH
