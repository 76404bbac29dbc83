/* merklize/c/bao.h: verified streaming of a message by the tree of BLAKE3.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_BAO_H
#define MERKLIZE_C_BAO_H

#include <merklize/c/options.h>

/* The layout of an outboard or a slice: docs/bao.md. Null, or all fields zero, is the layout of bao 0.13. The
 * outboards of bao-tree have group_log 4 and without_size 1. A group is 2^group_log chunks of 1024 bytes. In every
 * form the root is merklize_hash() of the message. */
typedef struct merklize_bao_form {
    uint32_t group_log;    /* 0 to 20 */
    uint32_t post_order;   /* 1: a node follows its children. For outboards only */
    uint32_t without_size; /* 1: the size of the message is not stored in front */
} merklize_bao_form;

/* A range of bytes of a message that cannot be verified. */
typedef struct merklize_bao_fault {
    uint64_t offset;      /* the first byte, counted in the message */
    uint64_t bytes;       /* the number of bytes */
    uint32_t in_outboard; /* 0: these bytes are wrong; 1: the outboard is, so these bytes were not checked */
} merklize_bao_fault;

/* Size of the outboard of a message of `message_bytes` bytes.
 * bytes   written
 * errors  invalid_argument (form) */
MERKLIZE_C_API merklize_status merklize_bao_outboard_bytes(uint64_t message_bytes, const merklize_bao_form *form,
                                                           uint64_t *bytes);
/* Computes the outboard of a message: the nodes of its tree. With the outboard, anybody who knows the root can verify
 * parts of the message.
 * out       [merklize_bao_outboard_bytes()], written. In host memory if the message is, otherwise on the message's
 *           device
 * root      host memory, written
 * errors    invalid_argument (form; an outboard of another size or device, or one that the message overlaps),
 *           unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_bao_outboard(merklize_view data, const merklize_bao_form *form,
                                                     merklize_output out, merklize_digest *root,
                                                     const merklize_run_options *options);
/* The same for a file or block device of any size, or a pipe. The outboard goes into the file `output`, which appears
 * only when it is complete.
 * descriptor  open for reading; the position of a file is neither used nor changed
 * name        for error texts, or null
 * errors      io (it cannot be read; it changed while it was read), invalid_argument (form), unavailable, cancelled */
MERKLIZE_C_API merklize_status merklize_bao_outboard_descriptor(int descriptor, const char *name,
                                                                const merklize_bao_form *form, const char *output,
                                                                merklize_digest *root,
                                                                const merklize_run_options *options);

/* Makes the slice of message bytes [first, first + count), which proves these bytes to anybody who knows the root. A
 * slice of no bytes holds the chunk at `first`, or the last chunk if `first` is beyond the end. The slice of all bytes
 * is bao's encoding. This call verifies nothing.
 * data      the message, in host memory or in a mapped file
 * form      of the outboard; the slice is in pre-order
 * slice     [capacity], written; may be null if capacity is 0
 * length    written if not null: bytes of the slice, also if capacity is too small
 * errors    too_small, invalid_argument (form; an outboard of another message's size) */
MERKLIZE_C_API merklize_status merklize_bao_slice(const void *data, size_t bytes, const uint8_t *outboard,
                                                  size_t outboard_bytes, const merklize_bao_form *form, uint64_t first,
                                                  uint64_t count, uint8_t *slice, size_t capacity, size_t *length);
/* Verifies a slice and extracts its message bytes [first, first + count). A slice that does not verify is no error:
 * *valid is 0.
 * message_bytes  size of the whole message if the form is without size; it need not be trusted. Otherwise 0
 * out            [capacity], written if the slice is valid: `count` bytes, fewer where the message ends
 * length         written if not null: number of bytes; 0 if the slice is not valid
 * valid          written: 1 or 0
 * errors         too_small, invalid_argument (form; message_bytes of a form with size) */
MERKLIZE_C_API merklize_status merklize_bao_decode_slice(const uint8_t *slice, size_t slice_bytes,
                                                         const merklize_digest *root, const merklize_bao_form *form,
                                                         uint64_t first, uint64_t count, uint64_t message_bytes,
                                                         uint8_t *out, size_t capacity, size_t *length, int *valid);

/* Verifies a part of a message by the outboard. A wrong part or a wrong outboard is no error: it is written to
 * `faults`. An outboard that cannot belong to this message is one fault over the whole part.
 * part           [bytes], the message from byte `offset` on. It begins where a group begins, and ends where a group or
 *                the message ends
 * message_bytes  size of the whole message
 * faults         [capacity], written: the first `capacity` faults, in order
 * count          written: the number of all faults; 0: the part belongs to the root
 * errors         invalid_argument (form; a part that is not whole groups, or has no bytes where the message has some),
 *                cancelled */
MERKLIZE_C_API merklize_status merklize_bao_verify(const void *part, size_t bytes, uint64_t offset,
                                                   uint64_t message_bytes, const merklize_digest *root,
                                                   const uint8_t *outboard, size_t outboard_bytes,
                                                   const merklize_bao_form *form, merklize_bao_fault *faults,
                                                   size_t capacity, size_t *count, const merklize_run_options *options);
/* The same for bytes [first, first + bytes) of a file or block device, widened to whole groups. What can only be read
 * in order is copied to the folder for temporary files first.
 * bytes   UINT64_MAX: to the end of the file. 0: the group at `first`, or the last group if `first` is beyond the end
 * errors  io (it cannot be read; it changed while it was read), invalid_argument (form; bytes beyond the end of the
 *         file), cancelled */
MERKLIZE_C_API merklize_status merklize_bao_verify_descriptor(int descriptor, const char *name, uint64_t first,
                                                              uint64_t bytes, const merklize_digest *root,
                                                              const uint8_t *outboard, size_t outboard_bytes,
                                                              const merklize_bao_form *form, merklize_bao_fault *faults,
                                                              size_t capacity, size_t *count,
                                                              const merklize_run_options *options);

#endif
