// bao_slice(): the part of an encoding that verifies some ranges, from a message and its outboard or from an encoding.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bao/nodes.hpp"
#include "digests/file_reads.hpp"
#include "host/invalid.hpp"
#include "merklize/bao.hpp"

namespace merklize::inline v0 {
namespace {

using namespace runtime;

// Reads subtrees of a source.
class Source {
public:
    Source(const BaoSource& source, const Shape& shape) : source_(source), shape_(shape) {}

    /// The bytes of a subtree, in whole groups.
    void read_data(const Subtree& t, std::span<std::byte> out) const {
        if (out.empty()) return;
        const std::uint64_t begin = shape_.begin(t);
        if (source_.outboard) return source_.data(out, begin);
        source_.data(out, offset_in_encoding(t));
    }

    /// The top node of a subtree.
    void read_node(const Subtree& t, std::byte out[node_bytes]) const {
        if (source_.outboard) {
            const std::uint64_t place = shape_.place(t, source_.form.order);
            return source_.outboard({out, node_bytes}, header_bytes(source_.form) + node_bytes * place);
        }
        source_.data({out, node_bytes}, offset_in_encoding(t));
    }

    /// A whole subtree in the form of an encoding.
    void read_encoding(const Subtree& t, std::vector<std::byte>& out) const {
        const std::uint64_t nodes = node_bytes * shape_.nodes_in(t), bytes = shape_.bytes(t);
        out.resize(nodes + bytes);
        if (out.empty()) return;
        if (!source_.outboard) return source_.data(out, offset_in_encoding(t));
        if (nodes == 0) return source_.data(out, shape_.begin(t));
        std::vector<std::byte> data(bytes), in_order(nodes), pre(nodes);
        source_.data(data, shape_.begin(t));
        const BaoOrder order = source_.form.order;
        source_.outboard(in_order, header_bytes(source_.form) + node_bytes * shape_.nodes_before(t, order));
        const Shape part(bytes, shape_.group_log());
        if (order == BaoOrder::post) {
            to_pre_order(part, part.root(), in_order.data(), pre.data());
            in_order.swap(pre);
        }
        weave(part, in_order.data(), data.data(), out.data());
    }

private:
    std::uint64_t offset_in_encoding(const Subtree& t) const noexcept {
        return header_bytes(source_.form) + node_bytes * shape_.nodes_before(t, BaoOrder::pre) + shape_.begin(t);
    }

    static void to_pre_order(const Shape& part, const Subtree& t, const std::byte* post, std::byte* pre) {
        if (t.level <= part.group_log()) return;
        std::memcpy(pre + node_bytes * part.place(t, BaoOrder::pre), post + node_bytes * part.place(t, BaoOrder::post),
                    node_bytes);
        to_pre_order(part, part.left(t), post, pre);
        to_pre_order(part, part.right(t), post, pre);
    }

    const BaoSource& source_;
    const Shape& shape_;
};

class Slicer {
public:
    Slicer(const BaoSource& source, std::span<const FileRange> ranges, const BaoWrite& write)
        : shape_(source.size, source.form.group_log),
          selection_(shape_, ranges),
          from_(source, shape_),
          write_(write) {}

    void run() { put(shape_.root()); }

private:
    // The rule of slices: a subtree inside the ranges is written whole; of a cut one, its node and then its halves.
    void put(const Subtree& t) {
        const auto cover = selection_.cover(t.first_chunk(), shape_.end_chunk(t));
        if (cover == Selection::Cover::none) return;
        if (t.level <= std::max(shape_.group_log(), cover == Selection::Cover::all ? read_levels : 0)) {
            if (cover == Selection::Cover::all) {
                from_.read_encoding(t, buffer_);
                if (!buffer_.empty()) write_(buffer_);
            } else {
                buffer_.resize(shape_.bytes(t));
                from_.read_data(t, buffer_);
                put_within(t);
            }
            return;
        }
        std::byte node[node_bytes];
        from_.read_node(t, node);
        write_(node);
        put(shape_.left(t));
        put(shape_.right(t));
    }

    // The same within a group. Its bytes are in the buffer, and its nodes are computed from them.
    void put_within(const Subtree& group) {
        const Shape part(buffer_.size(), 0);
        std::vector<std::byte> nodes(node_bytes * part.nodes());
        part_node(buffer_, group.first_chunk(), 0, BaoOrder::pre, nodes.data());
        put_within(group, part, part.root(), nodes);
    }

    void put_within(const Subtree& group, const Shape& part, const Subtree& t, std::span<const std::byte> nodes) {
        const std::uint64_t first = group.first_chunk();
        const auto cover = selection_.cover(first + t.first_chunk(), first + part.end_chunk(t));
        if (cover == Selection::Cover::none) return;
        if (cover == Selection::Cover::all) return write_(std::span(buffer_).subspan(part.begin(t), part.bytes(t)));
        write_(nodes.subspan(node_bytes * part.place(t, BaoOrder::pre), node_bytes));
        put_within(group, part, part.left(t), nodes);
        put_within(group, part, part.right(t), nodes);
    }

    const Shape shape_;
    const Selection selection_;
    const Source from_;
    const BaoWrite& write_;
    std::vector<std::byte> buffer_{};
};

BaoReadAt reads_of(std::span<const std::byte> bytes) {
    return [bytes](std::span<std::byte> out, std::uint64_t offset) {
        if (!out.empty()) std::memcpy(out.data(), bytes.data() + offset, out.size());
    };
}

}  // namespace

BaoSource bao_source(ByteView data, ByteView outboard, const BaoForm& form) {
    const PublicCall entry("bao_source");
    require_outboard(outboard, data.size(), form);
    return {data.size(), form, reads_of(data), reads_of(outboard)};
}

BaoSource bao_source(ByteView encoding, const BaoForm& form, std::uint64_t size) {
    const PublicCall entry("bao_source");
    if (form.has_size) {
        size = 0;
        if (encoding.size() >= sizeof size) std::memcpy(&size, encoding.data(), sizeof size);
    }
    require_encoding(encoding.size(), size, form);
    return {size, form, reads_of(encoding), {}};
}

void bao_slice(const BaoSource& source, std::span<const FileRange> ranges, const BaoWrite& write) {
    const PublicCall entry("bao_slice");
    require_form(source.form);
    if (!source.outboard) require_encoding_form(source.form);
    if (source.form.has_size) write(std::as_bytes(std::span(&source.size, 1)));
    Slicer(source, ranges, write).run();
}

std::vector<std::byte> bao_slice(const BaoSource& source, std::span<const FileRange> ranges) {
    std::vector<std::byte> slice;
    bao_slice(source, ranges,
              [&](std::span<const std::byte> bytes) { slice.insert(slice.end(), bytes.begin(), bytes.end()); });
    return slice;
}

}  // namespace merklize::inline v0
