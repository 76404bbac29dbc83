#include "command/tree/fs_verity.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/input_file.hpp"
#include "merklize/hash.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t block = 4096, per_block = block / Digest::size;
constexpr std::size_t piece = 4096 * block;  // read and hashed at once

// Digests of the blocks, the last one filled with zeros.
void hash_blocks(std::vector<std::byte>& data, std::vector<Digest>& out, const RunOptions& options) {
    data.resize((data.size() + block - 1) / block * block);
    const std::size_t before = out.size();
    out.resize(before + data.size() / block);
    hash_leaves(data, block, std::span(out).subspan(before), hash_from_name("sha256_plain"), {}, options);
}

}  // namespace

Digest fs_verity(const std::string& path, const RunOptions& options) {
    const runtime::InputFile file(path);
    std::uint64_t bytes = 0;
    std::vector<Digest> level;
    for (std::size_t count = piece; count == piece;) {
        std::vector<std::byte> data(piece);
        count = file.read_some(data, [] { return true; });
        data.resize(count);
        bytes += count;
        if (count != 0) hash_blocks(data, level, options);
    }
    while (level.size() > 1) {
        std::vector<Digest> above;
        for (std::size_t first = 0; first < level.size(); first += 4096 * per_block) {
            const auto nodes = std::as_bytes(std::span(level).subspan(first))
                                   .first(Digest::size * std::min(4096 * per_block, level.size() - first));
            std::vector<std::byte> data(nodes.begin(), nodes.end());
            hash_blocks(data, above, options);
        }
        level = std::move(above);
    }
    // struct fsverity_descriptor: version, hash algorithm, log2 of the block size, then the size at 8 and the root at 16.
    std::byte descriptor[256] = {std::byte{1}, std::byte{1}, std::byte{12}};
    for (unsigned i = 0; i < 8; i++) descriptor[8 + i] = static_cast<std::byte>(bytes >> (8 * i));
    if (!level.empty()) std::memcpy(descriptor + 16, level[0].bytes.data(), Digest::size);
    return hash_message(descriptor, hash_from_name("sha256_plain"));
}

}  // namespace merklize::command
