#include "digests/chunk_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "host/blake3/rows.hpp"
#include "host/invalid.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {
namespace {

// The upper levels of a subtree leave SIMD lanes empty, so subtrees are large: up to 128 KiB, as long as every thread
// gets several. 16 KiB fill the lanes once.
constexpr std::uint32_t least_subtree_levels = 4, most_subtree_levels = 7;

}  // namespace

Node chunk_node(std::span<const std::byte> chunk, std::uint64_t counter, const Mode& mode) {
    Node node{};
    std::copy_n(mode.key_words(), 8, node.cv);
    node.counter = counter;
    const Blake3LastBlock last = blake3_chunk(node.cv, chunk.data(), chunk.size(), counter, mode.flags());
    std::copy_n(last.words, 16, node.block);
    node.block_len = last.bytes;
    node.flags = last.flags;
    return node;
}

Node parent_node(const ChainingValue& left, const ChainingValue& right, const Mode& mode) {
    Node node{};
    std::copy_n(mode.key_words(), 8, node.cv);
    std::memcpy(node.block, left.words, 32);
    std::memcpy(node.block + 8, right.words, 32);
    node.block_len = MKZ_BLAKE3_BLOCK_LEN;
    node.flags = mode.flags() | MKZ_BLAKE3_PARENT;
    return node;
}

ChainingValue value_of(const Node& node) {
    ChainingValue value;
    std::copy_n(node.cv, 8, value.words);
    blake3_chain(value.words,
                 {.blocks = node.block, .n = 1, .counter = node.counter, .flags = node.flags, .bytes = node.block_len});
    return value;
}

void Node::expand(std::span<std::byte> out, std::uint64_t seek, Run& run) const {
    if (!out.empty() && seek > UINT64_MAX - (out.size() - 1)) {
        invalid_call("seek", "must be at most " + std::to_string(UINT64_MAX - (out.size() - 1)) + " for " +
                                 std::to_string(out.size()) + " bytes of output, got " + std::to_string(seek));
    }
    const std::uint32_t root_flags = flags | MKZ_BLAKE3_ROOT;
    // The device makes many whole blocks in the middle. The host makes the ends, and short outputs.
    constexpr std::uint64_t many_blocks = 16;
    std::uint64_t counter = seek / 64;
    std::size_t skip = seek % 64;
    while (!out.empty()) {
        const std::uint64_t whole = out.size() / 64;
        if (skip == 0 && whole >= many_blocks) {
            Expand job{.block_len = block_len,
                       .flags = root_flags,
                       .counter = counter,
                       .n = whole,
                       .out = host_place(out.data())};
            std::copy_n(cv, 8, job.cv);
            std::copy_n(block, 16, job.block);
            run.launch_on_host(job);
            out = out.subspan(64 * whole);
            counter += whole;
            continue;
        }
        std::uint32_t words[16];
        mkz_blake3_compress_xof(words, cv, block, static_cast<std::uint32_t>(counter),
                                static_cast<std::uint32_t>(counter >> 32), block_len, root_flags);
        const std::size_t count = std::min<std::size_t>(64 - skip, out.size());
        std::memcpy(out.data(), reinterpret_cast<const std::byte*>(words) + skip, count);
        out = out.subspan(count);
        counter++;
        skip = 0;
    }
}

void reduce(std::vector<ChainingValue>& values, std::size_t left, const Mode& mode, Run& run) {
    while (values.size() > left) {
        run.launch_on_host(HashParents{host_place(values.data()), values.size(), mode}, 1);
        values.resize((values.size() + 1) / 2);
    }
}

std::uint32_t subtree_levels(std::uint64_t n_chunks, const Run& run) {
    if (n_chunks < 2) return 0;
    const std::uint32_t most = std::bit_width(n_chunks - 1) - 1;
    // A device leaves the last 2^8 or so subtrees to the host, because another launch would cost more than merging them
    // there.
    constexpr std::uint32_t host_levels = 8;
    if (!run.on_host()) return most - std::min(most, host_levels);
    if (most <= least_subtree_levels) return most;
    const std::uint64_t fair = n_chunks / (std::uint64_t{4} * run.threads());
    const auto levels = static_cast<std::uint32_t>(std::bit_width(fair)) - (fair != 0);
    return std::min(std::clamp(levels, least_subtree_levels, most_subtree_levels), most);
}

std::vector<ChainingValue> subtree_values(const Place& data, std::uint64_t bytes, std::uint64_t counter,
                                          std::uint32_t levels, const Mode& mode, Run& run, double share) {
    const std::uint64_t subtree_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << levels;
    std::vector<ChainingValue> values((bytes + subtree_bytes - 1) / subtree_bytes);
    run.launch(HashChunks{.data = data,
                          .bytes = bytes,
                          .first_chunk = counter,
                          .levels = levels,
                          .mode = mode,
                          .out = host_place(values.data())},
               share);
    return values;
}

Node chunk_node(const Place& chunk, std::uint64_t bytes, std::uint64_t counter, const Mode& mode, Run& run) {
    if (!chunk.on_device)
        return chunk_node({static_cast<const std::byte*>(chunk.pointer) + chunk.offset, bytes}, counter, mode);
    const std::span<const std::byte> copy = run.on_device().fetch(chunk, bytes);
    run.finish();
    return chunk_node(copy, counter, mode);
}

std::uint64_t push_subtrees(const Place& data, std::uint64_t bytes, std::uint64_t first_chunk, const Mode& mode,
                            Run& run, double share,
                            const std::function<void(const ChainingValue&, std::uint64_t)>& push) {
    std::uint64_t done = 0;
    for (std::uint64_t chunk = first_chunk; bytes - done > MKZ_BLAKE3_CHUNK_LEN;) {
        // The largest subtree that fits: a power of two of chunks that begins at a multiple of its size.
        const unsigned fits = std::bit_width((bytes - done) / MKZ_BLAKE3_CHUNK_LEN) - 1;
        const unsigned size = chunk == 0 ? fits : std::min<unsigned>(fits, std::countr_zero(chunk));
        const std::uint64_t count = std::uint64_t{1} << size, part = count * MKZ_BLAKE3_CHUNK_LEN;
        const Place here = moved(data, done);
        if (size == 0) {
            push(value_of(chunk_node(here, part, chunk, mode, run)), chunk);
        } else {
            auto values = subtree_values(here, part, chunk, subtree_levels(count, run), mode, run,
                                         share * static_cast<double>(part) / static_cast<double>(bytes));
            reduce(values, 2, mode, run);
            push(values[0], chunk);
            push(values[1], chunk + count / 2);
        }
        chunk += count;
        done += part;
    }
    return done;
}

Node root_of(const Place& data, std::uint64_t bytes, const Mode& mode, Run& run, double share) {
    if (bytes <= MKZ_BLAKE3_CHUNK_LEN) return chunk_node(data, bytes, 0, mode, run);
    const std::uint64_t n_chunks = (bytes + MKZ_BLAKE3_CHUNK_LEN - 1) / MKZ_BLAKE3_CHUNK_LEN;
    std::vector<ChainingValue> values = subtree_values(data, bytes, 0, subtree_levels(n_chunks, run), mode, run, share);
    reduce(values, 2, mode, run);
    return parent_node(values[0], values[1], mode);
}

Node root_of(std::span<const std::byte> data, const Mode& mode, Run& run, double share) {
    return root_of(host_place(data.data()), data.size(), mode, run, share);
}

void ValueStack::settle(std::uint64_t n_chunks) {
    while (values_.size() > static_cast<std::size_t>(std::popcount(n_chunks))) {
        const ChainingValue right = values_.back();
        values_.pop_back();
        values_.back() = value_of(parent_node(values_.back(), right, mode_));
    }
}

void ValueStack::push(const ChainingValue& value, std::uint64_t first_chunk) {
    settle(first_chunk);
    values_.push_back(value);
}

// `node` lies to the right of the first `left` values.
Node ValueStack::fold(Node node, std::size_t left) const {
    for (; left > 0; left--) node = parent_node(values_[left - 1], value_of(node), mode_);
    return node;
}

Node ValueStack::root() const {
    const std::size_t n = values_.size();
    return fold(parent_node(values_[n - 2], values_[n - 1], mode_), n - 2);
}

Node ValueStack::root(const Node& last, std::uint64_t first_chunk) const {
    ValueStack settled = *this;
    settled.settle(first_chunk);
    return settled.fold(last, settled.values_.size());
}

std::span<const std::byte> GrowingMessage::fill(std::span<const std::byte> piece) {
    if (pending_ == 0) return piece;
    const std::size_t count = std::min(piece.size(), sizeof chunk_ - pending_);
    std::copy_n(piece.begin(), count, chunk_ + pending_);
    pending_ += count;
    if (count == piece.size()) return {};
    stack_.push(value_of(chunk_node({chunk_, sizeof chunk_}, chunks_, mode_)), chunks_);
    chunks_++;
    pending_ = 0;
    return piece.subspan(count);
}

void GrowingMessage::add(std::span<const std::byte> piece, Run& run, double share) {
    piece = fill(piece);
    if (piece.empty()) return;
    const std::uint64_t done = push_subtrees(
        host_place(piece.data()), piece.size(), chunks_, mode_, run, share,
        [this](const ChainingValue& value, std::uint64_t first_chunk) { stack_.push(value, first_chunk); });
    chunks_ += done / sizeof chunk_;
    pending_ = piece.size() - done;
    std::ranges::copy(piece.subspan(done), chunk_);
}

Node GrowingMessage::root() const {
    if (stack_.empty()) return chunk_node({chunk_, pending_}, 0, mode_);
    if (pending_ == 0) return stack_.root();
    return stack_.root(chunk_node({chunk_, pending_}, chunks_, mode_), chunks_);
}

void GrowingMessage::clear() noexcept {
    stack_.clear();
    chunks_ = 0;
    pending_ = 0;
}

}  // namespace merklize::runtime
