// BaoDecoder keeps a stack of subtrees that are still to come. Their values are known from the root.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bao/trusted.hpp"
#include "digests/file_reads.hpp"
#include "host/invalid.hpp"
#include "merklize/bao.hpp"

namespace merklize::inline v0 {

using namespace runtime;

struct BaoDecoder::State {
    State(const Digest& trusted, const BaoForm& as, std::optional<std::vector<FileRange>> some)
        : root(trusted), form(as), ranges(std::move(some)) {}

    const Digest root;
    const BaoForm form;
    const std::optional<std::vector<FileRange>> ranges;  // none: the whole message
    bool is_size_known = false;
    Shape shape{0, form.group_log};  // valid once the size is known
    Selection selection{shape};
    std::vector<Trusted> stack{};                    // the next subtree is the last one; no subtree is empty
    std::uint32_t together = runtime::read_levels;   // a subtree of at most so many levels is one item
    std::vector<std::byte> data{}, nodes{}, made{};  // of the item
    std::uint64_t offset = 0;

    void begin(std::uint64_t size) {
        is_size_known = true;
        shape = Shape(size, form.group_log);
        selection = ranges ? Selection(shape, *ranges) : Selection(shape);
        push({shape.root(), root, true});
        // An empty message has no further item.
        if (size == 0 && !stack.empty()) take_whole({});
    }

    void push(const Trusted& subtree) {
        if (cover(subtree.t) != Selection::Cover::none) stack.push_back(subtree);
    }

    Selection::Cover cover(const Subtree& t) const { return selection.cover(t.first_chunk(), shape.end_chunk(t)); }

    bool comes_whole(const Subtree& t) const {
        return t.level <= std::max(form.group_log, together) && cover(t) == Selection::Cover::all;
    }

    std::size_t wants() const {
        if (!is_size_known) return sizeof(std::uint64_t);
        if (stack.empty()) return 0;
        const Subtree& t = stack.back().t;
        return comes_whole(t) ? node_bytes * shape.nodes_in(t) + shape.bytes(t) : node_bytes;
    }

    [[noreturn]] void mismatch(const char* what, const Subtree& t, const char* verb) const {
        throw BaoMismatch(ErrorCode::invalid_argument, "bao",
                          std::string(what) + "bytes " + std::to_string(shape.begin(t)) + " to " +
                              std::to_string(shape.end(t)) + " " + verb + " not what the root says");
    }

    void take_node(const std::byte* node) {
        const Trusted above = stack.back();
        if (!above.is(written_node(node))) mismatch("the node above ", above.t, "is");
        stack.pop_back();
        push(right_of(shape, above, node));
        push(left_of(shape, above, node));
    }

    // Takes an item that is a subtree with all of its nodes.
    void take_whole(std::span<const std::byte> item) {
        const Trusted here = stack.back();
        const std::uint64_t bytes = shape.bytes(here.t);
        data.resize(bytes);
        nodes.resize(item.size() - bytes);
        made.resize(nodes.size());
        unweave(Shape(bytes, form.group_log), item.data(), nodes.data(), data.data());
        const Node node = part_node(data, here.t.first_chunk(), form.group_log, BaoOrder::pre, made.data());
        if (!here.is(node) || nodes != made) {
            if (nodes.empty()) mismatch("", here.t, "are");
            find_fault(item);
        }
        offset = shape.begin(here.t);
        stack.pop_back();
    }

    // Finds the wrong node or group of an item that does not verify.
    [[noreturn]] void find_fault(std::span<const std::byte> item) {
        const auto stack_before = stack;
        const auto levels = std::exchange(together, 0);
        try {
            while (!item.empty()) {
                const std::size_t n = wants();
                take(item.first(n));
                item = item.subspan(n);
            }
        } catch (...) {
            stack = stack_before;
            together = levels;
            throw;
        }
        throw Error(ErrorCode::internal, "bao: parts of an item are right that is wrong as a whole");
    }

    void take(std::span<const std::byte> item) {
        data.clear();
        if (!is_size_known) {
            std::uint64_t size;
            std::memcpy(&size, item.data(), sizeof size);
            return begin(size);
        }
        if (comes_whole(stack.back().t)) return take_whole(item);
        take_node(item.data());
    }
};

BaoDecoder::BaoDecoder(const Digest& root, const BaoForm& form, std::uint64_t size) {
    const PublicCall entry("BaoDecoder");
    require_encoding_form(form);
    state_ = std::make_unique<State>(root, form, std::nullopt);
    if (!form.has_size) state_->begin(size);
}

BaoDecoder::BaoDecoder(const Digest& root, std::span<const FileRange> ranges, const BaoForm& form, std::uint64_t size) {
    const PublicCall entry("BaoDecoder");
    require_encoding_form(form);
    state_ = std::make_unique<State>(root, form, std::vector<FileRange>(ranges.begin(), ranges.end()));
    if (!form.has_size) state_->begin(size);
}

BaoDecoder::BaoDecoder(BaoDecoder&&) noexcept = default;
BaoDecoder& BaoDecoder::operator=(BaoDecoder&&) noexcept = default;
BaoDecoder::~BaoDecoder() = default;

std::size_t BaoDecoder::wants() const noexcept { return state_->wants(); }

std::span<const std::byte> BaoDecoder::take(std::span<const std::byte> data) {
    const PublicCall entry("BaoDecoder::take");
    if (data.size() != wants() || data.empty()) {
        invalid_call("data", "must have " + std::to_string(wants()) + " bytes, as wants() says, got " +
                                 std::to_string(data.size()));
    }
    state_->take(data);
    return state_->data;
}

std::uint64_t BaoDecoder::offset() const noexcept { return state_->offset; }

std::uint64_t BaoDecoder::size() const noexcept { return state_->shape.size(); }

namespace {

// Calls take(bytes, offset) with verified bytes.
template <class Take>
void decode_all(std::span<const std::byte> bytes, BaoDecoder& decoder, const Take& take) {
    const std::size_t size = bytes.size();
    while (const std::size_t wanted = decoder.wants()) {
        if (bytes.size() < wanted) {
            throw BaoMismatch(ErrorCode::invalid_argument, PublicCall::name(),
                              "truncated: it has " + std::to_string(size) + " bytes, and " + std::to_string(wanted) +
                                  " must follow byte " + std::to_string(size - bytes.size()));
        }
        const auto data = decoder.take(bytes.first(wanted));
        take(data, decoder.offset());
        bytes = bytes.subspan(wanted);
    }
    if (!bytes.empty()) {
        throw BaoMismatch(
            ErrorCode::invalid_argument, PublicCall::name(),
            std::to_string(bytes.size()) + " bytes follow its end at " + std::to_string(size - bytes.size()));
    }
}

}  // namespace

std::vector<std::byte> bao_decode(ByteView encoding, const Digest& root, const BaoForm& form, std::uint64_t size) {
    const PublicCall entry("bao_decode");
    BaoDecoder decoder(root, form, size);
    std::vector<std::byte> message;
    message.reserve(encoding.size());
    decode_all(encoding, decoder, [&](std::span<const std::byte> data, std::uint64_t) {
        message.insert(message.end(), data.begin(), data.end());
    });
    return message;
}

std::vector<std::byte> bao_decode_slice(ByteView slice, const Digest& root, const FileRange& range, const BaoForm& form,
                                        std::uint64_t size) {
    const PublicCall entry("bao_decode_slice");
    BaoDecoder decoder(root, std::span(&range, 1), form, size);
    const std::uint64_t end = range.offset + std::min(range.bytes, UINT64_MAX - range.offset);
    std::vector<std::byte> part;
    part.reserve(std::min<std::uint64_t>(range.bytes, slice.size()));
    decode_all(slice, decoder, [&](std::span<const std::byte> data, std::uint64_t offset) {
        const std::uint64_t first = std::clamp(range.offset, offset, offset + data.size());
        const std::uint64_t last = std::clamp(end, first, offset + data.size());
        const auto wanted = data.subspan(first - offset, last - first);
        part.insert(part.end(), wanted.begin(), wanted.end());
    });
    return part;
}

}  // namespace merklize::inline v0
