/* merklize/c/digests.h: digests of messages, files and rows; merges. */
#ifndef MERKLIZE_C_DIGESTS_H
#define MERKLIZE_C_DIGESTS_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* The digest of a message by a hash of bytes. BLAKE3 uses all threads, or the device; the others are one chain of blocks, which the calling
 * thread computes.
 * data    of any length; a device's memory is hashed there by BLAKE3
 * mode    of blake3; null: plain
 * seek    where `out` begins in BLAKE3's extendable output; of any other hash 0
 * out     [out_bytes] of host memory, written; 32 bytes from 0 on are the digest, and all that any other hash has
 * errors  unavailable, cancelled, invalid_argument (a hash of field elements; sha256_rfc6962, which puts a prefix before leaves;
 *         keccakf64, which binds no length; a mode, or output, that the hash does not have) */
MERKLIZE_C_API merklize_status merklize_hash(merklize_view data, merklize_hash_id hash, const merklize_mode *mode,
                                             uint64_t seek, uint8_t *out, size_t out_bytes,
                                             const merklize_run_options *options);
/* The same of a file or of anything else that can be opened and read; a pipe is read in order. Takes at most about 32 MiB of memory.
 * errors  io (cannot open or read; a regular file that changed its size while it was read), invalid_argument (a hash that begins with the
 *         length, of a pipe) */
MERKLIZE_C_API merklize_status merklize_hash_file(const char *path, merklize_hash_id hash, const merklize_mode *mode,
                                                  uint64_t seek, uint8_t *out, size_t out_bytes,
                                                  const merklize_run_options *options);
/* The same of an open descriptor, read from its current position to its end and not closed.
 * name  for error texts; may be null */
MERKLIZE_C_API merklize_status merklize_hash_descriptor(int descriptor, const char *name, merklize_hash_id hash,
                                                        const merklize_mode *mode, uint64_t seek, uint8_t *out,
                                                        size_t out_bytes, const merklize_run_options *options);
/* The same of many files, several at once. A file that fails does not stop the others.
 * paths    [n]
 * length   bytes of output for each file
 * digests  written: what became of each file, in order */
MERKLIZE_C_API merklize_status merklize_hash_files(const char *const *paths, size_t n, merklize_hash_id hash,
                                                   const merklize_mode *mode, uint64_t seek, size_t length,
                                                   const merklize_run_options *options,
                                                   merklize_file_digests **digests);

/* What became of one file. Its memory lives as long as the merklize_file_digests. */
typedef struct merklize_file_digest {
    const uint8_t *output; /* [length]; null if the file failed */
    const char *error;     /* why it failed, or null */
    int system_error;      /* errno's value, if a system call failed, or 0 */
} merklize_file_digest;

/* errors  invalid_argument (index not below the number of files) */
MERKLIZE_C_API merklize_status merklize_file_digests_get(const merklize_file_digests *digests, size_t index,
                                                         merklize_file_digest *digest);
MERKLIZE_C_API void merklize_file_digests_free(merklize_file_digests *digests);

/* Each of n messages of any lengths, by BLAKE3 in one job a device, each where it lies; by any other hash a thread a message.
 * messages  [n]
 * out       [n, length] bytes of host memory, written
 * errors    as merklize_hash(); invalid_argument (a stream, and messages on another device) */
MERKLIZE_C_API merklize_status merklize_hash_each(const merklize_view *messages, size_t n, merklize_hash_id hash,
                                                  const merklize_mode *mode, uint64_t seek, uint8_t *out, size_t length,
                                                  const merklize_run_options *options);
/* BLAKE3 of one message whose parts lie in several buffers, one after another. All devices work at once.
 * parts   [n], each of a multiple of 1024 bytes, but for the last one
 * errors  as merklize_hash(); invalid_argument (a part of another length; a stream) */
MERKLIZE_C_API merklize_status merklize_hash_parts(const merklize_buffer *const *parts, size_t n,
                                                   const merklize_mode *mode, uint64_t seek, uint8_t *out,
                                                   size_t out_bytes, const merklize_run_options *options);

/* Digests of n rows of equal length, as leaves of a tree of this hash. docs/hashes.md says what each hash makes of a row (RFC 6962's
 * prefix, padding).
 * rows       [n, row_bytes]: bytes, or little-endian words of a field hash, each below its modulus
 * row_bytes  of a field hash a multiple of merklize_hash_info.element_bytes
 * mode       of blake3; null: plain
 * out        [n] digests, where the rows are
 * errors     invalid_argument (sizes that do not fit; a word that is not below the modulus, with its place; a mode) */
MERKLIZE_C_API merklize_status merklize_hash_leaves(merklize_view rows, uint64_t row_bytes, merklize_hash_id hash,
                                                    const merklize_mode *mode, merklize_output out,
                                                    const merklize_run_options *options);

/* Merges of n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`.
 * left, right, out  [n] digests each, in one place
 * mode              keyed or derive-key merges; of blake3
 * errors            invalid_argument (sizes that do not fit; a word that is not below the modulus; a mode) */
MERKLIZE_C_API merklize_status merklize_merge(merklize_view left, merklize_view right, merklize_hash_id hash,
                                              const merklize_mode *mode, merklize_output out,
                                              const merklize_run_options *options);

/* A message that comes in pieces, by any hash that merklize_hash() takes. Large pieces use all threads.
 * options  hold for all later calls on the hasher; what they point to is copied. progress and timings must be null
 * errors   as merklize_hash(); invalid_argument (a hash that begins with the length) */
MERKLIZE_C_API merklize_status merklize_hasher_create(merklize_hash_id hash, const merklize_mode *mode,
                                                      const merklize_run_options *options, merklize_hasher **hasher);
MERKLIZE_C_API merklize_status merklize_hasher_update(merklize_hasher *hasher, const void *data, size_t bytes);
/* Output of all bytes so far, as merklize_hash() has it. More bytes may follow.
 * errors  invalid_argument (a hash without extendable output: other than 32 bytes at 0) */
MERKLIZE_C_API merklize_status merklize_hasher_output(const merklize_hasher *hasher, uint64_t seek, uint8_t *out,
                                                      size_t out_bytes);
/* Number of bytes so far; 0 for null. */
MERKLIZE_C_API uint64_t merklize_hasher_count(const merklize_hasher *hasher);
/* Back to no bytes, in the same mode. */
MERKLIZE_C_API merklize_status merklize_hasher_reset(merklize_hasher *hasher);
/* A hasher of its own that goes on from the same bytes. */
MERKLIZE_C_API merklize_status merklize_hasher_copy(const merklize_hasher *hasher, merklize_hasher **copy);
MERKLIZE_C_API void merklize_hasher_free(merklize_hasher *hasher);

#endif
