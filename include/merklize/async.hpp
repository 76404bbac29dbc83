#pragma once

#include <cstddef>
#include <cstdint>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/hash.hpp>
#include <merklize/tree.hpp>
#include <merklize/tree_form.hpp>

namespace merklize::inline v0 {

/// Calls that enqueue their work on the caller's stream and return at once, for pipelines on a device. Their results
/// are in memory of the device that the caller names. They compute the same bytes as the calls of the same name that
/// wait.
///
///     Stream stream(device);
///     Event done = build_tree(stream, {.nodes = nodes, .form = Hash::blake3});
///     hash(stream, {.data = file, .out = digest});   // after the tree, since one stream has one order
///     done.wait();
///
/// memory   all buffers are on the stream's device. The caller's memory must stay until the work has ended. A Buffer
///          that the library allocated may be dropped earlier: its memory is freed after the work. Outputs must not
///          overlap inputs, except where stated.
/// order    the work begins after everything that was enqueued on the stream before. The host waits for nothing, not
///          even for memory. Only the first call of each kind on a device is slow, because it compiles or loads
///          kernels.
/// events   waiting for an event is optional, because later commands of the stream run after the call anyway. Failures
///          of the device, and words that are not below the modulus of a field hash, are reported by Event::wait() and
///          query() only.
/// graphs   while a CUDA stream is being captured, a call becomes a part of the graph, and each launch of the graph
///          computes it again from what the buffers then hold. The first call of each kind should come before the
///          capture. The graph keeps the library's working memory and blocks; the caller's memory must stay as long as
///          the graph. Event::check() tells whether a launch found words that are not below the modulus.
/// errors   invalid_argument (sizes that do not match; a buffer on another device, in memory that the call cannot
///          reach, or over another buffer), out_of_memory, unavailable (in a forked child), internal (the driver's
///          text). Nothing is enqueued if the arguments are wrong.

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

/// The arguments of gather_nodes(): out[i] = nodes[slots[i]]. For paths of proofs: the siblings of leaf k of a tree of
/// height h are the slots (2^(h - l) + (k >> l)) ^ 1 of its levels l = 0 to h - 1 (docs/layouts.md: those that exist if
/// n is no power of two).
struct GatherNodesCall {
    ConstBuffer nodes;  ///< [m, 32], aligned to 32 bytes
    ConstBuffer slots;  ///< [n] words of 64 bits, each below m: the device does not check them
    Buffer out;         ///< [n, 32]
};
MERKLIZE_API Event gather_nodes(const Stream& stream, const GatherNodesCall& call);

}  // namespace merklize::inline v0
