/* merklize/c/digests.h: digests of messages, files and rows; merges.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_DIGESTS_H
#define MERKLIZE_C_DIGESTS_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* The digest of a message by a hash of bytes. BLAKE3 runs on all threads or on the device. Every other hash is one
 * chain of blocks, which the calling thread computes.
 * data    of any length. BLAKE3 hashes the memory of a device on that device
 * mode    of blake3 or blake2s; null: plain
 * seek    blake3: the first byte to write of the extendable output. Other hashes: 0
 * out     [out_bytes] of host memory, written. The first 32 bytes of the output are the digest; other hashes than
 *         blake3 have no more. blake2s has digests of 1 to 32 bytes
 * errors  unavailable, cancelled, invalid_argument (a hash of field elements; sha256_rfc6962, which puts a prefix
 *         before leaves; keccakf64, which binds no length; a mode, or output, that the hash does not have) */
MERKLIZE_C_API merklize_status merklize_hash(merklize_view data, merklize_hash_id hash, const merklize_mode *mode,
                                             uint64_t seek, uint8_t *out, size_t out_bytes,
                                             const merklize_run_options *options);
/* The same for a file, or for anything else that can be opened and read, such as a pipe. Takes at most about 32 MiB of
 * memory.
 * errors  io (cannot open or read; a regular file that changed its size while it was read), invalid_argument (a hash
 *         that begins with the length, of a pipe) */
MERKLIZE_C_API merklize_status merklize_hash_file(const char *path, merklize_hash_id hash, const merklize_mode *mode,
                                                  uint64_t seek, uint8_t *out, size_t out_bytes,
                                                  const merklize_run_options *options);
/* The same for an open descriptor, which is read from its current position to its end and not closed.
 * name  for error texts; may be null */
MERKLIZE_C_API merklize_status merklize_hash_descriptor(int descriptor, const char *name, merklize_hash_id hash,
                                                        const merklize_mode *mode, uint64_t seek, uint8_t *out,
                                                        size_t out_bytes, const merklize_run_options *options);
/* The same for many files, several at once. A file that fails does not stop the others.
 * paths    [n]
 * length   bytes of output for each file
 * digests  written: the digest or the error of each file, in order */
MERKLIZE_C_API merklize_status merklize_hash_files(const char *const *paths, size_t n, merklize_hash_id hash,
                                                   const merklize_mode *mode, uint64_t seek, size_t length,
                                                   const merklize_run_options *options,
                                                   merklize_file_digests **digests);

/* The digest or the error of one file. Its memory lives as long as the merklize_file_digests. */
typedef struct merklize_file_digest {
    const uint8_t *output; /* [length]; null if the file failed */
    const char *error;     /* why it failed, or null */
    int system_error;      /* errno's value, if a system call failed, or 0 */
} merklize_file_digest;

/* errors  invalid_argument (index not below the number of files) */
MERKLIZE_C_API merklize_status merklize_file_digests_get(const merklize_file_digests *digests, size_t index,
                                                         merklize_file_digest *digest);
MERKLIZE_C_API void merklize_file_digests_free(merklize_file_digests *digests);

/* The digest of each of n messages of any lengths. BLAKE3 hashes messages where they lie, in one job a device. Other
 * hashes run on the CPU, each message in one thread.
 * messages  [n]
 * out       [n, length] bytes of host memory, written
 * errors    as merklize_hash(); invalid_argument (a stream, and messages on another device) */
MERKLIZE_C_API merklize_status merklize_hash_each(const merklize_view *messages, size_t n, merklize_hash_id hash,
                                                  const merklize_mode *mode, uint64_t seek, uint8_t *out, size_t length,
                                                  const merklize_run_options *options);
/* BLAKE3 of one message that is the concatenation of several buffers. All devices work at once.
 * parts   [n]; each but the last has a multiple of 1024 bytes
 * errors  as merklize_hash(); invalid_argument (a part of another length; a stream) */
MERKLIZE_C_API merklize_status merklize_hash_parts(const merklize_buffer *const *parts, size_t n,
                                                   const merklize_mode *mode, uint64_t seek, uint8_t *out,
                                                   size_t out_bytes, const merklize_run_options *options);

/* Digests of n rows of equal length, as leaves of a tree of this hash. docs/hashes.md gives the prefix and the padding
 * of each hash.
 * rows       [n, row_bytes]: bytes, or little-endian words of a field hash, each below its modulus
 * row_bytes  of a field hash a multiple of merklize_hash_info.element_bytes
 * mode       of blake3 or blake2s; null: plain
 * out        [n] digests; in host memory if the rows are, otherwise on the rows' device
 * errors     invalid_argument (sizes that do not fit; a word that is not below the modulus, with its place; a mode) */
MERKLIZE_C_API merklize_status merklize_hash_leaves(merklize_view rows, uint64_t row_bytes, merklize_hash_id hash,
                                                    const merklize_mode *mode, merklize_output out,
                                                    const merklize_run_options *options);

/* Merges of n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`.
 * left, right, out  [n] digests each; all in host memory, or all on one device
 * mode              merges under a key, or of key derivation; of blake3 or blake2s
 * errors            invalid_argument (sizes that do not fit; a word that is not below the modulus; a mode) */
MERKLIZE_C_API merklize_status merklize_merge(merklize_view left, merklize_view right, merklize_hash_id hash,
                                              const merklize_mode *mode, merklize_output out,
                                              const merklize_run_options *options);

/* Hashes a message that comes in pieces, by any hash that merklize_hash() takes. BLAKE3 hashes large pieces on all
 * threads.
 * options  hold for all later calls on the hasher; what they point to is copied. progress and timings must be null
 * errors   as merklize_hash(); invalid_argument (a hash that begins with the length) */
MERKLIZE_C_API merklize_status merklize_hasher_create(merklize_hash_id hash, const merklize_mode *mode,
                                                      const merklize_run_options *options, merklize_hasher **hasher);
MERKLIZE_C_API merklize_status merklize_hasher_update(merklize_hasher *hasher, const void *data, size_t bytes);
/* The output of merklize_hash() for all bytes so far. More bytes may follow.
 * errors  invalid_argument (a hash without extendable output: other than 32 bytes at 0) */
MERKLIZE_C_API merklize_status merklize_hasher_output(const merklize_hasher *hasher, uint64_t seek, uint8_t *out,
                                                      size_t out_bytes);
/* Number of bytes so far; 0 for null. */
MERKLIZE_C_API uint64_t merklize_hasher_count(const merklize_hasher *hasher);
/* Forgets all bytes; keeps hash, mode and options. */
MERKLIZE_C_API merklize_status merklize_hasher_reset(merklize_hasher *hasher);
/* An independent copy, which has taken the same bytes. */
MERKLIZE_C_API merklize_status merklize_hasher_copy(const merklize_hasher *hasher, merklize_hasher **copy);
MERKLIZE_C_API void merklize_hasher_free(merklize_hasher *hasher);

#endif
