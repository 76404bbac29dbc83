/* merklize/c/bao.h: verified streaming of a message by the tree of BLAKE3. */
#ifndef MERKLIZE_C_BAO_H
#define MERKLIZE_C_BAO_H

#include <merklize/c/options.h>

/* How the tree of a message is written down: docs/bao.md. All zero, or null: as bao 0.13 does. bao-tree's outboards: group_log 4 and
 * without_size. A group is 2^group_log chunks of 1024 bytes. The root does not depend on any of it: it is merklize_hash(). */
typedef struct merklize_bao_form {
    uint32_t group_log;    /* 0 to 20 */
    uint32_t post_order;   /* 1: a node is behind those below it; of outboards alone */
    uint32_t without_size; /* 1: the message's size is not in front */
} merklize_bao_form;

/* Bytes of a message that cannot be verified. */
typedef struct merklize_bao_fault {
    uint64_t offset, bytes;
    uint32_t in_outboard; /* 1: the outboard is wrong there, and nothing is known of the message; 0: the message is */
} merklize_bao_fault;

/* bytes   written: of the outboard of a message of `message_bytes` bytes
 * errors  invalid_argument (form) */
MERKLIZE_C_API merklize_status merklize_bao_outboard_bytes(uint64_t message_bytes, const merklize_bao_form *form,
                                                           uint64_t *bytes);
/* The outboard of a message: the nodes of its tree, by which anybody who knows the root can verify parts of it.
 * outboard  written, as many bytes as merklize_bao_outboard_bytes() says, where the message is: host memory, or a buffer of the same device
 * root      host memory, written
 * errors    invalid_argument (form; an outboard of another size or device, or one that the message overlaps), unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_bao_outboard(merklize_view data, const merklize_bao_form *form,
                                                     merklize_output outboard, merklize_digest *root,
                                                     const merklize_run_options *options);
/* The same of a regular file of any size, into the file `output`, which appears when it is whole.
 * descriptor  open for reading; its position is neither used nor changed
 * name        for error texts, or null
 * errors      io (not a regular file; it changed while it was read), invalid_argument (form), unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_bao_outboard_descriptor(int descriptor, const char *name,
                                                                const merklize_bao_form *form, const char *output,
                                                                merklize_digest *root,
                                                                const merklize_run_options *options);

/* The slice of message bytes [first, first + count): what proves them to somebody who knows the root alone. Of no bytes it has the chunk
 * at `first`; beyond the end, the last chunk. Of all bytes it is bao's encoding. Nothing is verified here.
 * data      the message, in host memory, or a file that is mapped
 * form      of the outboard; the slice is in pre-order
 * slice     [capacity], written; may be null if capacity is 0
 * length    written if not null: bytes of the slice, also if capacity is too small
 * errors    too_small, invalid_argument (form; an outboard of another message's size) */
MERKLIZE_C_API merklize_status merklize_bao_slice(const void *data, size_t bytes, const uint8_t *outboard,
                                                  size_t outboard_bytes, const merklize_bao_form *form, uint64_t first,
                                                  uint64_t count, uint8_t *slice, size_t capacity, size_t *length);
/* Message bytes [first, first + count) from their slice, all verified. A slice that does not verify is no error: *valid is 0.
 * message_bytes  of the whole message, if the form is without size; need not be trusted. Otherwise 0
 * out            [capacity], written if the slice is valid: `count` bytes, fewer where the message ends
 * length         written if not null: number of bytes; 0 if the slice is not valid
 * valid          written: 1 or 0
 * errors         too_small, invalid_argument (form) */
MERKLIZE_C_API merklize_status merklize_bao_decode_slice(const uint8_t *slice, size_t slice_bytes,
                                                         const merklize_digest *root, const merklize_bao_form *form,
                                                         uint64_t first, uint64_t count, uint64_t message_bytes,
                                                         uint8_t *out, size_t capacity, size_t *length, int *valid);

/* Verifies a part of a message by its outboard. Neither that is wrong is an error; an outboard that cannot be this message's is wrong for
 * the whole part.
 * part           [bytes], bytes `offset` on of the message: from the beginning of a group to the end of one, or of the message
 * message_bytes  of the whole message
 * faults         [capacity]: what is wrong, in order, at most `capacity` of them
 * count          written: all that is wrong; 0: the part is as the root says
 * errors         invalid_argument (form; a part that is not whole groups, or has no bytes where the message has some), cancelled */
MERKLIZE_C_API merklize_status merklize_bao_verify(const void *part, size_t bytes, uint64_t offset,
                                                   uint64_t message_bytes, const merklize_digest *root,
                                                   const uint8_t *outboard, size_t outboard_bytes,
                                                   const merklize_bao_form *form, merklize_bao_fault *faults,
                                                   size_t capacity, size_t *count, const merklize_run_options *options);
/* The same of bytes [first, first + bytes) of a regular file, widened to groups; UINT64_MAX: to its end. No bytes take the group at
 * `first`; beyond the end, the last group.
 * errors  io (not a regular file; it changed while it was read), invalid_argument (form; bytes that are not all in it), cancelled */
MERKLIZE_C_API merklize_status merklize_bao_verify_descriptor(int descriptor, const char *name, uint64_t first,
                                                              uint64_t bytes, const merklize_digest *root,
                                                              const uint8_t *outboard, size_t outboard_bytes,
                                                              const merklize_bao_form *form, merklize_bao_fault *faults,
                                                              size_t capacity, size_t *count,
                                                              const merklize_run_options *options);

#endif
