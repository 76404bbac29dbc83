#pragma once

#include <cstddef>
#include <cstdint>

#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/hash.hpp>
#include <merklize/tree.hpp>
#include <merklize/tree_form.hpp>

namespace merklize::inline v0 {

/// Calls that enqueue their work on the caller's stream and return at once, for pipelines on a device. Their results are in memory of
/// the device that the caller names. They compute the same bytes as the calls of the same name that wait.
///
///     Stream stream(device);
///     Event done = build_tree(stream, {.nodes = nodes, .form = Hash::blake3});
///     hash(stream, {.data = file, .out = digest});   // after the tree, since one stream has one order
///     done.wait();
///
/// memory   all buffers are on the stream's device. They must stay as long as the work runs; a Buffer of the library's own may go
///          before: its memory is given back when the work has ended. An output must not overlap an input, except where this says so.
/// order    the work begins after everything that was enqueued on the stream before. The host waits for nothing, also not for memory.
///          Only the first call of its kind on a device is slow: it compiles or loads kernels.
/// events   nobody needs to wait for an event: what is enqueued on the stream later comes after the call. Failures of the device, and
///          words that are not below the modulus of a field hash, are reported by Event::wait() and query(), or by nobody.
/// graphs   while a CUDA stream is being captured, a call becomes a part of the graph, and each launch of the graph computes it again
///          from what the buffers then hold. The first call of a kind should be before the capture. The graph keeps working memory and
///          blocks of the library as long as it lives; memory of the caller's must stay. Event::check() tells whether a launch found
///          words that are not below the modulus.
/// errors   invalid_argument (sizes that do not fit; a buffer that is on another device, not where its call can read or write it, or
///          overlaps another one), out_of_memory, unavailable (in a forked child), internal (the driver's text). Nothing is enqueued
///          if the arguments are wrong.

/// The arguments of hash(): BLAKE3 of bytes of any alignment and length.
struct HashCall {
    ConstBuffer data;
    Buffer out;  ///< 32 bytes
    Mode mode{};
    Policy policy{};
};
MERKLIZE_API Event hash(const Stream& stream, const HashCall& call);

/// The arguments of hash_leaves(): digests of rows of equal length, as leaves of a tree.
struct HashLeavesCall {
    ConstBuffer rows;  ///< [n, row_bytes]
    std::uint64_t row_bytes;
    Buffer out;  ///< [n, 32]
    Hash hash = Hash::blake3;
    Mode mode{};
    Policy policy{};
};
MERKLIZE_API Event hash_leaves(const Stream& stream, const HashLeavesCall& call);

/// The arguments of merge(): out[i] = merge(left[i], right[i]).
struct MergeCall {
    ConstBuffer left;   ///< [n, 32]
    ConstBuffer right;  ///< [n, 32]
    Buffer out;         ///< [n, 32]; may be `left` or `right`
    Hash hash = Hash::blake3;
    Mode mode{};
    Policy policy{};
};
MERKLIZE_API Event merge(const Stream& stream, const MergeCall& call);

/// The arguments of build_tree(): all parents, in place.
struct BuildTreeCall {
    Buffer nodes;  ///< [heap_slots(n), 32] in heap order, with the leaves filled in; aligned to 32 bytes
    TreeForm form{};
    Policy policy{};
};
MERKLIZE_API Event build_tree(const Stream& stream, const BuildTreeCall& call);

/// The arguments of merkle_root().
struct MerkleRootCall {
    ConstBuffer leaves;  ///< [n, 32], n >= 1
    Buffer out;          ///< 32 bytes
    TreeForm form{};
    Policy policy{};
};
/// cost  working memory: 32 bytes a leaf, n rounded up to a power of two
MERKLIZE_API Event merkle_root(const Stream& stream, const MerkleRootCall& call);

/// The arguments of gather_nodes(): out[i] = nodes[slots[i]]. For paths of proofs: the siblings of leaf k of a tree of height h are the
/// slots (2^(h - l) + (k >> l)) ^ 1 of its levels l = 0 to h - 1 (docs/layouts.md says which of them a tree of another count has).
struct GatherNodesCall {
    ConstBuffer nodes;  ///< [m, 32], aligned to 32 bytes
    ConstBuffer slots;  ///< [n] words of 64 bits, each below m: the device does not check them
    Buffer out;         ///< [n, 32]
};
MERKLIZE_API Event gather_nodes(const Stream& stream, const GatherNodesCall& call);

}  // namespace merklize::inline v0
