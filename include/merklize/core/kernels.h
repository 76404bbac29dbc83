/* kernels.h: kernel bodies: what one item of a launch does.
 *
 * A body gets its position as a mkz_work_item and is an ordinary function, so the same text serves CUDA, OpenCL, SYCL
 * and a loop of host C++. entry.h makes kernels of them. Every launch has groups of MKZ_GROUP_SIZE items, and an item
 * handles MKZ_LANES neighbours, one vector lane each. Items beyond the end do nothing: round launches up.
 *
 *   merge_level     one level of a Merkle tree                                       count / (group size * lanes) groups
 *   merge_subtree   several levels, each group by itself                             count >> levels groups
 *   merge_pairs     merges of nodes in two buffers                                   count / (group size * lanes)
 *   merge_at        the ways up from some nodes of a level                           one a segment
 *   hash_rows       rows of words -> digests                                         count / (group size * lanes)
 *   hash_chunks     bytes -> chaining values of chunks, or of subtrees of them       kernel_digest.h (kind tree only)
 *   hash_parents    levels of the tree inside a BLAKE3 digest                        kernel_digest.h (kind tree only)
 *   gather_paths, gather_nodes, scatter_nodes, gather_strided, check_words           kernel_data.h (no hash in them)
 *
 * The body of hash h is mkz_body_merge_level_h. It is made by a macro from the hash's columns in hashes.def, since the
 * subset has neither templates nor function pointers. A program for a single hash, which compiles faster, first defines
 * MKZ_HASHES as that hash's line:  #define MKZ_HASHES MKZ_HASH(0, blake3, mkz_blake3, 32, tree)
 * and one for the bodies without a hash defines it as nothing.
 *
 * A node is 32 bytes: 8 words of 32 bits or 4 of 64, as the hash's lane. Words are little endian in memory, as on every
 * target. Buffers are aligned as MKZ_ALIGN says (port.h). Offsets, counts and strides are in nodes for nodes, in words
 * for rows, in bytes for bytes. `in` and `out` may be one buffer, if what a launch writes does not overlap what it was
 * given to read. `table`: the constants of Rescue Prime, read where MKZ_CONSTANTS is 3 or 4 (rescue_prime.h).
 * key, flags: of the mode of BLAKE3, in programs of keyed merges alone (MKZ_KEYED 1).
 * `tower`: MKZ_TOWER_WORDS words of local memory (kernel_nodes.h). */
#ifndef MKZ_KERNELS_H
#define MKZ_KERNELS_H

#include "blake3.h"
#include "kernel_data.h"
#include "kernel_digest.h"
#include "kernel_nodes.h"
#include "kernel_team.h"
#include "rescue_prime.h"
#include "sha256.h"

/* One merge of a kind of hash (hashes.def). */
#if MKZ_KEYED
#define MKZ_MERGE_tree(prefix, out, left, right, table)                          \
    do {                                                                         \
        mkz_lane32 mkz_k[8];                                                     \
        MKZ_UNROLL for (int w = 0; w < 8; w++) mkz_k[w] = MKZ_SPLAT32(key.w[w]); \
        prefix##_merge_keyed(out, left, right, mkz_k, MKZ_SPLAT32(flags));       \
    } while (0)
/* Parameters that every merge body has then besides, and what its callers pass on. */
#define MKZ_KEY_PARAMETERS , mkz_key key, mkz_u32 flags
#define MKZ_KEY_ARGUMENTS , key, flags
#else
#define MKZ_MERGE_tree(prefix, out, left, right, table) prefix##_merge(out, left, right)
#define MKZ_KEY_PARAMETERS
#define MKZ_KEY_ARGUMENTS
#endif
#define MKZ_MERGE_chain(prefix, out, left, right, table) prefix##_merge(out, left, right)
#define MKZ_MERGE_field(prefix, out, left, right, table) prefix##_merge_by(out, left, right, table)

/* One level: out[out_offset + i] = merge(in[in_offset + 2i], in[in_offset + 2i + 1]) for i < count.
 * count   merges = nodes written
 * To fill the level of m nodes of a heap-ordered tree, at [m, 2m): in = out, in_offset = 2m, out_offset = count = m. */
#define MKZ_DEFINE_MERGE_LEVEL(name, prefix, lane, kind)                                                               \
    MKZ_BODY void mkz_body_merge_level_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, \
                                              MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count,          \
                                              mkz_rp_table table MKZ_KEY_PARAMETERS) {                                 \
        mkz_lane##lane left[256 / lane], right[256 / lane];                                                            \
        mkz_u64 i = item.index * MKZ_LANES;                                                                            \
        (void)table;                                                                                                   \
        if (i >= count) return;                                                                                        \
        mkz_load_nodes##lane(left, in, in_offset + 2 * i, 2, count - i);                                               \
        mkz_load_nodes##lane(right, in, in_offset + 2 * i + 1, 2, count - i);                                          \
        MKZ_MERGE_##kind(prefix, left, left, right, table);                                                            \
        mkz_store_nodes##lane(out, out_offset + i, count - i, left);                                                   \
    }

/* Pairs: out[out_offset + i] = merge(left[left_offset + i], right[right_offset + i]) for i < count. */
#define MKZ_DEFINE_MERGE_PAIRS(name, prefix, lane, kind)                                                             \
    MKZ_BODY void mkz_body_merge_pairs_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u##lane *left_nodes,          \
                                              mkz_u64 left_offset, MKZ_GLOBAL const mkz_u##lane *right_nodes,        \
                                              mkz_u64 right_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, \
                                              mkz_u64 count, mkz_rp_table table MKZ_KEY_PARAMETERS) {                \
        mkz_lane##lane left[256 / lane], right[256 / lane];                                                          \
        mkz_u64 i = item.index * MKZ_LANES;                                                                          \
        (void)table;                                                                                                 \
        if (i >= count) return;                                                                                      \
        mkz_load_nodes##lane(left, left_nodes, left_offset + i, 1, count - i);                                       \
        mkz_load_nodes##lane(right, right_nodes, right_offset + i, 1, count - i);                                    \
        MKZ_MERGE_##kind(prefix, left, left, right, table);                                                          \
        mkz_store_nodes##lane(out, out_offset + i, count - i, left);                                                 \
    }

/* if (a level is narrow enough for teams) they do it, else: the statement that follows. Byte hashes have none. */
#define MKZ_TEAM_LEVEL_tree(name, width, nodes, in, from, from_stride, out, to, to_stride)
#define MKZ_TEAM_LEVEL_chain(name, width, nodes, in, from, from_stride, out, to, to_stride)
#if MKZ_HAS_TEAMS
#define MKZ_TEAM_LEVEL_field(name, width, nodes, in, from, from_stride, out, to, to_stride)                     \
    if ((width) <= MKZ_GROUP_TEAMS) {                                                                           \
        mkz_team_merge_##name(item, in, from, from_stride, out, to, to_stride, (mkz_u32)(nodes), table, cells); \
    } else
#define MKZ_DEFINE_TEAM_field(name, prefix) MKZ_DEFINE_TEAM_OF_##prefix(name, prefix)
#define MKZ_DEFINE_TEAM_OF_mkz_rp64_256_v1(name, prefix) MKZ_DEFINE_TEAM_MERGE(name, prefix, dense)
#define MKZ_DEFINE_TEAM_OF_mkz_rp64_256_v2(name, prefix) MKZ_DEFINE_TEAM_MERGE(name, prefix, dense)
#define MKZ_DEFINE_TEAM_OF_mkz_rp64_256_v3(name, prefix) MKZ_DEFINE_TEAM_MERGE(name, prefix, circulant)
#else
#define MKZ_TEAM_LEVEL_field(name, width, nodes, in, from, from_stride, out, to, to_stride)
#define MKZ_DEFINE_TEAM_field(name, prefix)
#endif
#define MKZ_DEFINE_TEAM_tree(name, prefix)
#define MKZ_DEFINE_TEAM_chain(name, prefix)

/* `levels` levels in one launch. Group g merges inputs [g 2^levels, (g + 1) 2^levels) of in + in_offset upward, waits
 * at a barrier after each level, and writes every node. Levels that fit stay in local memory for the next one.
 * count       inputs of the launch, a multiple of 2^levels, so count >> levels groups; none of a group's items is idle
 *             in the first level where 2^(levels - 1) >= MKZ_GROUP_NODES
 * out_offset  place of the first output of the first level. It halves from level to level, as the place of a parent
 *             does in heap order: `out` is slot 0 of the tree, and out_offset is a multiple of 2^(levels - 1).
 * Above the level of m nodes of a heap-ordered tree: in = out, in_offset = count = m, out_offset = m / 2. */
#define MKZ_DEFINE_MERGE_SUBTREE(name, prefix, lane, kind)                                                           \
    MKZ_BODY void mkz_body_merge_subtree_##name(                                                                     \
        mkz_work_item item, MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out,        \
        mkz_u64 out_offset, mkz_u64 count, mkz_u32 levels, mkz_rp_table table, MKZ_LOCAL mkz_u##lane *tower,         \
        MKZ_LOCAL mkz_u64 *cells MKZ_KEY_PARAMETERS) {                                                               \
        mkz_u32 side = 1, held = 0; /* half of the tower that was written last; whether it holds the inputs */       \
        (void)table;                                                                                                 \
        (void)cells;                                                                                                 \
        /* One copy of the merge for all levels: only the place of its operands changes. */                          \
        MKZ_NO_UNROLL for (mkz_u32 above = levels; above-- > 0;) {                                                   \
            mkz_u64 first = item.group << above, i = (mkz_u64)item.rank * MKZ_LANES;                                 \
            mkz_u64 nodes = first < count >> (levels - above) ? (mkz_u64)1 << above : 0; /* none beyond the last */  \
            mkz_u32 keep = (mkz_u64)1 << above <= MKZ_TOWER_NODES;                                                   \
            MKZ_LOCAL const mkz_u##lane *from = tower + MKZ_TOWER_START(lane, side);                                 \
            MKZ_LOCAL mkz_u##lane *to = tower + MKZ_TOWER_START(lane, !side);                                        \
            MKZ_TEAM_LEVEL_##kind(name, (mkz_u64)1 << above, nodes, in + 256 / lane * (in_offset + 2 * first), from, \
                                  held ? MKZ_TOWER_STRIDE(side) : 0, out + 256 / lane * (out_offset + first), to,    \
                                  keep ? MKZ_TOWER_STRIDE(!side) : 0)                                                \
                MKZ_NO_UNROLL for (; i < nodes; i += MKZ_GROUP_NODES) {                                              \
                mkz_lane##lane left[256 / lane], right[256 / lane];                                                  \
                mkz_u64 rest = nodes - i;                                                                            \
                if (held) {                                                                                          \
                    mkz_u32 stride = MKZ_TOWER_STRIDE(side), at = 2 * (mkz_u32)i, n = (mkz_u32)rest;                 \
                    mkz_load_local##lane(left, from, stride, at, 2, n);                                              \
                    mkz_load_local##lane(right, from, stride, at + 1, 2, n);                                         \
                } else {                                                                                             \
                    mkz_load_nodes##lane(left, in, in_offset + 2 * (first + i), 2, rest);                            \
                    mkz_load_nodes##lane(right, in, in_offset + 2 * (first + i) + 1, 2, rest);                       \
                }                                                                                                    \
                MKZ_MERGE_##kind(prefix, left, left, right, table);                                                  \
                mkz_store_nodes##lane(out, out_offset + first + i, rest, left);                                      \
                if (keep) mkz_store_local##lane(to, MKZ_TOWER_STRIDE(!side), (mkz_u32)i, (mkz_u32)rest, left);       \
            }                                                                                                        \
            MKZ_BARRIER(item);                                                                                       \
            in = out;                                                                                                \
            in_offset = out_offset;                                                                                  \
            out_offset >>= 1;                                                                                        \
            if (keep) side = !side;                                                                                  \
            held = keep;                                                                                             \
        }                                                                                                            \
    }

/* Ways up: `levels` levels of parents above some nodes of one level of a tree in heap order, in place; the nodes beside the ways
 * are there already. The nodes are given as their numbers within the level, ascending, no one twice, cut into segments: group g has
 * lists[list + lists[starts + g]] .. lists[list + lists[starts + g + 1] - 1], all below one node `levels` levels up, and no other
 * group has a node below that one. As many groups as segments.
 * nodes    slot 0 of the tree
 * first    slot of the first node of the level
 * width    nodes of the level
 * lone     what becomes of the last node of a level of odd count: 0 goes up as it is, 1 is merged with itself, 2 is merged with
 *          fillers[filler] in this level, fillers[filler + 1] in the one above, ... */
#define MKZ_DEFINE_MERGE_AT(name, prefix, lane, kind)                                                                \
    MKZ_BODY void mkz_body_merge_at_##name(                                                                          \
        mkz_work_item item, MKZ_GLOBAL mkz_u##lane *nodes, mkz_u64 first, mkz_u64 width,                             \
        MKZ_GLOBAL const mkz_u32 *lists, mkz_u64 list, mkz_u64 starts, mkz_u32 levels, mkz_u32 lone,                 \
        MKZ_GLOBAL const mkz_u##lane *fillers, mkz_u64 filler, mkz_rp_table table MKZ_KEY_PARAMETERS) {              \
        mkz_u32 begin = lists[starts + item.group], end = lists[starts + item.group + 1];                            \
        (void)table;                                                                                                 \
        lists += list;                                                                                               \
        MKZ_NO_UNROLL for (mkz_u32 level = 0; level < levels; level++) {                                             \
            MKZ_NO_UNROLL for (mkz_u32 i = begin + item.rank * MKZ_LANES; i < end; i += MKZ_GROUP_NODES) {           \
                mkz_lane##lane left[256 / lane], right[256 / lane];                                                  \
                mkz_u##lane node[256 / lane];                                                                        \
                mkz_u64 parents[MKZ_LANES];                                                                          \
                mkz_u32 ours[MKZ_LANES], any = 0; /* of two neighbours with one parent the first one merges */       \
                MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                 \
                    mkz_u32 at = j == 0 || i + j < end ? i + j : end - 1;                                            \
                    parents[j] = lists[at] >> level >> 1;                                                            \
                    ours[j] = (j == 0 || i + j < end) && (at == begin || lists[at - 1] >> level >> 1 != parents[j]); \
                    any |= ours[j];                                                                                  \
                }                                                                                                    \
                if (!any) continue;                                                                                  \
                MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                 \
                    mkz_u64 child = first + 2 * parents[j];                                                          \
                    mkz_load_node##lane(node, nodes, child);                                                         \
                    MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) MKZ_LANE(mkz_u##lane, left[k], j) = node[k];     \
                    if (2 * parents[j] + 1 < width)                                                                  \
                        mkz_load_node##lane(node, nodes, child + 1);                                                 \
                    else if (lone == 2)                                                                              \
                        mkz_load_node##lane(node, fillers, filler + level);                                          \
                    MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) MKZ_LANE(mkz_u##lane, right[k], j) = node[k];    \
                }                                                                                                    \
                MKZ_MERGE_##kind(prefix, left, left, right, table);                                                  \
                MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                 \
                    MKZ_UNROLL for (int k = 0; k < 256 / lane; k++) node[k] = MKZ_LANE(mkz_u##lane, left[k], j);     \
                    if (lone == 0 && 2 * parents[j] + 1 >= width)                                                    \
                        mkz_load_node##lane(node, nodes, first + 2 * parents[j]);                                    \
                    if (ours[j]) mkz_store_node##lane(nodes, first / 2 + parents[j], node);                          \
                }                                                                                                    \
            }                                                                                                        \
            MKZ_BARRIER(item);                                                                                       \
            first /= 2;                                                                                              \
            width = width / 2 + width % 2;                                                                           \
        }                                                                                                            \
    }

/* Rows -> digests: out[out_offset + i] = hash of the row_words words in[in_offset + i row_stride + k word_stride], for
 * i < count. Words are as wide as the hash's lane. Row-major data has row_stride = row_words and word_stride = 1; columns
 * one after another have row_stride = 1 and word_stride = length of a column. */

/* Word k of rows i, i + 1, ... of which `left` exist. */
#define MKZ_DEFINE_ROW_WORD(lane)                                                                               \
    MKZ_BODY mkz_lane##lane mkz_row_word##lane(MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 row_stride, mkz_u64 k, \
                                               mkz_u64 left) {                                                  \
        mkz_lane##lane w;                                                                                       \
        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u##lane, w, j) =                        \
            in[k + (j == 0 ? 0 : (j < left ? j : left - 1) * row_stride)];                                      \
        return w;                                                                                               \
    }
MKZ_DEFINE_ROW_WORD(32)
MKZ_DEFINE_ROW_WORD(64)

/* A hash with a chunk tree hashes the bytes of the words: at most 1024 of them, one chunk. */
#define MKZ_DEFINE_HASH_ROWS_tree(name, prefix, lane)                                                                 \
    MKZ_BODY void mkz_body_hash_rows_##name(                                                                          \
        mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, \
        mkz_u32 row_words, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, mkz_rp_table table) {          \
        mkz_lane32 cv[8], m[16], zero = MKZ_SPLAT32(0);                                                               \
        mkz_u32 blocks = row_words == 0 ? 1 : (row_words + 15) / 16;                                                  \
        mkz_u64 i = item.index * MKZ_LANES;                                                                           \
        (void)table;                                                                                                  \
        if (i >= count) return;                                                                                       \
        in += in_offset + i * row_stride;                                                                             \
        prefix##_iv(cv);                                                                                              \
        MKZ_NO_UNROLL for (mkz_u32 b = 0; b < blocks; b++) {                                                          \
            mkz_u32 words = row_words - 16 * b;                                                                       \
            mkz_u32 flags = prefix##_block_flags(b, blocks, b + 1 == blocks ? MKZ_BLAKE3_ROOT : 0);                   \
            MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {                                                             \
                m[k] = zero;                                                                                          \
                if (k < words) m[k] = mkz_row_word32(in, row_stride, (16 * b + k) * word_stride, count - i);          \
            }                                                                                                         \
            prefix##_compress(cv, m, zero, zero, MKZ_SPLAT32(4 * (words < 16 ? words : 16)), MKZ_SPLAT32(flags));     \
        }                                                                                                             \
        mkz_store_nodes32(out, out_offset + i, count - i, cv);                                                        \
    }

/* A chain of blocks (SHA-256) hashes a leaf: the byte 0, then the row. Its words are bytes: in_offset, row_stride, word_stride and
 * row_words count those, and rows begin anywhere that MKZ_ALIGN allows. */

/* Block of 64 bytes of a row at p, `left` of which exist, behind them the end of the message if `left` < 64. */
MKZ_BODY void mkz_leaf_block(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *p, mkz_u64 stride, mkz_u32 left) {
    if (stride == 1) {
        mkz_load_block(m, p, left);
    } else {
        MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
            m[k] = 0;
            MKZ_NO_UNROLL for (mkz_u32 b = 4 * k; b < 4 * k + 4; b++) {
                if (b < left) m[k] |= (mkz_u32)p[b * stride] << 8 * (b % 4);
            }
        }
    }
    MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
        if (k == left / 4) m[k] |= 0x80u << 8 * (left % 4);
    }
}

#define MKZ_DEFINE_HASH_ROWS_chain(name, prefix, lane)                                                               \
    MKZ_BODY void mkz_body_hash_rows_##name(                                                                         \
        mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, \
        mkz_u32 row_words, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count, mkz_rp_table table) {         \
        mkz_lane32 h[8], m[16], words[16], before = MKZ_SPLAT32(MKZ_SHA256_LEAF_PREFIX);                             \
        mkz_u64 blocks = prefix##_leaf_blocks(row_words), i = item.index * MKZ_LANES;                                \
        (void)table;                                                                                                 \
        if (i >= count) return;                                                                                      \
        in += in_offset + i * row_stride;                                                                            \
        prefix##_iv(h);                                                                                              \
        MKZ_NO_UNROLL for (mkz_u64 b = 0; b < blocks; b++) {                                                         \
            mkz_u64 done = b * MKZ_SHA256_BLOCK_LEN;                                                                 \
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                     \
                mkz_u64 row = j == 0 ? 0 : (j < count - i ? j : count - i - 1) * row_stride;                         \
                mkz_u64 left = done < row_words ? row_words - done : 0;                                              \
                mkz_u32 block[16];                                                                                   \
                if (done <= row_words) {                                                                             \
                    mkz_leaf_block(block, in + row + done * word_stride, word_stride,                                \
                                   left < MKZ_SHA256_BLOCK_LEN ? (mkz_u32)left : MKZ_SHA256_BLOCK_LEN);              \
                } else {                                                                                             \
                    MKZ_UNROLL for (int k = 0; k < 16; k++) block[k] = 0;                                            \
                }                                                                                                    \
                MKZ_UNROLL for (int k = 0; k < 16; k++) MKZ_LANE(mkz_u32, words[k], j) = block[k];                   \
            }                                                                                                        \
            before = prefix##_block(m, words, before);                                                               \
            if (b + 1 == blocks) prefix##_leaf_end(m, row_words);                                                    \
            prefix##_compress(h, m);                                                                                 \
        }                                                                                                            \
        prefix##_digest(words, h);                                                                                   \
        mkz_store_nodes32(out, out_offset + i, count - i, words);                                                    \
    }

/* A field hash hashes the words as elements: hash_elements. A word >= p is taken mod p. */
#define MKZ_DEFINE_HASH_ROWS_field(name, prefix, lane)                                                                \
    MKZ_BODY void mkz_body_hash_rows_##name(                                                                          \
        mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, mkz_u64 row_stride, mkz_u64 word_stride, \
        mkz_u32 row_words, MKZ_GLOBAL mkz_u64 *out, mkz_u64 out_offset, mkz_u64 count, mkz_rp_table table) {          \
        mkz_lane64 s[MKZ_RP_WIDTH], digest[MKZ_RP_DIGEST];                                                            \
        mkz_u64 i = item.index * MKZ_LANES;                                                                           \
        (void)table;                                                                                                  \
        if (i >= count) return;                                                                                       \
        in += in_offset + i * row_stride;                                                                             \
        prefix##_init(s, row_words);                                                                                  \
        MKZ_NO_UNROLL for (mkz_u32 first = 0; first < row_words; first += MKZ_RP_RATE) {                              \
            MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_RP_RATE; k++) {                                                    \
                if (k < row_words - first) {                                                                          \
                    mkz_lane64 w = mkz_row_word64(in, row_stride, (first + k) * word_stride, count - i);              \
                    prefix##_add(s, (int)k, mkz_gl_canonical(w));                                                     \
                }                                                                                                     \
            }                                                                                                         \
            prefix##_permute_by(s, table);                                                                            \
        }                                                                                                             \
        prefix##_digest(digest, s);                                                                                   \
        mkz_store_nodes64(out, out_offset + i, count - i, digest);                                                    \
    }

/* ---- The bodies, for every hash ---------------------------------------------------------------------------------- */

#define MKZ_DEFINE_DIGEST_tree(name, prefix) \
    MKZ_DEFINE_DIGEST_TOWER(name, prefix)    \
    MKZ_DEFINE_HASH_CHUNKS(name, prefix)     \
    MKZ_DEFINE_HASH_PARENTS(name, prefix)
#define MKZ_DEFINE_DIGEST_chain(name, prefix)
#define MKZ_DEFINE_DIGEST_field(name, prefix)

#define MKZ_HASH(id, name, prefix, lane, kind)                                                        \
    MKZ_DEFINE_MERGE_LEVEL(name, prefix, lane, kind)                                                  \
    MKZ_DEFINE_MERGE_PAIRS(name, prefix, lane, kind)                                                  \
    MKZ_DEFINE_TEAM_##kind(name, prefix) MKZ_DEFINE_MERGE_SUBTREE(name, prefix, lane, kind)           \
        MKZ_DEFINE_MERGE_AT(name, prefix, lane, kind) MKZ_DEFINE_HASH_ROWS_##kind(name, prefix, lane) \
            MKZ_DEFINE_DIGEST_##kind(name, prefix)
#ifdef MKZ_HASHES
MKZ_HASHES
#undef MKZ_HASH
#else
#include "../hashes.def"
#endif

#endif /* MKZ_KERNELS_H */
