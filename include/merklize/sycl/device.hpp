#pragma once

#include <cstddef>
#include <cstdint>

#include <merklize/hashes.hpp>
#include <merklize/sycl/kernels.hpp>

// Functions for use inside your own kernels. They need no local memory and no barrier, and have no state. Words are
// little endian in memory on every device, so the words of a node can be read and written directly. Pointers may be to
// private, local or global memory and must be aligned as their type. `out` may be an input.
namespace merklize::sycl {

/// The word type of a hash's nodes: 32 bits for BLAKE3, 64 for the Rescue Prime hashes.
template <Hash hash>
using Word = detail::WordOf<hash>;

/// Words of a node: 8 or 4.
template <Hash hash>
inline constexpr int node_words = 32 / sizeof(Word<hash>);

/// Flags of BLAKE3's compression, which may be added.
struct Blake3Flag {
    static constexpr std::uint32_t chunk_start = 1, chunk_end = 2, parent = 4, root = 8, keyed_hash = 16,
                                   derive_key_context = 32, derive_key_material = 64;
};

namespace detail {

/// An item that works by itself.
inline constexpr WorkItem alone{0, 0, 0, 1, nullptr};

template <int lanes>
using Lanes32 = typename Core<lanes, 2>::mkz_lane32;

template <int lanes>
Lanes32<lanes> to_lanes(const ::sycl::vec<std::uint32_t, lanes>& v) {
    Lanes32<lanes> out;
    for (int j = 0; j < lanes; j++) out[j] = v[j];
    return out;
}

template <int lanes>
::sycl::vec<std::uint32_t, lanes> from_lanes(const Lanes32<lanes>& v) {
    ::sycl::vec<std::uint32_t, lanes> out;
    for (int j = 0; j < lanes; j++) out[j] = v[j];
    return out;
}

}  // namespace detail

/// Merge of a Merkle tree: out = hash of the 64 bytes left || right.
/// out, left, right  node_words<hash> words; for a field hash each < p
/// cost              one compression, or one permutation with its constants in the code
template <Hash hash = Hash::blake3>
void merge(Word<hash>* out, const Word<hash>* left, const Word<hash>* right) {
    using C = typename detail::OneLane<hash>::C;
#define MKZ_HASH(id, name) \
    if constexpr (hash == Hash::name) C::mkz_##name##_merge(out, left, right);
#include <merklize/core/hashes.h>
}

/// BLAKE3's initial chaining value: the key of a plain hash.
/// out  8 words
inline void initial_value(std::uint32_t* out) { detail::Core<1, 2>::mkz_blake3_iv(out); }

/// BLAKE3's block function, in place.
/// cv         8 words: the chaining value
/// block      16 words
/// counter    index of the chunk; 0 for parents
/// block_len  bytes of the block that count, 0 to 64
/// flags      sum of Blake3Flag values
inline void compress(std::uint32_t* cv, const std::uint32_t* block, std::uint64_t counter, std::uint32_t block_len,
                     std::uint32_t flags) {
    detail::Core<1, 2>::mkz_blake3_compress(cv, block, static_cast<std::uint32_t>(counter),
                                            static_cast<std::uint32_t>(counter >> 32), block_len, flags);
}

/// The same for 2, 4, 8 or 16 independent states, one in each lane.
template <int lanes>
void compress(::sycl::vec<std::uint32_t, lanes>* cv, const ::sycl::vec<std::uint32_t, lanes>* block,
              const ::sycl::vec<std::uint32_t, lanes>& counter_low,
              const ::sycl::vec<std::uint32_t, lanes>& counter_high, const ::sycl::vec<std::uint32_t, lanes>& block_len,
              const ::sycl::vec<std::uint32_t, lanes>& flags) {
    detail::Lanes32<lanes> v[8], m[16];
    for (int k = 0; k < 8; k++) v[k] = detail::to_lanes<lanes>(cv[k]);
    for (int k = 0; k < 16; k++) m[k] = detail::to_lanes<lanes>(block[k]);
    detail::Core<lanes, 2>::mkz_blake3_compress(v, m, detail::to_lanes<lanes>(counter_low),
                                                detail::to_lanes<lanes>(counter_high),
                                                detail::to_lanes<lanes>(block_len), detail::to_lanes<lanes>(flags));
    for (int k = 0; k < 8; k++) cv[k] = detail::from_lanes<lanes>(v[k]);
}

/// Chaining value of a BLAKE3 chunk, or the digest of up to 1024 bytes.
/// out      8 words
/// data     `bytes` bytes, of any alignment: 0 to 1024 of them; every chunk but the last of an input must have 1024
/// counter  index of the chunk in its input
/// flags    Blake3Flag::root if this chunk is the whole input: then out is the digest; else 0
inline void chunk(std::uint32_t* out, const void* data, std::uint32_t bytes, std::uint64_t counter,
                  std::uint32_t flags = 0) {
    using C = detail::Core<1, 2>;
    alignas(16) std::uint32_t value[8];
    C::mkz_key key;
    C::mkz_blake3_iv(key.w);
    C::mkz_body_hash_chunks_blake3(detail::alone, static_cast<const std::uint8_t*>(data), 0, bytes, 1, value, 0, key,
                                   flags, counter, 0, nullptr);
    for (int k = 0; k < 8; k++) out[k] = value[k];
}

/// Parent node inside a BLAKE3 digest. Not the merge of a Merkle tree.
/// out, left, right  8 words
/// flags             Blake3Flag::root for the last parent: then out is the digest; else 0
inline void parent(std::uint32_t* out, const std::uint32_t* left, const std::uint32_t* right, std::uint32_t flags = 0) {
    std::uint32_t key[8], result[8];
    detail::Core<1, 2>::mkz_blake3_iv(key);
    detail::Core<1, 2>::mkz_blake3_parent(result, left, right, key, flags);
    for (int k = 0; k < 8; k++) out[k] = result[k];
}

/// Permutation of Rescue Prime, in place.
/// state  12 words < p, before and after
template <Hash hash = Hash::rp64_256>
void permute(std::uint64_t* state) {
    static_assert(detail::is_field<hash> && node_words<hash> == 4, "permute needs a Rescue Prime hash");
    using C = typename detail::OneLane<hash>::C;
#define MKZ_HASH(id, name) \
    if constexpr (hash == Hash::name) C::mkz_##name##_permute(state);
#include <merklize/core/hashes.h>
    for (int k = 0; k < 12; k++) state[k] = C::mkz_gl_canonical(state[k]);
}

/// Rescue Prime digest of n field elements.
/// out       4 words
/// elements  n words; one that is >= p counts mod p
/// cost      ceil(n / 8) permutations
template <Hash hash = Hash::rp64_256>
void hash_row(std::uint64_t* out, const std::uint64_t* elements, std::uint32_t n) {
    static_assert(detail::is_field<hash> && node_words<hash> == 4, "hash_row needs a Rescue Prime hash");
    using C = typename detail::OneLane<hash>::C;
    alignas(16) std::uint64_t digest[4];
#define MKZ_HASH(id, name)            \
    if constexpr (hash == Hash::name) \
        C::mkz_body_hash_rows_##name(detail::alone, elements, 0, n, 1, n, digest, 0, 1, {});
#include <merklize/core/hashes.h>
    for (int k = 0; k < 4; k++) out[k] = digest[k];
}

}  // namespace merklize::sycl
