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

// Digests and Merkle trees in your own SYCL program, on your own queue, with DPC++ or AdaptiveCpp. Only headers: the
// library is not linked. merklize/sycl/device.hpp has the functions for your own kernels.
//
// What all functions here share:
// memory   every pointer must be to USM that the queue's device can use (device, shared or host). Only arguments marked
//          "written" are written. Nodes and digests are 32 bytes each and must be aligned to 16 bytes; field words are
//          64 bits and must be aligned to 8 bytes. Other bytes may begin anywhere.
// order    commands are enqueued after the events `after`; the queue may be in order or not. The returned event is
//          complete when the output is written. No function waits, so inputs and output must stay valid until then.
// policy   tuning values, fixed when the program is compiled. Each choice gives the same bytes. Zero means: one lane
//          (four with AdaptiveCpp on a CPU), constants in the program, groups of 256 items and 8 levels a launch (on a
//          CPU 64 items and 1 level). A kernel is compiled for each lane count, hash and place of the constants that
//          the program uses. Constants::literal makes the longest kernels.
// errors   merklize::Error: invalid_argument with the numbers, out_of_memory (working memory); sycl::exception from the
//          runtime. What fails after it was enqueued goes to the queue's asynchronous handler; each call asks for that
//          first (queue.throw_asynchronous())
namespace merklize::sycl {

/// BLAKE3 digest.
/// policy   lanes: 1, or 2, 4, 8 or 16 chunks as the lanes of a vector; group_size
/// data     `bytes` bytes, any number
/// digest   32 bytes, written
/// cost     reads the data once; allocates hash_scratch_bytes() bytes of working memory, which a host task frees after
///          the event. AdaptiveCpp has no host tasks, so there the call waits, unless the caller gives `scratch`
///          (hash_rows())
template <Policy policy = Policy{}>
::sycl::event hash(::sycl::queue& queue, const void* data, std::size_t bytes, void* digest,
                   const std::vector<::sycl::event>& after = {}) {
    return detail::hash_on<policy>(detail::QueueSubmit(queue), "hash", data, bytes, 1, digest, nullptr, after);
}

/// The same for a span of any type whose bytes are its value.
template <Policy policy = Policy{}, class T>
::sycl::event hash(::sycl::queue& queue, std::span<const T> data, void* digest,
                   const std::vector<::sycl::event>& after = {}) {
    return hash<policy>(queue, data.data(), data.size_bytes(), digest, after);
}

/// BLAKE3 digests of n rows of equal length.
/// rows     [n, row_bytes] bytes
/// digests  [n, 32] bytes, written
/// cost     as hash(); one launch for rows of up to 1024 bytes, else one more launch for each halving of their chunks
template <Policy policy = Policy{}>
::sycl::event hash_rows(::sycl::queue& queue, const void* rows, std::size_t n, std::size_t row_bytes, void* digests,
                        const std::vector<::sycl::event>& after = {}) {
    return detail::hash_on<policy>(detail::QueueSubmit(queue), "hash_rows", rows, row_bytes, n, digests, nullptr,
                                   after);
}

/// Bytes of working memory for hash_rows() with this policy on the queue's device; for hash(), n is 1. One row takes 32
/// bytes for each group's subtree of chunks (up to 1024 chunks); several rows take 48 bytes for each chunk.
template <Policy policy = Policy{}>
std::size_t hash_scratch_bytes(::sycl::queue& queue, std::size_t row_bytes, std::size_t n = 1) {
    const detail::QueueSubmit submit(queue);
    return detail::with_lanes<policy>(submit, [&]<Policy chosen>() {
        return detail::DigestPlan(n, row_bytes, detail::group_size_on(submit, chosen.group_size, "hash_scratch_bytes"),
                                  chosen.lanes)
            .scratch_bytes();
    });
}

/// hash_rows(), or hash() with n = 1, in the caller's working memory: nothing is allocated.
/// scratch  hash_scratch_bytes() bytes, aligned to 16 bytes, not null; must stay until the event is complete
template <Policy policy = Policy{}>
::sycl::event hash_rows(::sycl::queue& queue, const void* rows, std::size_t n, std::size_t row_bytes, void* digests,
                        void* scratch, const std::vector<::sycl::event>& after = {}) {
    if (scratch == nullptr) detail::invalid("hash_rows: scratch is null");
    return detail::hash_on<policy>(detail::QueueSubmit(queue), "hash_rows", rows, row_bytes, n, digests, scratch,
                                   after);
}

/// All parents of a binary Merkle tree.
/// hash     makes a parent from the 64 bytes of its two children
/// policy   lanes: merges an item; levels_per_launch: 1 is one launch a level, more levels are fused by group barriers;
///          constants
/// leaves   [n, 32] bytes; n must be a power of two >= 2. For a field hash each leaf is 4 words < p (check_elements())
/// nodes    [n, 32] bytes, written, in heap order: the root at 1, children of i at 2i and 2i+1, where leaf k counts as
///          n+k; slot 0 is zeros. `leaves` may be `nodes` + 32 n: then both are one tree of 2n slots, as
///          merklize::build_tree() has it.
/// errors   invalid_argument (n; alignment; a device with smaller groups or less local memory than the policy needs)
/// cost     n-1 merges; Constants::global takes 5 KB of working memory, which is freed as in hash()
template <Hash hash = Hash::blake3, Policy policy = Policy{}>
::sycl::event merklize(::sycl::queue& queue, const void* leaves, void* nodes, std::size_t n,
                       const std::vector<::sycl::event>& after = {}) {
    return detail::merklize_on<hash, policy>(detail::QueueSubmit(queue), leaves, nodes, n, after);
}

/// The same for spans of bytes, words or 32-byte structs; n is leaves.size_bytes() / 32.
/// errors  also invalid_argument (spans that are not whole nodes, or differ in size)
template <Hash hash = Hash::blake3, Policy policy = Policy{}, class T>
::sycl::event merklize(::sycl::queue& queue, std::span<const T> leaves, std::span<T> nodes,
                       const std::vector<::sycl::event>& after = {}) {
    if (leaves.size_bytes() % 32 != 0 || leaves.size_bytes() != nodes.size_bytes()) {
        detail::invalid("merklize: leaves and nodes must hold the same number of 32-byte nodes, got " +
                        std::to_string(leaves.size_bytes()) + " and " + std::to_string(nodes.size_bytes()) + " bytes");
    }
    return merklize<hash, policy>(queue, leaves.data(), nodes.data(), leaves.size_bytes() / 32, after);
}

/// Merges of n pairs: out[i] = merge(left[i], right[i]).
/// policy            lanes: merges an item
/// left, right, out  [n, 32] bytes; out may be left or right
template <Hash hash = Hash::blake3, Policy policy = Policy{}>
::sycl::event merge(::sycl::queue& queue, const void* left, const void* right, void* out, std::size_t n,
                    const std::vector<::sycl::event>& after = {}) {
    return detail::merge_on<hash, policy>(detail::QueueSubmit(queue), left, right, out, n, after);
}

/// Rescue Prime digests of n rows of field elements.
/// policy   lanes: rows an item
/// rows     [n, elements] words; one that is >= p counts mod p (check_elements()). elements < 2^32
/// digests  [n, 32] bytes, written
/// cost     ceil(elements / 8) permutations a row
template <Hash hash, Policy policy = Policy{}>
::sycl::event hash_rows(::sycl::queue& queue, const std::uint64_t* rows, std::size_t n, std::size_t elements,
                        void* digests, const std::vector<::sycl::event>& after = {}) {
    return detail::hash_elements_on<hash, policy>(detail::QueueSubmit(queue), rows, n, elements, digests, after);
}

/// Sets *flag to 1 if any of n words is not a field element (>= p); otherwise does not write it. A kernel cannot throw.
/// words, flag  aligned to their own size
template <Hash hash = Hash::rp64_256>
::sycl::event check_elements(::sycl::queue& queue, const std::uint64_t* words, std::size_t n, std::uint32_t* flag,
                             const std::vector<::sycl::event>& after = {}) {
    static_assert(detail::is_field<hash>, "check_elements needs a Rescue Prime hash");
    return detail::check_elements_on(detail::QueueSubmit(queue), words, n, flag, after);
}

}  // namespace merklize::sycl
