/* driver.h: the functions of a device with queues and programs: memory, copies, programs, launches, events.
 *
 * CUDA, OpenCL and SYCL each fill one mkz_driver. src/queue/ turns jobs (jobs.hpp) into calls of the driver, in one way
 * for all vendors: it knows the kernels of core/entry.h and no vendor; a driver knows the vendor and no kernel.
 *
 * Every function may be called from any thread, also several at once for one stream (their order is then undefined).
 * Those that return mkz_status leave a text for the backend's last_error(), per thread. No function throws. Functions
 * that free accept null. */
#ifndef MKZ_DRIVER_H
#define MKZ_DRIVER_H

#include "seams/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque to the runtime, which gets them as pointers that each backend casts from types of its own. A memory is a whole
 * block. */
typedef struct mkz_memory mkz_memory;
typedef struct mkz_stream mkz_stream;     /* a queue that runs its commands in order */
typedef struct mkz_event mkz_event;       /* one command or a point in a queue: its end to wait for, and its times */
typedef struct mkz_program mkz_program;   /* compiled kernels, loaded */
typedef struct mkz_function mkz_function; /* a kernel of a program; lives as long as the program */

/* The language of kernel texts, which are C of the core's subset. */
typedef enum {
    MKZ_LANGUAGE_NONE = 0,
    MKZ_LANGUAGE_CUDA = 1,
    MKZ_LANGUAGE_OPENCL = 2,
    MKZ_LANGUAGE_SYCL = 3
} mkz_language;

typedef struct {
    mkz_language language;
    uint32_t unified;        /* 1: the device computes in host memory, so wrap_host() makes no copy */
    uint32_t is_cpu;         /* 1: the device is a processor: vectors and caches, no fast shared memory */
    uint32_t max_group_size; /* items of a group */
    uint64_t local_bytes;    /* memory of a group */
    uint64_t max_allocation; /* bytes of the largest single block */
    char compiler[160];      /* compiler, its version, device, driver: what a compiled program depends on */
} mkz_driver_facts;

/* One argument of a kernel. value: the bytes of a word or struct; for a memory (bytes 0) the mkz_memory itself, or
 * null. */
typedef struct {
    const void *value;
    uint32_t bytes;
} mkz_argument;

/* Rows of a matrix in memory of the host and in a block. */
typedef struct {
    uint64_t n;
    uint64_t bytes;       /* of a row; at least 1 */
    uint64_t host_stride; /* from row to row, at least `bytes` and below 2^31 */
    uint64_t stride;      /* the same in the block */
} mkz_rows;

typedef struct {
    mkz_status (*facts)(uint32_t device, mkz_driver_facts *facts);

    /* Device memory, aligned to 256 bytes, undefined content. */
    mkz_status (*allocate)(uint32_t device, uint64_t bytes, mkz_memory **memory);
    /* Pinned host memory, which is copied at the link's speed; aligned to 256 bytes, or to 4096 bytes if `unified`, for
     * wrap_host(). */
    mkz_status (*allocate_host)(uint32_t device, uint64_t bytes, void **host);
    void (*release_host)(uint32_t device, void *host);
    /* 1 if these host bytes, no matter who allocated them, are pinned: copied at the link's speed. A null function:
     * none are. */
    uint32_t (*is_pinned)(uint32_t device, const void *host);
    /* The caller's memory as a block, not owned: a CUdeviceptr, cl_mem or USM pointer. Null (CUDA alone): all memory
     * from address 0 on, about which the vendor's driver is not asked. */
    mkz_status (*wrap)(uint32_t device, void *native, uint64_t bytes, mkz_memory **memory);
    /* Host bytes as a block; only if `unified`. The kernels' writes are visible on the host after a copy from the block
     * to its own bytes (which moves nothing) and stream_synchronize(). The bytes must stay until release(). */
    mkz_status (*wrap_host)(uint32_t device, void *host, uint64_t bytes, mkz_memory **memory);
    /* The vendor's handle of a block: CUDA and USM: its address; OpenCL: the cl_mem. After this call others may use the
     * block, and its release waits for them if the vendor's driver does not (CUDA: for the whole device). */
    void *(*native)(mkz_memory *memory);
    /* The alignment of the block's address, as kernels see it: a power of two; 256 for a block of allocate(). */
    uint32_t (*alignment)(mkz_memory *memory);
    /* Frees a block of any kind, also while queued commands use it; they still complete. A graph that uses the block
     * keeps it. */
    void (*release)(uint32_t device, mkz_memory *memory);
    /* Bounds the bytes of all blocks of allocate() together, with those that the driver keeps for later ones and frees
     * first. A block that would exceed the limit is MKZ_OUT_OF_MEMORY. Blocks that are in use stay. bytes: 0: no limit.
     */
    mkz_status (*limit_memory)(uint32_t device, uint64_t bytes);
    /* Bytes of the blocks of allocate() that were not released, as they count against the limit. */
    uint64_t (*memory_in_use)(uint32_t device);

    /* native: the caller's CUstream, cl_command_queue or sycl::queue*, not owned; or null for a new one. A caller's
     * stream must stay until stream_close(). timed: whether events of this stream need times (a queue of the caller may
     * have none). */
    mkz_status (*stream_open)(uint32_t device, void *native, uint32_t timed, mkz_stream **stream);
    void (*stream_close)(mkz_stream *stream);
    mkz_status (*stream_synchronize)(mkz_stream *stream);
    /* Commands enqueued from now on wait for the event, which may be of any stream of the same device. */
    mkz_status (*stream_wait)(mkz_stream *stream, mkz_event *event);

    /* Copies enqueue and return, but may wait for pageable host bytes. Host bytes must stay until the copy has ended.
     * event: null, or where to put the copy's event.
     * offset: in bytes, into the block. */
    mkz_status (*copy_to_device)(mkz_stream *stream, mkz_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                                 mkz_event **event);
    mkz_status (*copy_to_host)(mkz_stream *stream, void *to, mkz_memory *from, uint64_t offset, uint64_t bytes,
                               mkz_event **event);
    mkz_status (*copy_on_device)(mkz_stream *stream, mkz_memory *to, uint64_t to_offset, mkz_memory *from,
                                 uint64_t from_offset, uint64_t bytes, mkz_event **event);

    /* An event after all commands that were enqueued on the stream so far. */
    mkz_status (*event_record)(mkz_stream *stream, mkz_event **event);
    mkz_status (*event_wait)(mkz_event *event);
    /* 1 in *done if the command has ended. */
    mkz_status (*event_query)(mkz_event *event, uint32_t *done);
    /* Seconds from the start of one command to the end of another (or the same), both ended. Negative: the stream has
     * no times. */
    mkz_status (*event_span)(mkz_event *first, mkz_event *last, double *seconds);
    /* The driver's own handle, which lives as long as the event: CUevent, cl_event, sycl::event*. */
    void *(*event_native)(mkz_event *event);
    void (*event_release)(mkz_event *event);

    /* Compiles a text; a compiler's log is in the error. `options`: extra options of the compiler, or null. */
    mkz_status (*program_build)(uint32_t device, const char *text, const char *options, mkz_program **program);
    /* The compiled form, for program_load() on a device of equal facts.compiler; sink is called once. MKZ_UNAVAILABLE:
     * none. */
    mkz_status (*program_binary)(mkz_program *program, void (*sink)(void *context, const void *bytes, uint64_t size),
                                 void *context);
    /* Loads a compiled form; also SPIR-V (OpenCL) and nvcc's fatbins (CUDA), if the device takes them. */
    mkz_status (*program_load)(uint32_t device, const void *binary, uint64_t bytes, mkz_program **program);
    void (*program_release)(mkz_program *program);
    /* An entry point by name. max_group_size: items a group of this kernel may have on this device. */
    mkz_status (*program_function)(mkz_program *program, const char *name, mkz_function **function,
                                   uint32_t *max_group_size);

    /* groups * group_size items in one dimension. */
    mkz_status (*launch)(mkz_stream *stream, mkz_function *function, uint64_t groups, uint32_t group_size,
                         uint32_t n_arguments, const mkz_argument *arguments, mkz_event **event);

    /* 1 in *capturing if the stream is being captured: commands do not run now, but become a part of a graph. Asked
     * once before the commands of a call. A null function: no stream can be captured. */
    mkz_status (*stream_capturing)(mkz_stream *stream, uint32_t *capturing);

    /* A copy of rows at the link's speed, from pinned memory; else as copy_to_device().
     * from, offset: of the first row. A null function: there is no such copy. */
    mkz_status (*copy_rows_to_device)(mkz_stream *stream, mkz_memory *to, uint64_t offset, const void *from,
                                      const mkz_rows *rows, mkz_event **event);
} mkz_driver;

#ifdef __cplusplus
}
#endif

#endif
