#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <merklize/hashes.hpp>
#include <merklize/policy.hpp>
#include <merklize/sycl/device.hpp>
#include <merklize/sycl/launch.hpp>

// Digests and Merkle trees in your own SYCL program, on your own queue, by DPC++ or AdaptiveCpp. Headers alone: the library is not
// linked. merklize/sycl/device.hpp has the functions for your own kernels.
//
// What all functions here share:
//   memory   every pointer is to USM that the queue's device can use (device, shared or host); only what is said to be written is.
//            Nodes and digests are 32 bytes each and begin on 16; bytes may begin anywhere. Field words are 64 bits, on 8.
//   order    commands are enqueued after the events `after`, on a queue in order or not; the returned event is complete when the
//            output is written. Nothing waits: inputs and output must stay until then.
//   policy   tuning values, chosen where the program is compiled; each choice gives the same bytes. Zero means: one lane, constants
//            in the program; groups of 256 and 8 levels a launch, on a CPU 64 and 1. A kernel is compiled for each lane count, hash
//            and place of the constants that the program uses; Constants::literal makes the longest kernels.
//   errors   merklize::Error: invalid_argument with the numbers, out_of_memory (working memory); sycl::exception from the runtime
namespace merklize::sycl {

/// BLAKE3 digest.
/// policy  chunks_per_item: 1, or 2, 4, 8 or 16 chunks as the lanes of a vector
/// data    `bytes` bytes, any count
/// digest  32 bytes, written
/// cost    reads the data once; working memory of 32 bytes for each group's subtree of chunks: at most 1/32 of the data, less for
///         policies whose groups have up to 1024 chunks. The host frees it after the event.
template <HashPolicy policy = HashPolicy{}>
::sycl::event hash(::sycl::queue& queue, const void* data, std::size_t bytes, void* digest,
                   const std::vector<::sycl::event>& after = {});

/// The same of a span of anything whose bytes are its value.
template <HashPolicy policy = HashPolicy{}, class T>
::sycl::event hash(::sycl::queue& queue, std::span<const T> data, void* digest,
                   const std::vector<::sycl::event>& after = {}) {
    return hash<policy>(queue, data.data(), data.size_bytes(), digest, after);
}

/// BLAKE3 digests of n messages of equal length.
/// messages  [n, message_bytes] bytes
/// digests   [n, 32] bytes, written
/// cost      as hash(); messages of more than 1024 bytes take up to 48 bytes of working memory a chunk
template <HashPolicy policy = HashPolicy{}>
::sycl::event hash_many(::sycl::queue& queue, const void* messages, std::size_t message_bytes, std::size_t n, void* digests,
                        const std::vector<::sycl::event>& after = {});

/// All parents of a binary Merkle tree.
/// hash     of the parents: of their two children's 64 bytes
/// policy   merges_per_item: lanes; levels_per_launch: 1 is a launch a level, more are fused by group barriers
/// leaves   [n, 32] bytes; n a power of two >= 2. Of a field hash each is 4 words < p (check_elements())
/// nodes    [n, 32] bytes, written, in heap order: the root at 1, children of i at 2i and 2i+1, where leaf k counts as n+k; slot 0
///          is zeros. `leaves` may be `nodes` + 32 n: then both are one tree of 2n slots, as merklize::build_tree() has it.
/// errors   invalid_argument (n; alignment; a device with smaller groups or less local memory than the policy wants)
/// cost     n-1 merges; Constants::global takes 5 KB of working memory
template <Hash hash = Hash::blake3, TreePolicy policy = TreePolicy{}>
::sycl::event merklize(::sycl::queue& queue, const void* leaves, void* nodes, std::size_t n,
                       const std::vector<::sycl::event>& after = {});

/// The same of spans of digests: of bytes, words or 32-byte structs; n is leaves.size_bytes() / 32.
/// errors  invalid_argument also for spans that are no whole nodes, or not of the same size
template <Hash hash = Hash::blake3, TreePolicy policy = TreePolicy{}, class T>
::sycl::event merklize(::sycl::queue& queue, std::span<const T> leaves, std::span<T> nodes,
                       const std::vector<::sycl::event>& after = {}) {
    if (leaves.size_bytes() % 32 != 0 || leaves.size_bytes() != nodes.size_bytes()) {
        detail::invalid("merklize: leaves and nodes must be as many whole nodes of 32 bytes, got " +
                        std::to_string(leaves.size_bytes()) + " and " + std::to_string(nodes.size_bytes()) + " bytes");
    }
    return merklize<hash, policy>(queue, leaves.data(), nodes.data(), leaves.size_bytes() / 32, after);
}

/// Merges of n pairs: out[i] = merge(left[i], right[i]).
/// left, right, out  [n, 32] bytes; out may be left or right
template <Hash hash = Hash::blake3, HashPolicy policy = HashPolicy{}>
::sycl::event merge(::sycl::queue& queue, const void* left, const void* right, void* out, std::size_t n,
                    const std::vector<::sycl::event>& after = {});

/// Rescue Prime digests of n rows of field elements.
/// rows     [n, elements] words; one that is >= p counts mod p (check_elements()). elements < 2^32
/// digests  [n, 32] bytes, written
/// cost     ceil(elements / 8) permutations a row
template <Hash hash = Hash::rp64_256, HashPolicy policy = HashPolicy{}>
::sycl::event hash_elements(::sycl::queue& queue, const std::uint64_t* rows, std::size_t n, std::size_t elements,
                            void* digests, const std::vector<::sycl::event>& after = {});

/// Sets *flag to 1 if one of n words is no field element (>= p), else leaves it: kernels cannot throw.
inline ::sycl::event check_elements(::sycl::queue& queue, const std::uint64_t* words, std::size_t n, std::uint32_t* flag,
                                    const std::vector<::sycl::event>& after = {});

// ---- Definitions -------------------------------------------------------------------------------------------------------

namespace detail {

/// Enqueues a job that may want working memory, given back after it. job(scratch, events) -> events
template <class Job>
::sycl::event with_scratch(::sycl::queue& queue, const char* function, std::uint64_t bytes, const Job& job) {
    Scratch scratch(queue, bytes, function);
    const ::sycl::event last = join(queue, job(scratch.get()));
    scratch.free_after(last);
    return last;
}

/// Enqueues a job of a field hash's kernels, with the table of constants in global memory where `constants` says so.
template <Hash hash, Constants constants, class Job>
::sycl::event with_table(::sycl::queue& queue, const char* function, const Events& after, const Job& job) {
    constexpr bool is_global = is_field<hash> && constants == Constants::global;
    return with_scratch(queue, function, is_global ? 8 * table_words : 0, [&](void* scratch) {
        auto* table = static_cast<std::uint64_t*>(scratch);
        Events events = after;
        if constexpr (is_global) {
            events.push_back(queue.copy(Tables::MKZ_RP_ARK, table, round_words));
            events.push_back(queue.memcpy(table + round_words, Tables::MKZ_RP_MDS_DENSE, 8 * (table_words - round_words)));
        }
        return job(static_cast<const std::uint64_t*>(table), events);
    });
}

template <int lanes>
::sycl::event hash_rows(::sycl::queue& queue, const char* function, std::uint32_t group_size, const void* data,
                        std::uint64_t row_bytes, std::uint64_t rows, void* digests, const Events& after) {
    require_aligned(function, "the output", digests);
    if (rows == 0) return join(queue, after);
    const QueueSubmit submit{queue};
    const DigestPlan plan(rows, row_bytes, group_size_on(submit, group_size, function), lanes);
    return with_scratch(queue, function, plan.scratch_bytes(),
                        [&](void* scratch) { return hash_rows<lanes>(submit, plan, data, digests, scratch, after); });
}

}  // namespace detail

template <HashPolicy policy>
::sycl::event hash(::sycl::queue& queue, const void* data, std::size_t bytes, void* digest,
                   const std::vector<::sycl::event>& after) {
    static_assert(detail::is_choice(policy.group_size, policy.chunks_per_item));
    return detail::hash_rows<detail::lanes_of(policy.chunks_per_item)>(queue, "hash", policy.group_size, data, bytes, 1,
                                                                       digest, after);
}

template <HashPolicy policy>
::sycl::event hash_many(::sycl::queue& queue, const void* messages, std::size_t message_bytes, std::size_t n, void* digests,
                        const std::vector<::sycl::event>& after) {
    static_assert(detail::is_choice(policy.group_size, policy.chunks_per_item));
    return detail::hash_rows<detail::lanes_of(policy.chunks_per_item)>(queue, "hash_many", policy.group_size, messages,
                                                                       message_bytes, n, digests, after);
}

template <Hash hash, TreePolicy policy>
::sycl::event merklize(::sycl::queue& queue, const void* leaves, void* nodes, std::size_t n,
                       const std::vector<::sycl::event>& after) {
    static_assert(detail::is_choice(policy.group_size, policy.merges_per_item));
    detail::require_tree(leaves, nodes, n);
    return detail::with_table<hash, policy.constants>(
        queue, "merklize", after, [&](const std::uint64_t* table, const detail::Events& events) {
            return detail::build_tree<hash, policy>(detail::QueueSubmit{queue}, leaves, nodes, n, table, events);
        });
}

template <Hash hash, HashPolicy policy>
::sycl::event merge(::sycl::queue& queue, const void* left, const void* right, void* out, std::size_t n,
                    const std::vector<::sycl::event>& after) {
    static_assert(detail::is_choice(policy.group_size, policy.chunks_per_item));
    if (n == 0) return detail::join(queue, after);
    return detail::with_table<hash, policy.constants>(
        queue, "merge", after, [&](const std::uint64_t* table, const detail::Events& events) {
            return detail::merge_pairs<hash, policy>(detail::QueueSubmit{queue}, left, right, out, n, table, events);
        });
}

template <Hash hash, HashPolicy policy>
::sycl::event hash_elements(::sycl::queue& queue, const std::uint64_t* rows, std::size_t n, std::size_t elements,
                            void* digests, const std::vector<::sycl::event>& after) {
    static_assert(detail::is_choice(policy.group_size, policy.chunks_per_item));
    if (n == 0) return detail::join(queue, after);
    return detail::with_table<hash, policy.constants>(
        queue, "hash_elements", after, [&](const std::uint64_t* table, const detail::Events& events) {
            return detail::hash_elements<hash, policy>(detail::QueueSubmit{queue}, rows, n, elements, digests, table,
                                                       events);
        });
}

inline ::sycl::event check_elements(::sycl::queue& queue, const std::uint64_t* words, std::size_t n, std::uint32_t* flag,
                                    const std::vector<::sycl::event>& after) {
    return detail::join(queue, n == 0 ? after : detail::check_words(detail::QueueSubmit{queue}, words, n, flag, after));
}

}  // namespace merklize::sycl
