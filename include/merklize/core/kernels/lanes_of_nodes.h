/* lanes_of_nodes.h: several nodes in lanes, for words of MKZ_UNIT_WORD_BITS bits. nodes.h includes it once for each
 * width of words.
 *
 * Lane j <-> node i + j step, in global memory. `left` >= 1 is the number of nodes that exist: if it is less than
 * MKZ_LANES, only the first `left` lanes are nodes. In local memory word k of node i is t[k * stride + i]. */
MKZ_BODY void MKZ_WORD_FN(load_nodes)(MKZ_WORD_LANE w[MKZ_NODE_WORDS], MKZ_GLOBAL const MKZ_WORD *nodes, mkz_u64 i,
                                      mkz_u32 step, mkz_u64 left) {
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        MKZ_WORD node[MKZ_NODE_WORDS];
        mkz_u64 at = j < left ? j : left - 1;
        MKZ_WORD_FN(load_node)(node, nodes, i + (j == 0 ? 0 : at * step));
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) MKZ_LANE(MKZ_WORD, w[k], j) = node[k];
    }
}

MKZ_BODY void MKZ_WORD_FN(store_nodes)(MKZ_GLOBAL MKZ_WORD *nodes, mkz_u64 i, mkz_u32 step, mkz_u64 left,
                                       const MKZ_WORD_LANE w[MKZ_NODE_WORDS]) {
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        MKZ_WORD node[MKZ_NODE_WORDS];
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) node[k] = MKZ_LANE(MKZ_WORD, w[k], j);
        if (j == 0 || j < left) MKZ_WORD_FN(store_node)(nodes, i + j * step, node);
    }
}

MKZ_BODY void MKZ_WORD_FN(load_local)(MKZ_WORD_LANE w[MKZ_NODE_WORDS], MKZ_LOCAL const MKZ_WORD *t, mkz_u32 stride,
                                      mkz_u32 i, mkz_u32 step, mkz_u32 left) {
    if (MKZ_LANES > 1 && left >= MKZ_LANES) {
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) {
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) MKZ_LANE(MKZ_WORD, w[k], j) =
                t[k * stride + i + j * step];
        }
        return;
    }
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        mkz_u32 at = j < left ? j : left - 1;
        MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) MKZ_LANE(MKZ_WORD, w[k], j) =
            t[k * stride + i + (j == 0 ? 0 : at * step)];
    }
}

MKZ_BODY void MKZ_WORD_FN(store_local)(MKZ_LOCAL MKZ_WORD *t, mkz_u32 stride, mkz_u32 i, mkz_u32 left,
                                       const MKZ_WORD_LANE w[MKZ_NODE_WORDS]) {
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
        if (j == 0 || j < left) {
            MKZ_UNROLL for (int k = 0; k < MKZ_NODE_WORDS; k++) t[k * stride + i + j] = MKZ_LANE(MKZ_WORD, w[k], j);
        }
    }
}

/* The word at offset k in each of MKZ_LANES rows, of which `left` exist. */
MKZ_BODY MKZ_WORD_LANE MKZ_WORD_FN(row_word)(MKZ_GLOBAL const MKZ_WORD *in, mkz_u64 row_stride, mkz_u64 k,
                                             mkz_u64 left) {
    MKZ_WORD_LANE w;
    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) MKZ_LANE(MKZ_WORD, w, j) =
        in[k + (j == 0 ? 0 : (j < left ? j : left - 1) * row_stride)];
    return w;
}
