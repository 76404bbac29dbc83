/* kernel_digest.h: kernel bodies of BLAKE3: the digest of a long input, its chunks and the tree above them.
 *
 *   chunks    0 1 2 3 4      hash_chunks, levels = 0: five values
 *   parents   01  23  4      an odd one goes up as it is: hash_parents, levels = 1, or hash_chunks, levels = 1
 *             0123    4      levels = 2
 *             01234          levels = 3: the digest, if ROOT was among the flags
 *
 * Above level 0 the items of a group work together: they keep values in local memory (kernel_nodes.h), so a launch whose
 * levels are more than 0 (hash_chunks) or 1 (hash_parents) has one row. */
#ifndef MKZ_KERNEL_DIGEST_H
#define MKZ_KERNEL_DIGEST_H

#include "blake3.h"
#include "kernel_nodes.h"

/* Eight words by value: a key, as one kernel argument of 32 bytes. */
typedef struct mkz_key {
    mkz_u32 w[8];
} mkz_key;

/* The word of four bytes at p. C++ must not read bytes as words. */
#if defined(MKZ_TARGET_CPP) || MKZ_ALIGN < 4
#define MKZ_LOAD_WORD(p) ((p)[0] | (mkz_u32)(p)[1] << 8 | (mkz_u32)(p)[2] << 16 | (mkz_u32)(p)[3] << 24)
#else
#define MKZ_LOAD_WORD(p) (*(MKZ_GLOBAL const mkz_u32 *)(p))
#endif

#if MKZ_BYTES_ANYWHERE
MKZ_RARE void mkz_load_bytes(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
    MKZ_NO_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
        mkz_u32 end = length < 4 * k + 4 ? length : 4 * k + 4;
        m[k] = 0;
        MKZ_NO_UNROLL for (mkz_u32 b = 4 * k; b < end; b++) m[k] |= (mkz_u32)p[b] << 8 * (b % 4);
    }
}
#endif

/* Block of 64 bytes at p -> 16 words; only `length` of its bytes exist (0 .. 64), the others count as zero. */
MKZ_BODY void mkz_load_block(mkz_u32 m[16], MKZ_GLOBAL const mkz_u8 *p, mkz_u32 length) {
#if !defined(MKZ_TARGET_CPP) && MKZ_ALIGN >= 4
    mkz_u32 whole_block = length == MKZ_BLAKE3_BLOCK_LEN;
#if MKZ_BYTES_ANYWHERE
    if ((mkz_u64)p % 16 != 0) whole_block = 0;
#endif
    if (whole_block) {
        MKZ_GLOBAL const mkz_u32 *words = (MKZ_GLOBAL const mkz_u32 *)p;
        MKZ_UNROLL for (int k = 0; k < 16; k += 4) MKZ_LOAD_QUAD32(m + k, words + k);
        return;
    }
#endif
#if MKZ_BYTES_ANYWHERE
    mkz_u32 bytes[16]; /* in memory, since a function fills it; m stays in registers */
    mkz_load_bytes(bytes, p, length);
    MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = bytes[k];
#else
    mkz_u32 whole = length / 4, tail = 0;
    MKZ_NO_UNROLL for (mkz_u32 b = 4 * whole; b < length; b++) tail |= (mkz_u32)p[b] << 8 * (b % 4);
    MKZ_UNROLL for (mkz_u32 k = 0; k < 16; k++) {
        m[k] = k == whole ? tail : 0;
        if (k < whole) m[k] = MKZ_LOAD_WORD(p + 4 * k);
    }
#endif
}

/* Merges the n values in the first half of the tower upward, `levels` > 0 levels: out[out_offset + s] = value of subtree s.
 * width   values of the whole launch in that level: where only two are left, their parent has the flag `root` too */
#define MKZ_DEFINE_DIGEST_TOWER(name, prefix)                                                                       \
    MKZ_BODY void mkz_digest_tower_##name(mkz_work_item item, MKZ_LOCAL mkz_u32 *tower, mkz_u32 n, mkz_u64 width,   \
                                          mkz_u32 levels, MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_key key, \
                                          mkz_u32 flags, mkz_u32 root) {                                            \
        mkz_u32 side = 0, i = item.rank * MKZ_LANES;                                                                \
        mkz_lane32 k[8];                                                                                            \
        MKZ_UNROLL for (int w = 0; w < 8; w++) k[w] = MKZ_SPLAT32(key.w[w]);                                        \
        MKZ_NO_UNROLL for (; levels-- > 0; side = !side) {                                                          \
            mkz_u32 parents = (n + 1) / 2, stride = MKZ_TOWER_STRIDE(side), next = MKZ_TOWER_STRIDE(!side);         \
            MKZ_LOCAL const mkz_u32 *from = tower + MKZ_TOWER_START(32, side);                                      \
            MKZ_LOCAL mkz_u32 *to = tower + MKZ_TOWER_START(32, !side);                                             \
            MKZ_BARRIER(item);                                                                                      \
            if (i < n / 2) {                                                                                        \
                mkz_lane32 left[8], right[8];                                                                       \
                mkz_u32 whole = n / 2 - i;                                                                          \
                mkz_load_local32(left, from, stride, 2 * i, 2, whole);                                              \
                mkz_load_local32(right, from, stride, 2 * i + 1, 2, whole);                                         \
                prefix##_parent(left, left, right, k, MKZ_SPLAT32(flags | (width == 2 ? root : 0)));                \
                if (levels == 0)                                                                                    \
                    mkz_store_nodes32(out, out_offset + i, whole, left);                                            \
                else                                                                                                \
                    mkz_store_local32(to, next, i, whole, left);                                                    \
            }                                                                                                       \
            if (n % 2 != 0 && item.rank == 0) {                                                                     \
                mkz_u32 odd[8];                                                                                     \
                MKZ_UNROLL for (int w = 0; w < 8; w++) odd[w] = from[w * stride + n - 1];                           \
                if (levels == 0)                                                                                    \
                    mkz_store_node32(out, out_offset + n / 2, odd);                                                 \
                else                                                                                                \
                    MKZ_UNROLL for (int w = 0; w < 8; w++) to[w * next + n / 2] = odd[w];                           \
            }                                                                                                       \
            n = parents;                                                                                            \
            width = width / 2 + width % 2;                                                                          \
        }                                                                                                           \
    }

/* Chunks -> chaining values. `rows` messages of row_bytes bytes, one after another from in + in_offset on, have
 * c = max(1, ceil(row_bytes / 1024)) chunks each; out[out_offset + r ceil(c / 2^levels) + s] = value of the subtree of
 * 2^levels chunks s of row r. Launched with ceil(rows c / MKZ_GROUP_NODES) groups; an item hashes MKZ_LANES chunks.
 * levels   0, or more where rows == 1 and 2^levels <= MKZ_GROUP_NODES <= 1024
 * key      the IV, or the mode's key words
 * flags    of the mode, for every block; with MKZ_BLAKE3_ROOT only where one value comes out of each row (c <= 2^levels):
 *          the row's last compression gets it, and the value is the digest
 * counter  index of the first chunk in the whole input */
#define MKZ_DEFINE_HASH_CHUNKS(name, prefix)                                                                        \
    MKZ_BODY void mkz_body_hash_chunks_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u8 *in, mkz_u64 in_offset,   \
                                              mkz_u64 row_bytes, mkz_u64 rows, MKZ_GLOBAL mkz_u32 *out,             \
                                              mkz_u64 out_offset, mkz_key key, mkz_u32 flags, mkz_u64 counter,      \
                                              mkz_u32 levels, MKZ_LOCAL mkz_u32 *tower) {                           \
        mkz_u64 chunks = row_bytes / MKZ_BLAKE3_CHUNK_LEN + (row_bytes % MKZ_BLAKE3_CHUNK_LEN != 0);                \
        mkz_u64 total, first = item.index * MKZ_LANES, left;                                                        \
        mkz_u32 root = flags & MKZ_BLAKE3_ROOT, tip;                                                                \
        if (chunks == 0) chunks = 1;                                                                                \
        total = chunks * rows;                                                                                      \
        left = first < total ? total - first : 0;                                                                   \
        flags ^= root;                                                                                              \
        tip = chunks == 1 ? root : 0;                                                                               \
        if (left != 0) {                                                                                            \
            mkz_lane32 cv[8], m[16], next[16], lo, hi, here, marks;                                                 \
            mkz_u64 at[MKZ_LANES];                                                                                  \
            mkz_u32 bytes[MKZ_LANES], blocks[MKZ_LANES], most = 0, whole = MKZ_LANES > 1 && left >= MKZ_LANES;      \
            MKZ_UNROLL for (int k = 0; k < 8; k++) cv[k] = MKZ_SPLAT32(key.w[k]);                                   \
            MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = MKZ_SPLAT32(0);                                          \
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                    \
                mkz_u64 i = first + (j == 0 ? 0 : j < left ? j : left - 1);                                         \
                mkz_u64 row = rows == 1 ? 0 : chunks == 1 ? i : i / chunks;                                         \
                mkz_u64 chunk = i - row * chunks, start = chunk * MKZ_BLAKE3_CHUNK_LEN;                             \
                bytes[j] =                                                                                          \
                    row_bytes - start < MKZ_BLAKE3_CHUNK_LEN ? (mkz_u32)(row_bytes - start) : MKZ_BLAKE3_CHUNK_LEN; \
                blocks[j] = bytes[j] == 0 ? 1 : (bytes[j] + MKZ_BLAKE3_BLOCK_LEN - 1) / MKZ_BLAKE3_BLOCK_LEN;       \
                most = blocks[j] > most ? blocks[j] : most;                                                         \
                if (bytes[j] != MKZ_BLAKE3_CHUNK_LEN) whole = 0;                                                    \
                at[j] = in_offset + row * row_bytes + start;                                                        \
                MKZ_LANE(mkz_u32, lo, j) = (mkz_u32)(counter + chunk);                                              \
                MKZ_LANE(mkz_u32, hi, j) = (mkz_u32)((counter + chunk) >> 32);                                      \
            }                                                                                                       \
            /* One copy of the reads and one of the compression: the reads are MKZ_READ_AHEAD blocks ahead. */      \
            MKZ_NO_UNROLL for (mkz_u32 i = 0; i < most + MKZ_READ_AHEAD; i++) {                                     \
                mkz_u32 b = i - MKZ_READ_AHEAD;                                                                     \
                if (!MKZ_READ_AHEAD || i < most) {                                                                  \
                    if (whole) {                                                                                    \
                        MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                        \
                            mkz_u32 words[16];                                                                      \
                            mkz_load_block(words, in + at[j] + MKZ_BLAKE3_BLOCK_LEN * i, MKZ_BLAKE3_BLOCK_LEN);     \
                            MKZ_UNROLL for (int k = 0; k < 16; k++) MKZ_LANE(mkz_u32, next[k], j) = words[k];       \
                        }                                                                                           \
                    } else {                                                                                        \
                        mkz_u32 block[16][MKZ_LANES];                                                               \
                        MKZ_NO_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                     \
                            mkz_u32 words[16], done = MKZ_BLAKE3_BLOCK_LEN * i;                                     \
                            mkz_u32 rest = MKZ_LANES == 1 || done < bytes[j] ? bytes[j] - done : 0;                 \
                            rest = rest < MKZ_BLAKE3_BLOCK_LEN ? rest : MKZ_BLAKE3_BLOCK_LEN;                       \
                            mkz_load_block(words, in + at[j] + done, rest);                                         \
                            MKZ_UNROLL for (int k = 0; k < 16; k++) block[k][j] = words[k];                         \
                        }                                                                                           \
                        MKZ_UNROLL for (int k = 0; k < 16; k++) {                                                   \
                            MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) MKZ_LANE(mkz_u32, next[k], j) =          \
                                block[k][j];                                                                        \
                        }                                                                                           \
                    }                                                                                               \
                }                                                                                                   \
                if (!MKZ_READ_AHEAD) {                                                                              \
                    MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];                                         \
                }                                                                                                   \
                if (MKZ_READ_AHEAD && i == 0) {                                                                     \
                    MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];                                         \
                    continue;                                                                                       \
                }                                                                                                   \
                if (whole) {                                                                                        \
                    here = MKZ_SPLAT32(MKZ_BLAKE3_BLOCK_LEN);                                                       \
                    marks = MKZ_SPLAT32(prefix##_block_flags(b, most, b + 1 == most ? flags | tip : flags));        \
                } else {                                                                                            \
                    MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                            \
                        mkz_u32 done = MKZ_BLAKE3_BLOCK_LEN * b;                                                    \
                        mkz_u32 rest = MKZ_LANES == 1 || done < bytes[j] ? bytes[j] - done : 0;                     \
                        MKZ_LANE(mkz_u32, here, j) = rest < MKZ_BLAKE3_BLOCK_LEN ? rest : MKZ_BLAKE3_BLOCK_LEN;     \
                        MKZ_LANE(mkz_u32, marks, j) =                                                               \
                            prefix##_block_flags(b, blocks[j], b + 1 == blocks[j] ? flags | tip : flags);           \
                    }                                                                                               \
                }                                                                                                   \
                prefix##_compress(cv, m, lo, hi, here, marks);                                                      \
                if (MKZ_READ_AHEAD) {                                                                               \
                    MKZ_UNROLL for (int k = 0; k < 16; k++) m[k] = next[k];                                         \
                }                                                                                                   \
                /* Lanes of short chunks end before the others, and go on with nothing. */                          \
                if (!whole || b + 1 == most) {                                                                      \
                    mkz_u32 nodes[8][MKZ_LANES];                                                                    \
                    MKZ_UNROLL for (int k = 0; k < 8; k++) {                                                        \
                        MKZ_UNROLL for (int j = 0; j < MKZ_LANES; j++) nodes[k][j] = MKZ_LANE(mkz_u32, cv[k], j);   \
                    }                                                                                               \
                    MKZ_NO_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                         \
                        if (b + 1 == blocks[j] && (j == 0 || j < left)) {                                           \
                            mkz_u32 node[8];                                                                        \
                            MKZ_UNROLL for (int k = 0; k < 8; k++) node[k] = nodes[k][j];                           \
                            if (levels == 0)                                                                        \
                                mkz_store_node32(out, out_offset + first + j, node);                                \
                            else                                                                                    \
                                MKZ_UNROLL for (int k = 0; k < 8; k++)                                              \
                                    tower[k * MKZ_TOWER_NODES + item.rank * MKZ_LANES + j] = node[k];               \
                        }                                                                                           \
                    }                                                                                               \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
        if (levels != 0) {                                                                                          \
            mkz_u64 start = item.group * MKZ_GROUP_NODES, n = start < total ? total - start : 0;                    \
            mkz_digest_tower_##name(item, tower, n < MKZ_GROUP_NODES ? (mkz_u32)n : MKZ_GROUP_NODES, total, levels, \
                                    out, out_offset + (start >> levels), key, flags, root);                         \
        }                                                                                                           \
    }

/* The tree above: each of `rows` rows of `count` > 0 values at in + in_offset, one after another, -> the
 * ceil(count / 2^levels) values `levels` levels above, at out + out_offset, one row after another. Repeated until one value
 * is left, this gives BLAKE3's tree. Launched with ceil(rows ceil(count / 2) / MKZ_GROUP_SIZE) groups. `in` and `out`
 * do not overlap.
 * levels  1, or more where rows == 1 and 2^levels <= 2 MKZ_GROUP_SIZE
 * key     as for hash_chunks
 * flags   of the mode; with MKZ_BLAKE3_ROOT only where one value comes out (count <= 2^levels): it is the digest */
#define MKZ_DEFINE_HASH_PARENTS(name, prefix)                                                                         \
    MKZ_BODY void mkz_body_hash_parents_##name(mkz_work_item item, MKZ_GLOBAL const mkz_u32 *in, mkz_u64 in_offset,   \
                                               MKZ_GLOBAL mkz_u32 *out, mkz_u64 out_offset, mkz_u64 count,            \
                                               mkz_u64 rows, mkz_key key, mkz_u32 flags, mkz_u32 levels,              \
                                               MKZ_LOCAL mkz_u32 *tower) {                                            \
        mkz_u64 parents = count / 2 + count % 2, total = parents * rows;                                              \
        mkz_u64 start = item.group * MKZ_GROUP_SIZE;                                                                  \
        mkz_u32 root = flags & MKZ_BLAKE3_ROOT, rank = item.rank * MKZ_LANES;                                         \
        flags ^= root;                                                                                                \
        if (rank < MKZ_GROUP_SIZE && start + rank < total) {                                                          \
            mkz_lane32 left[8], right[8], k[8];                                                                       \
            mkz_u32 odd[MKZ_LANES];                                                                                   \
            MKZ_UNROLL for (int w = 0; w < 8; w++) k[w] = MKZ_SPLAT32(key.w[w]);                                      \
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                      \
                mkz_u64 i = j == 0 || start + rank + j < total ? start + rank + j : total - 1;                        \
                mkz_u64 row = rows == 1 ? 0 : i / parents, from = 2 * (i - row * parents);                            \
                mkz_u32 node[8];                                                                                      \
                odd[j] = from + 1 == count;                                                                           \
                from += in_offset + row * count;                                                                      \
                mkz_load_node32(node, in, from);                                                                      \
                MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, left[w], j) = node[w];                       \
                mkz_load_node32(node, in, odd[j] ? from : from + 1);                                                  \
                MKZ_UNROLL for (int w = 0; w < 8; w++) MKZ_LANE(mkz_u32, right[w], j) = node[w];                      \
            }                                                                                                         \
            prefix##_parent(left, left, right, k, MKZ_SPLAT32(flags | (count == 2 ? root : 0)));                      \
            MKZ_UNROLL for (mkz_u32 j = 0; j < MKZ_LANES; j++) {                                                      \
                if (j == 0 || (rank + j < MKZ_GROUP_SIZE && start + rank + j < total)) {                              \
                    mkz_u32 node[8];                                                                                  \
                    MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, left[w], j);                   \
                    if (odd[j]) {                                                                                     \
                        MKZ_UNROLL for (int w = 0; w < 8; w++) node[w] = MKZ_LANE(mkz_u32, right[w], j);              \
                    }                                                                                                 \
                    if (levels == 1)                                                                                  \
                        mkz_store_node32(out, out_offset + start + rank + j, node);                                   \
                    else                                                                                              \
                        MKZ_UNROLL for (int w = 0; w < 8; w++) tower[w * MKZ_TOWER_NODES + rank + j] = node[w];       \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
        if (levels > 1) {                                                                                             \
            mkz_u64 n = start < total ? total - start : 0;                                                            \
            mkz_digest_tower_##name(item, tower, n < MKZ_GROUP_SIZE ? (mkz_u32)n : MKZ_GROUP_SIZE, total, levels - 1, \
                                    out, out_offset + (start >> (levels - 1)), key, flags, root);                     \
        }                                                                                                             \
    }

#endif /* MKZ_KERNEL_DIGEST_H */
