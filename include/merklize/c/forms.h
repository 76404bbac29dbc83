/* merklize/c/forms.h: the form of a tree, the input it is built of, and the facts of a tree.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_FORMS_H
#define MERKLIZE_C_FORMS_H

#include <merklize/c/hashes.h>

/* A rule says what happens to the last node of a level with an odd number of nodes; docs/layouts.md draws each rule.
 * The numbers here are one more than those in files, in proofs and in merklize::TreeRule of C++, because here 0 is
 * the default. */
typedef uint32_t merklize_rule;
enum {
    MERKLIZE_RULE_DEFAULT = 0,       /* perfect for field hashes, left_full for all others */
    MERKLIZE_RULE_PERFECT = 1,       /* there is no such node: the number of leaves must be a power of two */
    MERKLIZE_RULE_LEFT_FULL = 2,     /* the node moves up unchanged, as in RFC 6962 */
    MERKLIZE_RULE_PAD = 3,           /* the node is merged with merklize_form.padding */
    MERKLIZE_RULE_DUPLICATE_LAST = 4 /* the node is merged with itself, as in Bitcoin */
};

/* All that defines a tree besides its leaves. Null in place of a form: blake3, left_full. */
typedef struct merklize_form {
    merklize_hash_id hash;
    merklize_rule rule;
    const merklize_mode *mode; /* merges under a key, or of key derivation: of blake3 or blake2s; null: plain */
    merklize_digest padding;   /* the leaf that the rule pad adds */
    /* 1: refuse leaves whose root another list has, too (CVE-2012-2459); calls that look at no nodes refuse this */
    uint32_t unambiguous;
} merklize_form;

/* Facts of a tree. */
typedef struct merklize_tree_info {
    uint64_t n_leaves;     /* number of leaves */
    merklize_hash_id hash; /* the hash of nodes */
    merklize_rule rule;    /* what an odd level does; never MERKLIZE_RULE_DEFAULT */
    uint32_t height;       /* levels above the leaves */
    uint32_t drop_levels;  /* lowest levels that are not kept */
    uint32_t on_device;    /* 1: the nodes are in the memory of a device; 0: on the host, or in a file */
    uint32_t is_keyed;     /* of tree files: 1 if the merges have a key or a context, which the file does not hold */
    merklize_digest root;  /* the root */
    uint64_t leaf_bytes;   /* bytes of the input that one leaf covers; 0: unknown */
    uint64_t total_bytes;  /* bytes of the whole input; 0: unknown */
} merklize_tree_info;

/* How bytes of an input become leaves. */
enum {
    MERKLIZE_INPUT_BLOCKS = 0, /* a leaf is the digest of leaf_bytes bytes; the last may have fewer (byte hashes) */
    MERKLIZE_INPUT_ROWS = 1,   /* the same, but every row must be complete */
    MERKLIZE_INPUT_LEAVES = 2  /* the leaves themselves, 32 bytes each; leaf_bytes is ignored */
};

typedef struct merklize_input {
    const char *path;        /* the file to open; with a descriptor: a name for error texts */
    uint64_t leaf_bytes;     /* at least 1, and at most 64 MiB for hashes other than blake3 and for pipes */
    uint32_t kind;           /* MERKLIZE_INPUT_... */
    uint32_t has_descriptor; /* 1: `descriptor` is read from its current position to its end and not closed */
    int32_t descriptor;
} merklize_input;

#endif
