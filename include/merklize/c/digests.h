/* merklize/c/digests.h: digests of bytes, messages, files and rows; merges; bytes that come in pieces. */
#ifndef MERKLIZE_C_DIGESTS_H
#define MERKLIZE_C_DIGESTS_H

#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

/* BLAKE3 of bytes.
 * data       `bytes` bytes of host memory
 * mode       null: plain
 * seek       position in BLAKE3's extendable output at which `out` begins; 0 with 32 bytes is the digest
 * out        [out_bytes], written
 * errors     unavailable, cancelled, invalid_argument */
MERKLIZE_C_API merklize_status merklize_hash_bytes(const void *data, size_t bytes, const merklize_mode *mode,
                                                   uint64_t seek, uint8_t *out, size_t out_bytes,
                                                   const merklize_run_options *options);
/* The same for a device's memory, hashed there. `out` is host memory. */
MERKLIZE_C_API merklize_status merklize_hash_buffer(const merklize_buffer *data, const merklize_mode *mode,
                                                    uint64_t seek, uint8_t *out, size_t out_bytes,
                                                    const merklize_run_options *options);
/* The same for a file or anything else that can be opened and read; a pipe is read in order. Takes at most about 32 MiB of memory.
 * errors  io (cannot open or read; a regular file that changed its size while it was read) */
MERKLIZE_C_API merklize_status merklize_hash_file(const char *path, const merklize_mode *mode, uint64_t seek,
                                                  uint8_t *out, size_t out_bytes, const merklize_run_options *options);
/* The same for an open descriptor, read from its current position to its end and not closed.
 * name  for error texts; may be null */
MERKLIZE_C_API merklize_status merklize_hash_descriptor(int descriptor, const char *name, const merklize_mode *mode,
                                                        uint64_t seek, uint8_t *out, size_t out_bytes,
                                                        const merklize_run_options *options);

/* Digest of one message by any hash of bytes; blake3 has the same digest here as above. All others are one chain of blocks, which the
 * calling thread computes.
 * digest  host memory, written
 * errors  invalid_argument (a hash of field elements; sha256_rfc6962, which puts a prefix before leaves; keccakf64, which
 *         binds no length) */
MERKLIZE_C_API merklize_status merklize_hash_message(merklize_hash hash, const void *data, size_t bytes,
                                                     merklize_digest *digest, const merklize_run_options *options);
/* The same of bytes in a device's memory. */
MERKLIZE_C_API merklize_status merklize_hash_message_buffer(merklize_hash hash, const merklize_buffer *data,
                                                            merklize_digest *digest,
                                                            const merklize_run_options *options);
/* The same of a file, or of anything else that can be opened and read.
 * errors  io, invalid_argument (a hash that begins with the length, of a pipe) */
MERKLIZE_C_API merklize_status merklize_hash_message_file(merklize_hash hash, const char *path, merklize_digest *digest,
                                                          const merklize_run_options *options);

/* One of the messages of merklize_hash_each(): bytes of any length, in host memory or in a device's. */
typedef struct merklize_message {
    const void *data;              /* host memory; null if `buffer` is set */
    uint64_t bytes;                /* of `data`; 0 if `buffer` is set */
    const merklize_buffer *buffer; /* all bytes of a buffer; null: `data` */
} merklize_message;

/* BLAKE3 of each of n messages of any lengths, in one job a device; each is hashed where it lies, those of the host by options->device.
 * messages  [n]
 * seek      as for merklize_hash_bytes()
 * out       [n, length] bytes of host memory, written
 * errors    invalid_argument (a message with data and a buffer; a stream, and messages on another device) */
MERKLIZE_C_API merklize_status merklize_hash_each(const merklize_message *messages, size_t n, const merklize_mode *mode,
                                                  uint64_t seek, uint8_t *out, size_t length,
                                                  const merklize_run_options *options);

/* Digests of n rows of equal length, as leaves of a tree of this hash. docs/hashes.md says what each hash makes of a row (RFC 6962's
 * prefix, padding).
 * rows        [n, row_length] units of merklize_hash_info.row_unit_bytes: bytes, or words of a field hash, each below its modulus
 * mode        only for blake3
 * out         [n]
 * errors      invalid_argument (unknown hash; a word that is not below the modulus, with its place; a mode) */
MERKLIZE_C_API merklize_status merklize_hash_leaves(merklize_hash hash, const void *rows, size_t row_length, size_t n,
                                                    const merklize_mode *mode, merklize_digest *out,
                                                    const merklize_run_options *options);
/* The same in a device's memory; out: [n, 32] bytes of the same device, which say what n is. */
MERKLIZE_C_API merklize_status merklize_hash_leaves_buffer(merklize_hash hash, const merklize_buffer *rows,
                                                           size_t row_length, const merklize_mode *mode,
                                                           merklize_buffer *out, const merklize_run_options *options);

/* Merges of n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`.
 * mode    keyed or derive-key merges; only for blake3
 * errors  invalid_argument (unknown hash; a word that is not below the modulus; a mode) */
MERKLIZE_C_API merklize_status merklize_merge(merklize_hash hash, const merklize_digest *left,
                                              const merklize_digest *right, size_t n, const merklize_mode *mode,
                                              merklize_digest *out, const merklize_run_options *options);
/* The same in a device's memory: [n, 32] bytes each, of one device. */
MERKLIZE_C_API merklize_status merklize_merge_buffers(merklize_hash hash, const merklize_buffer *left,
                                                      const merklize_buffer *right, const merklize_mode *mode,
                                                      merklize_buffer *out, const merklize_run_options *options);

/* Streaming BLAKE3: bytes that come in pieces. Large pieces use all threads.
 * options  hold for all later calls on the hasher; what they point to is copied. progress and timings must be null
 * errors   invalid_argument */
MERKLIZE_C_API merklize_status merklize_hasher_create(const merklize_mode *mode, const merklize_run_options *options,
                                                      merklize_hasher **hasher);
/* The same by any hash of bytes, as merklize_hash_message() has it.
 * errors  invalid_argument (one that merklize_hash_message() does not take, or that begins with the length) */
MERKLIZE_C_API merklize_status merklize_hasher_create_by(merklize_hash hash, const merklize_run_options *options,
                                                         merklize_hasher **hasher);
MERKLIZE_C_API merklize_status merklize_hasher_update(merklize_hasher *hasher, const void *data, size_t bytes);
/* Output of all bytes so far, as merklize_hash_bytes() has it. More bytes may follow.
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
