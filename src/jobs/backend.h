/* backend.h: the seam between the runtime, which knows trees and digests, and a backend, which knows bytes and launches.
 *
 * A backend is one table of C functions. The runtime never includes a vendor's header and a backend never includes the public
 * API; both see this file. A backend either has kernels of its own and runs launches itself (the CPU: `launch`), or has queues
 * and programs (`driver`, see driver.h), and src/queue/ makes launches of those.
 *
 * Every function may be called from any thread. Those that return mkz_status leave a text for last_error(), per thread. */
#ifndef MKZ_BACKEND_H
#define MKZ_BACKEND_H

#include "jobs/driver.h"
#include "jobs/hash_info.h"
#include "jobs/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MKZ_BACKEND_ABI 3u
#define MKZ_MAX_LEVELS 32

/* Ids of the hashes, as MKZ_HASH_blake3. */
typedef enum {
#define MKZ_HASH(id, name) MKZ_HASH_##name = id,
#include "merklize/core/hashes.h"
} mkz_hash;

typedef struct {
    char name[128];
    char vendor[64];
    char driver[64]; /* version of the driver or runtime; empty for the CPU */
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

/* Where bytes lie. Host: pointer + offset is their address. On the device of the launch: a block of it and an offset. */
typedef struct {
    void *pointer; /* host address, or mkz_memory * */
    uint64_t offset;
    uint32_t on_device;
} mkz_place;

/* The values of mkz_policy's `constants`, as MKZ_CONSTANTS_local. */
typedef enum {
#define MKZ_POLICY_NAME(value, name) MKZ_CONSTANTS_##name = value,
#include "merklize/policy.def"
} mkz_constants;

/* How a kernel runs: the fields of policy.def. 0 in a field: the backend's tune() fills it. */
typedef struct {
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) uint32_t field;
#include "merklize/policy.def"
} mkz_policy;

typedef enum {
    MKZ_KERNEL_HASH_CHUNKS,
    MKZ_KERNEL_HASH_PARENTS,
    MKZ_KERNEL_HASH_ROWS,
    MKZ_KERNEL_EXPAND,
    MKZ_KERNEL_HASH_ELEMENTS,
    MKZ_KERNEL_MERGE_PAIRS,
    MKZ_KERNEL_MERGE_SUBTREES,
    MKZ_KERNEL_MERGE_AT,
} mkz_kernel;

/* Keyed merges of the hash blake3: flags are those of a BLAKE3 mode (MKZ_BLAKE3_KEYED_HASH, ...), 0 for plain merges, where words is
 * not looked at. Other hashes have none. */
typedef struct {
    uint32_t words[8];
    uint32_t flags;
} mkz_merge_key;

/* BLAKE3 chaining values of subtrees of 2^levels chunks. bytes >= 1; the last chunk and the last subtree may be partial. A
 * partial subtree has BLAKE3's shape: an odd node goes up unmerged. `counter`: index of the first chunk, a multiple of
 * 2^levels. No value is a root. out: one value a subtree. */
typedef struct {
    mkz_place data;
    uint64_t bytes;
    uint64_t counter;
    uint32_t key[8];
    uint32_t flags;
    uint32_t levels;
    mkz_place out;
    mkz_policy policy;
} mkz_hash_chunks;

/* n chaining values, in place, to the ceil(n / 2) values above them. */
typedef struct {
    mkz_place values;
    uint64_t n;
    uint32_t key[8];
    uint32_t flags;
} mkz_hash_parents;

/* n messages of `bytes` bytes, one after another, to n digests by blake3, or by sha256 with RFC 6962's prefix of a leaf. Key and
 * flags are blake3's. */
typedef struct {
    uint32_t hash;
    mkz_place rows;
    uint64_t n;
    uint64_t bytes;
    uint32_t key[8];
    uint32_t flags;
    mkz_place out;
    mkz_policy policy;
} mkz_hash_rows;

/* n blocks of extendable output, from block `counter` on, of the root compression (cv, block, block_len, flags). */
typedef struct {
    uint32_t cv[8];
    uint32_t block[16];
    uint32_t block_len;
    uint32_t flags;
    uint64_t counter;
    uint64_t n;
    mkz_place out;
} mkz_expand;

/* n rows of `elements` canonical words to n digests of 4. hash: id in core/hashes.h. */
typedef struct {
    uint32_t hash;
    mkz_place rows;
    uint64_t n;
    uint64_t elements;
    mkz_place out;
    mkz_policy policy;
} mkz_hash_elements;

/* out[i] = merge(left[i], right[i]). */
typedef struct {
    uint32_t hash;
    mkz_merge_key key;
    mkz_place left;
    mkz_place right;
    uint64_t n;
    mkz_place out;
    mkz_policy policy;
} mkz_merge_pairs;

/* Builds `levels` levels of a tree above a level of n nodes, n a multiple of 2^levels. offset[l]: place in `nodes`, counted in
 * nodes, of level l; offset[0]: of the level that is there, in `below`, which may be `nodes`. The kernel sees offsets, never
 * a layout; kernels of core/entry.h need offset[l + 1] = offset[l] / 2 from level 1 on. */
typedef struct {
    uint32_t hash;
    mkz_merge_key key;
    uint32_t levels;
    uint64_t n;
    mkz_place below;
    mkz_place nodes;
    uint64_t offset[MKZ_MAX_LEVELS + 1];
    mkz_policy policy;
} mkz_merge_subtrees;

/* What becomes of a node without a sibling: its parent is ... */
typedef enum {
    MKZ_LONE_PROMOTE,   /* a copy of it */
    MKZ_LONE_DUPLICATE, /* merge(it, it) */
    MKZ_LONE_PAD,       /* merge(it, filler) */
} mkz_lone;

/* Every node above some nodes of one level of a tree in heap order, `levels` levels up: slot p of `nodes` = merge(slot 2p, slot
 * 2p + 1), level after level. The nodes beside the ways up are there already. This is an update (the leaves that changed), and the
 * right edge of a tree whose whole subtrees are built (its last leaf). The list goes to a device once; its kernels find the
 * parents of each level themselves. */
typedef struct {
    uint32_t hash;
    mkz_merge_key key;
    mkz_place nodes;         /* slot 0 of the tree */
    uint64_t first;          /* slot of the first node of the level: a power of two, at least 2^levels */
    uint64_t width;          /* nodes of the level, 1 to `first`; the level l above has ceil(width / 2^l) */
    const uint64_t *changed; /* host memory: which of them, counted from `first`; ascending, no one twice */
    uint64_t n;              /* at least 1 */
    uint32_t levels;
    mkz_lone lone; /* where the count of a level is odd and its last node is on a way */
    const uint8_t
        *fillers; /* of MKZ_LONE_PAD: [levels][32], the sibling of a lone node of the level, of the one above, ... */
    mkz_policy policy;
} mkz_merge_at;

typedef struct {
    uint32_t abi; /* MKZ_BACKEND_ABI */
    const char *name;
    /* Why the backend cannot be used at all, or null. The text lives as long as the process. */
    const char *(*why_unavailable)(void);
    uint32_t (*device_count)(void);
    mkz_status (*device_facts)(uint32_t device, mkz_device_facts *facts);
    /* Fills the fields of *policy that are 0, from the backend's table. n: merges, chunks or rows of the job; `threads` as in
     * mkz_run. */
    void (*tune)(uint32_t device, mkz_kernel kernel, uint32_t hash, uint64_t n, uint32_t threads, mkz_policy *policy);
    /* The table of queues and programs, or null for a backend that has kernels of its own. */
    const mkz_driver *driver;
    /* Null if there is a driver. Runs `kernel` with its arguments struct (mkz_hash_chunks for MKZ_KERNEL_HASH_CHUNKS and so on); done when it returns. */
    mkz_status (*launch)(uint32_t device, mkz_kernel kernel, const void *arguments, const mkz_run *run);
    const char *(*last_error)(void);
} mkz_backend;

#ifdef __cplusplus
}
#endif

#endif
