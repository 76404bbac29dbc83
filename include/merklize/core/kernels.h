/* kernels.h: kernel bodies: what one item of a launch does.
 *
 * A body is an ordinary function that gets its position as a mkz_work_item. So the same text serves CUDA, OpenCL, SYCL
 * and a loop in host C++. entry.h makes kernels of the bodies. Every launch has groups of MKZ_GROUP_SIZE items. An item
 * handles MKZ_LANES neighbours, one in each vector lane. Items beyond the end do nothing, so the number of groups is
 * rounded up.
 *
 *   kernels/merge_level.h      one level of a Merkle tree                               count / (group size * lanes)
 *                              groups
 *   kernels/merge_keep.h       the first one or two levels, and a copy of the leaves   count / 2 / (group size * lanes)
 *                              groups
 *   kernels/merge_subtree.h    several levels, each group on its own                   count >> levels groups
 *   kernels/merge_pairs.h      merges of nodes in two buffers                           count / (group size * lanes)
 *                              groups
 *   kernels/merge_at.h         the paths above some nodes of a level                    one group a segment
 *   kernels/merge_edge.h       the nodes above the last leaf                            one group
 *   kernels/hash_rows_*.h      rows of field elements, or of bytes -> digests           count / (group size * lanes)
 *                              groups
 *   kernels/hash_chunks.h      bytes -> chaining values of chunks, or of subtrees of them     hashes with a chunk tree
 *   kernels/hash_parents.h     levels of the tree inside a digest                             hashes with a chunk tree
 *   kernels/hash_each.h        messages of any lengths -> digests, all parents level by level       hashes with a chunk
 *                              tree
 *   kernels/hash_tiles.h       tiles of matrices -> digests, and levels of many trees           hashes with a chunk
 *                              tree
 *   kernels/xmss.h             subtrees of XMSS keys                                   BLAKE2s; slots / (group size *
 *                              lanes) groups
 *   kernels/data.h             gather_nodes, scatter_nodes, order_parents, gather_strided, check_words, pack_matrix,
 *                              check_matrix
 *
 * The texts are included once for each hash and know only its facts and functions (hashes.h, names.h). The body for
 * hash h is mkz_body_merge_level_h. A program with fewer hashes compiles faster: it first defines MKZ_HASH_LIST as a
 * header that includes their units. For one hash that is its own header, such as "hashes/blake3.h"; for only the bodies
 * without a hash, "port.h".
 *
 * A node is 32 bytes: 8 words of 32 bits or 4 of 64, as the hash's lane has them. Words are little endian in memory, as
 * on every target. Buffers are aligned as MKZ_ALIGN says (port.h). Offsets, counts and strides are in nodes for nodes,
 * in words for rows, in bytes for bytes. `in` and `out` may be one buffer if the nodes that a launch writes do not
 * overlap its inputs.
 *   ctx    the table of constants and, only in programs with MKZ_KEYED 1, the key (context.h)
 *   tower  MKZ_TOWER_WORDS words of local memory (kernels/nodes.h) */
#ifndef MKZ_KERNELS_H
#define MKZ_KERNELS_H

#include "context.h"
#include "kernels/bytes.h"
#include "kernels/data.h"
#include "kernels/nodes.h"
#include "names.h"
#include "only.h"

/* MKZ_ENTRIES: the entry points to make, a sum of the bits in only.h. None, unless entry.h sets it. */
#ifndef MKZ_ENTRIES
#define MKZ_ENTRIES 0
#endif

#define MKZ_WITH_KERNELS
#define MKZ_WITH_PARTS
#ifdef MKZ_HASH_LIST
#include MKZ_HASH_LIST
#else
#include "hashes.h"
#endif
#undef MKZ_WITH_PARTS
#undef MKZ_WITH_KERNELS

#endif /* MKZ_KERNELS_H */
