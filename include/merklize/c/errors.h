/* merklize/c/errors.h: statuses, the text of the last error, and versions.
 * Its structs and constants are written by scripts/surface.py from scripts/surface.toml. */
#ifndef MERKLIZE_C_ERRORS_H
#define MERKLIZE_C_ERRORS_H

#include <stddef.h>
#include <stdint.h>

#include <merklize/export.h>
#include <merklize/version.h>

/* A function that the library exports. */
#ifdef __cplusplus
#define MERKLIZE_C_API extern "C" MERKLIZE_API
#else
#define MERKLIZE_C_API MERKLIZE_API
#endif

typedef int32_t merklize_status;
enum {
    MERKLIZE_OK = 0,
    MERKLIZE_INVALID_ARGUMENT = 1, /* the caller's value is outside what the function takes */
    MERKLIZE_OUT_OF_MEMORY = 2,    /* memory of the host or the device */
    MERKLIZE_UNAVAILABLE = 3,      /* the device or instruction set that was named cannot be used here */
    MERKLIZE_IO = 4,               /* a file could not be opened, read or written, or changed while being read */
    MERKLIZE_CANCELLED = 5,        /* the progress function asked to stop */
    MERKLIZE_INTERNAL = 6,         /* a driver failed, or the library has a bug */
    MERKLIZE_TOO_SMALL = 100       /* an output of the caller is too small; the call writes the size that it needs */
};

/* "ok", "invalid argument" and so on; "unknown status" for any other number. Lives as long as the library. */
MERKLIZE_C_API const char *merklize_status_name(merklize_status status);

/* The error text of the last failed call of this thread, or "". It is valid until the thread ends or another of its
 * calls fails. Names that look like URLs are without user, password and what follows the ?, which may be secrets: in
 * all texts of the library. */
MERKLIZE_C_API const char *merklize_last_error(void);
/* The function of the same failure, with which the text begins, or "": the text begins with what is wrong, as a file.
 * It is valid as long as the text. */
MERKLIZE_C_API const char *merklize_last_error_call(void);
/* The argument of that function that is wrong, which stands behind the function, or "": the rule names it itself. It is
 * valid as long as the text. */
MERKLIZE_C_API const char *merklize_last_error_argument(void);
/* The text without both: for programs that name them otherwise. It is valid as long as the text. */
MERKLIZE_C_API const char *merklize_last_error_rule(void);
/* The value of errno of the same failure, or 0 if no system call failed. */
MERKLIZE_C_API int merklize_last_system_error(void);
/* The path of the file of the same failure, as the text shows it, or "". It is valid as long as the text. */
MERKLIZE_C_API const char *merklize_last_error_path(void);

/* Version of the library in use, "major.minor.patch". It may differ from MERKLIZE_VERSION_STRING of the headers. */
MERKLIZE_C_API const char *merklize_version(void);
/* MERKLIZE_ABI_VERSION of the library in use. */
MERKLIZE_C_API uint32_t merklize_abi_version(void);
/* For programs that load the library by hand, before any other call.
 * abi     MERKLIZE_ABI_VERSION of the caller's headers
 * errors  invalid_argument (the library has another number; the text names both) */
MERKLIZE_C_API merklize_status merklize_check_abi(uint32_t abi);

#endif
