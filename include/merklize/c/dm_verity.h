/* merklize/c/dm_verity.h: dm-verity: the tree over the blocks of a disk by which Linux checks each block that it reads.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_DM_VERITY_H
#define MERKLIZE_C_DM_VERITY_H

#include <merklize/c/options.h>
#include <merklize/c/values.h>

/* docs/formats.md has the rule. Blocks are read and hashed in parallel, in bounded memory. SHA-256 runs on
 * options->device, SHA-512 on the CPU. timings must be null. */

/* The hash of blocks. */
typedef uint32_t merklize_dm_verity_algorithm;
enum {
    MERKLIZE_DM_VERITY_SHA256 = 0, /* SHA-256: roots of 32 bytes */
    MERKLIZE_DM_VERITY_SHA512 = 1  /* SHA-512: roots of 64 bytes */
};

/* How a disk is hashed. Null: all zero. The same fields and data always give the same root. */
typedef struct merklize_dm_verity_form {
    merklize_dm_verity_algorithm algorithm;
    uint32_t salt_after;      /* 0: format 1, the salt comes before each block; 1: format 0 (Chrome OS), after it */
    uint32_t data_block_size; /* bytes: a power of two, 512 to 524288; 0: 4096 */
    uint32_t hash_block_size; /* the same for the blocks of the tree */
    uint64_t data_blocks;     /* 0: all of the data, which must be whole blocks */
    const uint8_t *salt;
    size_t salt_bytes; /* at most 256 */
} merklize_dm_verity_form;

/* Where the tree is. Null: all zero. */
typedef struct merklize_dm_verity_area {
    uint64_t offset; /* bytes into the hash file: a multiple of 512 with a superblock, otherwise of `hash_block_size` */
    uint32_t without_superblock; /* 0: 512 bytes before the tree hold the fields of the form */
    uint8_t uuid[16];            /* the UUID in the superblock that is written */
} merklize_dm_verity_area;

/* The facts in a superblock, or of the tree that was written. */
typedef struct merklize_dm_verity_facts {
    merklize_dm_verity_algorithm algorithm;
    uint32_t salt_after;
    uint32_t data_block_size;
    uint32_t hash_block_size;
    uint64_t data_blocks;
    uint8_t salt[256];
    size_t salt_bytes;
    uint8_t uuid[16];
    uint64_t hash_blocks; /* blocks of the tree, without that of the superblock */
    uint64_t end;         /* where the tree ends, in bytes into the hash file */
} merklize_dm_verity_facts;

/* The root hash. */
typedef struct merklize_dm_verity_root {
    uint8_t bytes[64];
    size_t length; /* 32, or 64 by SHA-512 */
} merklize_dm_verity_root;

/* A block that does not match the root. */
typedef struct merklize_dm_verity_fault {
    uint64_t block;     /* from 0; of the tree by its place in the hash file: bytes / hash_block_size */
    uint32_t in_hashes; /* 0: a block of the data; 1: of the tree */
} merklize_dm_verity_fault;

/* The root hash of data in memory, as `veritysetup format` prints it.
 * errors  invalid_argument (no whole block; bytes after the last whole block; sizes, algorithm or salt) */
MERKLIZE_C_API merklize_status merklize_dm_verity(const void *data, size_t bytes, const merklize_dm_verity_form *form,
                                                  merklize_dm_verity_root *root, const merklize_run_options *options);
/* The same for a file or a block device.
 * errors  io (also if the file changed meanwhile), and those of merklize_dm_verity() */
MERKLIZE_C_API merklize_status merklize_dm_verity_file(const char *path, const merklize_dm_verity_form *form,
                                                       merklize_dm_verity_root *root,
                                                       const merklize_run_options *options);
/* Writes the tree, as `veritysetup format` does: a new file replaces `hashes` when it is complete. A block device, the
 * data file itself, or a file with area->offset > 0 is written in place, its superblock last.
 * data    a path, of a file or of a block device
 * hashes  a path
 * facts   written if not null
 * errors  io, invalid_argument (as merklize_dm_verity(); the area's offset; an area that overlaps the data) */
MERKLIZE_C_API merklize_status merklize_dm_verity_format(const char *data, const char *hashes,
                                                         const merklize_dm_verity_form *form,
                                                         const merklize_dm_verity_area *area,
                                                         merklize_dm_verity_root *root, merklize_dm_verity_facts *facts,
                                                         const merklize_run_options *options);
/* Reads the superblock at `offset`.
 * errors  io, invalid_argument (no superblock, or one whose fields are impossible: which) */
MERKLIZE_C_API merklize_status merklize_dm_verity_dump(const char *hashes, uint64_t offset,
                                                       merklize_dm_verity_facts *facts);
/* Hashes all data again, and compares every block of the tree with the level above it, up to the root. Wrong blocks are
 * no error. A root binds the data only together with the form: an attacker who writes the superblock can choose
 * another form, under which other data has this root. So take the form from where the root came from.
 * root    [root_bytes], the root hash that is trusted
 * form    the superblock must state the same; null: it is believed. Without form->data_blocks its blocks must be all of
 *         the data, up to a hash area in the same file
 * faults  [capacity]: the wrong blocks, those of the data first, in order: at most `capacity`, and at most 1000 of each
 *         kind
 * written written if not null: number of faults in `faults`
 * count   written: number of all wrong blocks; 0: the data match the root
 * errors  io, invalid_argument (as merklize_dm_verity_dump(); a superblock that differs from the form; bytes of the
 *         data that would not be checked; neither a form nor a superblock; a root of another size; a tree that ends
 *         early) */
MERKLIZE_C_API merklize_status merklize_dm_verity_verify(const char *data, const char *hashes, const uint8_t *root,
                                                         size_t root_bytes, const merklize_dm_verity_form *form,
                                                         const merklize_dm_verity_area *area,
                                                         merklize_dm_verity_fault *faults, size_t capacity,
                                                         size_t *written, uint64_t *count,
                                                         const merklize_run_options *options);

#endif
