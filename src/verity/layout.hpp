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

/// errors  invalid_argument (block sizes, salt, more data than 2^63 bytes)
void require_verity(const DmVerity& how);

/// The places of the blocks of a tree in the hash file. Level 0 holds the digests of the data. The highest level is one
/// block and is stored first. A tree over one block of data has no level: its root is the digest of that block.
class VerityLayout {
public:
    /// how     with data_blocks >= 1, checked by require_verity()
    /// errors  invalid_argument (the offset; a tree that ends beyond byte 2^63)
    VerityLayout(const DmVerity& how, const DmVerityArea& area);

    unsigned levels() const noexcept { return static_cast<unsigned>(counts_.size()); }
    /// Number of blocks of a level.
    std::uint64_t count(unsigned level) const noexcept { return counts_[level]; }
    /// Offset in the hash file of the first block of a level, in bytes.
    std::uint64_t offset(unsigned level) const noexcept { return firsts_[level] * block_; }
    /// The same in blocks.
    std::uint64_t first(unsigned level) const noexcept { return firsts_[level]; }
    std::uint64_t hash_blocks() const noexcept { return end_ - begin_; }
    /// Offset in the hash file of the end of the tree, in bytes.
    std::uint64_t end() const noexcept { return end_ * block_; }

private:
    std::uint64_t block_, begin_, end_;
    std::vector<std::uint64_t> counts_, firsts_;
};

std::array<std::byte, superblock_bytes> verity_superblock(const DmVerity& how, const std::array<std::byte, 16>& uuid);
/// Throws invalid_argument "<name>: ..." if a superblock states another field than the caller. data_blocks of
/// the caller may be none.
void require_expected(const std::string& name, const DmVerity& stated, const DmVerity& expected);
/// errors  invalid_argument "<name>: ..." (no superblock; a field with an impossible value)
DmVerityFacts parse_superblock(const std::string& name, std::span<const std::byte, superblock_bytes> bytes);

}  // namespace merklize::runtime
