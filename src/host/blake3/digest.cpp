#include "host/blake3/digest.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host/blake3/rows.hpp"
#include "merklize/core/hashes/blake3.h"

static_assert(std::endian::native == std::endian::little, "words lie in memory as they are");

namespace merklize::runtime {
namespace {

using Words = std::array<std::uint32_t, 8>;

/// A subtree's last block, not yet compressed, because it may be the root.
struct Unfinished {
    Words cv;
    Blake3LastBlock block;
    std::uint64_t counter;

    Words value(std::uint32_t more_flags = 0) const {
        Words words = cv;
        blake3_chain(words.data(), {.blocks = block.words,
                                    .n = 1,
                                    .counter = counter,
                                    .flags = block.flags | more_flags,
                                    .bytes = block.bytes});
        return words;
    }
};

}  // namespace

Digest blake3_digest(std::span<const std::byte> data, const Digest* key) {
    Words start;
    if (key != nullptr)
        std::memcpy(start.data(), key->bytes.data(), sizeof start);
    else
        mkz_blake3_iv(start.data());
    const std::uint32_t flags = key != nullptr ? MKZ_BLAKE3_KEYED_HASH : 0;
    const auto above = [&](const Words& left, const Words& right) {
        Unfinished node{start, {.words = {}, .bytes = MKZ_BLAKE3_BLOCK_LEN, .flags = flags | MKZ_BLAKE3_PARENT}, 0};
        std::ranges::copy(left, node.block.words);
        std::ranges::copy(right, node.block.words + left.size());
        return node;
    };
    std::vector<Words> whole;  // the values of whole subtrees, one for each 1 bit of the count of chunks so far
    for (std::uint64_t chunk = 0;; chunk++) {
        const auto bytes = data.first(std::min<std::size_t>(data.size(), MKZ_BLAKE3_CHUNK_LEN));
        data = data.subspan(bytes.size());
        Unfinished node{start, {}, chunk};
        node.block = blake3_chunk(node.cv.data(), bytes.data(), bytes.size(), chunk, flags);
        if (data.empty()) {
            for (; !whole.empty(); whole.pop_back()) node = above(whole.back(), node.value());
            const Words root = node.value(MKZ_BLAKE3_ROOT);
            Digest digest;
            std::memcpy(digest.bytes.data(), root.data(), sizeof root);
            return digest;
        }
        Words value = node.value();
        for (std::uint64_t count = chunk + 1; count % 2 == 0; count /= 2, whole.pop_back())
            value = above(whole.back(), value).value();
        whole.push_back(value);
    }
}

}  // namespace merklize::runtime
