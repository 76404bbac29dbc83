/* merklize/c/formats.h: trees and digests of files that other systems verify. docs/formats.md has the rules.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_FORMATS_H
#define MERKLIZE_C_FORMATS_H

#include <merklize/c/digests.h>
#include <merklize/c/forms.h>

/* A format of trees that other systems verify. Its merklize_form is {.hash = info.hash, .rule = info.rule,
 * .unambiguous = info.is_ambiguous}. */
typedef struct merklize_format_info {
    char name[32];            /* "bitcoin", for example */
    merklize_hash_id hash;    /* the hash of nodes */
    merklize_rule rule;       /* what an odd level does */
    uint32_t hashes_messages; /* 1: a leaf is merklize_hash_leaves() of a message; 0: leaves are given */
    uint32_t is_ambiguous;    /* 1: two lists of leaves can have one root: merklize_form.unambiguous refuses them */
    uint64_t piece_size;      /* bytes of a file that make one leaf; 0: the caller chooses */
} merklize_format_info;

MERKLIZE_C_API size_t merklize_format_count(void);
/* index   below merklize_format_count()
 * errors  invalid_argument (index) */
MERKLIZE_C_API merklize_status merklize_format_describe(size_t index, merklize_format_info *info);
/* errors  invalid_argument (an unknown name; the text lists the known ones) */
MERKLIZE_C_API merklize_status merklize_format_get_info(const char *name, merklize_format_info *info);
/* Refuses a tree whose root another list of leaves has, too (CVE-2012-2459).
 * errors  invalid_argument (there is such a list: the text names the level; an unknown format), and those of
 *         merklize_tree_level() */
MERKLIZE_C_API merklize_status merklize_require_unambiguous(const merklize_tree *tree, const char *format);

/* Digests of whole files, by SHA-256. Leaves and nodes are hashed on options->device; timings must be null. The bytes
 * of a file are in host memory. */

/* How fs-verity cuts a file into blocks. Null: all fields zero. */
typedef struct merklize_fs_verity_form {
    uint32_t block_size; /* bytes: a power of two, 1024 to 65536; 0: 4096 */
    const uint8_t *salt; /* copied in front of each block; at most 32 bytes */
    size_t salt_bytes;
} merklize_fs_verity_form;

/* The digest that `fsverity digest` prints and the kernel measures.
 * errors  invalid_argument (form) */
MERKLIZE_C_API merklize_status merklize_fs_verity(const void *data, size_t bytes, const merklize_fs_verity_form *form,
                                                  merklize_digest *digest, const merklize_run_options *options);
/* errors  io (also if the file changed meanwhile), invalid_argument (form) */
MERKLIZE_C_API merklize_status merklize_fs_verity_file(const char *path, const merklize_fs_verity_form *form,
                                                       merklize_digest *digest, const merklize_run_options *options);
/* Amazon Glacier's tree hash. */
MERKLIZE_C_API merklize_status merklize_glacier(const void *data, size_t bytes, merklize_digest *digest,
                                                const merklize_run_options *options);
/* What a torrent of version 2 stores for a file (BEP 52).
 * piece_length  bytes: a power of two, at least 16384; 0: 1 MiB
 * root          written: `pieces root`; zeros for an empty file, which has none
 * layer         [capacity], written: the file's value in `piece layers`, a node a piece; may be null if capacity is 0
 * count         written if not null: number of these nodes, also if capacity is too small; 0 if the file is no longer
 *               than a piece
 * errors        too_small, invalid_argument (piece_length) */
MERKLIZE_C_API merklize_status merklize_bittorrent_v2(const void *data, size_t bytes, uint64_t piece_length,
                                                      merklize_digest *root, merklize_digest *layer, size_t capacity,
                                                      size_t *count, const merklize_run_options *options);
/* SSZ's merkleize(chunks, limit), which Ethereum's consensus layer verifies.
 * chunks  [n]
 * limit   chunks that the type allows; null: n
 * length  of a list: the count of its elements, which is hashed with the root; null: none
 * errors  invalid_argument (more chunks than the limit) */
MERKLIZE_C_API merklize_status merklize_ssz(const merklize_digest *chunks, size_t n, const uint64_t *limit,
                                            const uint64_t *length, merklize_digest *root,
                                            const merklize_run_options *options);

/* Filecoin's piece commitment (CommP), by which storage providers identify the data that they store. It runs on the
 * threads of the CPU. timings and policy must be null. */

/* Filecoin's piece commitment (CommP), by which storage providers identify the data that they store. */
typedef struct merklize_piece_cid_info {
    merklize_digest root;  /* the commitment */
    uint64_t bytes;        /* bytes of the data */
    uint64_t padded_bytes; /* bytes of the piece that a provider stores: 32 * 2^height */
    uint64_t padding;      /* number of zero bytes after the data */
    uint32_t height;       /* height of the tree, at least 2: it has 2^height leaves of 32 bytes */
    char v1[96];           /* "baga6ea4seaq...", version 1: the root only. A verifier needs the size, too */
    char v2[96];           /* "bafkzcib...", version 2 (FRC-0069): root, height and padding */
} merklize_piece_cid_info;

/* The leaves of a piece's tree over some data: 4 for each 127 bytes begun, 254 bits each. A tree over all leaves of a
 * piece by "sha256_trunc254" and the rule pad has the root of merklize_piece_cid(); bytes from 127 a up to 127 b are
 * its leaves from 4 a up to 4 b.
 * data    a whole piece's, or a part that begins at a multiple of 127 bytes
 * leaves  [capacity], written; may be null if capacity is 0
 * count   written if not null: number of leaves, also if capacity is too small
 * errors  too_small, invalid_argument (more data than a piece of 64 GiB has) */
MERKLIZE_C_API merklize_status merklize_piece_leaves(const void *data, size_t bytes, merklize_digest *leaves,
                                                     size_t capacity, size_t *count);

/* errors  invalid_argument (more data than a piece of 64 GiB has) */
MERKLIZE_C_API merklize_status merklize_piece_cid(const void *data, size_t bytes, merklize_piece_cid_info *piece,
                                                  const merklize_run_options *options);
/* The same for a file, or a pipe.
 * errors  io (also if the file changed meanwhile), and those of merklize_piece_cid() */
MERKLIZE_C_API merklize_status merklize_piece_cid_file(const char *path, merklize_piece_cid_info *piece,
                                                       const merklize_run_options *options);

/* xet: the hash by which the Hugging Face hub identifies the content of a file. It runs on the CPU. The hash of no
 * bytes is 32 zeros. */

MERKLIZE_C_API merklize_status merklize_xet_hash(const void *data, size_t bytes, merklize_digest *digest,
                                                 const merklize_run_options *options);
/* errors  io (cannot open or read; it changed while it was read) */
MERKLIZE_C_API merklize_status merklize_xet_hash_file(const char *path, merklize_digest *digest,
                                                      const merklize_run_options *options);
/* As merklize_hash_files(), with 32 bytes of output a file. */
MERKLIZE_C_API merklize_status merklize_xet_hash_files(const char *const *paths, size_t n,
                                                       const merklize_run_options *options,
                                                       merklize_file_digests **digests);

typedef struct merklize_xet_chunk {
    merklize_digest hash;
    uint64_t bytes;
} merklize_xet_chunk;

/* The chunks of bytes, in order.
 * chunks  [capacity], written; may be null if capacity is 0
 * count   written if not null: number of chunks, also if capacity is too small
 * errors  too_small */
MERKLIZE_C_API merklize_status merklize_xet_chunks(const void *data, size_t bytes, merklize_xet_chunk *chunks,
                                                   size_t capacity, size_t *count, const merklize_run_options *options);
/* The hash as the hub writes it: 64 hexadecimal digits, with the bytes of each group of 8 reversed.
 * text  [65], written, with a zero byte at its end */
MERKLIZE_C_API merklize_status merklize_xet_hex(const merklize_digest *digest, char *text);

#endif
