/* merklize/c/values.h: digests, and the handles of everything else. */
#ifndef MERKLIZE_C_VALUES_H
#define MERKLIZE_C_VALUES_H

#include <merklize/c/errors.h>

/* 32 bytes: the digest of a byte hash, or the field elements of a field hash as little-endian words. Leaves and nodes are digests. */
typedef struct merklize_digest {
    uint8_t bytes[32];
} merklize_digest;

/* Opened devices, memory there, queues, and what is made of them. */
typedef struct merklize_device merklize_device;
typedef struct merklize_buffer merklize_buffer;
typedef struct merklize_stream merklize_stream;
typedef struct merklize_event merklize_event;
typedef struct merklize_hasher merklize_hasher;
typedef struct merklize_tree merklize_tree;
typedef struct merklize_tree_builder merklize_tree_builder;
typedef struct merklize_tree_file merklize_tree_file;
typedef struct merklize_proof merklize_proof;
typedef struct merklize_commitment merklize_commitment;
typedef struct merklize_manifest merklize_manifest;
typedef struct merklize_differences merklize_differences;

#endif
