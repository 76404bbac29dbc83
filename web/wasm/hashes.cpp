// hashes.cpp: every hash of the list, on single words: its facts, merges, rows and messages. Freestanding: no library
// is linked.
//
// Pointers are places in the module's memory. A node is 32 bytes. The caller (web/js/machine.js) checks all counts.
#include "formats/fr32.hpp"
#include "hashes/messages/rpjive.hpp"
#include "merklize/core/kernels.h"

#define EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace {

using u8 = mkz_u8;
using u32 = mkz_u32;
using u64 = mkz_u64;

constexpr u32 most_state_bytes = 200, most_rate = 144;

struct Messages {
    u32 rate;          // bytes of a block; 0: the hash takes no messages block by block
    u32 needs_length;  // the state begins with the length of the message
    void (*begin)(void* state, u32 length);
    void (*blocks)(void* state, const u8* data, u32 count);
    void (*finish)(void* state, const u8* rest, u64 bytes, void* out);
};

/// A hash. JavaScript reads the table of these as words of 32 bits in this order (machine.js).
struct Hash {
    u32 id;
    const char* name;
    u32 word_bytes;  // bits of an element of a node
    u32 modulus_low, modulus_high;
    u32 row_unit_bytes;  // 1: rows are bytes
    u32 is_keyed;
    u32 has_chunk_tree;
    int leaf_prefix;
    u32 is_part;  // of other hashes, none of its own
    int quad_id;  // the hash by which a row of four nodes is their merge, or -1
    Messages messages;
    void (*merge)(const void* nodes, void* out, u32 count);
    void (*hash_rows)(const void* rows, u32 units, void* out, u32 count);
};

/// Eidos of bytes: they begin with their count, and the last block is filled with zeros; no bytes are one block of
/// zeros.
template <void (*iv)(u32*, u32, u32), void (*compress)(u32*, const u32*)>
struct EidosMessage {
    static void begin(void* state, u32 length) { iv(static_cast<u32*>(state), MKZ_EIDOS_BYTES, length); }
    static void blocks(void* state, const u8* data, u32 count) {
        for (u32 i = 0; i < count; i++) {
            u32 block[16];
            __builtin_memcpy(block, data + 64 * i, 64);
            compress(static_cast<u32*>(state), block);
        }
    }
    static void finish(void* state, const u8* rest, u64 bytes, void* out) {
        if (bytes % 64 != 0 || bytes == 0) {
            u8 padded[64] = {};
            __builtin_memcpy(padded, rest, bytes % 64);
            blocks(state, padded, 1);
        }
        __builtin_memcpy(out, state, 32);
    }
};

/// BLAKE2s of bytes, also under a key. The last block is compressed in another way, so a whole block waits for the next
/// one.
struct Blake2sMessage {
    u64 count;
    u32 h[8];
    u32 has_waiting;
    u8 waiting[64];

    void begin_with(u32 digest_bytes, const u8* key, u32 key_bytes) {
        mkz_blake2s_begin(h, digest_bytes, key_bytes);
        count = 0;
        has_waiting = key_bytes != 0;
        __builtin_memset(waiting, 0, sizeof waiting);
        __builtin_memcpy(waiting, key, key_bytes);
    }
    void compress(const u8* block, u32 bytes, bool is_last) {
        u32 m[16];
        __builtin_memcpy(m, block, sizeof m);
        count += bytes;
        mkz_blake2s_compress(h, m, count, is_last);
    }
    static Blake2sMessage& in(void* state) { return *static_cast<Blake2sMessage*>(state); }

    static void begin(void* state, u32) { in(state).begin_with(32, nullptr, 0); }
    static void blocks(void* state, const u8* data, u32 count) {
        Blake2sMessage& it = in(state);
        if (count == 0) return;
        if (it.has_waiting) it.compress(it.waiting, 64, false);
        for (u32 i = 0; i + 1 < count; i++) it.compress(data + 64 * i, 64, false);
        __builtin_memcpy(it.waiting, data + 64 * (count - 1), 64);
        it.has_waiting = 1;
    }
    static void finish(void* state, const u8* rest, u64 bytes, void* out) {
        Blake2sMessage& it = in(state);
        const u32 left = bytes % 64;
        if (left != 0) {
            if (it.has_waiting) it.compress(it.waiting, 64, false);
            __builtin_memset(it.waiting, 0, 64);
            __builtin_memcpy(it.waiting, rest, left);
        }
        it.compress(it.waiting, left != 0 ? left : it.has_waiting ? 64 : 0, true);
        __builtin_memcpy(out, it.h, 32);
    }
};
static_assert(sizeof(Blake2sMessage) <= most_state_bytes);

struct OfRpJive {
    using It = merklize::runtime::RpJiveMessage;
    static void begin(void* state, u32 length) { static_cast<It*>(state)->begin(length); }
    static void blocks(void* state, const u8* data, u32 count) { static_cast<It*>(state)->blocks(data, count); }
    static void finish(void* state, const u8* rest, u64 bytes, void* out) {
        static_cast<It*>(state)->finish(rest, bytes % It::rate, out);
    }
};
static_assert(sizeof(OfRpJive::It) <= most_state_bytes);

#define MKZ_WITH_PARTS
#define MKZ_EACH_HASH "hashes_unit.inc"
#include "merklize/core/hashes.h"

/// What the table has of a hash. sha256_trunc254 is sha256 without two bits, and its own functions would be the same
/// code once more.
template <class Of>
struct InTable : Of {};
template <>
struct InTable<Of_sha256_trunc254> : Of_sha256 {
    static void cut(void* digests, u32 count) {
        for (u32 i = 0; i < count; i++) static_cast<u8*>(digests)[32 * i + 31] &= 0x3f;
    }
    static void merge(const void* nodes, void* out, u32 count) {
        Of_sha256::merge(nodes, out, count);
        cut(out, count);
    }
    static void hash_rows(const void* rows, u32 bytes, void* out, u32 count) {
        Of_sha256::hash_rows(rows, bytes, out, count);
        cut(out, count);
    }
    static void finish(void* state, const u8* rest, u64 bytes, void* out) {
        Of_sha256::finish(state, rest, bytes, out);
        cut(out, 1);
    }
};

template <class Of>
constexpr Messages messages_of() {
    if constexpr (requires { Of::begin; }) return {Of::rate, 0, Of::begin, Of::blocks, Of::finish};
    return {};
}
template <>
constexpr Messages messages_of<Of_eidos>() {
    using Of = EidosMessage<mkz_eidos_iv, mkz_eidos_compress>;
    return {64, 1, Of::begin, Of::blocks, Of::finish};
}
template <>
constexpr Messages messages_of<Of_eidos_v0>() {
    using Of = EidosMessage<mkz_eidos_v0_iv, mkz_eidos_v0_compress>;
    return {64, 1, Of::begin, Of::blocks, Of::finish};
}

template <>
constexpr Messages messages_of<Of_blake2s>() {
    using Of = Blake2sMessage;
    return {64, 0, Of::begin, Of::blocks, Of::finish};
}

template <>
constexpr Messages messages_of<Of_sha256_trunc254>() {
    using Of = InTable<Of_sha256_trunc254>;
    return {Of::rate, 0, Of::begin, Of::blocks, Of::finish};
}

template <>
constexpr Messages messages_of<Of_rpjive64_256>() {
    return {OfRpJive::It::rate, 1, OfRpJive::begin, OfRpJive::blocks, OfRpJive::finish};
}

constexpr Hash hashes[] = {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                                                   \
    {id,                                                                     \
     #name,                                                                  \
     MKZ_UNIT_WORD_BITS * MKZ_UNIT_ELEMENT_WORDS / 8,                        \
     static_cast<u32>(MKZ_UNIT_MODULUS + 0ull),                              \
     static_cast<u32>((MKZ_UNIT_MODULUS + 0ull) >> 32),                      \
     MKZ_UNIT_MODULUS ? MKZ_UNIT_WORD_BITS * MKZ_UNIT_ELEMENT_WORDS / 8 : 1, \
     MKZ_UNIT_IS_KEYED,                                                      \
     MKZ_UNIT_CHUNK_BYTES != 0,                                              \
     MKZ_UNIT_LEAF_PREFIX,                                                   \
     MKZ_UNIT_IS_PART,                                                       \
     MKZ_UNIT_QUAD_HASH,                                                     \
     messages_of<Of_##name>(),                                               \
     InTable<Of_##name>::merge,                                              \
     InTable<Of_##name>::hash_rows},
#include "merklize/core/hashes.h"
};

}  // namespace

EXPORT(const Hash*, hash_table)() { return hashes; }
EXPORT(u32, hash_count)() { return sizeof hashes / sizeof *hashes; }
EXPORT(u32, hash_stride)() { return sizeof *hashes; }

/// `hash` is a place in the table, not an id. out[i] = merge(nodes[2 i], nodes[2 i + 1]); out may be nodes.
EXPORT(void, merge)(u32 hash, const void* nodes, void* out, u32 count) { hashes[hash].merge(nodes, out, count); }
/// Rows of `units` elements or bytes, one after another. A row of bytes is a record: the leaf prefix comes before it.
EXPORT(void, hash_rows)(u32 hash, const void* rows, u32 units, void* out, u32 count) {
    hashes[hash].hash_rows(rows, units, out, count);
}
/// The index of the first word that is no element of the hash's field, or `count`.
EXPORT(u32, first_not_element)(u32 hash, const void* words, u32 count) {
    const u64 modulus = static_cast<u64>(hashes[hash].modulus_high) << 32 | hashes[hash].modulus_low;
    if (modulus == 0) return count;
    for (u32 i = 0; i < count; i++) {
        u64 word = 0;
        __builtin_memcpy(&word, static_cast<const u8*>(words) + hashes[hash].word_bytes * i, hashes[hash].word_bytes);
        if (word >= modulus) return i;
    }
    return count;
}

/// One message: begin, then whole blocks in any number of calls, then finish with the rest. `state` has state_bytes()
/// bytes.
EXPORT(u32, state_bytes)() { return most_state_bytes; }
EXPORT(void, message_begin)(u32 hash, void* state, u32 length) { hashes[hash].messages.begin(state, length); }
EXPORT(void, message_blocks)(u32 hash, void* state, const u8* data, u32 count) {
    hashes[hash].messages.blocks(state, data, count);
}
EXPORT(void, message_finish)(u32 hash, void* state, const u8* rest, u32 bytes_low, u32 bytes_high, void* out) {
    hashes[hash].messages.finish(state, rest, static_cast<u64>(bytes_high) << 32 | bytes_low, out);
}
/// The same of BLAKE2s with a digest of 1 to 32 bytes, or under a key of at most 32 bytes.
EXPORT(void, blake2s_begin)(void* state, u32 digest_bytes, const u8* key, u32 key_bytes) {
    Blake2sMessage::in(state).begin_with(digest_bytes, key, key_bytes);
}
/// The state behind the block of a key, 32 bytes, and merges under it.
EXPORT(void, blake2s_key)(const u8* key, u32 key_bytes, u32* out) {
    Blake2sMessage message;
    message.begin_with(32, key, key_bytes);
    message.compress(message.waiting, 64, false);
    __builtin_memcpy(out, message.h, 32);
}
EXPORT(void, blake2s_merge)(const u32* nodes, u32* out, u32 count, const u32* key) {
    for (u32 i = 0; i < count; i++) {
        u32 pair[16];
        __builtin_memcpy(pair, nodes + 16 * i, 64);
        mkz_blake2s_merge_keyed(out + 8 * i, pair, pair + 8, key, 0);
    }
}
/// The digest of one message in one call.
EXPORT(void, message)(u32 hash, const u8* data, u32 bytes, void* out) {
    alignas(8) u8 state[most_state_bytes];
    const Messages& of = hashes[hash].messages;
    const u32 whole = bytes / of.rate;
    of.begin(state, bytes);
    of.blocks(state, data, whole);
    of.finish(state, data + whole * of.rate, bytes, out);
}

/// BLAKE3's root: 64 output bytes each for `count` blocks from block `counter` on. node: chaining value, block, length,
/// flags.
EXPORT(void, blake3_output)(const u32* node, u32 counter_low, u32 counter_high, u32* out, u32 count) {
    u64 counter = static_cast<u64>(counter_high) << 32 | counter_low;
    for (u32 i = 0; i < count; i++, counter++) {
        mkz_blake3_compress_xof(out + 16 * i, node, node + 8, static_cast<u32>(counter),
                                static_cast<u32>(counter >> 32), node[24], node[25] | MKZ_BLAKE3_ROOT);
    }
}
/// The node of one chunk of at most 1024 bytes: all but its last compression.
EXPORT(void, blake3_chunk)(const u8* chunk, u32 bytes, u32 counter_low, u32 counter_high, const u32* key, u32 flags,
                           u32* node) {
    const u32 blocks = bytes == 0 ? 1 : (bytes + 63) / 64;
    __builtin_memcpy(node, key, 32);
    for (u32 b = 0;; b++) {
        const u32 length = bytes - 64 * b < 64 ? bytes - 64 * b : 64;
        __builtin_memset(node + 8, 0, 64);
        __builtin_memcpy(node + 8, chunk + 64 * b, length);
        node[24] = length;
        node[25] = mkz_blake3_block_flags(b, blocks, flags);
        if (b + 1 == blocks) return;
        mkz_blake3_compress(node, node + 8, counter_low, counter_high, 64, node[25]);
    }
}
EXPORT(void, blake3_parent)(const u32* left, const u32* right, const u32* key, u32 flags, u32* out) {
    mkz_blake3_parent(out, left, right, key, flags);
}
/// Filecoin's padding of groups of 127 bytes.
EXPORT(void, fr32)(const u8* in, u8* out, u32 groups) {
    using namespace merklize::fr32;
    for (u32 i = 0; i < groups; i++) expand_group(in + raw_group * i, out + padded_group * i);
}
// Compilers call this for copies of unknown size, or of more than a few words, if the target has no instruction for it.
// It is volatile, because otherwise they replace the loop itself by such a call.
#ifndef __wasm_bulk_memory__
using Word [[gnu::aligned(1), gnu::may_alias]] = volatile u64;
extern "C" void* memcpy(void* to, const void* from, decltype(sizeof 0) bytes) {
    decltype(sizeof 0) i = 0;
    u8* out = static_cast<u8*>(to);
    const u8* in = static_cast<const u8*>(from);
    for (; i + 8 <= bytes; i += 8) *reinterpret_cast<Word*>(out + i) = *reinterpret_cast<const Word*>(in + i);
    for (; i < bytes; i++) *static_cast<volatile u8*>(out + i) = in[i];
    return to;
}
extern "C" void* memset(void* to, int value, decltype(sizeof 0) bytes) {
    decltype(sizeof 0) i = 0;
    u8* out = static_cast<u8*>(to);
    const u64 word = 0x0101010101010101u * static_cast<u8>(value);
    for (; i + 8 <= bytes; i += 8) *reinterpret_cast<Word*>(out + i) = word;
    for (; i < bytes; i++) *static_cast<volatile u8*>(out + i) = static_cast<u8>(value);
    return to;
}
#endif
