/* nodes.h: moves nodes of 32 bytes between memory and lanes, for kernel bodies.
 *
 * An item handles MKZ_LANES neighbours. If fewer are left, the other lanes repeat the last node and are not stored. */
#ifndef MKZ_NODES_H
#define MKZ_NODES_H

#include "../names.h"

#ifdef MKZ_LANES_ARE_FOREIGN
#error "kernels.h: set the lanes of an item with MKZ_LANES; other vector lanes need their own loops (src/backends/cpu)"
#endif

/* Nodes and rows that a group handles at once. */
#define MKZ_GROUP_NODES (MKZ_GROUP_SIZE * MKZ_LANES)

/* The tower is the local memory of a group. Side 0 has room for MKZ_TOWER_NODES nodes, one level; side 1 for half as
 * many, the next level. Word k of node i is at [k][i], so that neighbouring items touch neighbouring words. At most 48
 * KiB in all. */
#define MKZ_TOWER_NODES (MKZ_GROUP_NODES < 1024 ? MKZ_GROUP_NODES : 1024)
#define MKZ_TOWER_WORDS (MKZ_NODE_WORDS * (MKZ_TOWER_NODES + (MKZ_TOWER_NODES + 1) / 2))
#define MKZ_TOWER_STRIDE(side) ((side) ? (MKZ_TOWER_NODES + 1) / 2 : MKZ_TOWER_NODES)
#define MKZ_TOWER_START(side) ((side) ? MKZ_NODE_WORDS * MKZ_TOWER_NODES : 0)

/* One node <-> private words. */
MKZ_BODY void mkz_load_node32(mkz_u32 w[8], MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 i) {
    MKZ_LOAD_QUAD32(w, nodes + 8 * i);
    MKZ_LOAD_QUAD32(w + 4, nodes + 8 * i + 4);
}

MKZ_BODY void mkz_store_node32(MKZ_GLOBAL mkz_u32 *nodes, mkz_u64 i, const mkz_u32 w[8]) {
    MKZ_STORE_QUAD32(nodes + 8 * i, w);
    MKZ_STORE_QUAD32(nodes + 8 * i + 4, w + 4);
}

MKZ_BODY void mkz_load_node64(mkz_u64 w[4], MKZ_GLOBAL const mkz_u64 *nodes, mkz_u64 i) {
    MKZ_LOAD_PAIR64(w, nodes + 4 * i);
    MKZ_LOAD_PAIR64(w + 2, nodes + 4 * i + 2);
}

MKZ_BODY void mkz_store_node64(MKZ_GLOBAL mkz_u64 *nodes, mkz_u64 i, const mkz_u64 w[4]) {
    MKZ_STORE_PAIR64(nodes + 4 * i, w);
    MKZ_STORE_PAIR64(nodes + 4 * i + 2, w + 2);
}

/* Half a node, 16 bytes: half k of the nodes at `from`, to half i of those at `to`. */
MKZ_BODY void mkz_copy_half32(MKZ_GLOBAL mkz_u32 *to, mkz_u64 i, MKZ_GLOBAL const mkz_u32 *from, mkz_u64 k) {
    mkz_u32 w[4];
    MKZ_LOAD_QUAD32(w, from + 4 * k);
    MKZ_STORE_QUAD32(to + 4 * i, w);
}

MKZ_BODY void mkz_copy_half64(MKZ_GLOBAL mkz_u64 *to, mkz_u64 i, MKZ_GLOBAL const mkz_u64 *from, mkz_u64 k) {
    mkz_u64 w[2];
    MKZ_LOAD_PAIR64(w, from + 2 * k);
    MKZ_STORE_PAIR64(to + 2 * i, w);
}

#define MKZ_UNIT_WORD_BITS 32
#include "lanes_of_nodes.h"
#undef MKZ_UNIT_WORD_BITS
#define MKZ_UNIT_WORD_BITS 64
#include "lanes_of_nodes.h"
#undef MKZ_UNIT_WORD_BITS

#endif /* MKZ_NODES_H */
