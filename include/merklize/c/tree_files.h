/* merklize/c/tree_files.h: trees in files.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_TREE_FILES_H
#define MERKLIZE_C_TREE_FILES_H

#include <merklize/c/forms.h>
#include <merklize/c/options.h>

/* Builds the tree over an input in a file (.mkl), in little memory. docs/file-format.md defines the bytes of the file.
 * resume  1: resumes the OUTPUT.partial of a killed build of the same input; 0: begins again
 * info    null, or written: the facts of the tree
 * errors  io (a disk that is too small, with the numbers), invalid_argument, cancelled (OUTPUT.partial stays) */
MERKLIZE_C_API merklize_status merklize_build_tree_file(const merklize_input *input, const char *output,
                                                        const merklize_form *form, int resume, merklize_tree_info *info,
                                                        const merklize_run_options *options);
/* Opens a tree file; its nodes stay there.
 * errors  io (cannot open or read; damaged, truncated, too long, or of a newer version: the text says which) */
MERKLIZE_C_API merklize_status merklize_tree_file_open(const char *path, merklize_tree_file **file);
MERKLIZE_C_API void merklize_tree_file_free(merklize_tree_file *file);
/* Gives the key or context of a keyed tree, which is not in its file. merklize_tree_file_check(), changes and, with the
 * rule pad, proofs need it.
 * errors  invalid_argument (a mode that is not the tree's) */
MERKLIZE_C_API merklize_status merklize_tree_file_set_mode(merklize_tree_file *file, const merklize_mode *mode);
/* info  written */
MERKLIZE_C_API merklize_status merklize_tree_file_get_info(const merklize_tree_file *file, merklize_tree_info *info);
MERKLIZE_C_API merklize_status merklize_tree_file_root(const merklize_tree_file *file, merklize_digest *root);
/* Reads nodes first .. first+count-1 of a level; level 0 is the leaves.
 * nodes   [count], written
 * errors  io, invalid_argument (outside the level) */
MERKLIZE_C_API merklize_status merklize_tree_file_read(const merklize_tree_file *file, uint32_t level, uint64_t first,
                                                       merklize_digest *nodes, size_t count);
/* The proofs of merklize_tree_prove() and its siblings. A call reads only the nodes that it needs.
 * errors  io, and those of merklize_tree_prove() */
MERKLIZE_C_API merklize_status merklize_tree_file_prove(const merklize_tree_file *file, uint64_t index,
                                                        merklize_proof **proof);
MERKLIZE_C_API merklize_status merklize_tree_file_prove_together(const merklize_tree_file *file,
                                                                 const uint64_t *indices, size_t count,
                                                                 merklize_proof **proof);
MERKLIZE_C_API merklize_status merklize_tree_file_prove_range(const merklize_tree_file *file, uint64_t first,
                                                              uint64_t last, merklize_proof **proof);
MERKLIZE_C_API merklize_status merklize_tree_file_prove_consistency(const merklize_tree_file *file, uint64_t old_leaves,
                                                                    merklize_proof **proof);

/* A node that does not match its children. */
typedef struct merklize_wrong_node {
    uint64_t index; /* within the level */
    uint32_t level; /* 0: the leaves */
} merklize_wrong_node;

/* Checks every node against its children; reads the file once.
 * wrong   [capacity], written: wrong nodes, by level and index. Once `wrong` is full, the check looks for no more
 * count   written: number of nodes in `wrong`; 0: the file is sound. With capacity 0 the answer is 0 or 1
 * errors  io, cancelled, invalid_argument (a keyed tree without its mode) */
MERKLIZE_C_API merklize_status merklize_tree_file_check(const merklize_tree_file *file, merklize_wrong_node *wrong,
                                                        size_t capacity, size_t *count,
                                                        const merklize_run_options *options);
/* Replaces leaves, or adds leaves (rule left_full). The change is made in a copy, which replaces the file when it is
 * whole. One process or thread at a time changes a file; others wait.
 * errors  as merklize_tree_update(), and io (also if a node that the change reads is damaged, or if a tree of another
 *         form, leaf size or data has replaced the file); cancelled, also while waiting. After an error the file is as
 *         before */
MERKLIZE_C_API merklize_status merklize_tree_file_update(merklize_tree_file *file, const uint64_t *indices,
                                                         const merklize_digest *leaves, size_t count,
                                                         const merklize_run_options *options);
/* As merklize_tree_file_update() says. */
MERKLIZE_C_API merklize_status merklize_tree_file_append(merklize_tree_file *file, const merklize_digest *leaves,
                                                         uint64_t count, const merklize_run_options *options);

/* Builds a tree file of leaves that come in pieces, in little memory. It writes PATH.partial, which becomes PATH when
 * it is complete.
 * n_leaves                 of the whole tree; 0: unknown
 * leaf_bytes, total_bytes  facts of the input behind the leaves, which the file records; 0: unknown. total_bytes is 0
 *                          if n_leaves is
 * resume                   1: if PATH.partial has this form, n_leaves and input, its leaves are kept. The caller must
 *                          know that they are the first leaves of this tree. 0: begin again
 * options                  as merklize_hasher_create()
 * errors                   io (a disk that is too small, with the numbers; a PATH that is no regular file; another
 *                          build of it is running), invalid_argument (as merklize_build_tree(); leaves that do not
 *                          match the bytes) */
MERKLIZE_C_API merklize_status merklize_tree_writer_create(const char *path, uint64_t n_leaves,
                                                           const merklize_form *form, uint64_t leaf_bytes,
                                                           uint64_t total_bytes, int resume,
                                                           const merklize_run_options *options,
                                                           merklize_tree_writer **writer);
/* Without merklize_tree_writer_finish() before it, PATH.partial stays, and the work can be resumed. */
MERKLIZE_C_API void merklize_tree_writer_free(merklize_tree_writer *writer);
/* Number of leaves so far, those of a resumed build included; 0 for null. It is the index of the next leaf. */
MERKLIZE_C_API uint64_t merklize_tree_writer_written(const merklize_tree_writer *writer);
/* errors  io (a full disk: the work can still be resumed), invalid_argument (more leaves than n_leaves; a word that is
 *         not below the modulus), cancelled. merklize_tree_writer_written() then gives the number of leaves that were
 *         taken */
MERKLIZE_C_API merklize_status merklize_tree_writer_append(merklize_tree_writer *writer, const merklize_digest *leaves,
                                                           uint64_t count);
/* Waits until all leaves so far are on the disk. */
MERKLIZE_C_API merklize_status merklize_tree_writer_checkpoint(merklize_tree_writer *writer);
/* Writes the rest and gives the file its name.
 * total_bytes  of the input, if n_leaves was unknown; else 0
 * root         written
 * errors       io, invalid_argument (missing leaves, with the counts; a number that the rule does not allow;
 *              total_bytes of a known n_leaves), cancelled */
MERKLIZE_C_API merklize_status merklize_tree_writer_finish(merklize_tree_writer *writer, uint64_t total_bytes,
                                                           merklize_digest *root);

#endif
