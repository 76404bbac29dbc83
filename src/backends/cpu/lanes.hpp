#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/blake3/rows.hpp"

struct mkz_extend_pass;

namespace merklize::cpu {

struct ConstraintBlock;
using runtime::ChunkCounter;

/// One more than the highest id of a hash.
inline constexpr unsigned n_ids = std::max({
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name) id + 1u,
#include <merklize/core/hashes.h>
});

/// n pairs of digests to n digests, all 32 bytes; out may be in.
/// table  the given constants of a hash that has such (TABLE_IS_GIVEN, core/hashes.h); the state behind the block of a
///        key, 32 bytes, of a hash with keys (IS_KEYED), or null; others ignore it
using MergeKernel = void (*)(const std::uint8_t* in, std::size_t n, std::uint8_t* out, const std::uint64_t* table);
/// Asks whether to go on: go_on.ask(go_on.of). A plain function, because the linker might use the code that one
/// instruction set makes of a template of the standard library for all others.
struct GoOn {
    bool (*ask)(const void* of);
    const void* of;
};
/// Asks a function object, which must outlive the GoOn.
template <class Function>
GoOn asking(const Function& function) {
    return {[](const void* of) { return (*static_cast<const Function*>(of))(); }, &function};
}
/// n rows of `length` row units to n digests. Because a row may be long, go_on is asked now and then. If it returns
/// false, the work ends unfinished.
using RowKernel = void (*)(const std::uint8_t* rows, std::size_t n, std::size_t length, std::uint8_t* out, GoOn go_on,
                           const std::uint64_t* table);

/// Turns n words of b bits, 2^b x mod p, in place into x, or into another word of the same element.
using FormKernel = void (*)(std::byte* words, std::size_t n, std::uint64_t modulus);

/// Bytes of a row of a tile of an extension: whole vectors of every instruction set.
inline constexpr std::uint64_t extend_tile_bytes = 256;
/// One tile of a pass (core/kernels/extend.h), from column `column` on: extend_tile_bytes of each row, or what is left.
/// The kernel sets log_tile_columns.
/// returns  false if a word is refused
using ExtendKernel = bool (*)(mkz_extend_pass pass, std::uint64_t row_tile, std::uint64_t column, const std::byte* in,
                              std::byte* out, const std::byte* roots, const std::byte* scales);

/// The sums of a block of points (constraint_block.hpp): for each of `degree` words those of all points.
using ConstraintKernel = void (*)(const ConstraintBlock& block, std::byte* out);

/// A chain of blocks: a chunk, or the two values below a parent.
struct Chain {
    const std::uint8_t* in;  ///< `bytes` bytes
    std::uint8_t* out;       ///< 32 bytes
    std::uint64_t counter = 0;
    std::uint32_t bytes;        ///< at most 1024
    std::uint32_t first, last;  ///< flags of the first and of the last block besides the mode's
};
[[gnu::always_inline]] static inline std::uint32_t blocks_of(const Chain& chain) {
    return chain.bytes == 0 ? 1 : (chain.bytes + 63) / 64;
}

/// A slot of a level of a tree of an XMSS key (MakeXmss).
struct XmssSlot {
    const std::uint32_t* key;  ///< MKZ_XMSS_KEY_WORDS
    std::uint32_t index;       ///< of the node, within its level of the whole tree
    bool is_there;             ///< whether an epoch of the key is below it
};

/// The kernels of one instruction set: single-threaded, on host memory of any alignment. Each takes any count of items
/// and fills its last batch of lanes with copies. Where `out` may be `in`, an item is read before it is overwritten.
struct Lanes {
    const char* isa;

    // For the hash with a chunk tree.
    /// n full chunks of 1024 bytes, the first with index counter.first, to n chaining values of 32 bytes.
    void (*hash_chunks)(const std::uint8_t* data, std::size_t n, ChunkCounter counter, const std::uint32_t key[8],
                        std::uint32_t flags, std::uint8_t* out) = nullptr;
    /// The chunks of n tiles side by side, `chunks` of each: tile i is rows of `width` bytes, `pitch` bytes apart, from
    /// data + width * i on. A row is 32 to 512 bytes, a power of two. The value of chunk c of tile i goes to
    /// out + 32 (chunks i + c); of a tile of one chunk that is its digest.
    void (*hash_tile_chunks)(const std::uint8_t* data, std::size_t n, std::size_t width, std::ptrdiff_t pitch,
                             std::size_t chunks, const std::uint32_t key[8], std::uint8_t* out) = nullptr;
    /// n pairs of 32 bytes to n BLAKE3 chaining values, each pair one whole block with these flags and no others:
    /// parents inside a digest, keyed merges. out may be in.
    void (*compress_pairs)(const std::uint8_t* in, std::size_t n, const std::uint32_t key[8], std::uint32_t flags,
                           std::uint8_t* out) = nullptr;
    /// n rows of `bytes` <= 1024 bytes, each a whole one-chunk message, to n BLAKE3 digests.
    void (*hash_short_rows)(const std::uint8_t* rows, std::size_t n, std::size_t bytes, const std::uint32_t key[8],
                            std::uint32_t flags, std::uint8_t* out) = nullptr;
    /// n chains of blocks, longest first. The output of a chain may overwrite the input of another chain that comes
    /// before it or is in the same vector.
    void (*hash_chains)(const Chain* chains, std::size_t n, const std::uint32_t key[8], std::uint32_t flags) = nullptr;
    /// n blocks of 64 bytes of extendable output from block index `counter` on.
    void (*expand)(const std::uint32_t cv[8], const std::uint32_t block[16], std::uint32_t block_len,
                   std::uint32_t flags, std::uint64_t counter, std::size_t n, std::uint8_t* out) = nullptr;
    /// Indexed by the id of the hash's unit; null where no unit has the id.
    MergeKernel merge[n_ids] = {};
    /// Indexed the same; also null for the hash with a chunk tree, whose rows the functions above hash.
    RowKernel hash_rows[n_ids] = {};

    /// Copies n blocks of 64 bytes to `out`, which must be aligned to 64 bytes and must not overlap `in`. The copy
    /// evicts nothing from the caches and reads no lines of `out`, so it suits memory that is not read soon. The caller
    /// must fence before other threads read it.
    void (*copy_past_caches)(const std::uint8_t* in, std::size_t n, std::uint8_t* out) = nullptr;

    // For words of 4 bytes (the 31-bit fields) and of 8 bytes (Goldilocks).
    FormKernel from_montgomery_32 = nullptr;
    FormKernel from_montgomery_64 = nullptr;
    ExtendKernel extend_32 = nullptr;
    ExtendKernel extend_64 = nullptr;
    ConstraintKernel constraints_32 = nullptr;
    ConstraintKernel constraints_64 = nullptr;

    // Nodes of XMSS keys (core/hashes/xmss.h). The node of slot i goes to out + 16 i.
    /// n slots of level 0.
    void (*xmss_leaves)(const XmssSlot* slots, std::size_t n, std::uint8_t* out) = nullptr;
    /// n slots of level `level`. Their children, 32 bytes for each slot, are at `in`, which may be out.
    void (*xmss_nodes)(const XmssSlot* slots, std::size_t n, std::uint32_t level, const std::uint8_t* in,
                       std::uint8_t* out) = nullptr;
};

// An instruction set has a table lanes_SET_FAMILY for each family of hashes, with the functions of that family alone
// (src/cmake/lanes.cmake). isa.cpp joins them.
extern const Lanes lanes_avx2_blake3;
extern const Lanes lanes_avx512_blake3;
extern const Lanes lanes_avx512_narrow;  ///< the same in vectors of half the width
extern const Lanes lanes_avx512_sha256;

/// The lanes of an instruction set, with rows (host/blake3/rows.hpp), and for AVX-512 narrower batches, for small jobs
/// of BLAKE3.
Lanes with_few_items_avx2(Lanes lanes);
Lanes with_few_items_avx512(Lanes lanes);

/// The lanes with the processor's SHA instructions where they are faster, for hashes on SHA-256's compression. The
/// processor must have them.
Lanes with_sha256_instructions(Lanes lanes);

/// For merges of a long run of pairs in batches: prefetches what the second batch after this one reads and writes.
/// Never past the run, because a prefetch from a missing page costs a walk of the page tables. Always inlined, so that
/// the linker never uses code of one instruction set for another.
/// left   pairs from this batch on
/// batch  its pairs
[[gnu::always_inline]] static inline void prefetch_merges(const std::uint8_t* pairs, std::uint64_t left,
                                                          std::uint64_t batch, const std::uint8_t* out) {
    if (left < 3 * batch) return;
    for (std::uint64_t i = 2 * batch; i < 3 * batch; i++) __builtin_prefetch(pairs + 64 * i);
    for (std::uint64_t i = 2 * batch; i < 3 * batch; i += 2) __builtin_prefetch(out + 32 * i, 1);
}

/// The lanes that this process uses: the widest that the processor has, or the set that MERKLIZE_CPU_ISA names. The SHA
/// instructions are used beside all but the scalar set, unless MERKLIZE_CPU_SHA is 0. Chosen once.
/// errors  unavailable (MERKLIZE_CPU_ISA names a set that this machine or build lacks)
const Lanes& lanes();

}  // namespace merklize::cpu
