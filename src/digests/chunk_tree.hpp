#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "calls/run.hpp"
#include "hashes/wipe.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// The tree inside one BLAKE3 digest, above its chunks: from chaining values to the root and its output.

/// A chaining value.
struct ChainingValue {
    std::uint32_t words[8];
};

/// The last compression of a subtree, not yet computed. If the node turns out to be the root, this compression gives
/// the output.
struct Node {
    std::uint32_t cv[8];
    std::uint32_t block[16];
    std::uint32_t block_len;
    std::uint32_t flags;
    std::uint64_t counter;  // index of the chunk; 0 for a parent

    ~Node() { wipe(cv, sizeof cv); }  // cv is the key in a parent and in the first compression of a chunk

    /// Takes the node as the root: fills `out` with output bytes from `seek` on. Long outputs are a job for the run.
    void expand(std::span<std::byte> out, std::uint64_t seek, Run& run) const;
};

/// The node of one chunk of at most 1024 bytes.
Node chunk_node(std::span<const std::byte> chunk, std::uint64_t counter, const Mode& mode);
/// The same for a chunk in memory of the host or of the run's device.
Node chunk_node(const Place& chunk, std::uint64_t bytes, std::uint64_t counter, const Mode& mode, Run& run);
/// The node above two values.
Node parent_node(const ChainingValue& left, const ChainingValue& right, const Mode& mode);
/// The chaining value of a node that is not the root.
ChainingValue value_of(const Node& node);

/// Merges neighbours in place until at most `left` values remain. The last of an odd number of values moves up
/// unchanged. `values` belong to aligned subtrees of equal size; the last one may be smaller.
void reduce(std::vector<ChainingValue>& values, std::size_t left, const Mode& mode, Run& run);

/// log2 of the chunks of one launched subtree, for data of n chunks. If n >= 2, at least two subtrees remain, so that
/// no launch makes the root.
std::uint32_t subtree_levels(std::uint64_t n_chunks, const Run& run);

/// Chaining values of the subtrees of 2^levels chunks in `bytes` bytes of data. The data begins with chunk `counter`.
std::vector<ChainingValue> subtree_values(const Place& data, std::uint64_t bytes, std::uint64_t counter,
                                          std::uint32_t levels, const Mode& mode, Run& run, double share);

/// Pushes the values of the largest subtrees that fit into `bytes` bytes of data, in order, until at most one chunk is
/// left. The data begins with chunk `first_chunk` of a longer message. A subtree is pushed as its two halves, because
/// the value above them may be the root.
/// share    of the whole call
/// returns  bytes done
std::uint64_t push_subtrees(const Place& data, std::uint64_t bytes, std::uint64_t first_chunk, const Mode& mode,
                            Run& run, double share,
                            const std::function<void(const ChainingValue& value, std::uint64_t first_chunk)>& push);

/// The root of data that is complete in memory of the host or of the run's device. This is `share` of the whole call.
Node root_of(const Place& data, std::uint64_t bytes, const Mode& mode, Run& run, double share = 1);
Node root_of(std::span<const std::byte> data, const Mode& mode, Run& run, double share = 1);

/// The values of subtrees that come in order, merged as far as possible while any of them may still be the last.
class ValueStack {
public:
    explicit ValueStack(const Mode& mode) : mode_(mode) {}

    /// `first_chunk`: chunks before this subtree; a multiple of its size.
    void push(const ChainingValue& value, std::uint64_t first_chunk);
    bool empty() const noexcept { return values_.empty(); }
    /// The root above everything pushed, which must be at least two values.
    Node root() const;
    /// The root above everything pushed and `last`, which has `first_chunk` chunks before it.
    Node root(const Node& last, std::uint64_t first_chunk) const;
    void clear() noexcept { values_.clear(); }

private:
    // Merges the values that are final once more data follows after n chunks. One value remains for each 1 bit of n.
    void settle(std::uint64_t n_chunks);
    Node fold(Node node, std::size_t left) const;

    Mode mode_;
    std::vector<ChainingValue> values_;
};

/// A message that comes in pieces. Full chunks are merged as they come, but the last 1 to 1024 bytes wait, because they
/// may be the end.
class GrowingMessage {
public:
    explicit GrowingMessage(const Mode& mode) : mode_(mode), stack_(mode) {}

    /// Copies what still fits into the last chunk, without a job.  returns  the rest of the piece, for add()
    std::span<const std::byte> fill(std::span<const std::byte> piece);
    /// The next piece, which is `share` of the whole call.
    void add(std::span<const std::byte> piece, Run& run, double share);
    /// The root of all that was added.
    Node root() const;
    std::uint64_t bytes() const noexcept { return chunks_ * sizeof chunk_ + pending_; }
    void clear() noexcept;

private:
    Mode mode_;
    ValueStack stack_;  // of `chunks_` chunks
    std::uint64_t chunks_ = 0;
    std::size_t pending_ = 0;  // bytes in `chunk_`
    std::byte chunk_[MKZ_BLAKE3_CHUNK_LEN];
};

}  // namespace merklize::runtime
