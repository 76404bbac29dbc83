/* backend.h: the seam between the runtime, which knows trees and digests, and a backend, which knows bytes and
 * launches.
 *
 * A backend is one table of C functions: its devices, the policies that are fast on them, and a driver of their queues
 * and programs (driver.h). src/queue/ turns jobs (jobs.hpp) into calls of the driver. The runtime never includes a
 * vendor's header, and a backend never includes the public API; both include this file.
 *
 * Every function may be called from any thread. Those that return mkz_status leave a text for last_error(), per thread.
 */
#ifndef MKZ_BACKEND_H
#define MKZ_BACKEND_H

#include "seams/driver.h"
#include "seams/status.h"

#ifdef __cplusplus
#include <compare>
extern "C" {
#endif

#define MKZ_BACKEND_ABI 8u

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

/* The values of mkz_policy's `constants`, as MKZ_CONSTANTS_local. */
typedef enum {
#define MKZ_POLICY_NAME(value, name) MKZ_CONSTANTS_##name = value,
#include "merklize/policy.def"
} mkz_constants;

/* How a kernel runs: the fields of policy.def. 0 in a field: the backend's tune() fills it. */
typedef struct mkz_policy {
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) uint32_t field;
#include "merklize/policy.def"
#ifdef __cplusplus
    auto operator<=>(const mkz_policy &) const = default;
#endif
} mkz_policy;

/* The kinds of jobs that a policy is chosen for (jobs.hpp). */
typedef enum {
    MKZ_KERNEL_HASH_CHUNKS,
    MKZ_KERNEL_HASH_ROWS,
    MKZ_KERNEL_HASH_ELEMENTS,
    MKZ_KERNEL_MERGE_PAIRS,
    MKZ_KERNEL_MERGE_SUBTREES,
    MKZ_KERNEL_MERGE_AT,
} mkz_kernel;

typedef struct {
    uint32_t abi; /* MKZ_BACKEND_ABI */
    const char *name;
    /* Why the backend cannot be used at all, or null. The text lives as long as the process. */
    const char *(*why_unavailable)(void);
    uint32_t (*device_count)(void);
    mkz_status (*device_facts)(uint32_t device, mkz_device_facts *facts);
    /* Fills the fields of *policy that are 0, from the backend's table. n: merges, chunks or rows of the job; threads:
     * CPU threads of the call. */
    void (*tune)(uint32_t device, mkz_kernel kernel, uint32_t hash, uint64_t n, uint32_t threads, mkz_policy *policy);
    /* The table of queues and programs. Null for the CPU alone, whose executor is C++ (host_executor.hpp). */
    const mkz_driver *driver;
    const char *(*last_error)(void);
} mkz_backend;

#ifdef __cplusplus
}
#endif

#endif
