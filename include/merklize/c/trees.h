/* merklize/c/trees.h: trees with their nodes, roots, and leaves that come in pieces. */
#ifndef MERKLIZE_C_TREES_H
#define MERKLIZE_C_TREES_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* What becomes of the last node of a level with an odd number of nodes; docs/layouts.md draws each rule. The numbers of this header are one
 * more than those that files and proofs store (and than merklize::TreeRule of C++), because here 0 is the default. */
typedef uint32_t merklize_rule;
enum {
    MERKLIZE_RULE_DEFAULT = 0,       /* perfect for field hashes, left_full for all others */
    MERKLIZE_RULE_PERFECT = 1,       /* there is none: the number of leaves must be a power of two */
    MERKLIZE_RULE_LEFT_FULL = 2,     /* it moves up unchanged, as in RFC 6962 */
    MERKLIZE_RULE_PAD = 3,           /* it is merged with merklize_form.padding */
    MERKLIZE_RULE_DUPLICATE_LAST = 4 /* it is merged with itself, as in Bitcoin */
};

/* All that defines a tree besides its leaves. Null in place of a form: blake3, left_full. */
typedef struct merklize_form {
    merklize_hash hash;
    merklize_rule rule;
    const merklize_mode *mode; /* keyed or derive-key merges, only for blake3; null: plain */
    merklize_digest padding;   /* the leaf that the rule pad adds */
} merklize_form;

typedef struct merklize_tree_info {
    uint64_t n_leaves;
    merklize_hash hash;
    merklize_rule rule; /* never MERKLIZE_RULE_DEFAULT */
    uint32_t height;    /* levels above the leaves */
    uint32_t drop_levels;
    uint32_t on_device; /* 1: the nodes are in the memory of a device; 0: on the host, or in a file */
    uint32_t is_keyed;  /* of tree files: 1 if proofs and changes may need merklize_tree_file_set_mode() */
    merklize_digest root;
    uint64_t leaf_bytes;  /* bytes of the input that a leaf stands for; 0: not known */
    uint64_t total_bytes; /* bytes of the whole input; 0: not known */
} merklize_tree_info;

/* How bytes of an input become leaves. */
enum {
    MERKLIZE_INPUT_PIECES =
        0, /* a leaf is the digest of a piece of leaf_bytes; the last piece may be shorter (byte hashes) */
    MERKLIZE_INPUT_ROWS = 1,  /* the same, but every row must be complete */
    MERKLIZE_INPUT_LEAVES = 2 /* the leaves themselves, 32 bytes each; leaf_bytes is ignored */
};

typedef struct merklize_input {
    const char *path;        /* the file to open; with a descriptor: a name for error texts */
    uint64_t leaf_bytes;     /* at least 1, and at most 64 MiB for hashes other than blake3 and for pipes */
    uint32_t kind;           /* MERKLIZE_INPUT_... */
    uint32_t has_descriptor; /* 1: `descriptor` is read from its current position to its end and not closed */
    int32_t descriptor;
} merklize_input;

/* Number of slots that a tree of n leaves takes in heap order: 2^h + n, where h = ceil(log2 n). That is 2n for a power of two.
 * errors  invalid_argument (n = 0), out_of_memory (n is too large) */
MERKLIZE_C_API merklize_status merklize_heap_slots(uint64_t n_leaves, uint64_t *slots);

/* Builds all parents of a tree in the caller's memory.
 * nodes   [slots] in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h + k. The caller must fill the leaves; all other
 *         slots are written, and a slot without a node becomes zeros
 * slots   merklize_heap_slots() of the number of leaves
 * errors  invalid_argument (slots that fit no tree, a number of leaves that the rule does not allow, a word that is not below the
 *         modulus), cancelled (parents are undefined) */
MERKLIZE_C_API merklize_status merklize_build_tree(merklize_digest *nodes, uint64_t slots, const merklize_form *form,
                                                   const merklize_run_options *options);
/* The same in a device's memory, aligned to 32 bytes. */
MERKLIZE_C_API merklize_status merklize_build_tree_buffer(merklize_buffer *nodes, const merklize_form *form,
                                                          const merklize_run_options *options);

/* Only the root, of n >= 1 leaves, or of none (merklize_tree_build). The root of one leaf is the leaf. Takes 32 bytes a leaf of working memory.
 * root  host memory, written */
MERKLIZE_C_API merklize_status merklize_root(const merklize_digest *leaves, uint64_t n, const merklize_form *form,
                                             merklize_digest *root, const merklize_run_options *options);
/* leaves  [n, 32] bytes in a device's memory */
MERKLIZE_C_API merklize_status merklize_root_buffer(const merklize_buffer *leaves, const merklize_form *form,
                                                    merklize_digest *root, const merklize_run_options *options);
/* The root of the tree over a file or pipe, in about 64 MiB of memory.
 * info    describes the tree. drop_levels and on_device are 0
 * errors  io, invalid_argument, cancelled */
MERKLIZE_C_API merklize_status merklize_root_file(const merklize_input *input, const merklize_form *form,
                                                  merklize_tree_info *info, const merklize_run_options *options);

/* A tree with its nodes. They are in the memory of the device that built it; on the host if that is the CPU, or if they do not fit.
 * leaves       [n], n >= 1; copied. Of the hash "sha256_rfc6962" with the rule "left_full" n may be 0: RFC 6962's empty tree,
 *              whose root is SHA-256 of nothing
 * drop_levels  levels at the bottom, leaves included, that are not kept: 2^drop_levels times less memory, but proofs need the leaves
 * errors       as merklize_build_tree(), out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_build(const merklize_digest *leaves, uint64_t n, const merklize_form *form,
                                                   uint32_t drop_levels, const merklize_run_options *options,
                                                   merklize_tree **tree);
/* leaves  [n, 32] bytes in a device's memory; copied there */
MERKLIZE_C_API merklize_status merklize_tree_build_buffer(const merklize_buffer *leaves, const merklize_form *form,
                                                          uint32_t drop_levels, const merklize_run_options *options,
                                                          merklize_tree **tree);
/* Leaf k is the digest of row k by merklize_hash_leaves(). Rows are hashed and merged in one pass.
 * rows  [n, row_length] units, as in merklize_hash_leaves() */
MERKLIZE_C_API merklize_status merklize_tree_build_rows(const void *rows, size_t row_length, uint64_t n,
                                                        const merklize_form *form, const merklize_run_options *options,
                                                        merklize_tree **tree);
/* rows  [n, row_length] units in a device's memory */
MERKLIZE_C_API merklize_status merklize_tree_build_rows_buffer(const merklize_buffer *rows, uint64_t n,
                                                               const merklize_form *form,
                                                               const merklize_run_options *options,
                                                               merklize_tree **tree);
/* The tree over a regular file, which is read once and not kept in memory.
 * errors  io (also if it is not a regular file or changes its size), invalid_argument, out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_build_file(const merklize_input *input, const merklize_form *form,
                                                        const merklize_run_options *options, merklize_tree **tree);
MERKLIZE_C_API void merklize_tree_free(merklize_tree *tree);

/* info  written */
MERKLIZE_C_API merklize_status merklize_tree_get_info(const merklize_tree *tree, merklize_tree_info *info);
MERKLIZE_C_API merklize_status merklize_tree_root(const merklize_tree *tree, merklize_digest *root);
/* A view of all slots in heap order. With dropped levels the lowest kept level counts as the leaves. If the tree is on a device, the
 * first call copies the slots to the host.
 * nodes   written: a pointer to memory of the tree, valid until the tree is changed or freed
 * errors  out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_nodes(const merklize_tree *tree, const merklize_digest **nodes,
                                                   uint64_t *slots);
/* A view of one level, in the same way. Level 0 is the leaves; level l has ceil(n / 2^l) nodes.
 * errors  invalid_argument (a level above the root, or dropped), out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_level(const merklize_tree *tree, uint32_t level,
                                                   const merklize_digest **nodes, uint64_t *count);
/* Copies the nodes `height` levels below the root, left to right; only these come from a device. cap 0 is the root.
 * nodes   [capacity], written; may be null if capacity is 0
 * count   written if not null: number of nodes, also if capacity is too small
 * errors  too_small, invalid_argument (a level below the leaves, or dropped) */
MERKLIZE_C_API merklize_status merklize_tree_cap(const merklize_tree *tree, uint32_t height, merklize_digest *nodes,
                                                 size_t capacity, size_t *count);
/* A handle to the tree's slots in a device's memory, to be read alone: a call that would write it is an error. It stays valid memory after the tree is freed; a change of the
 * tree may leave it behind.
 * errors  invalid_argument (the nodes are on the host) */
MERKLIZE_C_API merklize_status merklize_tree_device_nodes(const merklize_tree *tree, merklize_buffer **nodes);

/* Proof of one leaf, made where the nodes are.
 * leaves  for a tree with dropped levels: all its leaves, n_leaves of them; otherwise null and 0
 * errors  invalid_argument (index >= n; leaves missing, or different from the tree's) */
MERKLIZE_C_API merklize_status merklize_tree_prove(const merklize_tree *tree, uint64_t index,
                                                   const merklize_digest *leaves, uint64_t n_leaves,
                                                   merklize_proof **proof);
/* A proof for each of `count` indices, in order; repeats are allowed.
 * proofs  [count], written: each is freed by itself. After an error all are null */
MERKLIZE_C_API merklize_status merklize_tree_prove_each(const merklize_tree *tree, const uint64_t *indices,
                                                        size_t count, const merklize_digest *leaves, uint64_t n_leaves,
                                                        merklize_proof **proofs);
/* One proof for several leaves: at least one index, in any order, no index twice. */
MERKLIZE_C_API merklize_status merklize_tree_prove_together(const merklize_tree *tree, const uint64_t *indices,
                                                            size_t count, const merklize_digest *leaves,
                                                            uint64_t n_leaves, merklize_proof **proof);
/* The same for leaves first .. last-1. */
MERKLIZE_C_API merklize_status merklize_tree_prove_range(const merklize_tree *tree, uint64_t first, uint64_t last,
                                                         const merklize_digest *leaves, uint64_t n_leaves,
                                                         merklize_proof **proof);
/* Shows that the first old_leaves leaves are those of an older tree. Only for the rule left_full, without dropped levels. */
MERKLIZE_C_API merklize_status merklize_tree_prove_consistency(const merklize_tree *tree, uint64_t old_leaves,
                                                               merklize_proof **proof);

/* Replaces leaves and hashes the paths above them again, on the tree's device. After MERKLIZE_CANCELLED the tree is as before.
 * indices, leaves  [count]; no index twice
 * errors           invalid_argument (index >= n; an index twice; a word that is not below the modulus; dropped levels), cancelled */
MERKLIZE_C_API merklize_status merklize_tree_update(merklize_tree *tree, const uint64_t *indices,
                                                    const merklize_digest *leaves, size_t count,
                                                    const merklize_run_options *options);
/* Adds leaves at the end; only for the rule left_full. */
MERKLIZE_C_API merklize_status merklize_tree_append(merklize_tree *tree, const merklize_digest *leaves, uint64_t count,
                                                    const merklize_run_options *options);
/* Writes the tree to a file (.mkl), whole or not at all.
 * errors  io (a disk that is too small, with the numbers, before anything is written), invalid_argument (dropped levels) */
MERKLIZE_C_API merklize_status merklize_tree_save(const merklize_tree *tree, const char *path);

/* The root of leaves that come in pieces, in little memory: one digest a level and a batch of leaves.
 * options  as merklize_hasher_create() */
MERKLIZE_C_API merklize_status merklize_tree_builder_create(const merklize_form *form,
                                                            const merklize_run_options *options,
                                                            merklize_tree_builder **builder);
/* After an error the builder is as before the call. */
MERKLIZE_C_API merklize_status merklize_tree_builder_append(merklize_tree_builder *builder,
                                                            const merklize_digest *leaves, uint64_t count);
/* leaves  [k, 32] bytes in the memory of the builder's device */
MERKLIZE_C_API merklize_status merklize_tree_builder_append_buffer(merklize_tree_builder *builder,
                                                                   const merklize_buffer *leaves);
/* Number of leaves so far; 0 for null. */
MERKLIZE_C_API uint64_t merklize_tree_builder_count(const merklize_tree_builder *builder);
/* The root of the leaves so far. More leaves may follow.
 * errors  invalid_argument (no leaves; a number of leaves that the rule does not allow) */
MERKLIZE_C_API merklize_status merklize_tree_builder_root(const merklize_tree_builder *builder, merklize_digest *root);
MERKLIZE_C_API void merklize_tree_builder_free(merklize_tree_builder *builder);

#endif
