/* merklize.h: the C API, C11 over a library in C++20; C++ may include it as well. docs/c.md is a tour.
 *
 * merklize_hash()              the digest of a message               c/digests.h
 * merklize_hash_file()         the same of a file
 * merklize_hasher_...          the same of a message in pieces
 * merklize_tree_...            a Merkle tree with its nodes          c/trees.h; c/forms.h has what defines a tree
 * merklize_build_tree_file()   a tree over a file, in a file         c/tree_files.h
 * merklize_tree_file_...       a tree in a file: proofs, changes
 * merklize_verify()            whether a proof holds                 c/proofs.h
 * merklize_device_...          where calls run                       c/devices.h; c/options.h has how
 *
 * Errors. A function that can fail returns a merklize_status: MERKLIZE_OK (0) or what went wrong. merklize_last_error()
 * then gives the text with the numbers, for the calling thread. No C++ exception leaves the library, and it never ends
 * the process. After a failure the results are unchanged, unless the function says otherwise; a handle that would have
 * been made is null, and a verdict 0. These are written when all has been read, so they may lie over what a call reads.
 * A null pointer where one is needed is an error; an array of no items may be null.
 *
 * Order. Every call is complete when it returns, but for merklize_enqueue_... On a device it begins after
 * everything that was enqueued on options->stream before.
 *
 * Memory. Pointers are to host memory; memory of a device is a merklize_buffer. A merklize_view or a merklize_output is
 * either, and is passed by value. `const` memory is only read. The library keeps no pointer of the caller after the
 * call, but for merklize_buffer_wrap() and merklize_stream_wrap(). Texts are UTF-8 and end with a zero byte. Paths are
 * bytes as the system has them.
 *
 * Handles. What a function makes through a `**` argument belongs to the caller, who frees it with the _free function of
 * its type. Every _free takes null, and never fails. A handle needs no other handle to stay alive: a buffer keeps its
 * device, a tree its memory.
 *
 * Threads. Any two handles may be used by two threads at once. A handle may be made, used and freed by different
 * threads.
 *
 * devices, buffers, events, proofs  any number of threads may use one at once; uses of a buffer's bytes are the
 *                                   caller's to order
 * commitments, forests, keys        any number of threads may use one at once
 * trees, tree files                 any number of threads may use one at once by functions that take it as `const`; the
 *                                   others need it alone
 * streams, hashers                  one thread at a time
 * builders, writers                 one thread at a time
 *
 * _free needs the handle alone. The progress function is called by the thread that made the call and never after the
 * call has returned.
 *
 * Structs. Zero is the default of every field, so options are set by name, and {0} is all defaults, as a null pointer
 * is:
 *
 *     merklize_run_options options = {.threads = 4};
 *
 * Structs have no sizes and no spare fields: a version that changes one raises MERKLIZE_ABI_VERSION. */
#ifndef MERKLIZE_MERKLIZE_H
#define MERKLIZE_MERKLIZE_H

#include <merklize/c/errors.h>
#include <merklize/c/values.h>

#include <merklize/c/devices.h>
#include <merklize/c/hashes.h>
#include <merklize/c/options.h>

#include <merklize/c/digests.h>

#include <merklize/c/forests.h>
#include <merklize/c/forms.h>
#include <merklize/c/trees.h>

#include <merklize/c/proofs.h>
#include <merklize/c/tree_files.h>

#include <merklize/c/matrices.h>

#include <merklize/c/dm_verity.h>
#include <merklize/c/formats.h>
#include <merklize/c/openzeppelin.h>

#include <merklize/c/bao.h>
#include <merklize/c/enqueue.h>
#include <merklize/c/manifests.h>
#include <merklize/c/pieces.h>
#include <merklize/c/tiles.h>
#include <merklize/c/xmss.h>

#endif
