/* merklize/c/manifests.h: manifests of weights: docs/manifest-format.md.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_MANIFESTS_H
#define MERKLIZE_C_MANIFESTS_H

#include <merklize/c/options.h>

/* A manifest lists tensors and files with their digests, under one root. All texts are UTF-8; paths are those of the
 * system. */

/* A null struct, and 0 or null in a field, mean the default. piece_size, everything and tiles must be 0 for a call that
 * does not use them.
 * piece_size  create: the manifest records the digest of each piece of this size, so that a check can name the piece
 *             that differs. A power of two, at least 256 KiB. 0: 1 MiB; UINT64_MAX: no pieces
 * patterns    [pattern_count], as in a shell (`*.lock`). create: files of a folder that are left out. check: the
 *             tensors, files or shards to check, each of which must match something; nothing else is read. refresh:
 *             none
 * exclude     of a folder: a path that is left out, such as that of the manifest itself
 * everything  refresh: 1: hash all files, not only those whose size, time of the last write or inode changed */
typedef struct merklize_manifest_options {
    uint64_t piece_size;
    const char *const *patterns;
    size_t pattern_count;
    const char *exclude;
    uint32_t follow_links; /* 1: take symbolic links to files for the files; 0: they are an error */
    uint32_t everything;
    uint32_t tiles; /* create: 1: digests of tensors by tiles (docs/tiles-format.md), on the CPU; 0: of their bytes */
} merklize_manifest_options;

/* Hashes a safetensors file, an index of shards (*.index.json), or a folder. Safetensors files are hashed tensor by
 * tensor, all other files whole. A folder in which a shard of an index is missing is no error:
 * merklize_manifest_missing_count().
 * errors  invalid_argument (options; a header that breaks safetensors' rules; names that no manifest holds; links), io,
 *         cancelled */
MERKLIZE_C_API merklize_status merklize_manifest_create(const char *path, const merklize_manifest_options *options,
                                                        const merklize_run_options *run, merklize_manifest **manifest);
/* Reads the text of a manifest.
 * errors  invalid_argument (a text that merklize_manifest_to_json() cannot have written) */
MERKLIZE_C_API merklize_status merklize_manifest_parse(const char *text, size_t bytes, merklize_manifest **manifest);
/* The same for a file.
 * errors  as merklize_manifest_parse(), io */
MERKLIZE_C_API merklize_status merklize_manifest_load(const char *path, merklize_manifest **manifest);
MERKLIZE_C_API void merklize_manifest_free(merklize_manifest *manifest);
/* The root over all tensors and files. */
MERKLIZE_C_API merklize_status merklize_manifest_root(const merklize_manifest *manifest, merklize_digest *root);
/* Files that an index of shards in the folder names, but that were not there when the manifest was made: a download may
 * have been broken off, and the root is that of a part of the model. They are not in the text. The count is 0 for null.
 */
MERKLIZE_C_API size_t merklize_manifest_missing_count(const merklize_manifest *manifest);
/* name    written: a text that lives as long as the manifest
 * errors  invalid_argument (index not below the count) */
MERKLIZE_C_API merklize_status merklize_manifest_missing_get(const merklize_manifest *manifest, size_t index,
                                                             const char **name);
/* with_seen  1: with the times and inodes of files, which refresh compares; 0: without them, so that the text is the
 *            same on all machines
 * text       [capacity], written with a 0 at the end; may be null if capacity is 0
 * length     written if not null: bytes of the text without that 0, also if capacity is too small
 * errors     too_small */
MERKLIZE_C_API merklize_status merklize_manifest_to_json(const merklize_manifest *manifest, int with_seen, char *text,
                                                         size_t capacity, size_t *length);
/* Hashes again and lists the differences from the manifest. A file that cannot be read, or is no safetensors file, is a
 * difference.
 * path         the file, index or folder of the manifest, under any name; or the folder that holds the file or the
 *              index
 * differences  written; empty if everything matches
 * errors       invalid_argument (a pattern that nothing in the manifest has), io (a folder that cannot be read),
 *              cancelled */
MERKLIZE_C_API merklize_status merklize_manifest_check(const merklize_manifest *manifest, const char *path,
                                                       const merklize_manifest_options *options,
                                                       const merklize_run_options *run,
                                                       merklize_differences **differences);
/* How `other` differs from `manifest`: tensors and files, by name. */
MERKLIZE_C_API merklize_status merklize_manifest_diff(const merklize_manifest *manifest, const merklize_manifest *other,
                                                      merklize_differences **differences);
/* Makes a manifest of the files as they are now. It misses a write that kept size, time and inode; a check finds it.
 * errors  as merklize_manifest_create(); invalid_argument (a manifest of tensors in memory) */
MERKLIZE_C_API merklize_status merklize_manifest_refresh(const merklize_manifest *manifest, const char *path,
                                                         const merklize_manifest_options *options,
                                                         const merklize_run_options *run, merklize_manifest **made);

/* One difference from a manifest. The texts end with a 0, and live as long as the merklize_differences. */
typedef struct merklize_difference {
    const char *kind; /* missing, unexpected, dtype, shape, bytes, size, header, unreadable */
    const char *what; /* tensor, file, shard */
    const char *name;
    const char *shard;    /* the file that a tensor lies in, or null */
    const char *sentence; /* the difference in words, for people */
    uint64_t begin; /* of "bytes": the first byte of the first piece that differs, in the tensor or file; else 0 */
    uint64_t end;   /* where that piece ends */
} merklize_difference;

/* Number of differences. */
MERKLIZE_C_API size_t merklize_differences_count(const merklize_differences *differences);
/* errors  invalid_argument (index not below the count) */
MERKLIZE_C_API merklize_status merklize_differences_get(const merklize_differences *differences, size_t index,
                                                        merklize_difference *difference);
/* The same as merklize_manifest_missing_count() of what a check found, without the files of the manifest: those are
 * differences. */
MERKLIZE_C_API size_t merklize_differences_missing_count(const merklize_differences *differences);
/* name    written: a text that lives as long as the merklize_differences
 * errors  invalid_argument (index not below the count) */
MERKLIZE_C_API merklize_status merklize_differences_missing_get(const merklize_differences *differences, size_t index,
                                                                const char **name);
MERKLIZE_C_API void merklize_differences_free(merklize_differences *differences);

#endif
