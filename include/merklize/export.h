/* export.h: what libmerklize.so exports. */
#ifndef MERKLIZE_EXPORT_H
#define MERKLIZE_EXPORT_H

/* MERKLIZE_API   a public function, or a public class with its members and its type information. The static library
 *                hides it: a shared library that contains the static one exports nothing of it. CMake's target defines
 *                MERKLIZE_STATIC there.
 * MERKLIZE_LOCAL the private part of a public class */
#if defined(MERKLIZE_STATIC) || !defined(__GNUC__)
#define MERKLIZE_API
#define MERKLIZE_LOCAL
#else
#define MERKLIZE_API __attribute__((visibility("default")))
#define MERKLIZE_LOCAL __attribute__((visibility("hidden")))
#endif

#endif
