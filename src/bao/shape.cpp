#include "bao/shape.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "host/invalid.hpp"

namespace merklize::runtime {

Shape::Shape(std::uint64_t size, std::uint32_t group_log) noexcept
    : size_(size),
      chunks_(size == 0 ? 1 : (size - 1) / MKZ_BLAKE3_CHUNK_LEN + 1),
      groups_(((chunks_ - 1) >> group_log) + 1),
      group_log_(group_log) {}

std::uint64_t Shape::nodes_in(const Subtree& t) const noexcept {
    const std::uint32_t level = t.level - std::min(t.level, group_log_);
    const std::uint64_t first = t.first_chunk() >> group_log_;
    return end_at(first >> level, level, groups_) - first - 1;
}

std::uint64_t Shape::nodes_before(const Subtree& t, BaoOrder order) const noexcept {
    // To the left lie whole subtrees, one for each 1 bit of the index. A subtree of m groups has m - 1 nodes.
    const std::uint64_t first = t.first_chunk() >> group_log_;
    std::uint64_t before = first - static_cast<std::uint64_t>(std::popcount(first));
    if (order == BaoOrder::post) return before;
    // In pre-order the nodes above come first, too, namely those that have a right half.
    const auto top = static_cast<std::uint32_t>(std::bit_width(groups_ - 1));
    std::uint32_t level = t.level - std::min(t.level, group_log_);
    if (std::has_single_bit(groups_)) return before + (top - level);
    for (std::uint64_t index = first >> level; level < top; level++, index >>= 1)
        before += (index & 1) != 0 || (index + 1) << level < groups_;
    return before;
}

FileRange Shape::groups_of(const FileRange& range) const noexcept {
    const std::uint64_t group = MKZ_BLAKE3_CHUNK_LEN << group_log_, beyond = UINT64_MAX - range.offset;
    const std::uint64_t last = range.offset + std::min(beyond, std::max<std::uint64_t>(range.bytes, 1) - 1);
    const std::uint64_t begin = std::min(range.offset / group, groups_ - 1) * group;
    return {begin, last / group < groups_ - 1 ? (last / group + 1) * group - begin : size_ - begin};
}

Selection::Selection(const Shape& shape, std::span<const FileRange> ranges) {
    const std::uint64_t last = shape.chunks() - 1;
    for (const auto& [offset, bytes] : ranges) {
        const std::uint64_t length = std::max<std::uint64_t>(bytes, 1);
        const std::uint64_t final_byte = offset + std::min(length - 1, UINT64_MAX - offset);
        intervals_.push_back(
            {std::min(offset / MKZ_BLAKE3_CHUNK_LEN, last), std::min(final_byte / MKZ_BLAKE3_CHUNK_LEN, last) + 1});
    }
    std::ranges::sort(intervals_, {}, &Interval::first);
    std::size_t n = 0;
    for (const Interval& one : intervals_) {
        if (n > 0 && one.first <= intervals_[n - 1].end) {
            intervals_[n - 1].end = std::max(intervals_[n - 1].end, one.end);
        } else {
            intervals_[n++] = one;
        }
    }
    intervals_.resize(n);
}

Selection::Cover Selection::cover(std::uint64_t first, std::uint64_t end) const noexcept {
    const auto found =
        std::ranges::upper_bound(intervals_, first, {}, &Interval::end);  // the first interval that ends after `first`
    if (found == intervals_.end() || found->first >= end) return Cover::none;
    return found->first <= first && found->end >= end ? Cover::all : Cover::some;
}

void require_form(const BaoForm& form) {
    constexpr std::uint32_t most = 20;
    if (form.group_log > most) {
        invalid_call("group_log must be 0 to " + std::to_string(most) + " (groups of 1 KiB to 1 GiB), got " +
                     std::to_string(form.group_log));
    }
    if (form.order != BaoOrder::pre && form.order != BaoOrder::post) invalid_call("there is no such order");
}

void require_encoding_form(const BaoForm& form) {
    require_form(form);
    if (form.order != BaoOrder::pre) {
        invalid_call("encodings and slices are in pre-order; only outboards have post-order");
    }
}

namespace {

void require_length(const char* kind, std::uint64_t length, std::uint64_t expected, std::uint64_t size,
                    const BaoForm& form) {
    if (length == expected) return;
    throw BaoMismatch(ErrorCode::invalid_argument, PublicCall::name(),
                      std::string("the ") + kind + " has " + std::to_string(length) + " bytes; that of a message of " +
                          std::to_string(size) + " bytes in groups of " + std::to_string(form.group_bytes()) + " has " +
                          std::to_string(expected));
}

}  // namespace

void require_outboard(std::uint64_t length, std::optional<std::uint64_t> stated, std::uint64_t size,
                      const BaoForm& form) {
    require_form(form);
    if (stated && *stated != size) {
        throw BaoMismatch(ErrorCode::invalid_argument, PublicCall::name(),
                          "the outboard is of a message of " + std::to_string(*stated) + " bytes; this one has " +
                              std::to_string(size));
    }
    require_length("outboard", length, bao_outboard_bytes(size, form), size, form);
}

void require_outboard(std::span<const std::byte> outboard, std::uint64_t size, const BaoForm& form) {
    std::optional<std::uint64_t> stated;
    if (form.has_size && outboard.size() >= sizeof size) std::memcpy(&stated.emplace(), outboard.data(), sizeof size);
    require_outboard(outboard.size(), stated, size, form);
}

std::uint64_t longest_message(std::span<const std::byte> outboard, const BaoForm& form) {
    require_form(form);
    std::uint64_t longest = 0;
    if (form.has_size) {
        if (outboard.size() >= sizeof longest) std::memcpy(&longest, outboard.data(), sizeof longest);
    } else if (__builtin_mul_overflow(outboard.size() / node_bytes + 1, form.group_bytes(), &longest)) {
        longest = UINT64_MAX;
    }
    require_outboard(outboard.size(), {}, longest, form);
    return longest;
}

void refuse_longer(std::uint64_t longest) {
    throw BaoMismatch(
        ErrorCode::invalid_argument, PublicCall::name(),
        "the outboard is of a message of at most " + std::to_string(longest) + " bytes; this one has more");
}

void require_encoding(std::uint64_t length, std::uint64_t size, const BaoForm& form) {
    require_encoding_form(form);
    require_length("encoding", length, bao_encoding_bytes(size, form), size, form);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

std::uint64_t bao_outboard_bytes(std::uint64_t size, const BaoForm& form) {
    const PublicCall entry("bao_outboard_bytes");
    runtime::require_form(form);
    return runtime::header_bytes(form) + runtime::node_bytes * runtime::Shape(size, form.group_log).nodes();
}

std::uint64_t bao_encoding_bytes(std::uint64_t size, const BaoForm& form) {
    const PublicCall entry("bao_encoding_bytes");
    const std::uint64_t others = bao_outboard_bytes(size, form);
    if (size > UINT64_MAX - others) {
        invalid_call("the encoding of " + std::to_string(size) + " bytes is longer than 2^64 - 1 bytes");
    }
    return size + others;
}

}  // namespace merklize::inline v0
