/* kernels.h: kernel bodies: what one item of a launch does. Word lanes only.
 *
 * A body gets its position as a mkz_work_item and is an ordinary function, so the same text serves CUDA, OpenCL, SYCL
 * and a loop of host C++. entry.h makes kernels of them. Items beyond `count` do nothing: round launches up.
 *
 *   merge_level     one level of a Merkle tree, one merge an item
 *   merge_subtree   several levels, each group by itself
 *   hash_rows       rows of words -> digests
 *   hash_chunks     chunks of 1024 bytes -> chaining values (byte hashes only)
 *   hash_parents    one level of the tree inside a BLAKE3 digest (byte hashes only)
 *   gather_paths    siblings of leaves (no hash in it)
 *
 * The body of hash h is mkz_body_merge_level_h. It is made by a macro from the hash's columns in hashes.def, since the
 * subset has neither templates nor function pointers. A program for a single hash, which compiles faster, first defines
 * MKZ_HASHES as that hash's line:  #define MKZ_HASHES MKZ_HASH(0, blake3, mkz_blake3, 32, 0)
 *
 * A node is 32 bytes: 8 words of 32 bits or 4 of 64, as the hash's lane. Words are little endian in memory, as on every
 * target. Buffers are aligned as MKZ_ALIGN says (port.h). Offsets, counts and strides are in nodes for nodes, in words
 * for rows, in bytes for chunks. `in` and `out` may be one buffer, if what a launch writes does not overlap what it was
 * given to read. */
#ifndef MKZ_KERNELS_H
#define MKZ_KERNELS_H

#include "blake3.h"
#include "rescue_prime.h"

#ifndef MKZ_LANE64_IS_WORD
#error "kernels.h: one item is one word lane; vector lanes have their own loops (src/backends/cpu)"
#endif

/* Eight words by value: a key, as one kernel argument of 32 bytes. */
typedef struct {
    mkz_u32 w[8];
} mkz_key;

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

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

/* ---- Bodies of every hash ---------------------------------------------------------------------------------------- */

/* out[o] = merge(in[i], in[i + 1]). */
#define MKZ_DEFINE_MERGE_NODES(name, prefix, lane)                                                                 \
    MKZ_BODY void mkz_merge_nodes_##name(MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 i, MKZ_GLOBAL mkz_u##lane *out, \
                                         mkz_u64 o) {                                                              \
        mkz_u##lane left[256 / lane], right[256 / lane], parent[256 / lane];                                       \
        mkz_load_node##lane(left, in, i);                                                                          \
        mkz_load_node##lane(right, in, i + 1);                                                                     \
        prefix##_merge(parent, left, right);                                                                       \
        mkz_store_node##lane(out, o, parent);                                                                      \
    }

/* One level: out[out_offset + i] = merge(in[in_offset + 2i], in[in_offset + 2i + 1]) for i < count.
 * count   merges = nodes written; one item each
 * To fill the level of m nodes of a heap-ordered tree, at [m, 2m): in = out, in_offset = 2m, out_offset = count = m. */
#define MKZ_DEFINE_MERGE_LEVEL(name, lane)                                                                             \
    MKZ_BODY void mkz_body_merge_level_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u##lane *in, mkz_u64 in_offset, \
                                              MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, mkz_u64 count) {        \
        if (item.index >= count) return;                                                                               \
        mkz_merge_nodes_##name(in, in_offset + 2 * item.index, out, out_offset + item.index);                          \
    }

/* `levels` levels in one launch. Group g merges inputs [g 2^levels, (g + 1) 2^levels) of in + in_offset upward, waits
 * at a barrier after each level, and writes every node.
 * count       inputs of the launch, a multiple of 2^levels, so count >> levels groups; a group may have any number of
 *             items, and none is idle in the first level up to 2^(levels - 1)
 * out_offset  place of the first output of the first level. It halves from level to level, as the place of a parent
 *             does in heap order: `out` is slot 0 of the tree, and out_offset is a multiple of 2^(levels - 1).
 * Above the level of m nodes of a heap-ordered tree: in = out, in_offset = count = m, out_offset = m / 2. */
#define MKZ_DEFINE_MERGE_SUBTREE(name, lane)                                                                        \
    MKZ_BODY void mkz_body_merge_subtree_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u##lane *in,               \
                                                mkz_u64 in_offset, MKZ_GLOBAL mkz_u##lane *out, mkz_u64 out_offset, \
                                                mkz_u64 count, mkz_u32 levels) {                                    \
        /* One copy of the merge for the first level and the others: only pointer and offset change. */             \
        MKZ_NO_UNROLL for (mkz_u32 above = levels; above-- > 0;) {                                                  \
            mkz_u64 i = (item.group << above) + item.rank;                                                          \
            mkz_u64 end = (item.group + 1) << above;                                                                \
            mkz_u64 width = count >> (levels - above);                                                              \
            if (end > width) end = width; /* a group beyond the last one */                                         \
            MKZ_NO_UNROLL for (; i < end; i += item.group_size)                                                     \
                mkz_merge_nodes_##name(in, in_offset + 2 * i, out, out_offset + i);                                 \
            MKZ_BARRIER(item);                                                                                      \
            in = out;                                                                                               \
            in_offset = out_offset;                                                                                 \
            out_offset >>= 1;                                                                                       \
        }                                                                                                           \
    }

/* Rows -> digests: out[out_offset + i] = hash of the row_words words in[in_offset + i row_stride + k word_stride], for
 * i < count, one row an item. Words are as wide as the hash's lane. Row-major data has row_stride = row_words and
 * word_stride = 1; columns one after another have row_stride = 1 and word_stride = length of a column. */

/* A byte hash (is_field 0) hashes the bytes of the words: at most 1024 of them, one chunk. */
#define MKZ_DEFINE_HASH_ROWS_0(name, prefix, lane)                                                               \
    MKZ_BODY void mkz_body_hash_rows_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, \
                                            mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,          \
                                            MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count) {        \
        mkz_u32 cv[8], m[16], blocks = row_words == 0 ? 1 : (row_words + 15) / 16;                               \
        if (item.index >= count) return;                                                                         \
        in += in_offset + item.index * row_stride;                                                               \
        prefix##_iv(cv);                                                                                         \
        MKZ_NO_UNROLL for (mkz_u32 b = 0; b < blocks; b++) {                                                     \
            mkz_u32 words = row_words - 16 * b;                                                                  \
            MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) m[k] = k < words ? in[(16 * b + k) * word_stride] : 0;   \
            prefix##_compress(cv, m, 0, 0, 4 * (words < 16 ? words : 16),                                        \
                              prefix##_block_flags(b, blocks, b + 1 == blocks ? MKZ_BLAKE3_ROOT : 0));           \
        }                                                                                                        \
        mkz_store_node32(out, out_offset + item.index, cv);                                                      \
    }

/* A field hash (is_field 1) hashes the words as elements: hash_elements. A word >= p is taken mod p. */
#define MKZ_DEFINE_HASH_ROWS_1(name, prefix, lane)                                                               \
    MKZ_BODY void mkz_body_hash_rows_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u64 *in, mkz_u64 in_offset, \
                                            mkz_u64 row_stride, mkz_u64 word_stride, mkz_u32 row_words,          \
                                            MKZ_GLOBAL mkz_u64 *out, mkz_u64 out_offset, mkz_u64 count) {        \
        mkz_u64 s[MKZ_RP_WIDTH], digest[MKZ_RP_DIGEST];                                                          \
        if (item.index >= count) return;                                                                         \
        in += in_offset + item.index * row_stride;                                                               \
        prefix##_init(s, row_words);                                                                             \
        MKZ_NO_UNROLL for (mkz_u32 first = 0; first < row_words; first += MKZ_RP_RATE) {                         \
            MKZ_UNROLL for (mkz_u32 k = 0; k < MKZ_RP_RATE; k++) if (k < row_words - first)                      \
                prefix##_add(s, (int)k, mkz_gl_canonical(in[(first + k) * word_stride]));                        \
            prefix##_permute(s);                                                                                 \
        }                                                                                                        \
        prefix##_digest(digest, s);                                                                              \
        mkz_store_node64(out, out_offset + item.index, digest);                                                  \
    }

/* ---- Bodies of byte hashes: the digest of a long input ----------------------------------------------------------- */

/* Block of 64 bytes at p -> 16 words; only `length` of its bytes exist (0 .. 64), the others count as zero. */
MKZ_BODY void mkz_load_block(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4 /* C++ must not read bytes as words */
    if (length == MKZ_BLAKE3_BLOCK_LEN) {
        MKZ_GLOBAL const mkz_u32 *words = (MKZ_GLOBAL const mkz_u32 *)p;
        MKZ_UNROLL for (int k = 0; k < 16; k += 4) MKZ_LOAD_QUAD32(m + k, words + k);
        return;
    }
#endif
    MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
        m[k] = 0;
        MKZ_UNROLL for (mkz_u32 b = 0; b < 4; b++) if (4 * k + b < length) m[k] |= (mkz_u32)p[4 * k + b] << (8 * b);
    }
}

/* Chunks -> chaining values: out[out_offset + i] = value of the bytes in[in_offset + 1024 i ...], one chunk an item.
 * length   bytes; the last chunk may be partial; length 0 is one empty chunk. Chunks: max(1, ceil(length / 1024))
 * key      the IV, or the mode's key words
 * flags    of the mode, for every block. MKZ_BLAKE3_ROOT is the caller's to add where the whole input is this one
 *          chunk: it goes to the last block alone, and the value is the digest. Else the last hash_parents gets it.
 * counter  index of the first chunk in the whole input */
#define MKZ_DEFINE_HASH_CHUNKS(name, prefix)                                                                      \
    MKZ_BODY void mkz_body_hash_chunks_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset, \
                                              mkz_u64 length, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset,        \
                                              mkz_key key, mkz_u32 flags, mkz_u64 counter) {                      \
        mkz_u64 start = item.index * MKZ_BLAKE3_CHUNK_LEN;                                                        \
        mkz_u32 cv[8], m[16], bytes, blocks, root = flags & MKZ_BLAKE3_ROOT;                                      \
        if (start >= length && item.index != 0) return;                                                           \
        bytes = length - start < MKZ_BLAKE3_CHUNK_LEN ? (mkz_u32)(length - start) : MKZ_BLAKE3_CHUNK_LEN;         \
        blocks = bytes == 0 ? 1 : (bytes + MKZ_BLAKE3_BLOCK_LEN - 1) / MKZ_BLAKE3_BLOCK_LEN;                      \
        in += in_offset + start;                                                                                  \
        counter += item.index;                                                                                    \
        flags ^= root;                                                                                            \
        MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = key.w[k];                                                  \
        MKZ_NO_UNROLL for (mkz_u32 b = 0; b < blocks; b++) {                                                      \
            mkz_u32 left = bytes - MKZ_BLAKE3_BLOCK_LEN * b;                                                      \
            mkz_u32 here = left < MKZ_BLAKE3_BLOCK_LEN ? left : MKZ_BLAKE3_BLOCK_LEN;                             \
            mkz_load_block(m, in + MKZ_BLAKE3_BLOCK_LEN * b, here);                                               \
            prefix##_compress(cv, m, (mkz_u32)counter, (mkz_u32)(counter >> 32), here,                            \
                              prefix##_block_flags(b, blocks, b + 1 == blocks ? flags | root : flags));           \
        }                                                                                                         \
        mkz_store_node32(out, out_offset + item.index, cv);                                                       \
    }

/* One level of the tree inside a digest: out[out_offset + i] = parent of in[in_offset + 2i] and the next one, for
 * i < ceil(count / 2), one output an item. Where count is odd the last node goes up as it is. Repeated until one node
 * is left, this gives BLAKE3's tree.
 * count   nodes read (> 0)
 * key     as for hash_chunks
 * flags   of the mode; with MKZ_BLAKE3_ROOT where count is 2, and the output is then the digest */
#define MKZ_DEFINE_HASH_PARENTS(name, prefix)                                                                       \
    MKZ_BODY void mkz_body_hash_parents_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset, \
                                               MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count,          \
                                               mkz_key key, mkz_u32 flags) {                                        \
        mkz_u32 left[8], right[8], parent[8];                                                                       \
        mkz_u64 i = 2 * item.index;                                                                                 \
        if (i >= count) return;                                                                                     \
        mkz_load_node32(left, in, in_offset + i);                                                                   \
        if (i + 1 == count) {                                                                                       \
            mkz_store_node32(out, out_offset + item.index, left);                                                   \
            return;                                                                                                 \
        }                                                                                                           \
        mkz_load_node32(right, in, in_offset + i + 1);                                                              \
        prefix##_parent(parent, left, right, key.w, flags);                                                         \
        mkz_store_node32(out, out_offset + item.index, parent);                                                     \
    }

/* ---- A body of no hash ------------------------------------------------------------------------------------------- */

/* Paths of a heap-ordered tree: out[q levels + j] = sibling, j levels above the leaves, on the way from leaf indices[q]
 * to the root, for q < count and j < levels; one node an item, so count * levels items.
 * nodes    slot 0 of the tree, whose leaf k is node `leaves` + k
 * leaves   number of leaves, a power of two
 * levels   log2(leaves) for whole paths, less for paths that end at a cap
 * An index >= leaves gives zeros and reads nothing outside the tree. */
MKZ_BODY void mkz_body_gather_paths(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *nodes, mkz_u64 leaves, mkz_u32 levels,
                                    MKZ_GLOBAL const mkz_u64 *indices, mkz_u64 count, MKZ_GLOBAL mkz_u32 *out) {
    mkz_u64 query, node;
    mkz_u32 w[8], level;
    if (item.index >= count * levels) return;
    query = item.index / levels;
    level = (mkz_u32)(item.index % levels);
    node = indices[query];
    if (node < leaves) {
        mkz_load_node32(w, nodes, ((leaves + node) >> level) ^ 1);
    } else {
        MKZ_UNROLL for (int k = 0; k < 8; k++) w[k] = 0;
    }
    mkz_store_node32(out, item.index, w);
}

/* ---- The bodies, for every hash ---------------------------------------------------------------------------------- */

#define MKZ_DEFINE_DIGEST_0(name, prefix) \
    MKZ_DEFINE_HASH_CHUNKS(name, prefix)  \
    MKZ_DEFINE_HASH_PARENTS(name, prefix)
#define MKZ_DEFINE_DIGEST_1(name, prefix)

#define MKZ_HASH(id, name, prefix, lane, is_field) \
    MKZ_DEFINE_MERGE_NODES(name, prefix, lane)     \
    MKZ_DEFINE_MERGE_LEVEL(name, lane)             \
    MKZ_DEFINE_MERGE_SUBTREE(name, lane)           \
    MKZ_DEFINE_HASH_ROWS_##is_field(name, prefix, lane) MKZ_DEFINE_DIGEST_##is_field(name, prefix)
#ifdef MKZ_HASHES
MKZ_HASHES
#undef MKZ_HASH
#else
#include "../hashes.def"
#endif

#endif /* MKZ_KERNELS_H */
