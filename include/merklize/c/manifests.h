/* merklize/c/manifests.h: manifests of weights: docs/manifest-format.md. */
#ifndef MERKLIZE_C_MANIFESTS_H
#define MERKLIZE_C_MANIFESTS_H

#include <merklize/c/options.h>

/* What tensors and files are, under one root: docs/manifest-format.md. All texts are UTF-8; paths are paths of the system. */

/* Null in place of the struct, and 0 or null in a field: the default.
 * piece_size  create: a difference in longer tensors and files is later placed to such a piece: a power of two of at least 256 KiB. 0: 1
 *             MiB; UINT64_MAX: no pieces
 * patterns    [pattern_count] as in a shell (`*.lock`). create: names of files of a folder that are left out. check: tensors, files or
 *             shards, of which there must be some; the rest is not read. refresh: none
 * exclude     of a folder: a path that is left out, such as the manifest's own
 * everything  refresh: 1: hash all files, not only those whose size, time of the last write or inode changed */
typedef struct merklize_manifest_options {
    uint64_t piece_size;
    const char *const *patterns;
    size_t pattern_count;
    const char *exclude;
    uint32_t follow_links; /* 1: take symbolic links to files for the files; 0: they are an error */
    uint32_t everything;
} merklize_manifest_options;

/* Hashes a safetensors file, an index of shards (*.index.json), or a folder: its safetensors files tensor by tensor, all others as files.
 * errors  invalid_argument (options; a header that breaks safetensors' rules; names that no manifest holds; links), io, cancelled */
MERKLIZE_C_API merklize_status merklize_manifest_create(const char *path, const merklize_manifest_options *options,
                                                        const merklize_run_options *run, merklize_manifest **manifest);
/* Reads the text of a manifest.
 * errors  invalid_argument (whatever merklize_manifest_to_json() does not write) */
MERKLIZE_C_API merklize_status merklize_manifest_parse(const char *text, size_t bytes, merklize_manifest **manifest);
/* The same of a file.  errors  as above, io */
MERKLIZE_C_API merklize_status merklize_manifest_load(const char *path, merklize_manifest **manifest);
MERKLIZE_C_API void merklize_manifest_free(merklize_manifest *manifest);
/* The root over all tensors and files. */
MERKLIZE_C_API merklize_status merklize_manifest_root(const merklize_manifest *manifest, merklize_digest *root);
/* with_seen  1: with the times and inodes of files, which refresh goes by; 0: the text is the same on all machines
 * text       [capacity], written with a 0 at the end; may be null if capacity is 0
 * length     written if not null: bytes of the text without that 0, also if capacity is too small
 * errors     too_small */
MERKLIZE_C_API merklize_status merklize_manifest_to_json(const merklize_manifest *manifest, int with_seen, char *text,
                                                         size_t capacity, size_t *length);
/* Hashes again and tells what is not as the manifest says. A file that cannot be read, or is no safetensors file, is a difference.
 * path         what the manifest was made of, under any name, or for a file or an index the folder that holds it
 * differences  written: none, if all is as the manifest says
 * errors       invalid_argument (a pattern that nothing in the manifest has), io (a folder that cannot be read), cancelled */
MERKLIZE_C_API merklize_status merklize_manifest_check(const merklize_manifest *manifest, const char *path,
                                                       const merklize_manifest_options *options,
                                                       const merklize_run_options *run,
                                                       merklize_differences **differences);
/* How `other` differs from `manifest`: tensors and files, by name. */
MERKLIZE_C_API merklize_status merklize_manifest_diff(const merklize_manifest *manifest, const merklize_manifest *other,
                                                      merklize_differences **differences);
/* A manifest of the files as they are now. A write that keeps size, time and inode is not found; a check finds it.
 * errors  as merklize_manifest_create(); invalid_argument (a manifest of tensors in memory) */
MERKLIZE_C_API merklize_status merklize_manifest_refresh(const merklize_manifest *manifest, const char *path,
                                                         const merklize_manifest_options *options,
                                                         const merklize_run_options *run, merklize_manifest **made);

/* One thing that is not as a manifest says. The texts end with a 0, and live as long as the merklize_differences. */
typedef struct merklize_difference {
    const char *kind; /* missing, unexpected, dtype, shape, bytes, size, header, unreadable */
    const char *what; /* tensor, file, shard */
    const char *name;
    const char *shard;    /* the file that a tensor lies in, or null */
    const char *sentence; /* all of it, for people */
    uint64_t begin,
        end; /* of "bytes": the first piece that differs is bytes begin to end of the tensor or file; else 0 */
} merklize_difference;

/* How many there are. */
MERKLIZE_C_API size_t merklize_differences_count(const merklize_differences *differences);
/* errors  invalid_argument (index not below the count) */
MERKLIZE_C_API merklize_status merklize_differences_get(const merklize_differences *differences, size_t index,
                                                        merklize_difference *difference);
MERKLIZE_C_API void merklize_differences_free(merklize_differences *differences);

#endif
