#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace merklize::cpu {

/// Number of lines in hashes.def.
inline constexpr unsigned n_hashes = 0
#define MKZ_HASH(id, name, prefix, lane, kind) +1
#include <merklize/hashes.def>
    ;

/// The kernels of one instruction set: single-threaded, on host memory, no alignment asked. Each takes any count of items and
/// fills its last batch of lanes with copies. Where `out` may be `in`, items are written only after they were read.
struct Lanes {
    const char* isa;

    /// n full chunks of 1024 bytes, the first with index `counter`, to n chaining values of 32 bytes.
    void (*hash_chunks)(const std::uint8_t* data, std::size_t n, std::uint64_t counter, const std::uint32_t key[8],
                        std::uint32_t flags, std::uint8_t* out);
    /// n pairs of 32 bytes to n BLAKE3 chaining values, each pair one whole block with these flags and no others: parents inside a
    /// digest, keyed merges. out may be in.
    void (*compress_pairs)(const std::uint8_t* in, std::size_t n, const std::uint32_t key[8], std::uint32_t flags,
                           std::uint8_t* out);
    /// n rows of `bytes` <= 1024 bytes, each a whole one-chunk message, to n BLAKE3 digests.
    void (*hash_short_rows)(const std::uint8_t* rows, std::size_t n, std::size_t bytes, const std::uint32_t key[8],
                            std::uint32_t flags, std::uint8_t* out);
    /// n blocks of 64 bytes of extendable output from block index `counter` on.
    void (*expand)(const std::uint32_t cv[8], const std::uint32_t block[16], std::uint32_t block_len,
                   std::uint32_t flags, std::uint64_t counter, std::size_t n, std::uint8_t* out);
    /// One compression of a 64-byte block (zero-padded), chaining value in place.
    void (*compress)(std::uint32_t cv[8], const std::uint8_t block[64], std::uint32_t block_len, std::uint64_t counter,
                     std::uint32_t flags);
    /// By hash id: n pairs of digests to n digests, all 32 bytes; out may be in.
    void (*merge[n_hashes])(const std::uint8_t* in, std::size_t n, std::uint8_t* out);
    /// By hash id, null for blake3: n rows to n digests. Of field hashes `length` words a row, of sha256 `length` bytes, which it
    /// hashes as leaves. A row may be long: go_on is called now and then, and false ends the work, unfinished.
    void (*hash_rows[n_hashes])(const std::uint8_t* rows, std::size_t n, std::size_t length, std::uint8_t* out,
                                const std::function<bool()>& go_on);
};

extern const Lanes lanes_scalar;
extern const Lanes lanes_avx2;
extern const Lanes lanes_avx512;
extern const Lanes lanes_neon;

/// The lanes that this process uses: the widest that the processor has, or the one that MERKLIZE_CPU_ISA names. Chosen once.
/// errors  unavailable (MERKLIZE_CPU_ISA names a set that this machine or build lacks)
const Lanes& lanes();

}  // namespace merklize::cpu
