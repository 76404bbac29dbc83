/* driver.h: what a device with queues and programs does: memory, copies, programs, launches, events.
 *
 * CUDA, OpenCL and SYCL each fill one mkz_driver. src/queue/ turns jobs (jobs.hpp) into calls of it, once for
 * all of them: it knows the kernels of core/entry.h and no vendor; a driver knows the vendor and no kernel.
 *
 * Every function may be called from any thread, also for one stream (then the caller does not care for the order). Those
 * that return mkz_status leave a text for the backend's last_error(), per thread. No function throws. Functions that free
 * take null. */
#ifndef MKZ_DRIVER_H
#define MKZ_DRIVER_H

#include "seams/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque to the runtime, which gets them as pointers that each backend casts from types of its own. A memory is a whole block. */
typedef struct mkz_memory mkz_memory;
typedef struct mkz_stream mkz_stream;     /* a queue that runs its commands in order */
typedef struct mkz_event mkz_event;       /* one command or a point in a queue: its end to wait for, and its times */
typedef struct mkz_program mkz_program;   /* compiled kernels, loaded */
typedef struct mkz_function mkz_function; /* a kernel of a program; lives as long as the program */

/* Text of kernels is C of the core's subset for one of these. */
typedef enum {
    MKZ_LANGUAGE_NONE = 0,
    MKZ_LANGUAGE_CUDA = 1,
    MKZ_LANGUAGE_OPENCL = 2,
    MKZ_LANGUAGE_SYCL = 3
} mkz_language;

typedef struct {
    mkz_language language;
    uint32_t unified;        /* 1: host memory is the device's own: wrap_host() makes no copy */
    uint32_t is_cpu;         /* 1: the device is a processor: vectors, caches, no shared memory worth the name */
    uint32_t max_group_size; /* items of a group */
    uint64_t local_bytes;    /* memory of a group */
    uint64_t max_allocation; /* bytes of the largest single block */
    char compiler[160];      /* compiler, its version, device, driver: what a compiled program depends on */
} mkz_driver_facts;

/* One argument of a kernel. value: the bytes of a word or struct; for a memory (bytes 0) the mkz_memory itself, or null. */
typedef struct {
    const void *value;
    uint32_t bytes;
} mkz_argument;

typedef struct {
    mkz_status (*facts)(uint32_t device, mkz_driver_facts *facts);

    /* Device memory, aligned to 256 bytes, undefined content. */
    mkz_status (*allocate)(uint32_t device, uint64_t bytes, mkz_memory **memory);
    /* Host memory that copies reach at the link's speed, aligned to 256 bytes; to 4096 bytes if `unified`, for wrap_host(). */
    mkz_status (*allocate_host)(uint32_t device, uint64_t bytes, void **host);
    void (*release_host)(uint32_t device, void *host);
    /* 1 if copies reach these host bytes, which are anybody's, at the link's speed. May be null: none are. */
    uint32_t (*is_pinned)(uint32_t device, const void *host);
    /* The caller's memory as a block, not owned: a CUdeviceptr, cl_mem or USM pointer. Null, for CUDA alone: all memory from address 0
     * on. The driver is not asked about it then. */
    mkz_status (*wrap)(uint32_t device, void *native, uint64_t bytes, mkz_memory **memory);
    /* Host bytes as a block; only if `unified`. What kernels wrote is on the host after a copy from the block to its own bytes
     * (which moves nothing) and stream_synchronize(). The bytes must stay until release(). */
    mkz_status (*wrap_host)(uint32_t device, void *host, uint64_t bytes, mkz_memory **memory);
    /* The caller's handle of a block: CUDA and USM: its address; OpenCL: the cl_mem. Once asked for, others may use the block, and
     * its release waits for them where the driver cannot (CUDA: for the whole device). */
    void *(*native)(mkz_memory *memory);
    /* A power of two that the block's address is a multiple of, as far as kernels see; 256 for one of allocate(). */
    uint32_t (*alignment)(mkz_memory *memory);
    /* For all three; also while commands that use the block are queued, which then still complete. A graph that uses it keeps it. */
    void (*release)(uint32_t device, mkz_memory *memory);

    /* native: the caller's CUstream, cl_command_queue or sycl::queue*, not owned; or null for one of its own.
     * A caller's stream must stay until stream_close(). timed: whether events of this stream need times (a queue of the caller's may have none). */
    mkz_status (*stream_open)(uint32_t device, void *native, uint32_t timed, mkz_stream **stream);
    void (*stream_close)(mkz_stream *stream);
    mkz_status (*stream_synchronize)(mkz_stream *stream);
    /* What is enqueued from now on waits for the event, of any stream of the same device. */
    mkz_status (*stream_wait)(mkz_stream *stream, mkz_event *event);

    /* Copies enqueue and return; pageable host bytes may make them wait, and must stay until the copy has ended. event: null, or
     * where to put the copy's event.
     * to or from: offset in bytes into the block. */
    mkz_status (*copy_to_device)(mkz_stream *stream, mkz_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                                 mkz_event **event);
    mkz_status (*copy_to_host)(mkz_stream *stream, void *to, mkz_memory *from, uint64_t offset, uint64_t bytes,
                               mkz_event **event);
    mkz_status (*copy_on_device)(mkz_stream *stream, mkz_memory *to, uint64_t to_offset, mkz_memory *from,
                                 uint64_t from_offset, uint64_t bytes, mkz_event **event);

    /* An event after everything that the stream was given so far. */
    mkz_status (*event_record)(mkz_stream *stream, mkz_event **event);
    mkz_status (*event_wait)(mkz_event *event);
    /* 1 in *done if the command has ended. */
    mkz_status (*event_query)(mkz_event *event, uint32_t *done);
    /* Seconds from the start of one command to the end of another (or the same), both ended. Negative: the stream has no times. */
    mkz_status (*event_span)(mkz_event *first, mkz_event *last, double *seconds);
    /* The driver's own handle, which lives as long as the event: CUevent, cl_event, sycl::event*. */
    void *(*event_native)(mkz_event *event);
    void (*event_release)(mkz_event *event);

    /* Compiles a text; a compiler's log is in the error. `options`: extra options of the compiler, or null. */
    mkz_status (*program_build)(uint32_t device, const char *text, const char *options, mkz_program **program);
    /* The compiled form, for program_load() on a device of equal facts.compiler; sink is called once. MKZ_UNAVAILABLE: none. */
    mkz_status (*program_binary)(mkz_program *program, void (*sink)(void *context, const void *bytes, uint64_t size),
                                 void *context);
    /* Also of SPIR-V (OpenCL) and of nvcc's fatbins (CUDA), where the device takes them. */
    mkz_status (*program_load)(uint32_t device, const void *binary, uint64_t bytes, mkz_program **program);
    void (*program_release)(mkz_program *program);
    /* An entry point by name. max_group_size: items a group of this kernel may have on this device. */
    mkz_status (*program_function)(mkz_program *program, const char *name, mkz_function **function,
                                   uint32_t *max_group_size);

    /* groups * group_size items in one dimension. */
    mkz_status (*launch)(mkz_stream *stream, mkz_function *function, uint64_t groups, uint32_t group_size,
                         uint32_t n_arguments, const mkz_argument *arguments, mkz_event **event);

    /* 1 in *capturing if commands of the stream do not run now, but become a part of a graph of the caller's. Asked once before the
     * commands of a call. May be null: no stream can. */
    mkz_status (*stream_capturing)(mkz_stream *stream, uint32_t *capturing);
} mkz_driver;

#ifdef __cplusplus
}
#endif

#endif
