/* backend.h: the seam between the runtime, which knows trees and digests, and a backend, which knows bytes and launches.
 *
 * A backend is one table of C functions. The runtime never includes a vendor's header and a backend never includes the public
 * API; both see this file. What devices with their own memory need on top (copies, streams, events, foreign memory, programs)
 * joins the table with the first backend that has it, and the ABI version goes up.
 *
 * Every function may be called from any thread. Those that return mkz_status leave a text for last_error(), per thread. */
#ifndef MKZ_BACKEND_H
#define MKZ_BACKEND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MKZ_BACKEND_ABI 1u
#define MKZ_MAX_LEVELS 32

/* 0 is success; others have the numbers of merklize::ErrorCode. */
typedef int32_t mkz_status;
#define MKZ_OK 0
#define MKZ_OUT_OF_MEMORY 2
#define MKZ_CANCELLED 5
#define MKZ_INTERNAL 6

typedef struct {
    char name[128];
    char isa[32];
    uint32_t units;
    uint64_t memory_bytes;
} mkz_device_facts;

/* How a launch runs. tick may be null; it is called from the launching thread about every 50 ms with the share done, and a
 * result other than 0 cancels the launch. */
typedef struct {
    uint32_t threads; /* CPU threads, the caller's included */
    int (*tick)(void *context, double done);
    void *context;
} mkz_run;

typedef enum {
    MKZ_KERNEL_HASH_CHUNKS,
    MKZ_KERNEL_HASH_PARENTS,
    MKZ_KERNEL_HASH_ROWS,
    MKZ_KERNEL_EXPAND,
    MKZ_KERNEL_HASH_ELEMENTS,
    MKZ_KERNEL_MERGE_PAIRS,
    MKZ_KERNEL_MERGE_SUBTREES,
} mkz_kernel;

/* BLAKE3 chaining values of subtrees of 2^levels chunks. bytes >= 1; the last chunk and the last subtree may be partial. A
 * partial subtree has BLAKE3's shape: an odd node goes up unmerged. `counter`: index of the first chunk, a multiple of
 * 2^levels. No value is a root. out: one value a subtree. */
typedef struct {
    const void *data;
    uint64_t bytes;
    uint64_t counter;
    uint32_t key[8];
    uint32_t flags;
    uint32_t levels;
    void *out;
} mkz_hash_chunks;

/* n chaining values, in place, to the ceil(n / 2) values above them. */
typedef struct {
    void *values;
    uint64_t n;
    uint32_t key[8];
    uint32_t flags;
} mkz_hash_parents;

/* n messages of `bytes` bytes, one after another, to n BLAKE3 digests. */
typedef struct {
    const void *rows;
    uint64_t n;
    uint64_t bytes;
    uint32_t key[8];
    uint32_t flags;
    void *out;
} mkz_hash_rows;

/* n blocks of extendable output, from block `counter` on, of the root compression (cv, block, block_len, flags). */
typedef struct {
    uint32_t cv[8];
    uint32_t block[16];
    uint32_t block_len;
    uint32_t flags;
    uint64_t counter;
    uint64_t n;
    void *out;
} mkz_expand;

/* n rows of `elements` canonical words to n digests of 4. hash: id in hashes.def. */
typedef struct {
    uint32_t hash;
    const void *rows;
    uint64_t n;
    uint64_t elements;
    void *out;
} mkz_hash_elements;

/* out[i] = merge(left[i], right[i]). */
typedef struct {
    uint32_t hash;
    const void *left;
    const void *right;
    uint64_t n;
    void *out;
} mkz_merge_pairs;

/* Builds `levels` levels of a tree above a level of n nodes, n a multiple of 2^levels. offset[l]: place in `nodes`, counted in
 * nodes, of level l (0 = the level that is there). The kernel sees offsets, never a layout. */
typedef struct {
    uint32_t hash;
    uint32_t levels;
    uint64_t n;
    void *nodes;
    uint64_t offset[MKZ_MAX_LEVELS + 1];
} mkz_merge_subtrees;

typedef struct {
    uint32_t abi; /* MKZ_BACKEND_ABI */
    const char *name;
    /* Why the backend cannot be used at all, or null. The text lives as long as the process. */
    const char *(*why_unavailable)(void);
    uint32_t (*device_count)(void);
    mkz_status (*device_facts)(uint32_t device, mkz_device_facts *facts);
    /* Memory of the device that the host can read and write, aligned to 4096 bytes, undefined content. */
    mkz_status (*allocate)(uint32_t device, uint64_t bytes, void **memory);
    void (*release)(uint32_t device, void *memory, uint64_t bytes);
    /* Runs `kernel` with its arguments struct (mkz_hash_chunks for MKZ_KERNEL_HASH_CHUNKS and so on); done when it returns. */
    mkz_status (*launch)(uint32_t device, mkz_kernel kernel, const void *arguments, const mkz_run *run);
    const char *(*last_error)(void);
} mkz_backend;

#ifdef __cplusplus
}
#endif

#endif
