/* merklize/c/options.h: how a call runs: where, on how many threads, by which tuning values.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_OPTIONS_H
#define MERKLIZE_C_OPTIONS_H

#include <merklize/c/values.h>

/* Tuning values; no choice changes a byte. 0: the library chooses. include/merklize/policy.def has their meaning and
 * limits. */
typedef struct merklize_policy {
    uint32_t levels_per_launch;
    uint32_t group_size;
    uint32_t lanes;
    uint32_t constants; /* 1 literal, 2 constant, 3 global, 4 local */
} merklize_policy;

/* text    "levels_per_launch=3,constants=local"; empty: all zero
 * errors  invalid_argument (unknown fields, values that a field does not take; the text lists the valid ones) */
MERKLIZE_C_API merklize_status merklize_policy_from_text(const char *text, merklize_policy *policy);
/* The reverse: the fields that are not 0.
 * text    written, with a zero byte at its end; may be null if capacity is 0
 * length  written if not null: bytes of the text without the zero byte, also if capacity is too small
 * errors  too_small, invalid_argument */
MERKLIZE_C_API merklize_status merklize_policy_to_text(const merklize_policy *policy, char *text, size_t capacity,
                                                       size_t *length);

/* Seconds of a call, by the device's own clock. */
typedef struct merklize_timings {
    uint32_t available; /* 1: measured; 0: not, as on the CPU and on a caller's queue without profiling */
    double kernel;      /* from the start of the first kernel to the end of the last, without copies between */
    double to_device;   /* copies from the host */
    double to_host;     /* copies to the host */
} merklize_timings;

/* Called about every 50 ms by the thread that made the call, with the share of the work that is done, 0 to 1. Returns 0
 * to go on; anything else cancels the call with MERKLIZE_CANCELLED. It must return: no longjmp, no exception. */
typedef int (*merklize_progress)(void *context, double done);

/* Null in place of options: all defaults. */
typedef struct merklize_run_options {
    const merklize_device *device; /* null: that of the stream, else "auto". Ignored if the data is in a buffer */
    uint32_t threads;              /* CPU threads to use, the calling one included; 0: all that the process may use */
    merklize_progress progress;    /* null: none */
    void *progress_context;
    const merklize_stream *stream; /* must belong to the device; null: a queue of the library */
    const merklize_policy *policy; /* null: the library chooses */
    merklize_timings *timings;     /* null: not measured */
} merklize_run_options;

#endif
