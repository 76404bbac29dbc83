#pragma once

#include <string>

#include "bao/nodes.hpp"

namespace merklize::runtime {

/// A subtree whose value is known from the root.
struct Trusted {
    Subtree t;
    Digest value;
    bool is_root = false;

    /// Whether this is the subtree's top node.
    bool is(const Node& node) const {
        if (is_root) return root_digest(node) == value;
        const ChainingValue found = value_of(node);
        return std::memcmp(found.words, value.bytes.data(), Digest::size) == 0;
    }
};

/// A node from the form that files have.
inline Node written_node(const std::byte bytes[node_bytes]) {
    ChainingValue pair[2];
    std::memcpy(pair, bytes, node_bytes);
    return parent_node(pair[0], pair[1], Mode());
}

/// The halves below a trusted node, which are trusted as well.
inline Trusted left_of(const Shape& shape, const Trusted& above, const std::byte node[node_bytes]) {
    Trusted half{.t = shape.left(above.t), .value = {}};
    std::memcpy(half.value.bytes.data(), node, Digest::size);
    return half;
}
inline Trusted right_of(const Shape& shape, const Trusted& above, const std::byte node[node_bytes]) {
    Trusted half{.t = shape.right(above.t), .value = {}};
    std::memcpy(half.value.bytes.data(), node + Digest::size, Digest::size);
    return half;
}

}  // namespace merklize::runtime
