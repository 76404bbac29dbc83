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

/// Folds values of subtrees of 2^level chunks, at least two, to the node above all. They are overwritten.
/// put  called for every node above groups on the way: put(subtree, the two values below it)
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
/// part  the tree of what the values stand for
inline Node fold(std::span<ChainingValue> values, std::uint32_t level, const Shape& part, BaoOrder order,
                 std::byte* nodes) {
    return fold(values, level, part.group_log(), [&](const Subtree& t, const ChainingValue* pair) {
        std::memcpy(nodes + node_bytes * part.place(t, order), pair, node_bytes);
    });
}

/// A part of a message that is a subtree, in host memory, hashed by the calling thread.
/// first_chunk  of the part in the message
/// nodes        gets its nodes side by side
Node part_node(std::span<const std::byte> part, std::uint64_t first_chunk, std::uint32_t group_log, BaoOrder order,
               std::byte* nodes);

/// The digest of a message that has this top node.
Digest root_digest(Node node);

/// Puts nodes in pre-order and groups of a part together, as an encoding has them.
void weave(const Shape& part, const std::byte* nodes, const std::byte* data, std::byte* out);
/// Takes them apart.
void unweave(const Shape& part, const std::byte* encoding, std::byte* nodes, std::byte* data);

/// Takes bytes for places of a file or of memory, from several threads.
using WriteAt = std::function<void(std::span<const std::byte> bytes, std::uint64_t offset)>;

/// Puts nodes, and in an encoding the message, where they belong.
class Placer {
public:
    enum class Kind : std::uint8_t { outboard, encoding };
    Placer(const Shape& shape, const BaoForm& form, Kind kind, WriteAt write);

    BaoOrder order() const noexcept { return form_.order; }
    /// All of a subtree.
    /// data   of it; an outboard needs none
    /// nodes  of it, side by side
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
