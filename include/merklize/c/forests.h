/* merklize/c/forests.h: many small trees of one form and size.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_FORESTS_H
#define MERKLIZE_C_FORESTS_H

#include <merklize/c/forms.h>
#include <merklize/c/options.h>

/* Facts of a forest. */
typedef struct merklize_forest_info {
    uint64_t n_trees;   /* number of trees */
    uint64_t n_leaves;  /* number of leaves of each tree */
    uint32_t height;    /* levels above the leaves */
    uint32_t on_device; /* 1: the nodes are in the memory of a device */
} merklize_forest_info;

/* Builds all trees by the same launches, as if they were one large tree. Any number of threads may use a forest at
 * once.
 * leaves    [n_trees, n_leaves] digests, tree after tree; copied, in a buffer there
 * n_leaves  a power of two, for which all rules agree
 * errors    as merklize_tree_from_leaves(); invalid_argument (n_leaves; a number of digests that is no multiple of
 *           n_leaves) */
MERKLIZE_C_API merklize_status merklize_forest_from_leaves(merklize_view leaves, uint64_t n_leaves,
                                                           const merklize_form *form,
                                                           const merklize_run_options *options,
                                                           merklize_forest **forest);
MERKLIZE_C_API void merklize_forest_free(merklize_forest *forest);
MERKLIZE_C_API merklize_status merklize_forest_get_info(const merklize_forest *forest, merklize_forest_info *info);
/* roots   [capacity], written; may be null if capacity is 0
 * count   written if not null: number of trees, also if capacity is too small
 * errors  too_small */
MERKLIZE_C_API merklize_status merklize_forest_roots(const merklize_forest *forest, merklize_digest *roots,
                                                     size_t capacity, size_t *count);
/* A view of one level of all trees, tree after tree. If the nodes are on a device, the first call copies the level to
 * the host.
 * nodes   written: a pointer to memory of the forest, valid until it is freed
 * errors  invalid_argument (a level above the roots), out_of_memory */
MERKLIZE_C_API merklize_status merklize_forest_level(const merklize_forest *forest, uint32_t level,
                                                     const merklize_digest **nodes, uint64_t *count);
/* The proof of one leaf of one tree, as merklize_tree_prove() makes it for that tree alone.
 * errors  invalid_argument (tree, index) */
MERKLIZE_C_API merklize_status merklize_forest_prove(const merklize_forest *forest, uint64_t tree, uint64_t index,
                                                     merklize_proof **proof);

#endif
