/* merklize/c/openzeppelin.h: trees of @openzeppelin/merkle-tree, which Solidity's MerkleProof verifies. docs/formats.md
 * has the rule. */
#ifndef MERKLIZE_C_OPENZEPPELIN_H
#define MERKLIZE_C_OPENZEPPELIN_H

#include <merklize/c/options.h>
#include <merklize/c/values.h>

/* The leaf of a standard tree: Keccak-256 of Keccak-256 of abi.encode(value), the given bytes. */
MERKLIZE_C_API merklize_status merklize_openzeppelin_leaf(const void *abi_encoded, size_t bytes, merklize_digest *leaf);

/* A tree of 2n - 1 nodes over n >= 1 leaves. The index of a leaf is its position in `leaves`. Any number of threads may
 * use a tree at once.
 * leaves        [n]: of merklize_openzeppelin_leaf(), or for a simple tree any 32 bytes
 * tree_indices  null: leaves are sorted, as in the package by default. Else [n]: `treeIndex` of each leaf from a dump.
 *               The dump is sound if merklize_openzeppelin_tree_nodes() equals its `tree`. 2n - 2 - i for leaf i keeps
 *               the given order
 * errors        invalid_argument (no leaves; tree_indices other than n - 1 to 2n - 2, each once; options->timings) */
MERKLIZE_C_API merklize_status merklize_openzeppelin_tree_create(const merklize_digest *leaves, size_t n,
                                                                 const uint64_t *tree_indices,
                                                                 const merklize_run_options *options,
                                                                 merklize_openzeppelin_tree **tree);
MERKLIZE_C_API void merklize_openzeppelin_tree_free(merklize_openzeppelin_tree *tree);
/* All 2n - 1 nodes in the package's order, the root first.
 * nodes  written: a pointer to memory of the tree, valid until it is freed */
MERKLIZE_C_API merklize_status merklize_openzeppelin_tree_nodes(const merklize_openzeppelin_tree *tree,
                                                                const merklize_digest **nodes, uint64_t *count);
/* The position of a leaf among all nodes: `treeIndex` of the dump.
 * errors  invalid_argument (index) */
MERKLIZE_C_API merklize_status merklize_openzeppelin_tree_index(const merklize_openzeppelin_tree *tree, uint64_t index,
                                                                uint64_t *tree_index);
/* Siblings from the leaf up, as getProof() gives them.
 * proof   [capacity], written; may be null if capacity is 0
 * length  written if not null: number of siblings, also if capacity is too small
 * errors  too_small, invalid_argument (index) */
MERKLIZE_C_API merklize_status merklize_openzeppelin_tree_prove(const merklize_openzeppelin_tree *tree, uint64_t index,
                                                                merklize_digest *proof, size_t capacity,
                                                                size_t *length);
/* The proof of getMultiProof(), for Solidity's MerkleProof.multiProofVerify(). With a null proof only the length is
 * written.
 * leaves  [count], written, in the order that the verifier needs
 * proof   [capacity], written
 * length  written if not null: digests of the proof, also if capacity is too small
 * flags   [count + length - 1], written: proofFlags, 1 or 0
 * errors  too_small, invalid_argument (an index >= n, or an index twice) */
MERKLIZE_C_API merklize_status merklize_openzeppelin_tree_prove_together(const merklize_openzeppelin_tree *tree,
                                                                         const uint64_t *indices, size_t count,
                                                                         merklize_digest *leaves,
                                                                         merklize_digest *proof, size_t capacity,
                                                                         size_t *length, uint8_t *flags);
/* Whether the proof leads from the leaf to the root, in the order of Solidity's MerkleProof.verify().
 * proof  [length]
 * valid  written: 1 or 0 */
MERKLIZE_C_API merklize_status merklize_verify_openzeppelin(const merklize_digest *proof, size_t length,
                                                            const merklize_digest *root, const merklize_digest *leaf,
                                                            int *valid);

#endif
