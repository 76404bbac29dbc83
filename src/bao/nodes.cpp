#include "bao/nodes.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace merklize::runtime {
namespace {

// Goes through a part in the order of its encoding: node() for a node, group(bytes) for a group.
template <class AtNode, class AtGroup>
void walk(const Shape& part, const Subtree& t, const AtNode& node, const AtGroup& group) {
    if (t.level <= part.group_log()) return group(part.bytes(t));
    node();
    walk(part, part.left(t), node, group);
    walk(part, part.right(t), node, group);
}

// Copies between an encoding and its two halves, in either direction.
template <class Encoding, class Other>
void copy_along(const Shape& part, Encoding* encoding, Other* nodes, Other* data, const auto& copy) {
    const auto step = [&](Other*& other, std::uint64_t bytes) {
        copy(encoding, other, bytes);
        encoding += bytes;
        other += bytes;
    };
    walk(part, part.root(), [&] { step(nodes, node_bytes); }, [&](std::uint64_t bytes) { step(data, bytes); });
}

}  // namespace

Node part_node(std::span<const std::byte> part, std::uint64_t first_chunk, std::uint32_t group_log, BaoOrder order,
               std::byte* nodes) {
    const Mode mode;
    if (part.size() <= MKZ_BLAKE3_CHUNK_LEN) return chunk_node(part, first_chunk, mode);
    const Shape shape(part.size(), group_log);
    const std::uint32_t level = std::min(group_log, shape.root().level - 1);
    std::vector<ChainingValue> values(((shape.chunks() - 1) >> level) + 1);
    HostExecutor(1).launch(HashChunks{.data = host_place(part.data()),
                                      .bytes = part.size(),
                                      .first_chunk = first_chunk,
                                      .levels = level,
                                      .mode = mode,
                                      .out = host_place(values.data())},
                           {});
    return fold(values, level, shape, order, nodes);
}

Digest root_digest(Node node) {
    node.flags |= MKZ_BLAKE3_ROOT;
    const ChainingValue value = value_of(node);
    Digest digest;
    std::memcpy(digest.bytes.data(), value.words, Digest::size);
    return digest;
}

void weave(const Shape& part, const std::byte* nodes, const std::byte* data, std::byte* out) {
    copy_along(part, out, nodes, data, [](std::byte* encoding, const std::byte* other, std::uint64_t bytes) {
        if (bytes != 0) std::memcpy(encoding, other, bytes);
    });
}

void unweave(const Shape& part, const std::byte* encoding, std::byte* nodes, std::byte* data) {
    copy_along(part, encoding, nodes, data, [](const std::byte* from, std::byte* other, std::uint64_t bytes) {
        if (bytes != 0) std::memcpy(other, from, bytes);
    });
}

Placer::Placer(const Shape& shape, const BaoForm& form, Kind kind, WriteAt write)
    : shape_(shape), form_(form), kind_(kind), write_(std::move(write)) {}

// The place of node number `node`, where a subtree or its nodes begin.
std::uint64_t Placer::offset_of(const Subtree& t, std::uint64_t node) const noexcept {
    return header_bytes(form_) + node_bytes * node + (kind_ == Kind::encoding ? shape_.begin(t) : 0);
}

void Placer::put_subtree(const Subtree& t, std::span<const std::byte> data, std::span<const std::byte> nodes) const {
    const std::uint64_t offset = offset_of(t, shape_.nodes_before(t, form_.order));
    if (kind_ == Kind::outboard) {
        if (!nodes.empty()) write_(nodes, offset);
    } else if (nodes.empty()) {
        write_(data, offset);
    } else {
        const std::size_t bytes = data.size() + nodes.size();
        const auto woven = std::make_unique_for_overwrite<std::byte[]>(bytes);
        weave(Shape(data.size(), form_.group_log), nodes.data(), data.data(), woven.get());
        write_({woven.get(), bytes}, offset);
    }
}

void Placer::put_node(const Subtree& t, const ChainingValue* pair) const {
    write_(std::as_bytes(std::span(pair, 2)), offset_of(t, shape_.place(t, form_.order)));
}

}  // namespace merklize::runtime
