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

namespace {

// One thread of the host merges a block of 2^folded_levels values of the device.
constexpr std::uint32_t folded_levels = 8;

std::uint64_t bytes_of(std::uint32_t level) { return std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << level; }

// Hashes bytes on the run's device down to values of `level`, and merges them block by block on the host.
// use(k, node, nodes) gets block k. A block of one value has no nodes.
template <class Use>
void hash_blocks(const Place& data, std::uint64_t bytes, std::uint64_t first_chunk, std::uint32_t level,
                 std::uint32_t block_level, const BaoForm& form, Run& run, double share, const Use& use) {
    const std::uint64_t block_bytes = bytes_of(block_level);
    const std::size_t per_block = std::size_t{1} << (block_level - level);
    auto values = subtree_values(data, bytes, first_chunk, level, Mode(), run, share);
    run.parallel(
        (bytes - 1) / block_bytes + 1,
        [&](std::size_t k) {
            const auto here =
                std::span(values).subspan(per_block * k).first(std::min(per_block, values.size() - per_block * k));
            if (here.size() == 1) return use(k, std::nullopt, here[0], std::vector<std::byte>());
            const Shape block(std::min(block_bytes, bytes - k * block_bytes), form.group_log);
            std::vector<std::byte> nodes(node_bytes * block.nodes());
            const Node node = fold(here, level, block, form.order, nodes.data());
            use(k, std::optional<Node>(node), value_of(node), std::move(nodes));
        },
        0);
}

}  // namespace

Node write_tree_on_device(const Shape& shape, const ReadBatch& read, std::uint32_t batch_level, const Placer& placer,
                          Run& run) {
    const std::uint64_t size = shape.size();
    if (size <= MKZ_BLAKE3_CHUNK_LEN) return chunk_node(read(0, size), size, 0, Mode(), run);
    // The device gives values of groups, at least two, because it makes no root.
    const std::uint32_t level = std::min({shape.group_log(), shape.root().level - 1, batch_level});
    const std::uint32_t block_level = std::min(level + folded_levels, batch_level);
    const std::uint64_t batch_bytes = bytes_of(batch_level);
    std::vector<ChainingValue> blocks((size - 1) / bytes_of(block_level) + 1);
    std::optional<Node> whole;
    for (std::uint64_t first = 0; first < size; first += batch_bytes) {
        const std::uint64_t bytes = std::min(batch_bytes, size - first);
        hash_blocks(read(first, bytes), bytes, first / MKZ_BLAKE3_CHUNK_LEN, level, block_level, placer.form(), run,
                    static_cast<double>(bytes) / static_cast<double>(size),
                    [&](std::size_t k, const std::optional<Node>& node, const ChainingValue& value,
                        std::span<const std::byte> nodes) {
                        const std::size_t block = first / bytes_of(block_level) + k;
                        if (node) placer.put_subtree(shape.named({block_level, block}), {}, nodes);
                        if (node && blocks.size() == 1) whole = node;
                        blocks[block] = value;
                    });
    }
    if (whole) return *whole;
    return fold(std::span(blocks), block_level, shape.group_log(),
                [&](const Subtree& t, const ChainingValue* pair) { placer.put_node(t, pair); });
}

TreeInOrder::TreeInOrder(const BaoForm& form, Run& run)
    : form_(form),
      run_(run),
      level_(std::min(form.group_log, batch_levels)),
      block_level_(run.on_host() ? read_levels : std::min(level_ + folded_levels, batch_levels)) {}

std::uint64_t TreeInOrder::batch_bytes() const noexcept {
    constexpr std::uint64_t on_host = 32 * read_bytes;
    return run_.on_host() ? on_host : runtime::batch_bytes;
}

void TreeInOrder::add(std::span<const std::byte> data) {
    if (data.empty()) return;
    const std::size_t before = blocks_.size(), n = (data.size() - 1) / bytes_of(block_level_) + 1;
    const std::uint64_t first_chunk = bytes_ / MKZ_BLAKE3_CHUNK_LEN;
    blocks_.resize(before + n);
    nodes_.resize(before + n);
    bytes_ += data.size();
    if (!run_.on_host()) {
        return hash_blocks(
            host_place(data.data()), data.size(), first_chunk, level_, block_level_, form_, run_, 0,
            [&](std::size_t k, const std::optional<Node>&, const ChainingValue& value, std::vector<std::byte> nodes) {
                blocks_[before + k] = value;
                nodes_[before + k] = std::move(nodes);
            });
    }
    run_.parallel(
        n,
        [&](std::size_t k) {
            const auto part =
                data.subspan(k * read_bytes, std::min<std::uint64_t>(read_bytes, data.size() - k * read_bytes));
            auto& nodes = nodes_[before + k];
            nodes.resize(node_bytes * Shape(part.size(), form_.group_log).nodes());
            blocks_[before + k] =
                value_of(part_node(part, first_chunk + k * read_chunks, form_.group_log, form_.order, nodes.data()));
        },
        0);
}

Node TreeInOrder::finish(const Shape& shape, const Placer& placer) {
    for (std::size_t i = 0; i < nodes_.size(); i++) placer.put_subtree(shape.named({block_level_, i}), {}, nodes_[i]);
    return fold(std::span(blocks_), block_level_, shape.group_log(),
                [&](const Subtree& t, const ChainingValue* pair) { placer.put_node(t, pair); });
}

}  // namespace merklize::runtime
