#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hashes/sha512.hpp"
#include "merklize/digest.hpp"
#include "merklize/dm_verity.hpp"

namespace merklize::runtime {

inline constexpr std::uint64_t superblock_bytes = 512;

/// Bytes of a digest.
constexpr std::size_t verity_digest_bytes(DmVerityAlgorithm algorithm) noexcept {
    return algorithm == DmVerityAlgorithm::sha512 ? Sha512::size : Digest::size;
}

/// errors  invalid_argument "<what>: ..." (format, block sizes, salt, more data than 2^63 bytes)
void require_verity(const char* what, const DmVerity& how);

/// Where the blocks of a tree lie. Level 0 holds the digests of the data; the highest level is one block, and comes first. A tree over one
/// block of data has no level: the root is that block's digest.
class VerityLayout {
public:
    /// how   with data_blocks, at least 1, that require_verity() takes
    /// errors  invalid_argument "<what>: ..." (the offset; a tree that ends behind 2^63 bytes)
    VerityLayout(const char* what, const DmVerity& how, const DmVerityArea& area);

    unsigned levels() const noexcept { return static_cast<unsigned>(counts_.size()); }
    /// Blocks of a level.
    std::uint64_t count(unsigned level) const noexcept { return counts_[level]; }
    /// The place in the hash file of a level's first block, in bytes.
    std::uint64_t offset(unsigned level) const noexcept { return firsts_[level] * block_; }
    /// The number in the hash file of a level's first block.
    std::uint64_t first(unsigned level) const noexcept { return firsts_[level]; }
    std::uint64_t hash_blocks() const noexcept { return end_ - begin_; }
    /// Where the tree ends in the hash file, in bytes.
    std::uint64_t end() const noexcept { return end_ * block_; }

private:
    std::uint64_t block_, begin_, end_;
    std::vector<std::uint64_t> counts_, firsts_;
};

std::array<std::byte, superblock_bytes> verity_superblock(const DmVerity& how, const std::array<std::byte, 16>& uuid);
/// errors  invalid_argument "<what>: <name>: ...": no superblock, or what is impossible in it
DmVerityFacts parse_superblock(const char* what, const std::string& name,
                               std::span<const std::byte, superblock_bytes> bytes);

}  // namespace merklize::runtime
