/* merklize/c/devices.h: devices, their queues and their memory.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_DEVICES_H
#define MERKLIZE_C_DEVICES_H

#include <merklize/c/values.h>

/* Facts of a device. Texts that are too long are cut. */
typedef struct merklize_device_info {
    uint64_t memory_bytes; /* bytes of memory */
    uint32_t units;        /* CPU threads that the process may use, or compute units */
    char id[128];          /* the name that opens it: `cpu`, `cuda:0`, ... */
    char backend[32];      /* `cpu`, `cuda`, `opencl`, `sycl`, or that of a plug-in */
    char name[128];        /* the vendor's name of the device */
    char vendor[64];       /* the vendor */
    char driver[64];       /* version of the driver or runtime; empty on the CPU */
    char isa[32];          /* instruction set or architecture in use: `avx2`, `sm_90`, ... */
} merklize_device_info;

/* Number of usable devices, at least 1. The first call looks for devices and may open drivers. */
MERKLIZE_C_API merklize_status merklize_device_count(size_t *count);
/* index   below merklize_device_count(); best first
 * info    written
 * errors  invalid_argument (index) */
MERKLIZE_C_API merklize_status merklize_device_describe(size_t index, merklize_device_info *info);
/* Why `name` ("cuda", "opencl:0", ...) cannot be used; an empty text if it can. Output as merklize_policy_to_text(). */
MERKLIZE_C_API merklize_status merklize_why_unavailable(const char *name, char *text, size_t capacity, size_t *length);

/* Opens a device.
 * name    - "auto": the device that the environment variable MERKLIZE_DEVICE names, else the fastest by calibration,
 *         else the CPU
 *         - an id, such as "cpu" or "cuda:0"
 *         - several devices, "cuda:all" or "cpu,cuda:0", which act as one device for jobs on host memory
 * errors  invalid_argument (an unknown name), unavailable (a known device that cannot be used here: the text says why)
 */
MERKLIZE_C_API merklize_status merklize_device_open(const char *name, merklize_device **device);
MERKLIZE_C_API merklize_status merklize_device_get_info(const merklize_device *device, merklize_device_info *info);
MERKLIZE_C_API void merklize_device_free(merklize_device *device);

/* Bounds the memory of the device that this process takes through the library: what calls, trees and commitments use,
 * the caller's buffers, and what is kept for later calls, which is freed first. Not counted are memory that the caller
 * wraps, page-locked host memory, and the driver's own. A call that would need more works in pieces or on the host
 * where it can, as on a device that is full, and else fails with out_of_memory. What is in use stays when a limit is
 * set. The limit holds for all handles to the device; any thread may set it.
 * bytes   0: no limit
 * errors  unavailable (the CPU; several devices as one: set the limit of each) */
MERKLIZE_C_API merklize_status merklize_device_set_memory_limit(const merklize_device *device, uint64_t bytes);
/* bytes  written: the limit; 0: none */
MERKLIZE_C_API merklize_status merklize_device_get_memory_limit(const merklize_device *device, uint64_t *bytes);

/* A new queue of a device, which runs its commands in order.
 * errors  unavailable (a device without queues: the CPU) */
MERKLIZE_C_API merklize_status merklize_stream_create(const merklize_device *device, merklize_stream **stream);
/* The caller's queue, not owned: it must outlive the handle.
 * native  a CUstream or cudaStream_t (1 is CUDA's default stream), a cl_command_queue or a sycl::queue*
 * errors  as merklize_stream_create(), invalid_argument (null) */
MERKLIZE_C_API merklize_status merklize_stream_wrap(const merklize_device *device, void *native,
                                                    merklize_stream **stream);
/* Waits for everything that was enqueued. */
MERKLIZE_C_API merklize_status merklize_stream_synchronize(merklize_stream *stream);
/* capturing  written: 1 if the queue is being captured into a graph (CUDA), else 0 */
MERKLIZE_C_API merklize_status merklize_stream_is_capturing(const merklize_stream *stream, int *capturing);
MERKLIZE_C_API void merklize_stream_free(merklize_stream *stream);

/* An event is a point in the order of a queue: it is reached when everything that was enqueued before it has ended. It
 * needs its stream no longer.
 * merklize_stream_record  the point after everything that is enqueued so far; never waits */
MERKLIZE_C_API merklize_status merklize_stream_record(merklize_stream *stream, merklize_event **event);
/* Commands enqueued on the stream from now on begin after the event. The host does not wait.
 * errors  invalid_argument (an event of another device) */
MERKLIZE_C_API merklize_status merklize_stream_wait(merklize_stream *stream, const merklize_event *event);
/* Waits on the host until the point is reached.
 * errors  those of the commands before the point; invalid_argument (the stream was being captured into a graph) */
MERKLIZE_C_API merklize_status merklize_event_wait(const merklize_event *event);
/* reached  written: 1 or 0; never waits
 * errors   as merklize_event_wait() */
MERKLIZE_C_API merklize_status merklize_event_query(const merklize_event *event, int *reached);
/* Reports the errors that merklize_event_wait() would, without waiting. For captured calls: the errors of the replays
 * that have ended.
 * errors  invalid_argument (a word of the input that is not below the modulus of a field hash) */
MERKLIZE_C_API merklize_status merklize_event_check(const merklize_event *event);
/* native  written: a CUevent, a cl_event or a sycl::event*, which lives as long as the handle */
MERKLIZE_C_API merklize_status merklize_event_native(const merklize_event *event, void **native);
MERKLIZE_C_API void merklize_event_free(merklize_event *event);

/* Memory of a device, aligned to 256 bytes; its content is undefined.
 * errors  unavailable (the CPU: its memory is host memory), out_of_memory */
MERKLIZE_C_API merklize_status merklize_buffer_create(const merklize_device *device, uint64_t bytes,
                                                      merklize_buffer **buffer);
/* The caller's memory, not owned: it must outlive the handle, its slices and the trees that use it.
 * native  a CUdeviceptr as a pointer, a cl_mem or a USM pointer
 * errors  invalid_argument (memory of another device or of the host), unavailable */
MERKLIZE_C_API merklize_status merklize_buffer_wrap(const merklize_device *device, void *native, uint64_t bytes,
                                                    merklize_buffer **buffer);
/* The same, for reading only: a call that would write the memory is an error. */
MERKLIZE_C_API merklize_status merklize_buffer_wrap_const(const merklize_device *device, const void *native,
                                                          uint64_t bytes, merklize_buffer **buffer);
/* A handle to bytes [first, first + bytes) of the same memory, which lives as long as any handle to it.
 * errors  invalid_argument (bytes outside the buffer) */
MERKLIZE_C_API merklize_status merklize_buffer_slice(const merklize_buffer *buffer, uint64_t first, uint64_t bytes,
                                                     merklize_buffer **slice);
/* Number of bytes; 0 for null. */
MERKLIZE_C_API uint64_t merklize_buffer_size(const merklize_buffer *buffer);
/* native  written: the address of the first byte (CUDA, USM), or the cl_mem in which the bytes begin at *offset
 *         (OpenCL). It is valid as long as the memory is
 * offset  written if not null; 0 where native is an address */
MERKLIZE_C_API merklize_status merklize_buffer_native(const merklize_buffer *buffer, void **native, uint64_t *offset);
/* Copies host memory to bytes [first, first + bytes) of a buffer, and back. Both wait until the copy is done.
 * stream  null: a queue of the library
 * errors  invalid_argument (bytes outside the buffer) */
MERKLIZE_C_API merklize_status merklize_buffer_upload(merklize_buffer *buffer, uint64_t first, const void *host,
                                                      size_t bytes, const merklize_stream *stream);
/* As merklize_buffer_upload() says. */
MERKLIZE_C_API merklize_status merklize_buffer_download(const merklize_buffer *buffer, uint64_t first, void *host,
                                                        size_t bytes, const merklize_stream *stream);
MERKLIZE_C_API void merklize_buffer_free(merklize_buffer *buffer);

#endif
