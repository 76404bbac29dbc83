/* merklize/c/values.h: digests, views of bytes, and the handles of everything else.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_VALUES_H
#define MERKLIZE_C_VALUES_H

#include <merklize/c/errors.h>

/* 32 bytes: the digest of a byte hash, or the field elements of a field hash as little-endian words. Leaves and
 * nodes are digests. */
typedef struct merklize_digest {
    uint8_t bytes[32];
} merklize_digest;

/* Handles: devices, their memory and queues, and the objects that calls make. */
typedef struct merklize_device merklize_device;
typedef struct merklize_buffer merklize_buffer;
typedef struct merklize_stream merklize_stream;
typedef struct merklize_event merklize_event;
typedef struct merklize_hasher merklize_hasher;
typedef struct merklize_file_digests merklize_file_digests;
typedef struct merklize_tree merklize_tree;
typedef struct merklize_tree_builder merklize_tree_builder;
typedef struct merklize_tree_file merklize_tree_file;
typedef struct merklize_tree_writer merklize_tree_writer;
typedef struct merklize_forest merklize_forest;
typedef struct merklize_openzeppelin_tree merklize_openzeppelin_tree;
typedef struct merklize_proof merklize_proof;
typedef struct merklize_commitment merklize_commitment;
typedef struct merklize_manifest merklize_manifest;
typedef struct merklize_differences merklize_differences;
typedef struct merklize_xmss_key merklize_xmss_key;

/* Bytes that a call reads, where they lie: host memory, or a whole buffer (merklize_buffer_slice() makes one of a
 * part). All zero means no bytes. A call uses a buffer on the buffer's device, whatever options->device is. It is an
 * error to set both `data` and `buffer`. */
typedef struct merklize_view {
    const void *data; /* host memory, or null */
    uint64_t bytes;   /* of `data` */
    const merklize_buffer *buffer;
} merklize_view;

static inline merklize_view merklize_view_bytes(const void *data, uint64_t bytes) {
    const merklize_view view = {data, bytes, NULL};
    return view;
}
static inline merklize_view merklize_view_digests(const merklize_digest *digests, uint64_t n) {
    return merklize_view_bytes(digests, n > UINT64_MAX / 32 ? UINT64_MAX : n * 32);
}
static inline merklize_view merklize_view_buffer(const merklize_buffer *buffer) {
    const merklize_view view = {NULL, buffer == NULL ? UINT64_MAX : 0, buffer}; /* no call takes a null buffer */
    return view;
}

/* The same for bytes that a call writes. */
typedef struct merklize_output {
    void *data;
    uint64_t bytes;
    merklize_buffer *buffer;
} merklize_output;

static inline merklize_output merklize_output_bytes(void *data, uint64_t bytes) {
    const merklize_output output = {data, bytes, NULL};
    return output;
}
static inline merklize_output merklize_output_digests(merklize_digest *digests, uint64_t n) {
    return merklize_output_bytes(digests, n > UINT64_MAX / 32 ? UINT64_MAX : n * 32);
}
static inline merklize_output merklize_output_buffer(merklize_buffer *buffer) {
    const merklize_output output = {NULL, buffer == NULL ? UINT64_MAX : 0, buffer};
    return output;
}

#endif
