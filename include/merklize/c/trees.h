/* merklize/c/trees.h: trees with their nodes, roots, and leaves that come in pieces. */
#ifndef MERKLIZE_C_TREES_H
#define MERKLIZE_C_TREES_H

#include <merklize/c/forms.h>
#include <merklize/c/options.h>

/* Number of slots that a tree of n leaves takes in heap order: 2^h + n, where h = ceil(log2 n). That is 2n for a power
 * of two.
 * errors  invalid_argument (n = 0), out_of_memory (n is too large) */
MERKLIZE_C_API merklize_status merklize_heap_slots(uint64_t n_leaves, uint64_t *slots);

/* Builds all parents of a tree in the caller's memory.
 * nodes   [slots] digests in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h + k. The caller must
 *         fill the leaves; all other slots are written, and a slot without a node becomes zeros. Slots are
 *         merklize_heap_slots() of the number of leaves. A buffer must be aligned to 32 bytes
 * errors  invalid_argument (slots that fit no tree, a number of leaves that the rule does not allow, a word that is not
 *         below the modulus), cancelled (parents are undefined) */
MERKLIZE_C_API merklize_status merklize_build_tree(merklize_output nodes, const merklize_form *form,
                                                   const merklize_run_options *options);

/* Only the root of n leaves; n = 0 as in merklize_tree_from_leaves(). The root of one leaf is the leaf. Takes 32 bytes
 * of working memory a leaf.
 * leaves  [n] digests
 * root    host memory, written */
MERKLIZE_C_API merklize_status merklize_merkle_root(merklize_view leaves, const merklize_form *form,
                                                    merklize_digest *root, const merklize_run_options *options);
/* The root of leaves in several buffers. All devices work at once.
 * parts   [n], a power of two; each has as many leaves as the others, a power of two
 * errors  as merklize_merkle_root(); invalid_argument (counts; a stream) */
MERKLIZE_C_API merklize_status merklize_merkle_root_parts(const merklize_buffer *const *parts, size_t n,
                                                          const merklize_form *form, merklize_digest *root,
                                                          const merklize_run_options *options);
/* The root of the tree over a file or pipe, in about 64 MiB of memory.
 * info    written: the facts of the tree. drop_levels and on_device are 0
 * errors  io, invalid_argument, cancelled */
MERKLIZE_C_API merklize_status merklize_merkle_root_file(const merklize_input *input, const merklize_form *form,
                                                         merklize_tree_info *info, const merklize_run_options *options);

/* A tree with its nodes. The nodes are in the memory of the device that builds the tree, or on the host if that is the
 * CPU or they do not fit.
 * leaves       [n] digests, n >= 1; copied, those of a buffer on its device. For the hash "sha256_rfc6962" with the
 *              rule "left_full" n may be 0: the empty tree of RFC 6962, whose root is SHA-256 of no bytes
 * drop_levels  number of levels at the bottom, leaves included, that are not kept: 2^drop_levels times less memory, but
 *              proofs need the leaves
 * errors       as merklize_build_tree(), out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_from_leaves(merklize_view leaves, const merklize_form *form,
                                                         uint32_t drop_levels, const merklize_run_options *options,
                                                         merklize_tree **tree);
/* Leaf k is the digest of message k, of any length, as merklize_hash_leaves() computes it. BLAKE3 hashes each message
 * where it lies, in the mode of the form; for other hashes each message is copied.
 * messages  [n]
 * errors    as merklize_hash_each(), merklize_hash_leaves() and merklize_build_tree() */
MERKLIZE_C_API merklize_status merklize_tree_from_messages(const merklize_view *messages, size_t n,
                                                           const merklize_form *form,
                                                           const merklize_run_options *options, merklize_tree **tree);
/* Leaf k is the digest of row k by merklize_hash_leaves(). Rows are hashed and merged in one pass.
 * rows  n rows of equal length, as in merklize_hash_leaves() */
MERKLIZE_C_API merklize_status merklize_tree_from_rows(merklize_view rows, uint64_t n, const merklize_form *form,
                                                       const merklize_run_options *options, merklize_tree **tree);
/* The tree over a regular file or block device, which is read once and not kept in memory.
 * errors  io (also if it can only be read in order, or changes its size), invalid_argument, out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_from_file(const merklize_input *input, const merklize_form *form,
                                                       const merklize_run_options *options, merklize_tree **tree);
MERKLIZE_C_API void merklize_tree_free(merklize_tree *tree);

/* info  written */
MERKLIZE_C_API merklize_status merklize_tree_get_info(const merklize_tree *tree, merklize_tree_info *info);
MERKLIZE_C_API merklize_status merklize_tree_root(const merklize_tree *tree, merklize_digest *root);
/* A view of all slots in heap order. With dropped levels the lowest kept level counts as the leaves. If the tree is on
 * a device, the first call copies the slots to the host.
 * nodes   written: a pointer to memory of the tree, valid until the tree is changed or freed
 * errors  out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_nodes(const merklize_tree *tree, const merklize_digest **nodes,
                                                   uint64_t *slots);
/* A view of one level, as merklize_tree_nodes() gives it. Level 0 is the leaves; level l has ceil(n / 2^l) nodes.
 * errors  invalid_argument (a level above the root, or dropped), out_of_memory */
MERKLIZE_C_API merklize_status merklize_tree_level(const merklize_tree *tree, uint32_t level,
                                                   const merklize_digest **nodes, uint64_t *count);
/* Copies the nodes `height` levels below the root, left to right. Only these nodes are copied from a device. A height
 * of 0 gives the root.
 * nodes   [capacity], written; may be null if capacity is 0
 * count   written if not null: number of nodes, also if capacity is too small
 * errors  too_small, invalid_argument (a level below the leaves, or dropped) */
MERKLIZE_C_API merklize_status merklize_tree_cap(const merklize_tree *tree, uint32_t height, merklize_digest *nodes,
                                                 size_t capacity, size_t *count);
/* A handle to the slots in the memory of the device, for reading only: a call that would write them is an error. The
 * memory lives as long as the handle, also after the tree is freed. After a change of the tree the handle may hold the
 * nodes of before.
 * errors  invalid_argument (the nodes are on the host) */
MERKLIZE_C_API merklize_status merklize_tree_device_nodes(const merklize_tree *tree, merklize_buffer **nodes);
/* The same for one level, as merklize_tree_level() counts them.
 * errors  invalid_argument (the nodes are on the host; a level above the root, or dropped) */
MERKLIZE_C_API merklize_status merklize_tree_device_level(const merklize_tree *tree, uint32_t level,
                                                          merklize_buffer **nodes);

/* The proof of one leaf. It is made where the nodes are.
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
/* One proof of several leaves.
 * indices  [count], at least one, in any order, no index twice */
MERKLIZE_C_API merklize_status merklize_tree_prove_together(const merklize_tree *tree, const uint64_t *indices,
                                                            size_t count, const merklize_digest *leaves,
                                                            uint64_t n_leaves, merklize_proof **proof);
/* The same for leaves first .. last-1. */
MERKLIZE_C_API merklize_status merklize_tree_prove_range(const merklize_tree *tree, uint64_t first, uint64_t last,
                                                         const merklize_digest *leaves, uint64_t n_leaves,
                                                         merklize_proof **proof);
/* A proof that the first old_leaves leaves are those of an older tree. Only for the rule left_full, without dropped
 * levels. */
MERKLIZE_C_API merklize_status merklize_tree_prove_consistency(const merklize_tree *tree, uint64_t old_leaves,
                                                               merklize_proof **proof);

/* Replaces leaves and hashes the paths above them again, on the tree's device. After MERKLIZE_CANCELLED the tree is as
 * before.
 * indices, leaves  [count]; no index twice. The leaves may be the tree's own nodes: all are read first
 * errors           invalid_argument (index >= n; an index twice; a word that is not below the modulus; dropped levels),
 *                  cancelled */
MERKLIZE_C_API merklize_status merklize_tree_update(merklize_tree *tree, const uint64_t *indices,
                                                    const merklize_digest *leaves, size_t count,
                                                    const merklize_run_options *options);
/* Adds leaves at the end, which may be the tree's own nodes; only for the rule left_full. */
MERKLIZE_C_API merklize_status merklize_tree_append(merklize_tree *tree, const merklize_digest *leaves, uint64_t count,
                                                    const merklize_run_options *options);
/* Writes the tree to a file (.mkl), whole or not at all.
 * errors  io (a disk that is too small, with the numbers, before anything is written), invalid_argument (dropped
 *         levels) */
MERKLIZE_C_API merklize_status merklize_tree_save(const merklize_tree *tree, const char *path);

/* The root of leaves that come in pieces, in little memory: one digest a level and a batch of leaves.
 * options  as merklize_hasher_create() */
MERKLIZE_C_API merklize_status merklize_tree_builder_create(const merklize_form *form,
                                                            const merklize_run_options *options,
                                                            merklize_tree_builder **builder);
/* After an error the builder is as before the call.
 * leaves  [k] digests; a buffer of the builder's device */
MERKLIZE_C_API merklize_status merklize_tree_builder_append(merklize_tree_builder *builder, merklize_view leaves);
/* Number of leaves so far; 0 for null. */
MERKLIZE_C_API uint64_t merklize_tree_builder_count(const merklize_tree_builder *builder);
/* The root of the leaves so far. More leaves may follow.
 * errors  invalid_argument (no leaves; a number of leaves that the rule does not allow) */
MERKLIZE_C_API merklize_status merklize_tree_builder_root(const merklize_tree_builder *builder, merklize_digest *root);
MERKLIZE_C_API void merklize_tree_builder_free(merklize_tree_builder *builder);

#endif
