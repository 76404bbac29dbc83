/* merklize/c/xmss.h: keys of Ethereum's XMSS. docs/xmss.md says first what you must not do with such a key. */
#ifndef MERKLIZE_C_XMSS_H
#define MERKLIZE_C_XMSS_H

#include <merklize/c/options.h>
#include <merklize/c/values.h>

#define MERKLIZE_XMSS_SEED_BYTES 32
#define MERKLIZE_XMSS_NODE_BYTES 16
#define MERKLIZE_XMSS_PUBLIC_KEY_BYTES 32 /* the root, then the parameter: 16 bytes each */
#define MERKLIZE_XMSS_MESSAGE_BYTES 32
#define MERKLIZE_XMSS_SIGNATURE_BYTES 1208 /* 42 chains of 16 bytes, 24 random bytes, 32 siblings */
#define MERKLIZE_XMSS_HEIGHT 32            /* levels above the leaves: there are 2^32 epochs */

/* The keys of seeds, all for the epochs from first_epoch to last_epoch, both included. A key has its seed, and the
 * nodes above bottom trees of about the square root of the range.
 * seeds   [count * 32] secret random bytes; wipe them when you no longer need them. Copies of them are wiped
 * keys    [count], written: a handle for each seed; null after an error
 * errors  invalid_argument (a range that ends before it begins, or after epoch 2^32 - 1), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_xmss_keys(const uint8_t *seeds, size_t count, uint64_t first_epoch,
                                                  uint64_t last_epoch, const merklize_run_options *options,
                                                  merklize_xmss_key **keys);
/* Wipes the seed. */
MERKLIZE_C_API void merklize_xmss_key_free(merklize_xmss_key *key);

/* public_key               [32], written
 * first_epoch, last_epoch  written if not null */
MERKLIZE_C_API merklize_status merklize_xmss_key_info(const merklize_xmss_key *key, uint8_t *public_key,
                                                      uint64_t *first_epoch, uint64_t *last_epoch);

/* The siblings from the leaf of an epoch up. The bottom tree of the epoch is made again, unless the last call needed
 * the same one.
 * path    [512], written: 32 nodes of 16 bytes
 * errors  invalid_argument (an epoch outside the range), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_xmss_key_path(const merklize_xmss_key *key, uint64_t epoch,
                                                      const merklize_run_options *options, uint8_t *path);

/* Never sign two different messages with one epoch: together they let others sign. The key does not know what it has
 * signed, so the caller must store, before a signature leaves the process, that its epoch is used.
 *
 * The same key, epoch and message give the same signature.
 * message    [length]; length must be 32
 * signature  [1208], written
 * errors     as of merklize_xmss_key_path(); invalid_argument (a message of another length) */
MERKLIZE_C_API merklize_status merklize_xmss_key_sign(const merklize_xmss_key *key, uint64_t epoch,
                                                      const uint8_t *message, size_t length,
                                                      const merklize_run_options *options, uint8_t *signature);

/* Whether a signature is one of the message by the key and the epoch. Anything else is no error, but not valid: other
 * lengths, and epochs of 2^32 or more.
 * public_key, message, signature  their bytes, each followed by their number
 * valid   written: 1 or 0
 * errors  invalid_argument (null) */
MERKLIZE_C_API merklize_status merklize_xmss_verify(const uint8_t *public_key, size_t public_key_bytes, uint64_t epoch,
                                                    const uint8_t *message, size_t message_bytes,
                                                    const uint8_t *signature, size_t signature_bytes, int *valid);

/* The same for many, 64 of them at once in the lanes of a thread.
 * public_keys  [count * 32]
 * epochs       [count]
 * messages     [count * 32]
 * signatures   [count * 1208]
 * valid        [count], written: 1 or 0 for each
 * errors       invalid_argument (null), out_of_memory, cancelled */
MERKLIZE_C_API merklize_status merklize_xmss_verify_each(const uint8_t *public_keys, const uint64_t *epochs,
                                                         const uint8_t *messages, const uint8_t *signatures,
                                                         size_t count, const merklize_run_options *options,
                                                         uint8_t *valid);

#endif
