/* hashes.h: the list of hashes, a line each: the only place that has them all.
 *
 * A hash is one header, its unit: hashes/NAME.h. It states its facts as macros and defines its functions, mkz_NAME_merge and so on.
 * Including this file walks the list, so it has no guard:
 *
 *   with MKZ_HASH(id, name)   expands it once a unit, while the unit's facts are defined. No functions, C or C++: for tables
 *   with MKZ_EACH_HASH        includes this file, "...", once a unit, after its functions, while its facts are defined. Not in the
 *                             text that device compilers get
 *   with neither              all functions
 *
 * Both are undefined at the end. Texts that are included once a unit name what belongs to it by names.h.
 *
 * Facts (MKZ_UNIT_...); those with a value here may be left out:
 *
 *   ID                 stored in proof and tree files; never reused. Ids ascend in this list
 *   NAME               the name everywhere: C++, Python, command line, files; the unit is hashes/NAME.h
 *   WORD_BITS          32 or 64: word of nodes and lanes. A node is 32 bytes: 256 / WORD_BITS words
 *   MODULUS 0          words of nodes and rows are below it; 0: bytes
 *   RATE               of a row, one call of the inner function takes so many words (if there is a modulus) or bytes (if not)
 *   STATE_WORDS        lanes of the state between two blocks of a row
 *   PAD_BYTE 0         of byte hashes: stands behind the last byte of a row, then zeros
 *   LEAF_PREFIX -1     of byte hashes: the byte that their functions put in front of a row, or -1
 *   IS_KEYED 0         1: has merge_keyed, and merge_by in programs of MKZ_KEYED 1
 *   CHUNK_BYTES 0      a long message is the root of a tree of chunks of so many bytes, as in BLAKE3; 0: it is one chain of blocks
 *   ROOT_FLAG 0        of a hash with chunks: the flag of the last compression
 *   TABLE_WORDS 0      64-bit words of the constants that kernels may read from memory; 0: none to place
 *   TEAM_ITEMS 0       items that share one merge where a level is narrow (merge_team); 0: an item merges alone
 *
 * Functions, with mkz_NAME_ in front. Nodes, states and blocks are arrays of lanes of the hash's word; `out` may be an input:
 *
 *   merge(out, left, right)                      always
 *   merge_by(out, left, right, ctx)              with a table or a key: the same for kernels (context.h)
 *   merge_keyed(out, left, right, key, flags)    with a key
 *   init(s, length)                              state before the first block of a row of so many words or bytes
 *   add(s, k, word), permute(s)                  of words: any word as number k of a block; the inner function, also permute_by(s, ctx)
 *   blocks(length), absorb(s, block, b, blocks, length)    of bytes: their count, prefix and padding included; block b of them
 *   digest(out, s)                               state after the last block -> node
 *   table_word(i)                                with a table: word i of it, for the host
 *   iv, compress, parent, block_flags            with chunks, instead of the functions for rows: as blake3.h has them */
/* clang-format off: by id */
#include "hashes/blake3.h"
#include "hashes/rp64_256_v1.h"
#include "hashes/rp64_256_v2.h"
#include "hashes/rp64_256_v3.h"
#include "hashes/sha256.h"
/* clang-format on */
#undef MKZ_HASH
#undef MKZ_EACH_HASH
