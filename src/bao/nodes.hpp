#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bao/shape.hpp"
#include "digests/chunk_tree.hpp"
#include "jobs/host_executor.hpp"

namespace merklize::runtime {

/// Merges values of subtrees of 2^level chunks, at least two, up to the node above all of them. Overwrites the values.
/// put  called for every node above groups: put(subtree, the two values below it)
template <class Put>
Node fold(std::span<ChainingValue> values, std::uint32_t level, std::uint32_t group_log, const Put& put) {
    const Mode mode;
    for (std::size_t n = values.size();; n = (n + 1) / 2) {
        level++;
        for (std::size_t i = 0; level > group_log && i < n / 2; i++) put(Subtree{level, i}, &values[2 * i]);
        if (n == 2) return parent_node(values[0], values[1], mode);
        HostExecutor(1).launch(HashParents{host_place(values.data()), n, mode}, {});
    }
}

/// The same, with the nodes side by side: node k of the order goes to nodes + 64 k.
/// part  the tree over the bytes that the values stand for
inline Node fold(std::span<ChainingValue> values, std::uint32_t level, const Shape& part, BaoOrder order,
                 std::byte* nodes) {
    return fold(values, level, part.group_log(), [&](const Subtree& t, const ChainingValue* pair) {
        std::memcpy(nodes + node_bytes * part.place(t, order), pair, node_bytes);
    });
}

/// A part of a message that is a subtree, in host memory, hashed by the calling thread.
/// first_chunk  index in the message of the part's first chunk
/// nodes        gets the part's nodes side by side
Node part_node(std::span<const std::byte> part, std::uint64_t first_chunk, std::uint32_t group_log, BaoOrder order,
               std::byte* nodes);

/// The digest of a message that has this top node.
Digest root_digest(Node node);

/// Joins the nodes (in pre-order) and the groups of a part to an encoding.
void weave(const Shape& part, const std::byte* nodes, const std::byte* data, std::byte* out);
/// Splits an encoding into nodes and groups.
void unweave(const Shape& part, const std::byte* encoding, std::byte* nodes, std::byte* data);

/// Writes bytes to an offset of a file or of memory. Safe to call from several threads.
using WriteAt = std::function<void(std::span<const std::byte> bytes, std::uint64_t offset)>;

/// Writes nodes, and in an encoding the message, to their places.
class Placer {
public:
    enum class Kind : std::uint8_t { outboard, encoding };
    Placer(const Shape& shape, const BaoForm& form, Kind kind, WriteAt write);

    const BaoForm& form() const noexcept { return form_; }
    BaoOrder order() const noexcept { return form_.order; }
    /// A whole subtree.
    /// data   the bytes of the subtree; an outboard needs none
    /// nodes  the nodes of the subtree, side by side
    void put_subtree(const Subtree& t, std::span<const std::byte> data, std::span<const std::byte> nodes) const;
    /// One node.
    void put_node(const Subtree& t, const ChainingValue* pair) const;

private:
    std::uint64_t offset_of(const Subtree& t, std::uint64_t node) const noexcept;

    const Shape& shape_;
    const BaoForm form_;
    const Kind kind_;
    const WriteAt write_;
};

}  // namespace merklize::runtime
