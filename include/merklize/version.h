/* version.h: the version of these headers, for C and C++. The build reads it from here. */
#ifndef MERKLIZE_VERSION_H
#define MERKLIZE_VERSION_H

/* As in semantic versioning. Before 1.0 a minor version may change the API. */
#define MERKLIZE_VERSION_MAJOR 0
#define MERKLIZE_VERSION_MINOR 1
#define MERKLIZE_VERSION_PATCH 0
#define MERKLIZE_VERSION_STRING "0.1.0"
/* For #if: 0.1.0 is 1000, 1.2.3 is 1002003. */
#define MERKLIZE_VERSION_NUMBER \
    (1000000 * MERKLIZE_VERSION_MAJOR + 1000 * MERKLIZE_VERSION_MINOR + MERKLIZE_VERSION_PATCH)

/* The binary interface, of C and of C++: the N of libmerklize.so.N and of the inline namespace merklize::vN. A release
 * that breaks it raises N. A program and a library of different N do not link; merklize_abi_version() tells programs
 * that load the library by hand. */
#define MERKLIZE_ABI_VERSION 0

#endif
