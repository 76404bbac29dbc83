/* kernel_nodes.h: nodes of 32 bytes between memory and lanes, for kernel bodies.
 *
 * An item handles MKZ_LANES neighbours. Where fewer are left its other lanes repeat the last one, and are not stored. */
#ifndef MKZ_KERNEL_NODES_H
#define MKZ_KERNEL_NODES_H

#include "port.h"

#ifdef MKZ_LANES_ARE_FOREIGN
#error "kernels.h: set the lanes of an item by MKZ_LANES; other vector lanes have their own loops (src/backends/cpu)"
#endif

/* Nodes and rows that a group handles at once. */
#define MKZ_GROUP_NODES (MKZ_GROUP_SIZE * MKZ_LANES)

/* Nodes that a group can keep in local memory, and side as many beside them: a level, and the next one. Word k of node i
 * lies at [k][i], so that neighbouring items touch neighbouring words. At most 48 KiB in all. */
#define MKZ_TOWER_NODES (MKZ_GROUP_NODES < 1024 ? MKZ_GROUP_NODES : 1024)
#define MKZ_TOWER_WORDS(lane) (256 / lane * (MKZ_TOWER_NODES + (MKZ_TOWER_NODES + 1) / 2))
#define MKZ_TOWER_STRIDE(side) ((side) ? (MKZ_TOWER_NODES + 1) / 2 : MKZ_TOWER_NODES)
#define MKZ_TOWER_START(lane, side) ((side) ? 256 / lane * MKZ_TOWER_NODES : 0)

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

/* Lane j <-> node i + j step, in global memory; the last `left` lanes are MKZ_LANES or fewer that exist (left >= 1). In local
 * memory a node is word k at t[k * stride + i]. */
#define MKZ_DEFINE_LANES_OF_NODES(lane)                                                                              \
    MKZ_BODY void mkz_load_nodes##lane(mkz_lane##lane w[256 / lane], MKZ_GLOBAL const mkz_u##lane *nodes, mkz_u64 i, \
                                       mkz_u32 step, mkz_u64 left) {                                                 \
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                         \
            mkz_u##lane node[256 / lane];                                                                            \
            mkz_u64 at = j < left ? j : left - 1;                                                                    \
            mkz_load_node##lane(node, nodes, i + (j == 0 ? 0 : at * step));                                          \
            MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) MKZ_LANE(mkz_u##lane, w[k], j) = node[k];                \
        }                                                                                                            \
    }                                                                                                                \
    MKZ_BODY void mkz_store_nodes##lane(MKZ_GLOBAL mkz_u##lane *nodes, mkz_u64 i, mkz_u64 left,                      \
                                        const mkz_lane##lane w[256 / lane]) {                                        \
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                         \
            mkz_u##lane node[256 / lane];                                                                            \
            MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) node[k] = MKZ_LANE(mkz_u##lane, w[k], j);                \
            if (j == 0 || j < left) mkz_store_node##lane(nodes, i + j, node);                                        \
        }                                                                                                            \
    }                                                                                                                \
    MKZ_BODY void mkz_load_local##lane(mkz_lane##lane w[256 / lane], MKZ_LOCAL const mkz_u##lane *t, mkz_u32 stride, \
                                       mkz_u32 i, mkz_u32 step, mkz_u32 left) {                                      \
        if (MKZ_LANES > 1 && left >= MKZ_LANES) {                                                                    \
            MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) {                                                        \
                MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u##lane, w[k], j) =                  \
                    t[k * stride + i + j * step];                                                                    \
            }                                                                                                        \
            return;                                                                                                  \
        }                                                                                                            \
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                         \
            mkz_u32 at = j < left ? j : left - 1;                                                                    \
            MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) MKZ_LANE(mkz_u##lane, w[k], j) =                         \
                t[k * stride + i + (j == 0 ? 0 : at * step)];                                                        \
        }                                                                                                            \
    }                                                                                                                \
    MKZ_BODY void mkz_store_local##lane(MKZ_LOCAL mkz_u##lane *t, mkz_u32 stride, mkz_u32 i, mkz_u32 left,           \
                                        const mkz_lane##lane w[256 / lane]) {                                        \
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                         \
            if (j == 0 || j < left) {                                                                                \
                MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) t[k * stride + i + j] =                              \
                    MKZ_LANE(mkz_u##lane, w[k], j);                                                                  \
            }                                                                                                        \
        }                                                                                                            \
    }
MKZ_DEFINE_LANES_OF_NODES(32)
MKZ_DEFINE_LANES_OF_NODES(64)

#endif /* MKZ_KERNEL_NODES_H */
