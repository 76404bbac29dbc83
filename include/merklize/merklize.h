/* merklize.h: the C API. The library is C++20 inside; this header is C11, and C++ may include it as well. docs/c.md is a tour.
 *
 * Errors. A function that can fail returns a merklize_status: MERKLIZE_OK (0) or what went wrong. merklize_last_error() then gives the
 * text with the numbers, for the calling thread. No C++ exception leaves the library, and it never ends the process. After a failure
 * the results are unchanged, unless the function says otherwise; a handle that would have been made is null. A null pointer where one
 * is needed is an error; an array of no items may be null.
 *
 * Order. Every call is complete when it returns, but for merklize_enqueue_... On a device it begins after everything that was enqueued on options->stream before.
 *
 * Memory. Pointers are to host memory; memory of a device is a merklize_buffer. `const` memory is only read. The library keeps no
 * pointer of the caller after the call, but for merklize_buffer_wrap() and merklize_stream_wrap(). Texts are UTF-8 and end with a zero
 * byte. Paths are bytes as the system has them.
 *
 * Handles. What a function makes through a `**` argument belongs to the caller, who frees it with the _free function of its type.
 * Every _free takes null, and never fails. A handle needs no other handle to stay alive: a buffer keeps its device, a tree its memory.
 *
 * Threads. Any two handles may be used by two threads at once. A handle may be made, used and freed by different threads.
 *
 * devices, buffers, events, proofs  any number of threads may use one at once; uses of a buffer's bytes are the caller's to order
 * commitments                       any number of threads may use one at once
 * trees, tree files                 any number of threads may use one at once by functions that take it as `const`; the others need
 *                                   it alone
 * streams, hashers, builders        one thread at a time
 *
 * _free needs the handle alone. The progress function is called by the thread that made the call and never after the call has returned.
 *
 * Structs. Zero is the default of every field, so options are set by name, and {0} is all defaults, as a null pointer is:
 *
 *     merklize_run_options options = {.threads = 4};
 *
 * Structs have no sizes and no spare fields: a version that changes one raises MERKLIZE_ABI_VERSION.
 */
#ifndef MERKLIZE_MERKLIZE_H
#define MERKLIZE_MERKLIZE_H

#include <stddef.h>
#include <stdint.h>

#include <merklize/export.h>
#include <merklize/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors and versions ------------------------------------------------------------------------------------------- */

typedef int32_t merklize_status;
enum {
    MERKLIZE_OK = 0,
    MERKLIZE_INVALID_ARGUMENT = 1, /* the caller's value is outside what the function takes */
    MERKLIZE_OUT_OF_MEMORY = 2,    /* memory of the host or the device */
    MERKLIZE_UNAVAILABLE = 3,      /* the device or instruction set that was named cannot be used here */
    MERKLIZE_IO = 4,               /* a file could not be opened, read or written, or changed while being read */
    MERKLIZE_CANCELLED = 5,        /* the progress function asked to stop */
    MERKLIZE_INTERNAL = 6,         /* a driver failed, or the library has a bug */
    MERKLIZE_TOO_SMALL = 100       /* an output of the caller is too small; its count says what is needed */
};

/* "ok", "invalid argument" and so on; "unknown status" for any other number. Lives as long as the library. */
MERKLIZE_API const char *merklize_status_name(merklize_status status);

/* The text of the last call of this thread that failed, or "" if none has. It stays until the next failure in this thread or its end. */
MERKLIZE_API const char *merklize_last_error(void);
/* errno's value of the same failure, or 0 if no system call failed. */
MERKLIZE_API int merklize_last_system_error(void);
/* The file of the same failure, or "". Stays as long as the text. */
MERKLIZE_API const char *merklize_last_error_path(void);

/* Version of the library in use, "major.minor.patch". It may differ from MERKLIZE_VERSION_STRING of the headers. */
MERKLIZE_API const char *merklize_version(void);
/* MERKLIZE_ABI_VERSION of the library in use. */
MERKLIZE_API uint32_t merklize_abi_version(void);
/* For programs that load the library by hand, before any other call.
 * abi     MERKLIZE_ABI_VERSION of the caller's headers
 * errors  invalid_argument (the library has another one; the text has both) */
MERKLIZE_API merklize_status merklize_check_abi(uint32_t abi);

/* ---- Values -------------------------------------------------------------------------------------------------------- */

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

/* A hash of Merkle trees: an id that is stored in proof and tree files. docs/hashes.md defines each one. The constants are
 * MERKLIZE_HASH_blake3 and so on, with the name of the hash as it is written everywhere. */
typedef uint32_t merklize_hash;
enum {
#define MKZ_HASH(id, name) MERKLIZE_HASH_##name = id,
#include <merklize/core/hashes.h>
    MERKLIZE_HASH_rp64_256 = MERKLIZE_HASH_rp64_256_v3 /* today's Winterfell */
};

typedef struct merklize_hash_info {
    merklize_hash hash;
    uint32_t is_field;       /* 1: digests and rows are field elements, little-endian words below the modulus */
    uint32_t row_unit_bytes; /* rows are counted in units of so many bytes: 1, or a word of a field hash, 4 or 8 */
    uint64_t modulus;        /* of a field hash; 0 for a hash of bytes */
    char name[32];
} merklize_hash_info;

/* Number of hashes. */
MERKLIZE_API size_t merklize_hash_count(void);
/* index   below merklize_hash_count(); hashes are in the order of their ids
 * info    written
 * errors  invalid_argument (index) */
MERKLIZE_API merklize_status merklize_hash_describe(size_t index, merklize_hash_info *info);
/* name    as in docs/hashes.md
 * errors  invalid_argument (an unknown name; the text lists the known ones) */
MERKLIZE_API merklize_status merklize_hash_from_name(const char *name, merklize_hash *hash);

/* An instance of Poseidon2: a prover's own constants. docs/hashes.md has the permutation and the sponge. Words are below the modulus. */
typedef struct merklize_poseidon2 {
    uint32_t field;            /* 0 Goldilocks, 1 BabyBear, 2 KoalaBear */
    uint32_t width;            /* cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others */
    uint32_t rate;             /* words of a row that one permutation takes: 1 to width - 1. Of a quad: width */
    uint32_t external_rounds;  /* half of them before the internal rounds, half after: even, 2 to 64 */
    uint32_t internal_rounds;  /* 1 to 256 */
    const uint64_t *constants; /* in the order of use: initial, internal, terminal rounds */
    size_t constant_count;     /* external_rounds width + internal_rounds */
    const uint64_t *diagonal;  /* an internal round makes cell i = sum of all cells + diagonal[i] cell i */
    size_t diagonal_count;     /* width */
} merklize_poseidon2;

/* A hash made of these constants, which works wherever a hash does. The id is valid in this process alone; files and proofs have a digest
 * of the constants in its place.
 * instance  copied
 * quad      null, or the permutation of a commitment's merges of four (arity 4), copied: over the same field, its width and rate both
 *           16 over Goldilocks and 32 over the others. Without it arity 4 is refused
 * hash      the same for the same constants
 * errors    invalid_argument (shapes, a word that is not below the modulus, a quad over another field, more than 127 sets of
 *           constants) */
MERKLIZE_API merklize_status merklize_hash_poseidon2(const merklize_poseidon2 *instance, const merklize_poseidon2 *quad,
                                                     merklize_hash *hash);

/* Facts of any hash, also of one of merklize_hash_poseidon2(), which merklize_hash_describe() does not list.
 * info    written. Its name is "" if it has more than 31 bytes: merklize_hash_name() has it whole
 * errors  invalid_argument (an unknown id) */
MERKLIZE_API merklize_status merklize_hash_get_info(merklize_hash hash, merklize_hash_info *info);
/* The name of any hash, which merklize_hash_from_name() takes.
 * text    written, with a zero byte at its end; may be null if capacity is 0
 * length  written if not null: bytes of the text without the zero byte, also if it is too small
 * errors  too_small, invalid_argument (an unknown id) */
MERKLIZE_API merklize_status merklize_hash_name(merklize_hash hash, char *text, size_t capacity, size_t *length);

/* A mode of BLAKE3. Null, or no key and no context: the plain hash. Only the hash blake3 has modes. Secrets are copied for the call and
 * wiped after it. */
typedef struct merklize_mode {
    const uint8_t *key; /* the keyed hash: exactly 32 bytes */
    size_t key_bytes;
    const char
        *context; /* derive_key: a globally unique text that names the purpose. The data is then the key material */
    size_t context_bytes;
} merklize_mode;

/* ---- How a call runs ----------------------------------------------------------------------------------------------- */

/* Tuning values; no choice changes a byte. 0: the library chooses. include/merklize/policy.def has their meaning and limits. */
typedef struct merklize_policy {
    uint32_t levels_per_launch;
    uint32_t group_size;
    uint32_t lanes;
    uint32_t constants; /* 1 literal, 2 constant, 3 global, 4 local */
} merklize_policy;

/* text    "levels_per_launch=3,constants=local"; empty: all zero
 * errors  invalid_argument (unknown fields, values that a field does not take; the text lists the valid ones) */
MERKLIZE_API merklize_status merklize_policy_from_text(const char *text, merklize_policy *policy);
/* The reverse: the fields that are not 0.
 * text    written, with a zero byte at its end; may be null if capacity is 0
 * length  written if not null: bytes of the text without the zero byte, also if it is too small
 * errors  too_small, invalid_argument */
MERKLIZE_API merklize_status merklize_policy_to_text(const merklize_policy *policy, char *text, size_t capacity,
                                                     size_t *length);

/* Seconds of a call, by the device's own clock. */
typedef struct merklize_timings {
    uint32_t available; /* 0 on the CPU, and on a caller's queue without profiling */
    double kernel;      /* from the start of the first kernel to the end of the last, without copies between */
    double to_device;   /* copies from the host */
    double to_host;     /* copies to the host */
} merklize_timings;

/* Called about every 50 ms by the thread that made the call, with the share of the work that is done, 0 to 1. Returns 0 to go on;
 * anything else cancels the call with MERKLIZE_CANCELLED. It must return: no longjmp, no exception. */
typedef int (*merklize_progress)(void *context, double done);

/* Null in place of options: all defaults. */
typedef struct merklize_run_options {
    const merklize_device
        *device;      /* null: the stream's, else "auto" (merklize_device_open()). Ignored where data is in a buffer */
    uint32_t threads; /* CPU threads to use, the caller's included; 0: all that the process may use */
    merklize_progress progress; /* null: none */
    void *progress_context;
    const merklize_stream *stream; /* must belong to the device; null: the library's own */
    const merklize_policy *policy; /* null: the library chooses */
    merklize_timings *timings;     /* null: not measured */
} merklize_run_options;

/* ---- Devices ------------------------------------------------------------------------------------------------------- */

/* Texts that are too long are cut. */
typedef struct merklize_device_info {
    uint64_t memory_bytes;
    uint32_t units;   /* CPU threads that the process may use, or compute units */
    char id[128];     /* the name that opens it: "cpu", "cuda:0", ... */
    char backend[32]; /* "cpu", "cuda", "opencl", ... */
    char name[128];   /* the vendor's name of it */
    char vendor[64];
    char driver[64]; /* version of the driver or runtime; empty on the CPU */
    char isa[32];    /* instruction set or architecture in use: "avx2", "sm_90", ... */
} merklize_device_info;

/* Number of usable devices, at least 1. Looks for devices when it is first called, which may open drivers. */
MERKLIZE_API merklize_status merklize_device_count(size_t *count);
/* index   below merklize_device_count(); best first
 * info    written
 * errors  invalid_argument (index) */
MERKLIZE_API merklize_status merklize_device_describe(size_t index, merklize_device_info *info);
/* Why `name` ("cuda", "opencl:0", ...) cannot be used; an empty text if it can. Output as merklize_policy_to_text(). */
MERKLIZE_API merklize_status merklize_why_unavailable(const char *name, char *text, size_t capacity, size_t *length);

/* name    "auto": the device of the environment variable MERKLIZE_DEVICE, else what calibration found fastest, else the CPU; or an id, such
 *         as "cpu" or "cuda:0"; or several devices, "cuda:all" or "cuda:0,opencl:1", which act as one for jobs on host memory
 * errors  invalid_argument (an unknown name), unavailable (a known device that cannot be used here: the text says why) */
MERKLIZE_API merklize_status merklize_device_open(const char *name, merklize_device **device);
MERKLIZE_API merklize_status merklize_device_get_info(const merklize_device *device, merklize_device_info *info);
MERKLIZE_API void merklize_device_free(merklize_device *device);

/* A new queue of a device, which runs its commands in order.
 * errors  unavailable (a device without queues: the CPU) */
MERKLIZE_API merklize_status merklize_stream_create(const merklize_device *device, merklize_stream **stream);
/* The caller's queue, not owned: it must outlive the handle.
 * native  a CUstream or cudaStream_t (1 is CUDA's default stream), a cl_command_queue or a sycl::queue*
 * errors  as merklize_stream_create(), invalid_argument (null) */
MERKLIZE_API merklize_status merklize_stream_wrap(const merklize_device *device, void *native,
                                                  merklize_stream **stream);
/* Waits for everything that was enqueued. */
MERKLIZE_API merklize_status merklize_stream_synchronize(merklize_stream *stream);
/* capturing  written: 1 if the queue is being captured into a graph (CUDA), else 0 */
MERKLIZE_API merklize_status merklize_stream_is_capturing(const merklize_stream *stream, int *capturing);
MERKLIZE_API void merklize_stream_free(merklize_stream *stream);

/* An event is a point in the order of a queue: it is reached when everything that was enqueued before it has ended. It needs its stream
 * no longer.
 * merklize_stream_record  the point after everything that is enqueued so far; never waits */
MERKLIZE_API merklize_status merklize_stream_record(merklize_stream *stream, merklize_event **event);
/* What is enqueued from now on begins after the event; nothing waits on the host.
 * errors  invalid_argument (an event of another device) */
MERKLIZE_API merklize_status merklize_stream_wait(merklize_stream *stream, const merklize_event *event);
/* Waits on the host until the point is reached.
 * errors  what ran and failed; invalid_argument (the event is of a stream that was being captured into a graph) */
MERKLIZE_API merklize_status merklize_event_wait(const merklize_event *event);
/* reached  written: 1 or 0; never waits
 * errors   as merklize_event_wait() */
MERKLIZE_API merklize_status merklize_event_query(const merklize_event *event, int *reached);
/* What merklize_event_wait() would report, without waiting. For captured calls: what replays of the graph that have ended found.
 * errors  invalid_argument (a word of the input that is not below the modulus of a field hash) */
MERKLIZE_API merklize_status merklize_event_check(const merklize_event *event);
/* native  written: a CUevent, a cl_event or a sycl::event*, which lives as long as the handle */
MERKLIZE_API merklize_status merklize_event_native(const merklize_event *event, void **native);
MERKLIZE_API void merklize_event_free(merklize_event *event);

/* Memory of a device, aligned to 256 bytes; its content is undefined.
 * errors  unavailable (the CPU: its memory is host memory), out_of_memory */
MERKLIZE_API merklize_status merklize_buffer_create(const merklize_device *device, uint64_t bytes,
                                                    merklize_buffer **buffer);
/* The caller's memory, not owned: it must outlive the handle, its slices and the trees that use it.
 * native  a CUdeviceptr as a pointer, a cl_mem or a USM pointer
 * errors  invalid_argument (memory of another device or of the host), unavailable */
MERKLIZE_API merklize_status merklize_buffer_wrap(const merklize_device *device, void *native, uint64_t bytes,
                                                  merklize_buffer **buffer);
/* The same, to be read alone: a call that would write it is an error. */
MERKLIZE_API merklize_status merklize_buffer_wrap_const(const merklize_device *device, const void *native,
                                                        uint64_t bytes, merklize_buffer **buffer);
/* A handle to bytes [first, first + bytes) of the same memory, which lives as long as any handle to it.
 * errors  invalid_argument (outside) */
MERKLIZE_API merklize_status merklize_buffer_slice(const merklize_buffer *buffer, uint64_t first, uint64_t bytes,
                                                   merklize_buffer **slice);
/* Number of bytes; 0 for null. */
MERKLIZE_API uint64_t merklize_buffer_size(const merklize_buffer *buffer);
/* native  written. CUDA and USM: the address of the first byte. OpenCL: the cl_mem, in which the bytes begin at *offset. It is valid as
 *         long as the memory
 * offset  written if not null; 0 where native is an address */
MERKLIZE_API merklize_status merklize_buffer_native(const merklize_buffer *buffer, void **native, uint64_t *offset);
/* Copies host memory to bytes [first, first + bytes) of a buffer, and back. Both wait until the copy is done.
 * stream  null: the library's own
 * errors  invalid_argument (outside) */
MERKLIZE_API merklize_status merklize_buffer_upload(merklize_buffer *buffer, uint64_t first, const void *host,
                                                    size_t bytes, const merklize_stream *stream);
/* As merklize_buffer_upload() says. */
MERKLIZE_API merklize_status merklize_buffer_download(const merklize_buffer *buffer, uint64_t first, void *host,
                                                      size_t bytes, const merklize_stream *stream);
MERKLIZE_API void merklize_buffer_free(merklize_buffer *buffer);

/* ---- Digests ------------------------------------------------------------------------------------------------------- */

/* BLAKE3 of bytes.
 * data       `bytes` bytes of host memory
 * mode       null: plain
 * seek       position in BLAKE3's extendable output at which `out` begins; 0 with 32 bytes is the digest
 * out        [out_bytes], written
 * errors     unavailable, cancelled, invalid_argument */
MERKLIZE_API merklize_status merklize_hash_bytes(const void *data, size_t bytes, const merklize_mode *mode,
                                                 uint64_t seek, uint8_t *out, size_t out_bytes,
                                                 const merklize_run_options *options);
/* The same for a device's memory, hashed there. `out` is host memory. */
MERKLIZE_API merklize_status merklize_hash_buffer(const merklize_buffer *data, const merklize_mode *mode, uint64_t seek,
                                                  uint8_t *out, size_t out_bytes, const merklize_run_options *options);
/* The same for a file or anything else that can be opened and read; a pipe is read in order. Takes at most about 32 MiB of memory.
 * errors  io (cannot open or read; a regular file that changed its size while it was read) */
MERKLIZE_API merklize_status merklize_hash_file(const char *path, const merklize_mode *mode, uint64_t seek,
                                                uint8_t *out, size_t out_bytes, const merklize_run_options *options);
/* The same for an open descriptor, read from its current position to its end and not closed.
 * name  for error texts; may be null */
MERKLIZE_API merklize_status merklize_hash_descriptor(int descriptor, const char *name, const merklize_mode *mode,
                                                      uint64_t seek, uint8_t *out, size_t out_bytes,
                                                      const merklize_run_options *options);

/* Digest of one message by any hash of bytes; blake3 has the same digest here as above. All others are one chain of blocks, which the
 * calling thread computes.
 * digest  host memory, written
 * errors  invalid_argument (a hash of field elements; sha256_rfc6962, which puts a prefix before leaves; keccakf64, which
 *         binds no length) */
MERKLIZE_API merklize_status merklize_hash_message(merklize_hash hash, const void *data, size_t bytes,
                                                   merklize_digest *digest, const merklize_run_options *options);
/* The same of bytes in a device's memory. */
MERKLIZE_API merklize_status merklize_hash_message_buffer(merklize_hash hash, const merklize_buffer *data,
                                                          merklize_digest *digest, const merklize_run_options *options);
/* The same of a file, or of anything else that can be opened and read.
 * errors  io, invalid_argument (a hash that begins with the length, of a pipe) */
MERKLIZE_API merklize_status merklize_hash_message_file(merklize_hash hash, const char *path, merklize_digest *digest,
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
MERKLIZE_API merklize_status merklize_hash_each(const merklize_message *messages, size_t n, const merklize_mode *mode,
                                                uint64_t seek, uint8_t *out, size_t length,
                                                const merklize_run_options *options);

/* Digests of n rows of equal length, as leaves of a tree of this hash. docs/hashes.md says what each hash makes of a row (RFC 6962's
 * prefix, padding).
 * rows        [n, row_length] units of merklize_hash_info.row_unit_bytes: bytes, or words of a field hash, each below its modulus
 * mode        only for blake3
 * out         [n]
 * errors      invalid_argument (unknown hash; a word that is not below the modulus, with its place; a mode) */
MERKLIZE_API merklize_status merklize_hash_leaves(merklize_hash hash, const void *rows, size_t row_length, size_t n,
                                                  const merklize_mode *mode, merklize_digest *out,
                                                  const merklize_run_options *options);
/* The same in a device's memory; out: [n, 32] bytes of the same device, which say what n is. */
MERKLIZE_API merklize_status merklize_hash_leaves_buffer(merklize_hash hash, const merklize_buffer *rows,
                                                         size_t row_length, const merklize_mode *mode,
                                                         merklize_buffer *out, const merklize_run_options *options);

/* What the words of a matrix are, for hashes of field elements. */
enum {
    MERKLIZE_ELEMENTS_CANONICAL = 0, /* words below the modulus p, which is checked */
    MERKLIZE_ELEMENTS_ANY = 1,       /* any word, for its value mod p */
    MERKLIZE_ELEMENTS_MONTGOMERY = 2 /* a word of b bits is 2^b x mod p and stands for x */
};

/* A matrix of words, that is only read. The word of row i and column k is `i row_stride + k column_stride` words behind the first. */
typedef struct merklize_matrix {
    const void *words;             /* host memory: the word of row 0 and column 0; or null, with a buffer */
    const merklize_buffer *buffer; /* memory of a device that holds all words; or null */
    uint64_t first;                /* bytes of the buffer before the word of row 0 and column 0 */
    uint64_t rows;
    uint64_t columns;
    int64_t row_stride;    /* in words, of any sign: row-major matrices have `columns` and 1 */
    int64_t column_stride; /* column-major ones have 1 and `rows` */
    uint32_t word_bytes;   /* 1, 4 or 8; of a field hash those of its words (merklize_hash_info.row_unit_bytes) */
    uint32_t
        elements; /* MERKLIZE_ELEMENTS_..., the same in all matrices of a call; openings of rows take canonical words alone */
} merklize_matrix;

/* Digests of the rows of several matrices side by side: out[i] is the hash of row i of the first, of the second and so on, as one row.
 * matrices    [count], each with n rows; all in host memory, or all on one device. A device gets host memory in pieces, while it hashes
 * montgomery  0, or the modulus of a field of at most 31 bits: a hash of bytes takes words x of 4 bytes, below it, as 2^32 x mod it
 * mode        only for blake3
 * out         [n]; undefined after an error
 * errors      invalid_argument (sizes that do not fit; a word that is not below the modulus, with its row and column) */
MERKLIZE_API merklize_status merklize_hash_rows(merklize_hash hash, const merklize_matrix *matrices, size_t count,
                                                uint32_t montgomery, const merklize_mode *mode, merklize_digest *out,
                                                uint64_t n, const merklize_run_options *options);
/* The same with digests in a device's memory, that of the matrices if they are on one; out: [n, 32] bytes. */
MERKLIZE_API merklize_status merklize_hash_rows_buffer(merklize_hash hash, const merklize_matrix *matrices,
                                                       size_t count, uint32_t montgomery, const merklize_mode *mode,
                                                       merklize_buffer *out, const merklize_run_options *options);

/* Merges of n pairs: out[i] = merge(left[i], right[i]). `out` may be `left` or `right`.
 * mode    keyed or derive-key merges; only for blake3
 * errors  invalid_argument (unknown hash; a word that is not below the modulus; a mode) */
MERKLIZE_API merklize_status merklize_merge(merklize_hash hash, const merklize_digest *left,
                                            const merklize_digest *right, size_t n, const merklize_mode *mode,
                                            merklize_digest *out, const merklize_run_options *options);
/* The same in a device's memory: [n, 32] bytes each, of one device. */
MERKLIZE_API merklize_status merklize_merge_buffers(merklize_hash hash, const merklize_buffer *left,
                                                    const merklize_buffer *right, const merklize_mode *mode,
                                                    merklize_buffer *out, const merklize_run_options *options);

/* Streaming BLAKE3: bytes that come in pieces. Large pieces use all threads.
 * options  hold for all later calls on the hasher; what they point to is copied. progress and timings must be null
 * errors   invalid_argument */
MERKLIZE_API merklize_status merklize_hasher_create(const merklize_mode *mode, const merklize_run_options *options,
                                                    merklize_hasher **hasher);
/* The same by any hash of bytes, as merklize_hash_message() has it.
 * errors  invalid_argument (one that merklize_hash_message() does not take, or that begins with the length) */
MERKLIZE_API merklize_status merklize_hasher_create_by(merklize_hash hash, const merklize_run_options *options,
                                                       merklize_hasher **hasher);
MERKLIZE_API merklize_status merklize_hasher_update(merklize_hasher *hasher, const void *data, size_t bytes);
/* Output of all bytes so far, as merklize_hash_bytes() has it. More bytes may follow.
 * errors  invalid_argument (a hash without extendable output: other than 32 bytes at 0) */
MERKLIZE_API merklize_status merklize_hasher_output(const merklize_hasher *hasher, uint64_t seek, uint8_t *out,
                                                    size_t out_bytes);
/* Number of bytes so far; 0 for null. */
MERKLIZE_API uint64_t merklize_hasher_count(const merklize_hasher *hasher);
/* Back to no bytes, in the same mode. */
MERKLIZE_API merklize_status merklize_hasher_reset(merklize_hasher *hasher);
/* A hasher of its own that goes on from the same bytes. */
MERKLIZE_API merklize_status merklize_hasher_copy(const merklize_hasher *hasher, merklize_hasher **copy);
MERKLIZE_API void merklize_hasher_free(merklize_hasher *hasher);

/* ---- Trees --------------------------------------------------------------------------------------------------------- */

/* What becomes of the last node of a level with an odd number of nodes; docs/layouts.md draws each rule. The numbers of this header are one
 * more than those that files and proofs store (and than merklize::TreeRule of C++), because here 0 is the default. */
typedef uint32_t merklize_rule;
enum {
    MERKLIZE_RULE_DEFAULT = 0,       /* perfect for field hashes, left_full for all others */
    MERKLIZE_RULE_PERFECT = 1,       /* there is none: the number of leaves must be a power of two */
    MERKLIZE_RULE_LEFT_FULL = 2,     /* it moves up unchanged, as in RFC 6962 */
    MERKLIZE_RULE_PAD = 3,           /* it is merged with merklize_form.padding */
    MERKLIZE_RULE_DUPLICATE_LAST = 4 /* it is merged with itself, as in Bitcoin */
};

/* All that defines a tree besides its leaves. Null in place of a form: blake3, left_full. */
typedef struct merklize_form {
    merklize_hash hash;
    merklize_rule rule;
    const merklize_mode *mode; /* keyed or derive-key merges, only for blake3; null: plain */
    merklize_digest padding;   /* the leaf that the rule pad adds */
} merklize_form;

typedef struct merklize_tree_info {
    uint64_t n_leaves;
    merklize_hash hash;
    merklize_rule rule; /* never MERKLIZE_RULE_DEFAULT */
    uint32_t height;    /* levels above the leaves */
    uint32_t drop_levels;
    uint32_t on_device; /* 1: the nodes are in the memory of a device; 0: on the host, or in a file */
    uint32_t is_keyed;  /* of tree files: 1 if proofs and changes may need merklize_tree_file_set_mode() */
    merklize_digest root;
    uint64_t leaf_bytes;  /* bytes of the input that a leaf stands for; 0: not known */
    uint64_t total_bytes; /* bytes of the whole input; 0: not known */
} merklize_tree_info;

/* How bytes of an input become leaves. */
enum {
    MERKLIZE_INPUT_PIECES =
        0, /* a leaf is the digest of a piece of leaf_bytes; the last piece may be shorter (byte hashes) */
    MERKLIZE_INPUT_ROWS = 1,  /* the same, but every row must be complete */
    MERKLIZE_INPUT_LEAVES = 2 /* the leaves themselves, 32 bytes each; leaf_bytes is ignored */
};

typedef struct merklize_input {
    const char *path;        /* the file to open; with a descriptor: a name for error texts */
    uint64_t leaf_bytes;     /* at least 1, and at most 64 MiB for hashes other than blake3 and for pipes */
    uint32_t kind;           /* MERKLIZE_INPUT_... */
    uint32_t has_descriptor; /* 1: `descriptor` is read from its current position to its end and not closed */
    int32_t descriptor;
} merklize_input;

/* Number of slots that a tree of n leaves takes in heap order: 2^h + n, where h = ceil(log2 n). That is 2n for a power of two.
 * errors  invalid_argument (n = 0), out_of_memory (n is too large) */
MERKLIZE_API merklize_status merklize_heap_slots(uint64_t n_leaves, uint64_t *slots);

/* Builds all parents of a tree in the caller's memory.
 * nodes   [slots] in heap order: root at 1, children of i at 2i and 2i+1, leaf k at 2^h + k. The caller must fill the leaves; all other
 *         slots are written, and a slot without a node becomes zeros
 * slots   merklize_heap_slots() of the number of leaves
 * errors  invalid_argument (slots that fit no tree, a number of leaves that the rule does not allow, a word that is not below the
 *         modulus), cancelled (parents are undefined) */
MERKLIZE_API merklize_status merklize_build_tree(merklize_digest *nodes, uint64_t slots, const merklize_form *form,
                                                 const merklize_run_options *options);
/* The same in a device's memory, aligned to 32 bytes. */
MERKLIZE_API merklize_status merklize_build_tree_buffer(merklize_buffer *nodes, const merklize_form *form,
                                                        const merklize_run_options *options);

/* Only the root, of n >= 1 leaves, or of none (merklize_tree_build). The root of one leaf is the leaf. Takes 32 bytes a leaf of working memory.
 * root  host memory, written */
MERKLIZE_API merklize_status merklize_root(const merklize_digest *leaves, uint64_t n, const merklize_form *form,
                                           merklize_digest *root, const merklize_run_options *options);
/* leaves  [n, 32] bytes in a device's memory */
MERKLIZE_API merklize_status merklize_root_buffer(const merklize_buffer *leaves, const merklize_form *form,
                                                  merklize_digest *root, const merklize_run_options *options);
/* The root of the tree over a file or pipe, in about 64 MiB of memory.
 * info    describes the tree. drop_levels and on_device are 0
 * errors  io, invalid_argument, cancelled */
MERKLIZE_API merklize_status merklize_root_file(const merklize_input *input, const merklize_form *form,
                                                merklize_tree_info *info, const merklize_run_options *options);

/* A tree with its nodes. They are in the memory of the device that built it; on the host if that is the CPU, or if they do not fit.
 * leaves       [n], n >= 1; copied. Of the hash "sha256_rfc6962" with the rule "left_full" n may be 0: RFC 6962's empty tree,
 *              whose root is SHA-256 of nothing
 * drop_levels  levels at the bottom, leaves included, that are not kept: 2^drop_levels times less memory, but proofs need the leaves
 * errors       as merklize_build_tree(), out_of_memory */
MERKLIZE_API merklize_status merklize_tree_build(const merklize_digest *leaves, uint64_t n, const merklize_form *form,
                                                 uint32_t drop_levels, const merklize_run_options *options,
                                                 merklize_tree **tree);
/* leaves  [n, 32] bytes in a device's memory; copied there */
MERKLIZE_API merklize_status merklize_tree_build_buffer(const merklize_buffer *leaves, const merklize_form *form,
                                                        uint32_t drop_levels, const merklize_run_options *options,
                                                        merklize_tree **tree);
/* Leaf k is the digest of row k by merklize_hash_leaves(). Rows are hashed and merged in one pass.
 * rows  [n, row_length] units, as in merklize_hash_leaves() */
MERKLIZE_API merklize_status merklize_tree_build_rows(const void *rows, size_t row_length, uint64_t n,
                                                      const merklize_form *form, const merklize_run_options *options,
                                                      merklize_tree **tree);
/* rows  [n, row_length] units in a device's memory */
MERKLIZE_API merklize_status merklize_tree_build_rows_buffer(const merklize_buffer *rows, uint64_t n,
                                                             const merklize_form *form,
                                                             const merklize_run_options *options, merklize_tree **tree);
/* The tree over a regular file, which is read once and not kept in memory.
 * errors  io (also if it is not a regular file or changes its size), invalid_argument, out_of_memory */
MERKLIZE_API merklize_status merklize_tree_build_file(const merklize_input *input, const merklize_form *form,
                                                      const merklize_run_options *options, merklize_tree **tree);
MERKLIZE_API void merklize_tree_free(merklize_tree *tree);

/* info  written */
MERKLIZE_API merklize_status merklize_tree_get_info(const merklize_tree *tree, merklize_tree_info *info);
MERKLIZE_API merklize_status merklize_tree_root(const merklize_tree *tree, merklize_digest *root);
/* A view of all slots in heap order. With dropped levels the lowest kept level counts as the leaves. If the tree is on a device, the
 * first call copies the slots to the host.
 * nodes   written: a pointer to memory of the tree, valid until the tree is changed or freed
 * errors  out_of_memory */
MERKLIZE_API merklize_status merklize_tree_nodes(const merklize_tree *tree, const merklize_digest **nodes,
                                                 uint64_t *slots);
/* A view of one level, in the same way. Level 0 is the leaves; level l has ceil(n / 2^l) nodes.
 * errors  invalid_argument (a level above the root, or dropped), out_of_memory */
MERKLIZE_API merklize_status merklize_tree_level(const merklize_tree *tree, uint32_t level,
                                                 const merklize_digest **nodes, uint64_t *count);
/* Copies the nodes `height` levels below the root, left to right; only these come from a device. cap 0 is the root.
 * nodes   [capacity], written; may be null if capacity is 0
 * count   written if not null: number of nodes, also if capacity is too small
 * errors  too_small, invalid_argument (a level below the leaves, or dropped) */
MERKLIZE_API merklize_status merklize_tree_cap(const merklize_tree *tree, uint32_t height, merklize_digest *nodes,
                                               size_t capacity, size_t *count);
/* A handle to the tree's slots in a device's memory, to be read alone: a call that would write it is an error. It stays valid memory after the tree is freed; a change of the
 * tree may leave it behind.
 * errors  invalid_argument (the nodes are on the host) */
MERKLIZE_API merklize_status merklize_tree_device_nodes(const merklize_tree *tree, merklize_buffer **nodes);

/* Proof of one leaf, made where the nodes are.
 * leaves  for a tree with dropped levels: all its leaves, n_leaves of them; otherwise null and 0
 * errors  invalid_argument (index >= n; leaves missing, or different from the tree's) */
MERKLIZE_API merklize_status merklize_tree_prove(const merklize_tree *tree, uint64_t index,
                                                 const merklize_digest *leaves, uint64_t n_leaves,
                                                 merklize_proof **proof);
/* A proof for each of `count` indices, in order; repeats are allowed.
 * proofs  [count], written: each is freed by itself. After an error all are null */
MERKLIZE_API merklize_status merklize_tree_prove_each(const merklize_tree *tree, const uint64_t *indices, size_t count,
                                                      const merklize_digest *leaves, uint64_t n_leaves,
                                                      merklize_proof **proofs);
/* One proof for several leaves: at least one index, in any order, no index twice. */
MERKLIZE_API merklize_status merklize_tree_prove_together(const merklize_tree *tree, const uint64_t *indices,
                                                          size_t count, const merklize_digest *leaves,
                                                          uint64_t n_leaves, merklize_proof **proof);
/* The same for leaves first .. last-1. */
MERKLIZE_API merklize_status merklize_tree_prove_range(const merklize_tree *tree, uint64_t first, uint64_t last,
                                                       const merklize_digest *leaves, uint64_t n_leaves,
                                                       merklize_proof **proof);
/* Shows that the first old_leaves leaves are those of an older tree. Only for the rule left_full, without dropped levels. */
MERKLIZE_API merklize_status merklize_tree_prove_consistency(const merklize_tree *tree, uint64_t old_leaves,
                                                             merklize_proof **proof);

/* Replaces leaves and hashes the paths above them again, on the tree's device. After MERKLIZE_CANCELLED the tree is as before.
 * indices, leaves  [count]; no index twice
 * errors           invalid_argument (index >= n; an index twice; a word that is not below the modulus; dropped levels), cancelled */
MERKLIZE_API merklize_status merklize_tree_update(merklize_tree *tree, const uint64_t *indices,
                                                  const merklize_digest *leaves, size_t count,
                                                  const merklize_run_options *options);
/* Adds leaves at the end; only for the rule left_full. */
MERKLIZE_API merklize_status merklize_tree_append(merklize_tree *tree, const merklize_digest *leaves, uint64_t count,
                                                  const merklize_run_options *options);
/* Writes the tree to a file (.mkl), whole or not at all.
 * errors  io (a disk that is too small, with the numbers, before anything is written), invalid_argument (dropped levels) */
MERKLIZE_API merklize_status merklize_tree_save(const merklize_tree *tree, const char *path);

/* The root of leaves that come in pieces, in little memory: one digest a level and a batch of leaves.
 * options  as merklize_hasher_create() */
MERKLIZE_API merklize_status merklize_tree_builder_create(const merklize_form *form,
                                                          const merklize_run_options *options,
                                                          merklize_tree_builder **builder);
/* After an error the builder is as before the call. */
MERKLIZE_API merklize_status merklize_tree_builder_append(merklize_tree_builder *builder, const merklize_digest *leaves,
                                                          uint64_t count);
/* leaves  [k, 32] bytes in the memory of the builder's device */
MERKLIZE_API merklize_status merklize_tree_builder_append_buffer(merklize_tree_builder *builder,
                                                                 const merklize_buffer *leaves);
/* Number of leaves so far; 0 for null. */
MERKLIZE_API uint64_t merklize_tree_builder_count(const merklize_tree_builder *builder);
/* The root of the leaves so far. More leaves may follow.
 * errors  invalid_argument (no leaves; a number of leaves that the rule does not allow) */
MERKLIZE_API merklize_status merklize_tree_builder_root(const merklize_tree_builder *builder, merklize_digest *root);
MERKLIZE_API void merklize_tree_builder_free(merklize_tree_builder *builder);

/* ---- Commitments to matrices ---------------------------------------------------------------------------------------- */

/* A Merkle tree over the rows of several matrices of different heights, by the rule `plonky3` (docs/formats.md). */
typedef struct merklize_commitment_form {
    merklize_hash hash;
    uint32_t arity;      /* children of a node: 2, or 4 for hashes that have a merge of four (docs/hashes.md); 0 is 2 */
    uint32_t cap_height; /* layers between the cap and the root; 0: the cap is the root */
    uint32_t montgomery; /* as in merklize_hash_rows() */
    uint32_t word_bytes; /* for merklize_verify_opening() with a hash of bytes: 1, 4 or 8. Else 0 */
    uint32_t
        keep; /* 1: keeps the matrices for openings of rows: copies of those on the host, where the nodes are; handles of
                            those on a device, whose words must not change */
} merklize_commitment_form;

typedef struct merklize_commitment_info {
    merklize_hash hash;
    uint32_t arity;
    uint32_t cap_height;
    uint32_t height;      /* layers above the leaves */
    uint64_t n_leaves;    /* rows of the tallest matrix */
    uint64_t cap_size;    /* digests of the cap */
    uint64_t path_length; /* siblings of one opening */
    uint64_t row_bytes;   /* bytes of the rows of one opening: all columns of all matrices */
    uint32_t on_device;   /* 1: the nodes are in the memory of a device */
    uint32_t keeps_matrices;
} merklize_commitment_info;

/* matrices  [count], at least one, as merklize_hash_rows() takes them, but of different heights: with h rows of the tallest one,
 *           every height must be ceil(h / 2^k) for some k
 * errors    invalid_argument (heights, sizes, a hash without merges of four, a cap below the leaves; a word that is not
 *           below the modulus, with its row and column), out_of_memory, cancelled */
MERKLIZE_API merklize_status merklize_commitment_build(const merklize_matrix *matrices, size_t count,
                                                       const merklize_commitment_form *form,
                                                       const merklize_run_options *options,
                                                       merklize_commitment **commitment);
MERKLIZE_API void merklize_commitment_free(merklize_commitment *commitment);
/* info  written */
MERKLIZE_API merklize_status merklize_commitment_get_info(const merklize_commitment *commitment,
                                                          merklize_commitment_info *info);
/* cap    [capacity], written; may be null if capacity is 0
 * count  written if not null: info.cap_size, also if capacity is too small
 * errors too_small */
MERKLIZE_API merklize_status merklize_commitment_cap(const merklize_commitment *commitment, merklize_digest *cap,
                                                     size_t capacity, size_t *count);

/* One opening for each index: the rows of all matrices, and what shows that they are in the commitment. All come from a device at once.
 * indices   [count], each below info.n_leaves; repeats are allowed
 * matrices  those that the commitment is of, in their order, to read rows from; null and 0 if they are kept, or if rows is null
 * rows      null: not wanted; else [count, info.row_bytes], written: of each index the rows of all matrices one after another. Of a matrix
 *           with fewer rows it is row `index >> (log2 of the tallest's rows - log2 of its own)`, both rounded up
 * siblings  [count, info.path_length], written: of each index, for each layer below the cap, the other children of the group
 * errors    invalid_argument (an index out of range; rows of matrices that are neither kept nor given; matrices of another shape) */
MERKLIZE_API merklize_status merklize_commitment_open(const merklize_commitment *commitment, const uint64_t *indices,
                                                      size_t count, const merklize_matrix *matrices,
                                                      size_t matrix_count, uint8_t *rows, merklize_digest *siblings);
/* One opening of several indices, with each digest that the verifier cannot compute once: layer by layer, left to right.
 * indices   [count], at least one, in any order, no index twice; rows are in ascending order of the indices
 * siblings  [capacity], written; may be null if capacity is 0
 * needed    written if not null: number of siblings, also if capacity is too small
 * errors    as above, too_small */
MERKLIZE_API merklize_status merklize_commitment_open_together(const merklize_commitment *commitment,
                                                               const uint64_t *indices, size_t count,
                                                               const merklize_matrix *matrices, size_t matrix_count,
                                                               uint8_t *rows, merklize_digest *siblings,
                                                               size_t capacity, size_t *needed);

/* Shape of a matrix, as a verifier knows it. */
typedef struct merklize_matrix_dims {
    uint64_t rows;
    uint64_t columns;
} merklize_matrix_dims;

/* Whether one opening (count 1), or one of several indices, holds. Needs no device. What does not hold or is malformed is no error: *valid
 * is 0 for counts that do not fit, an index out of range, words and digests that are no field elements.
 * indices   [count], ascending and distinct
 * rows      [row_bytes], as merklize_commitment_open_together() gives them
 * siblings  [sibling_count]
 * cap       [cap_count]
 * dims      [dims_count]: what the verifier knows of the matrices, in their order
 * valid     written: 1 or 0
 * errors    invalid_argument (null; dims or a form that no commitment has; a matrix above the cap, where nothing shows its rows) */
MERKLIZE_API merklize_status merklize_verify_opening(const uint64_t *indices, size_t count, const uint8_t *rows,
                                                     size_t row_bytes, const merklize_digest *siblings,
                                                     size_t sibling_count, const merklize_digest *cap, size_t cap_count,
                                                     const merklize_matrix_dims *dims, size_t dims_count,
                                                     const merklize_commitment_form *form, int *valid);

/* ---- Calls that return at once ------------------------------------------------------------------------------------- */

/* They enqueue their work on a stream and compute the same bytes as the calls of the same name. The host waits for nothing. Their order
 * is that of the stream: what is enqueued on it later comes after them, and nobody needs to wait for an event.
 *
 * memory  all buffers are on the stream's device, and stay as long as the work runs; what merklize_buffer_create() made may be freed
 *         before. An output must not overlap an input, but where this says so
 * graphs  while a CUDA stream is being captured, a call becomes a part of the graph, and replays compute it anew. The first call of a
 *         kind should be before the capture, because it compiles or loads kernels. The handles may be freed before the graph is
 * event   null: not wanted; else written: what merklize_event_wait() and merklize_event_query() tell failures of the device by, and words
 *         that are not below the modulus of a field hash
 * policy  null: the library chooses
 * errors  invalid_argument (sizes that do not fit; a buffer on another device; overlaps; a call that cannot be captured), out_of_memory,
 *         unavailable, internal. Nothing is enqueued if the arguments are wrong */

/* BLAKE3 digest.
 * out  32 bytes */
MERKLIZE_API merklize_status merklize_enqueue_hash(merklize_stream *stream, const merklize_buffer *data,
                                                   const merklize_mode *mode, merklize_buffer *out,
                                                   const merklize_policy *policy, merklize_event **event);
/* rows  [n, row_length] units, as in merklize_hash_leaves()
 * out   [n, 32] bytes, as in all calls that follow */
MERKLIZE_API merklize_status merklize_enqueue_hash_leaves(merklize_stream *stream, merklize_hash hash,
                                                          const merklize_buffer *rows, size_t row_length,
                                                          const merklize_mode *mode, merklize_buffer *out,
                                                          const merklize_policy *policy, merklize_event **event);
/* left, right  [n, 32] bytes; out may be left or right */
MERKLIZE_API merklize_status merklize_enqueue_merge(merklize_stream *stream, merklize_hash hash,
                                                    const merklize_buffer *left, const merklize_buffer *right,
                                                    const merklize_mode *mode, merklize_buffer *out,
                                                    const merklize_policy *policy, merklize_event **event);
/* nodes  [slots, 32] bytes in heap order with the leaves in place, as in merklize_build_tree() */
MERKLIZE_API merklize_status merklize_enqueue_build_tree(merklize_stream *stream, merklize_buffer *nodes,
                                                         const merklize_form *form, const merklize_policy *policy,
                                                         merklize_event **event);
/* leaves  [n, 32] bytes
 * out     32 bytes */
MERKLIZE_API merklize_status merklize_enqueue_root(merklize_stream *stream, const merklize_buffer *leaves,
                                                   const merklize_form *form, merklize_buffer *out,
                                                   const merklize_policy *policy, merklize_event **event);
/* out[i] = nodes[slots[i]], for paths of proofs: the siblings of leaf k of a tree of height h are the slots (2^(h - l) + (k >> l)) ^ 1 of
 * its levels l = 0 to h - 1.
 * nodes  [m, 32] bytes
 * slots  [n] words of 64 bits, each below m, which is not checked */
MERKLIZE_API merklize_status merklize_enqueue_gather_nodes(merklize_stream *stream, const merklize_buffer *nodes,
                                                           const merklize_buffer *slots, merklize_buffer *out,
                                                           merklize_event **event);

/* ---- Proofs -------------------------------------------------------------------------------------------------------- */

enum {
    MERKLIZE_PROOF_SINGLE = 0,     /* one leaf */
    MERKLIZE_PROOF_MULTI = 1,      /* several leaves */
    MERKLIZE_PROOF_CONSISTENCY = 2 /* an older tree is the beginning of a newer one */
};

/* What a proof claims. A verifier says what it knows by merklize_expect. */
typedef struct merklize_proof_info {
    uint32_t kind; /* MERKLIZE_PROOF_... */
    merklize_hash hash;
    merklize_rule rule;  /* never MERKLIZE_RULE_DEFAULT */
    uint64_t n_leaves;   /* of the tree; of consistency: of the newer one */
    uint64_t old_leaves; /* of consistency: of the older tree; otherwise 0 */
    uint64_t leaves;     /* leaves in the proof: 1, several, or 0 for consistency */
    uint64_t siblings;   /* other nodes in the proof */
} merklize_proof_info;

MERKLIZE_API merklize_status merklize_proof_get_info(const merklize_proof *proof, merklize_proof_info *info);
/* Copies what a proof holds.
 * indices, leaves  [info.leaves], ascending; null: not wanted
 * siblings         [info.siblings], in the order of docs/layouts.md; null: not wanted */
MERKLIZE_API merklize_status merklize_proof_read(const merklize_proof *proof, uint64_t *indices,
                                                 merklize_digest *leaves, merklize_digest *siblings);
/* The bytes of docs/layouts.md.
 * bytes   [capacity], written; may be null if capacity is 0
 * length  written if not null: number of bytes, also if capacity is too small
 * errors  too_small */
MERKLIZE_API merklize_status merklize_proof_to_bytes(const merklize_proof *proof, uint8_t *bytes, size_t capacity,
                                                     size_t *length);
/* The reverse, for bytes from anywhere.
 * errors  invalid_argument (bytes that merklize_proof_to_bytes() does not write) */
MERKLIZE_API merklize_status merklize_proof_from_bytes(const uint8_t *bytes, size_t length, merklize_proof **proof);
/* The bytes of Winterfell's BatchMerkleProof, which hold neither leaves nor indices; only of a proof of several leaves of a perfect tree.
 * Output as merklize_proof_to_bytes().
 * errors  too_small, invalid_argument (a proof that the format cannot hold) */
MERKLIZE_API merklize_status merklize_proof_to_winterfell(const merklize_proof *proof, uint8_t *bytes, size_t capacity,
                                                          size_t *length);
/* indices, leaves  [count], in any order, but the same for both
 * errors           invalid_argument (bytes that are not such a proof of these leaves) */
MERKLIZE_API merklize_status merklize_proof_from_winterfell(const uint8_t *bytes, size_t length, merklize_hash hash,
                                                            const uint64_t *indices, const merklize_digest *leaves,
                                                            size_t count, merklize_proof **proof);
MERKLIZE_API void merklize_proof_free(merklize_proof *proof);

/* What a verifier knows of a tree and of a leaf. A proof that claims anything else is not valid: a root alone does not bind what a proof
 * claims (docs/layouts.md). A null field expects nothing, and so does null in place of the struct:
 *
 *     merklize_expect expect = {.leaf = &leaf, .index = &(uint64_t){17}, .n_leaves = &(uint64_t){4096}};
 */
typedef struct merklize_expect {
    const merklize_digest *leaf; /* of a proof of one leaf. With it, no proof of several leaves is valid */
    const uint64_t *index;       /* of that leaf, from 0. With it, no proof of several leaves is valid */
    const uint64_t *n_leaves;
    const merklize_hash *hash;
    merklize_rule rule; /* MERKLIZE_RULE_DEFAULT (0) expects nothing */
} merklize_expect;

/* Whether a proof of one or several leaves leads to the root, and claims what is expected. Needs no device and no tree. A proof that does
 * not verify is no error: *valid is 0.
 * expect  null: nothing is expected
 * mode    of a keyed tree; null: plain
 * valid   written: 1 or 0; 0 after an error
 * errors  invalid_argument (null; a proof of consistency, which merklize_proof_verify_consistency() takes; an expected hash or rule that
 *         is unknown; a key of another length) */
MERKLIZE_API merklize_status merklize_proof_verify(const merklize_proof *proof, const merklize_digest *root,
                                                   const merklize_expect *expect, const merklize_mode *mode,
                                                   int *valid);
/* The same for a proof's bytes, from anywhere. Malformed bytes are no error either, and nor are those of a proof of consistency: *valid is
 * 0. */
MERKLIZE_API merklize_status merklize_verify(const uint8_t *bytes, size_t length, const merklize_digest *root,
                                             const merklize_expect *expect, const merklize_mode *mode, int *valid);
/* Whether a proof of consistency shows that the leaves under the old root are the first leaves under the new one. The proof claims both
 * counts: compare those of merklize_proof_info with what the owner of the roots says.
 * mode, valid  as for merklize_proof_verify()
 * errors       invalid_argument (null; a proof of leaves, which merklize_proof_verify() takes; a key of another length) */
MERKLIZE_API merklize_status merklize_proof_verify_consistency(const merklize_proof *proof,
                                                               const merklize_digest *old_root,
                                                               const merklize_digest *new_root,
                                                               const merklize_mode *mode, int *valid);
/* The same for a proof's bytes, from anywhere. Malformed bytes are no error either, and nor are those of a proof of leaves: *valid is 0. */
MERKLIZE_API merklize_status merklize_verify_consistency(const uint8_t *bytes, size_t length,
                                                         const merklize_digest *old_root,
                                                         const merklize_digest *new_root, const merklize_mode *mode,
                                                         int *valid);
/* Many proofs of one leaf each, and of one hash, against one root, side by side on options->device.
 * valid   [count], written: 1 or 0
 * errors  invalid_argument (a proof of several leaves or of consistency; different hashes), cancelled */
MERKLIZE_API merklize_status merklize_verify_each(const merklize_proof *const *proofs, size_t count,
                                                  const merklize_digest *root, const merklize_mode *mode,
                                                  uint8_t *valid, const merklize_run_options *options);

/* ---- Trees in files ------------------------------------------------------------------------------------------------ */

/* Builds the tree over an input in a file (.mkl), in little memory. docs/file-format.md gives the bytes of the file.
 * resume  1: goes on with what a killed build of the same input left in OUTPUT.partial; 0: begins anew
 * info    null, or written: describes the tree
 * errors  io (a disk that is too small, with the numbers), invalid_argument, cancelled (OUTPUT.partial stays) */
MERKLIZE_API merklize_status merklize_tree_file_build(const merklize_input *input, const char *output,
                                                      const merklize_form *form, int resume, merklize_tree_info *info,
                                                      const merklize_run_options *options);
/* Opens a tree file; its nodes stay there.
 * errors  io (cannot open or read; damaged, truncated, too long, or of a newer version: the text says which) */
MERKLIZE_API merklize_status merklize_tree_file_open(const char *path, merklize_tree_file **file);
MERKLIZE_API void merklize_tree_file_free(merklize_tree_file *file);
/* The key of a keyed tree is not in its file; merklize_tree_file_check() and changes need it.
 * errors  invalid_argument (a mode that is not the tree's) */
MERKLIZE_API merklize_status merklize_tree_file_set_mode(merklize_tree_file *file, const merklize_mode *mode);
/* info  written */
MERKLIZE_API merklize_status merklize_tree_file_get_info(const merklize_tree_file *file, merklize_tree_info *info);
MERKLIZE_API merklize_status merklize_tree_file_root(const merklize_tree_file *file, merklize_digest *root);
/* Reads nodes first .. first+count-1 of a level; level 0 is the leaves.
 * nodes   [count], written
 * errors  io, invalid_argument (outside the level) */
MERKLIZE_API merklize_status merklize_tree_file_read(const merklize_tree_file *file, uint32_t level, uint64_t first,
                                                     merklize_digest *nodes, size_t count);
/* Proofs, as of trees in memory; they read only what they need.
 * errors  io, and those of merklize_tree_prove() */
MERKLIZE_API merklize_status merklize_tree_file_prove(const merklize_tree_file *file, uint64_t index,
                                                      merklize_proof **proof);
MERKLIZE_API merklize_status merklize_tree_file_prove_together(const merklize_tree_file *file, const uint64_t *indices,
                                                               size_t count, merklize_proof **proof);
MERKLIZE_API merklize_status merklize_tree_file_prove_range(const merklize_tree_file *file, uint64_t first,
                                                            uint64_t last, merklize_proof **proof);
MERKLIZE_API merklize_status merklize_tree_file_prove_consistency(const merklize_tree_file *file, uint64_t old_leaves,
                                                                  merklize_proof **proof);

/* A node that does not match its children. */
typedef struct merklize_wrong_node {
    uint64_t index; /* within the level */
    uint32_t level;
} merklize_wrong_node;

/* Checks every node against its children; reads the file once.
 * wrong   [capacity]: the wrong nodes, by level and index, at most `capacity` of them; more are not looked for
 * count   written: number of nodes in `wrong`; 0: the file is sound. With capacity 0 the answer is 0 or 1
 * errors  io, cancelled, invalid_argument (a keyed tree without its mode) */
MERKLIZE_API merklize_status merklize_tree_file_check(const merklize_tree_file *file, merklize_wrong_node *wrong,
                                                      size_t capacity, size_t *count,
                                                      const merklize_run_options *options);
/* Replaces leaves, or adds leaves (rule left_full). The change is made in a copy, which replaces the file when it is whole. One process
 * or thread at a time changes a file; others wait.
 * errors  as merklize_tree_update(), and io; cancelled, also while waiting. After an error the file is as before */
MERKLIZE_API merklize_status merklize_tree_file_update(merklize_tree_file *file, const uint64_t *indices,
                                                       const merklize_digest *leaves, size_t count,
                                                       const merklize_run_options *options);
/* As merklize_tree_file_update() says. */
MERKLIZE_API merklize_status merklize_tree_file_append(merklize_tree_file *file, const merklize_digest *leaves,
                                                       uint64_t count, const merklize_run_options *options);

/* ---- Verified streaming -------------------------------------------------------------------------------------------- */

/* How the tree of a message is written down: docs/bao.md. All zero, or null: as bao 0.13 does. bao-tree's outboards: group_log 4 and
 * without_size. A group is 2^group_log chunks of 1024 bytes. The root does not depend on any of it: it is merklize_hash_bytes(). */
typedef struct merklize_bao_form {
    uint32_t group_log;    /* 0 to 20 */
    uint32_t post_order;   /* 1: a node is behind those below it; of outboards alone */
    uint32_t without_size; /* 1: the message's size is not in front */
} merklize_bao_form;

/* Bytes of a message that cannot be verified. */
typedef struct merklize_bao_fault {
    uint64_t offset, bytes;
    uint32_t
        in_outboard; /* 1: the outboard is wrong there, so that nothing is known of the message; 0: the message is */
} merklize_bao_fault;

/* bytes   written: of the outboard of a message of `message_bytes` bytes
 * errors  invalid_argument (form) */
MERKLIZE_API merklize_status merklize_bao_outboard_bytes(uint64_t message_bytes, const merklize_bao_form *form,
                                                         uint64_t *bytes);
/* The outboard of a message in host memory: the nodes of its tree, by which anybody who knows the root can verify parts of it.
 * outboard        [outboard_bytes], written; as many as merklize_bao_outboard_bytes() says
 * root            written
 * errors          invalid_argument (form, outboard_bytes), unavailable, cancelled */
MERKLIZE_API merklize_status merklize_bao_outboard(const void *data, size_t bytes, const merklize_bao_form *form,
                                                   uint8_t *outboard, size_t outboard_bytes, merklize_digest *root,
                                                   const merklize_run_options *options);
/* The same of a message in a buffer, into a buffer of the same device. The device makes the nodes.
 * errors  invalid_argument (form; a buffer of another size or device, or one that the message overlaps) */
MERKLIZE_API merklize_status merklize_bao_outboard_buffer(const merklize_buffer *data, const merklize_bao_form *form,
                                                          merklize_buffer *outboard, merklize_digest *root,
                                                          const merklize_run_options *options);
/* The same of a regular file of any size, into the file `output`, which appears when it is whole.
 * descriptor  open for reading; its position is neither used nor changed
 * name        for error texts, or null
 * errors      io (not a regular file; it changed while it was read), invalid_argument (form), unavailable, cancelled */
MERKLIZE_API merklize_status merklize_bao_outboard_descriptor(int descriptor, const char *name,
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
MERKLIZE_API merklize_status merklize_bao_slice(const void *data, size_t bytes, const uint8_t *outboard,
                                                size_t outboard_bytes, const merklize_bao_form *form, uint64_t first,
                                                uint64_t count, uint8_t *slice, size_t capacity, size_t *length);
/* Message bytes [first, first + count) from their slice, all verified. A slice that does not verify is no error: *valid is 0.
 * message_bytes  of the whole message, if the form is without size; need not be trusted. Otherwise 0
 * out            [capacity], written if the slice is valid: `count` bytes, fewer where the message ends
 * length         written if not null: number of bytes; 0 if the slice is not valid
 * valid          written: 1 or 0
 * errors         too_small, invalid_argument (form) */
MERKLIZE_API merklize_status merklize_bao_decode_slice(const uint8_t *slice, size_t slice_bytes,
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
MERKLIZE_API merklize_status merklize_bao_verify(const void *part, size_t bytes, uint64_t offset,
                                                 uint64_t message_bytes, const merklize_digest *root,
                                                 const uint8_t *outboard, size_t outboard_bytes,
                                                 const merklize_bao_form *form, merklize_bao_fault *faults,
                                                 size_t capacity, size_t *count, const merklize_run_options *options);
/* The same of bytes [first, first + bytes) of a regular file, widened to groups; UINT64_MAX: to its end. No bytes take the group at
 * `first`; beyond the end, the last group.
 * errors  io (not a regular file; it changed while it was read), invalid_argument (form; bytes that are not all in it), cancelled */
MERKLIZE_API merklize_status merklize_bao_verify_descriptor(int descriptor, const char *name, uint64_t first,
                                                            uint64_t bytes, const merklize_digest *root,
                                                            const uint8_t *outboard, size_t outboard_bytes,
                                                            const merklize_bao_form *form, merklize_bao_fault *faults,
                                                            size_t capacity, size_t *count,
                                                            const merklize_run_options *options);

/* ---- Manifests of weights ------------------------------------------------------------------------------------------ */

/* What tensors and files are, under one root: docs/manifest-format.md. All texts are UTF-8; paths are paths of the system. */

/* Null in place of the struct, and 0 or null in a field: the default.
 * piece_size  create: a difference in longer tensors and files is later placed to such a piece: a power of two of at least 256 KiB. 0: 1
 *             MiB; UINT64_MAX: no pieces
 * patterns    [pattern_count] as in a shell (`*.lock`). create: names of files of a folder that are left out. check: tensors, files or
 *             shards, of which there must be some; the rest is not read. refresh: none
 * exclude     of a folder: a path that is left out, such as the manifest's own
 * everything  refresh: 1: hash all files, not only those whose size, time of the last write or inode changed */
typedef struct merklize_manifest_options {
    uint64_t piece_size;
    const char *const *patterns;
    size_t pattern_count;
    const char *exclude;
    uint32_t follow_links; /* 1: take symbolic links to files for the files; 0: they are an error */
    uint32_t everything;
} merklize_manifest_options;

/* Hashes a safetensors file, an index of shards (*.index.json), or a folder: its safetensors files tensor by tensor, all others as files.
 * errors  invalid_argument (options; a header that breaks safetensors' rules; names that no manifest holds; links), io, cancelled */
MERKLIZE_API merklize_status merklize_manifest_create(const char *path, const merklize_manifest_options *options,
                                                      const merklize_run_options *run, merklize_manifest **manifest);
/* Reads the text of a manifest.
 * errors  invalid_argument (whatever merklize_manifest_to_json() does not write) */
MERKLIZE_API merklize_status merklize_manifest_parse(const char *text, size_t bytes, merklize_manifest **manifest);
/* The same of a file.  errors  as above, io */
MERKLIZE_API merklize_status merklize_manifest_load(const char *path, merklize_manifest **manifest);
MERKLIZE_API void merklize_manifest_free(merklize_manifest *manifest);
/* The root over all tensors and files. */
MERKLIZE_API merklize_status merklize_manifest_root(const merklize_manifest *manifest, merklize_digest *root);
/* with_seen  1: with the times and inodes of files, which refresh goes by; 0: the text is the same on all machines
 * text       [capacity], written with a 0 at the end; may be null if capacity is 0
 * length     written if not null: bytes of the text without that 0, also if capacity is too small
 * errors     too_small */
MERKLIZE_API merklize_status merklize_manifest_to_json(const merklize_manifest *manifest, int with_seen, char *text,
                                                       size_t capacity, size_t *length);
/* Hashes again and tells what is not as the manifest says. A file that cannot be read, or is no safetensors file, is a difference.
 * path         what the manifest was made of, under any name, or for a file or an index the folder that holds it
 * differences  written: none, if all is as the manifest says
 * errors       invalid_argument (a pattern that nothing in the manifest has), io (a folder that cannot be read), cancelled */
MERKLIZE_API merklize_status merklize_manifest_check(const merklize_manifest *manifest, const char *path,
                                                     const merklize_manifest_options *options,
                                                     const merklize_run_options *run,
                                                     merklize_differences **differences);
/* How `other` differs from `manifest`: tensors and files, by name. */
MERKLIZE_API merklize_status merklize_manifest_diff(const merklize_manifest *manifest, const merklize_manifest *other,
                                                    merklize_differences **differences);
/* A manifest of the files as they are now. A write that keeps size, time and inode is not found; a check finds it.
 * errors  as merklize_manifest_create(); invalid_argument (a manifest of tensors in memory) */
MERKLIZE_API merklize_status merklize_manifest_refresh(const merklize_manifest *manifest, const char *path,
                                                       const merklize_manifest_options *options,
                                                       const merklize_run_options *run, merklize_manifest **made);

/* One thing that is not as a manifest says. The texts end with a 0, and live as long as the merklize_differences. */
typedef struct merklize_difference {
    const char *kind; /* missing, unexpected, dtype, shape, bytes, size, header, unreadable */
    const char *what; /* tensor, file, shard */
    const char *name;
    const char *shard;    /* the file that a tensor lies in, or null */
    const char *sentence; /* all of it, for people */
    uint64_t begin,
        end; /* of "bytes": the first piece that differs is bytes begin to end of the tensor or file; else 0 */
} merklize_difference;

/* How many there are. */
MERKLIZE_API size_t merklize_differences_count(const merklize_differences *differences);
/* errors  invalid_argument (index not below the count) */
MERKLIZE_API merklize_status merklize_differences_get(const merklize_differences *differences, size_t index,
                                                      merklize_difference *difference);
MERKLIZE_API void merklize_differences_free(merklize_differences *differences);

#ifdef __cplusplus
}
#endif

#endif
