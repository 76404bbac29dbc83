/* merklize/c/enqueue.h: calls that return at once. */
#ifndef MERKLIZE_C_ENQUEUE_H
#define MERKLIZE_C_ENQUEUE_H

#include <merklize/c/trees.h>

/* These calls enqueue their work on a stream and compute the same bytes as the calls without `enqueue` in their name.
 * The host never waits. Commands that are enqueued on the stream later run after the work, and need no event.
 *
 * memory  all buffers must be on the stream's device and live until the work has ended; those of
 *         merklize_buffer_create() may be freed earlier. An output may overlap an input only where the comment of the
 *         call allows it
 * graphs  while a CUDA stream is being captured, a call becomes a part of the graph, and each replay computes it again.
 *         Make the first call of a kind before the capture, because it compiles or loads kernels. The handles may be
 *         freed before the graph is
 * event   null, or written. merklize_event_wait() and merklize_event_query() then report failures of the device, and
 *         words that are not below the modulus of a field hash
 * policy  null: the library chooses
 * errors  invalid_argument (sizes that do not fit; a buffer on another device; overlaps; a call that cannot be
 *         captured), out_of_memory, unavailable, internal. Nothing is enqueued if the arguments are wrong */

/* BLAKE3 digest.
 * out  32 bytes */
MERKLIZE_C_API merklize_status merklize_enqueue_hash(merklize_stream *stream, const merklize_buffer *data,
                                                     const merklize_mode *mode, merklize_buffer *out,
                                                     const merklize_policy *policy, merklize_event **event);
/* rows  [n, row_bytes], as in merklize_hash_leaves()
 * out   [n, 32] bytes, as in all calls that follow */
MERKLIZE_C_API merklize_status merklize_enqueue_hash_leaves(merklize_stream *stream, const merklize_buffer *rows,
                                                            uint64_t row_bytes, merklize_hash_id hash,
                                                            const merklize_mode *mode, merklize_buffer *out,
                                                            const merklize_policy *policy, merklize_event **event);
/* left, right  [n, 32] bytes; out may be left or right */
MERKLIZE_C_API merklize_status merklize_enqueue_merge(merklize_stream *stream, const merklize_buffer *left,
                                                      const merklize_buffer *right, merklize_hash_id hash,
                                                      const merklize_mode *mode, merklize_buffer *out,
                                                      const merklize_policy *policy, merklize_event **event);
/* nodes  [slots, 32] bytes in heap order with the leaves in place, as in merklize_build_tree() */
MERKLIZE_C_API merklize_status merklize_enqueue_build_tree(merklize_stream *stream, merklize_buffer *nodes,
                                                           const merklize_form *form, const merklize_policy *policy,
                                                           merklize_event **event);
/* leaves  [n, 32] bytes
 * out     32 bytes */
MERKLIZE_C_API merklize_status merklize_enqueue_merkle_root(merklize_stream *stream, const merklize_buffer *leaves,
                                                            const merklize_form *form, merklize_buffer *out,
                                                            const merklize_policy *policy, merklize_event **event);
/* out[i] = nodes[slots[i]]. This gathers the paths of proofs: in a tree of height h the sibling at level l on the path
 * of leaf k is slot (2^(h - l) + (k >> l)) ^ 1, for l = 0 to h - 1.
 * nodes  [m, 32] bytes
 * slots  [n] words of 64 bits, each below m, which is not checked */
MERKLIZE_C_API merklize_status merklize_enqueue_gather_nodes(merklize_stream *stream, const merklize_buffer *nodes,
                                                             const merklize_buffer *slots, merklize_buffer *out,
                                                             merklize_event **event);

#endif
