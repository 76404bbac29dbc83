#include "bao/write.hpp"

#include <algorithm>

#include "bao/trusted.hpp"

namespace merklize::runtime {

Node write_tree(const Shape& shape, const EachPart& each_part, const Placer& placer) {
    const auto hash_part = [&](std::size_t i, std::span<const std::byte> data) {
        const Subtree t = shape.named({read_levels, i});
        std::vector<std::byte> nodes(node_bytes * shape.nodes_in(t));
        const Node node = part_node(data, t.first_chunk(), shape.group_log(), placer.order(), nodes.data());
        placer.put_subtree(t, data, nodes);
        return node;
    };
    if (shape.size() == 0) return hash_part(0, {});
    std::optional<Node> whole;  // the top node, if the message is one part
    std::vector<ChainingValue> values((shape.size() - 1) / read_bytes + 1);
    each_part([&](std::size_t i, std::span<const std::byte> data) {
        const Node node = hash_part(i, data);
        if (values.size() == 1) {
            whole = node;
        } else {
            values[i] = value_of(node);
        }
    });
    if (whole) return *whole;
    return fold(std::span(values), read_levels, shape.group_log(),
                [&](const Subtree& t, const ChainingValue* pair) { placer.put_node(t, pair); });
}

Node write_tree_there(const Shape& shape, const Place& data, BaoOrder order, const Place& nodes, Run& run,
                      const std::function<void()>& meanwhile) {
    if (shape.nodes() == 0) return root_of(data, shape.size(), Mode(), run);
    const DigestNodes job{.data = data,
                          .bytes = shape.size(),
                          .levels = shape.group_log(),
                          .post_order = order == BaoOrder::post,
                          .out = nodes};
    run.progress().end(run.on_device().launch(job, run.progress().begin(1)));
    meanwhile();
    const Place top = moved(nodes, node_bytes * shape.place(shape.root(), order));
    return written_node(run.on_device().fetch(top, node_bytes).data());
}

Node write_tree_on_device(const Shape& shape, const ReadBatch& read, std::uint32_t batch_level, const Placer& placer,
                          Run& run) {
    const Mode mode;
    const std::uint64_t size = shape.size();
    if (size <= MKZ_BLAKE3_CHUNK_LEN) return chunk_node(read(0, size), size, 0, mode, run);
    // The device gives values of groups, at least two, because it makes no root. One thread of the host merges a block of values.
    constexpr std::uint32_t folded_levels = 8;
    const std::uint32_t level = std::min({shape.group_log(), shape.root().level - 1, batch_level});
    const std::uint32_t block_level = std::min(level + folded_levels, batch_level);
    const std::uint64_t block_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << block_level;
    const std::uint64_t batch_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << batch_level;
    const std::size_t per_block = std::size_t{1} << (block_level - level);
    std::vector<ChainingValue> blocks((size - 1) / block_bytes + 1);
    std::optional<Node> whole;
    for (std::uint64_t first = 0; first < size; first += batch_bytes) {
        const std::uint64_t bytes = std::min(batch_bytes, size - first);
        auto values = subtree_values(read(first, bytes), bytes, first / MKZ_BLAKE3_CHUNK_LEN, level, mode, run,
                                     static_cast<double>(bytes) / static_cast<double>(size));
        run.parallel(
            (bytes - 1) / block_bytes + 1,
            [&](std::size_t k) {
                const auto here =
                    std::span(values).subspan(per_block * k).first(std::min(per_block, values.size() - per_block * k));
                const std::size_t block = first / block_bytes + k;
                if (here.size() == 1) {
                    blocks[block] = here[0];
                    return;
                }
                const Subtree t = shape.named({block_level, block});
                std::vector<std::byte> nodes(node_bytes * shape.nodes_in(t));
                const Shape part(shape.bytes(t), shape.group_log());
                const Node node = fold(here, level, part, placer.order(), nodes.data());
                placer.put_subtree(t, {}, nodes);
                if (blocks.size() == 1) {
                    whole = node;
                } else {
                    blocks[block] = value_of(node);
                }
            },
            0);
    }
    if (whole) return *whole;
    return fold(std::span(blocks), block_level, shape.group_log(),
                [&](const Subtree& t, const ChainingValue* pair) { placer.put_node(t, pair); });
}

}  // namespace merklize::runtime
