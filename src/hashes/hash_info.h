/* hash_info.h: what the host knows about each hash. Plain C, because plug-ins see it through the seam (backend.h). A
 * decision that depends on a hash asks for a fact here; nothing outside a hash's own core header compares its id or its
 * name. */
#ifndef MKZ_HASH_INFO_H
#define MKZ_HASH_INFO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes and digests are 32 bytes for every hash: 256 / word_bits words. A word is an element of a field hash: what the
 * kernels take for several words (ELEMENT_WORDS, core/hashes.h) is one here. */
typedef struct {
    uint32_t id; /* stored in proof and tree files */
    const char *name;
    uint32_t word_bits;     /* of a node's words: 32 or 64 */
    uint32_t element_words; /* words of a kernel in one of these: 2 if it computes on halves of field elements */
    uint64_t modulus;       /* words of nodes and rows are below it; 0: a hash of bytes, which takes any word */
    uint32_t
        element_bytes; /* a row has a whole number of elements of so many bytes: 4 or 8 of a field hash, 1 of others */
    uint32_t rate;     /* row units that one call of the hash's inner function takes */
    uint32_t is_keyed; /* merges and digests may be under a key */
    uint32_t has_chunk_tree; /* a digest is the root of a tree of chunks: long messages are hashed in parallel */
    int32_t leaf_prefix;     /* the byte in front of a row that becomes a leaf, or -1 */
    uint32_t table_words;    /* 64-bit words of the constants that a kernel may read from memory; 0: none to place */
    uint32_t team_items;     /* items that share one merge where a level is narrow; 0: an item merges alone */
    int32_t quad_hash;       /* id of the hash whose row of four nodes is the merge of the four; -1: there is none */
    uint32_t is_part;        /* no hash of its own, but a function that others need: not among hashes() */
    uint32_t table_is_given; /* the constants are a caller's: kernels read them from memory */
    uint32_t unit; /* id of the hash whose kernels compute it: its own, unless it was made of a caller's constants */
} mkz_hash_info;

/* The facts of the hash or part of the list with this id; null if there is none. */
static inline const mkz_hash_info *mkz_find_hash(uint32_t id) {
    static const mkz_hash_info all[] = {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                                                   \
    {id,                                                                     \
     #name,                                                                  \
     MKZ_UNIT_WORD_BITS * MKZ_UNIT_ELEMENT_WORDS,                            \
     MKZ_UNIT_ELEMENT_WORDS,                                                 \
     MKZ_UNIT_MODULUS,                                                       \
     MKZ_UNIT_MODULUS ? MKZ_UNIT_WORD_BITS * MKZ_UNIT_ELEMENT_WORDS / 8 : 1, \
     MKZ_UNIT_RATE,                                                          \
     MKZ_UNIT_IS_KEYED,                                                      \
     MKZ_UNIT_CHUNK_BYTES != 0,                                              \
     MKZ_UNIT_LEAF_PREFIX,                                                   \
     MKZ_UNIT_TABLE_WORDS,                                                   \
     MKZ_UNIT_TEAM_ITEMS,                                                    \
     MKZ_UNIT_QUAD_HASH,                                                     \
     MKZ_UNIT_IS_PART,                                                       \
     MKZ_UNIT_TABLE_IS_GIVEN,                                                \
     id},
#include "merklize/core/hashes.h"
    };
    const mkz_hash_info *end = all + sizeof all / sizeof all[0];
    for (const mkz_hash_info *hash = all; hash != end; hash++) {
        if (hash->id == id) return hash;
    }
    return 0; /* NOLINT(modernize-use-nullptr): also C */
}

#ifdef __cplusplus
}
#endif

#endif
