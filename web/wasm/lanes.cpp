// lanes.cpp: BLAKE3 of many chunks and nodes side by side, MKZ_LANES of them in a vector: 4 with SIMD128, else 1. With
// vectors SHA-256 of many nodes, too.
#ifdef __wasm_simd128__
#define MKZ_LANES 4
/* Rotations by whole bytes are one shuffle. */
#define MKZ_ROTR32(x, n)                                                                     \
    ((n) == 16  ? MKZ_SHUFFLE_BYTES(x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13) \
     : (n) == 8 ? MKZ_SHUFFLE_BYTES(x, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12) \
                : (((x) >> (n)) | ((x) << (32 - (n)))))
/* Words of the block are read from memory where they are used: engines have 16 vector registers, and the state takes
 * all of them. */
#define MKZ_ADD32_3(a, b, c)                 \
    (((a) + ({                               \
          __asm__ volatile("" ::: "memory"); \
          (b);                               \
      })) +                                  \
     (c))
#define MKZ_SHUFFLE_BYTES(x, ...) ((mkz_lanes32)__builtin_shufflevector((shuffled)(x), (shuffled)(x), __VA_ARGS__))
typedef unsigned char shuffled __attribute__((vector_size(16)));
#endif
#define MKZ_HASH_LIST "hashes/blake3.h"
#include "merklize/core/kernels.h"

#include "merklize/core/hashes/sha256_compression.h"

#define EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace {

/// Blocks of 64 bytes at p[0] .. p[MKZ_LANES - 1] -> words in lanes.
#if MKZ_LANES == 4
using Words = mkz_u32 __attribute__((vector_size(16), aligned(1)));

inline void load_blocks(mkz_lane32 m[16], const mkz_u8* const p[4]) {
    for (int q = 0; q < 4; q++) {
        const auto row = [&](int j) { return static_cast<mkz_lane32>(*reinterpret_cast<const Words*>(p[j] + 16 * q)); };
        const mkz_lane32 a = row(0), b = row(1), c = row(2), d = row(3);
        const mkz_lane32 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                         ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const mkz_lane32 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                         cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        m[4 * q] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
        m[4 * q + 1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
        m[4 * q + 2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
        m[4 * q + 3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
    }
}
#else
inline void load_blocks(mkz_lane32 m[16], const mkz_u8* const p[1]) { __builtin_memcpy(m, p[0], 64); }
#endif

/// MKZ_LANES states and the blocks that they take, one a lane.
struct States {
    mkz_lane32 cv[8], counter_low, counter_high;
    const mkz_u8* blocks[MKZ_LANES];

    States(const mkz_u32* key, mkz_u64 counter) {
        for (int k = 0; k < 8; k++) cv[k] = MKZ_SPLAT32(key[k]);
        for (mkz_u32 j = 0; j < MKZ_LANES; j++) {
            MKZ_LANE(mkz_u32, counter_low, j) = static_cast<mkz_u32>(counter + j);
            MKZ_LANE(mkz_u32, counter_high, j) = static_cast<mkz_u32>((counter + j) >> 32);
        }
    }
    /// The only copy of the compression.
    [[gnu::noinline]] void take(mkz_u32 length, mkz_u32 flags) {
        mkz_lane32 m[16];
        load_blocks(m, blocks);
#if MKZ_LANES == 4
        __asm__ volatile("" ::"r"(m) : "memory");
#endif
        mkz_blake3_compress(cv, m, counter_low, counter_high, MKZ_SPLAT32(length), MKZ_SPLAT32(flags));
    }
    void store(mkz_u32* out, mkz_u32 count) const { mkz_store_nodes32(out, 0, 1, count, cv); }
};

/// 1 to MKZ_LANES whole chunks, one after another. Lanes without one repeat the last.
void hash_chunks(const mkz_u8* data, mkz_u32 count, mkz_u64 counter, const mkz_u32* key, mkz_u32 flags, mkz_u32* out) {
    States states(key, counter);
    for (mkz_u32 b = 0; b < 16; b++) {
        for (mkz_u32 j = 0; j < MKZ_LANES; j++)
            states.blocks[j] = data + MKZ_BLAKE3_CHUNK_LEN * (j < count ? j : count - 1) + 64 * b;
        states.take(64, mkz_blake3_block_flags(b, 16, flags));
    }
    states.store(out, count);
}

/// One chunk of at most 1024 bytes, the same in every lane. end: one more flag of its last block
void hash_chunk(const mkz_u8* data, mkz_u32 bytes, mkz_u64 counter, const mkz_u32* key, mkz_u32 flags, mkz_u32 end,
                mkz_u32* out) {
    States states(key, counter);
    const mkz_u32 n = bytes == 0 ? 1 : (bytes + 63) / 64;
    for (mkz_u32 b = 0; b < n; b++) {
        const mkz_u32 length = bytes - 64 * b < 64 ? bytes - 64 * b : 64;
        mkz_u8 padded[64];
        const mkz_u8* block = data + 64 * b;
        if (length < 64) {
            __builtin_memset(padded, 0, 64);
            __builtin_memcpy(padded, block, length);
            block = padded;
        }
        for (const mkz_u8*& at : states.blocks) at = block;
        states.take(length, mkz_blake3_block_flags(b, n, flags) | (b + 1 == n ? end : 0));
    }
    states.store(out, 1);
}

/// One level: count nodes from count pairs, as parents inside a digest or as merges of a tree. out may be nodes.
void compress_pairs(const mkz_u32* nodes, mkz_u32 count, const mkz_u32* key, mkz_u32 flags, mkz_u32* out) {
    for (mkz_u32 i = 0; i < count; i += MKZ_LANES) {
        States states(key, 0);
        states.counter_low = MKZ_SPLAT32(0u);
        for (mkz_u32 j = 0; j < MKZ_LANES; j++)
            states.blocks[j] = reinterpret_cast<const mkz_u8*>(nodes + 16 * (i + j < count ? i + j : count - 1));
        states.take(64, flags);
        states.store(out + 8 * i, count - i);
    }
}

}  // namespace

/// The chaining values of the tree above `bytes` > 0 bytes, merged until at most `left` are left. A last value without
/// a neighbour moves up unchanged. Returns how many are left.
/// counter  index of the first chunk in the whole message
/// values   room for a value a chunk; the result is at its beginning
EXPORT(mkz_u32, blake3_subtree)(const mkz_u8* data, mkz_u32 bytes, mkz_u32 counter_low, mkz_u32 counter_high,
                                const mkz_u32* key, mkz_u32 flags, mkz_u32* values, mkz_u32 left) {
    const mkz_u64 counter = static_cast<mkz_u64>(counter_high) << 32 | counter_low;
    const mkz_u32 whole = bytes / MKZ_BLAKE3_CHUNK_LEN;
    mkz_u32 n = 0;
    while (n < whole) {
        const mkz_u32 count = whole - n < MKZ_LANES ? whole - n : MKZ_LANES;
        hash_chunks(data + MKZ_BLAKE3_CHUNK_LEN * n, count, counter + n, key, flags, values + 8 * n);
        n += count;
    }
    for (mkz_u32 done = MKZ_BLAKE3_CHUNK_LEN * n; done < bytes; n++, done += MKZ_BLAKE3_CHUNK_LEN) {
        const mkz_u32 rest = bytes - done;
        hash_chunk(data + done, rest < MKZ_BLAKE3_CHUNK_LEN ? rest : MKZ_BLAKE3_CHUNK_LEN, counter + n, key, flags, 0,
                   values + 8 * n);
    }
    while (n > left) {
        compress_pairs(values, n / 2, key, flags | MKZ_BLAKE3_PARENT, values);
        if (n % 2 != 0) __builtin_memmove(values + 8 * (n / 2), values + 8 * (n - 1), 32);
        n = (n + 1) / 2;
    }
    return n;
}

#if MKZ_LANES == 1
/// The digest of a message of one chunk, in one call.
EXPORT(void, blake3_short)(const mkz_u8* message, mkz_u32 bytes, const mkz_u32* key, mkz_u32 flags, mkz_u32* out) {
    hash_chunk(message, bytes, 0, key, flags, MKZ_BLAKE3_ROOT, out);
}
#endif

/// The digest of a message of more than one chunk, in one call. values: as above
EXPORT(void, blake3_long)(const mkz_u8* message, mkz_u32 bytes, const mkz_u32* key, mkz_u32 flags, mkz_u32* values,
                          mkz_u32* out) {
    blake3_subtree(message, bytes, 0, 0, key, flags, values, 2);
    compress_pairs(values, 1, key, flags | MKZ_BLAKE3_PARENT | MKZ_BLAKE3_ROOT, out);
}

/// Merges of a tree: out[i] = merge(nodes[2 i], nodes[2 i + 1]); out may be nodes. key: the IV or the mode's; flags:
/// the mode's.
EXPORT(void, blake3_merge)(const mkz_u32* nodes, mkz_u32* out, mkz_u32 count, const mkz_u32* key, mkz_u32 flags) {
    compress_pairs(nodes, count, key, flags | MKZ_BLAKE3_MERGE, out);
}

#if MKZ_LANES > 1
/// SHA-256 of pairs of nodes: out[i] of nodes[2 i] and nodes[2 i + 1]; out may be nodes. hashes.cpp has the same for
/// single words.
EXPORT(void, sha256_merge)(const mkz_u32* nodes, mkz_u32* out, mkz_u32 count) {
    for (mkz_u32 i = 0; i < count; i += MKZ_LANES) {
        const mkz_u8* pairs[MKZ_LANES];
        for (mkz_u32 j = 0; j < MKZ_LANES; j++)
            pairs[j] = reinterpret_cast<const mkz_u8*>(nodes + 16 * (i + j < count ? i + j : count - 1));
        mkz_lane32 m[16], h[8];
        load_blocks(m, pairs);
        mkz_sha256_first_64(h, m, m + 8);
        mkz_sha256_compress_end_64(h);
        mkz_sha256_digest(h, h);
        mkz_store_nodes32(out + 8 * i, 0, 1, count - i, h);
    }
}
#endif
