/* plugin.h: the function that a backend in a library of its own exports.
 *
 * The library is called libmerklize_NAME.so, NAME of lower-case letters, digits and underscores, and lies in the folder
 * of the library that has the runtime (libmerklize.so, Python's _native...so, or the program it is linked into), or in
 * $MERKLIZE_PLUGINS_DIR, an absolute path. It is never looked for in the current folder. It is opened (RTLD_NOW |
 * RTLD_LOCAL) when a device of that name, or the list of all devices, is first asked for, and never closed. It exports
 * one C function. */
#ifndef MKZ_PLUGIN_H
#define MKZ_PLUGIN_H

#include "seams/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The backend's table: its `abi` is MKZ_BACKEND_ABI of this version's headers, its `name` the NAME of the file. It
 * lives as long as the process. Nothing else is done here: devices are looked for when why_unavailable() is first
 * called. Throws nothing. */
#define MKZ_PLUGIN_FUNCTION "merklize_plugin_backend"
__attribute__((visibility("default"))) const mkz_backend *merklize_plugin_backend(void);

#ifdef __cplusplus
}
#endif

#endif
