#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>

/// dm-verity: the tree over the blocks of a disk by which Linux checks each block that it reads. This header has the
/// root hash, the hash area of veritysetup, and a check that names wrong blocks. docs/formats.md has the rule. Blocks
/// are read and hashed in parallel, in bounded memory. SHA-256 runs on options.device, SHA-512 on the CPU.
/// options.timings must not be set.
namespace merklize::inline v0 {

enum class DmVerityAlgorithm : std::uint8_t { sha256, sha512 };

/// errors  invalid_argument (unknown name; the text lists the known ones)
MERKLIZE_API DmVerityAlgorithm dm_verity_algorithm_from_name(std::string_view name);
MERKLIZE_API std::string_view dm_verity_algorithm_name(DmVerityAlgorithm algorithm) noexcept;

/// How a disk is hashed. The same fields and data always give the same root.
struct DmVerity {
    DmVerityAlgorithm algorithm = DmVerityAlgorithm::sha256;
    bool salt_after = false;               ///< the salt comes after each block (format 0, Chrome OS), not before it
    std::uint32_t data_block_size = 4096;  ///< bytes: a power of two, 512 to 524288
    std::uint32_t hash_block_size = 4096;  ///< the same for the blocks of the tree
    std::optional<std::uint64_t> data_blocks{};  ///< none: all of the data, which must be whole blocks
    std::vector<std::byte> salt{};               ///< at most 256 bytes
};

/// Where the tree is written.
struct DmVerityArea {
    std::uint64_t offset = 0;  ///< in the hash file: a multiple of 512 with a superblock, otherwise of hash_block_size
    bool has_superblock = true;        ///< stores the fields of DmVerity in 512 bytes before the tree
    std::array<std::byte, 16> uuid{};  ///< of the superblock
};

/// The facts in a superblock, or of the tree that was written.
struct DmVerityFacts {
    DmVerity how{};  ///< with data_blocks
    std::array<std::byte, 16> uuid{};
    std::uint64_t hash_blocks = 0;  ///< blocks of the tree, without that of the superblock
    std::uint64_t end = 0;          ///< where the tree ends, in bytes into the hash file
};

/// The root hash of data in memory: 32 bytes, or 64 by SHA-512.
/// data    host memory
/// errors  invalid_argument (no whole block; bytes after the last whole block; sizes or salt)
/// cost    reads `data` once
MERKLIZE_API std::vector<std::byte> dm_verity(ByteView data, const DmVerity& how = {}, const RunOptions& options = {});
/// The same for a file or a block device.  errors  io (also if the file changed meanwhile), and those of dm_verity()
MERKLIZE_API std::vector<std::byte> dm_verity_file(const std::filesystem::path& data, const DmVerity& how = {},
                                                   const RunOptions& options = {});

/// Writes the tree, as `veritysetup format` does. A new file replaces `hashes` when it is complete. A block device, the
/// data file itself, and a file with area.offset > 0 are written in place, the superblock last.
/// facts    if not null: what was written
/// returns  the root hash
/// errors   invalid_argument (as dm_verity(); the area's offset; an area that overlaps the data), io
MERKLIZE_API std::vector<std::byte> dm_verity_format(const std::filesystem::path& data,
                                                     const std::filesystem::path& hashes, const DmVerity& how = {},
                                                     const DmVerityArea& area = {}, DmVerityFacts* facts = nullptr,
                                                     const RunOptions& options = {});

/// Reads the superblock at `offset`.
/// errors  invalid_argument (no superblock; a field with an impossible value: the text names the field), io
MERKLIZE_API DmVerityFacts dm_verity_dump(const std::filesystem::path& hashes, std::uint64_t offset = 0);

/// Blocks that do not belong to the root.
struct DmVerityReport {
    static constexpr std::size_t most = 1000;

    std::uint64_t wrong_data_blocks = 0;  ///< blocks of the data whose hash differs from that in the tree
    std::uint64_t wrong_hash_blocks =
        0;  ///< blocks of the tree whose hash differs from that in the level above, or from the root
    std::vector<std::uint64_t> data_blocks{};  ///< numbers of the first `most` wrong blocks, from 0
    std::vector<std::uint64_t> hash_blocks{};  ///< the same for the tree: offset in the hash file / hash_block_size
    std::uint64_t checked_blocks = 0;          ///< blocks of the data that were compared
    std::uint64_t unchecked_bytes = 0;         ///< bytes of the data's file behind all blocks, such as a hash area

    /// Whether the data belongs to the root.
    explicit operator bool() const noexcept { return wrong_data_blocks == 0 && wrong_hash_blocks == 0; }
};

/// Hashes all data again and compares every block of the tree with the level above, up to the root. A root binds the
/// data only together with the fields of DmVerity: an attacker who writes the superblock can choose others, under which
/// other data has this root. Take `how` from where the root came from.
/// root    the trusted root hash
/// how     the fields; those of a superblock must be equal. none: a superblock is believed, and area.has_superblock
///         must be true. Without how.data_blocks the blocks must be all of the data, up to a hash area in the same file
/// errors  invalid_argument (as dm_verity_dump(); a superblock that differs from `how`; bytes of the data that would
///         not be checked; a root of another size; a hash area that ends early), io
MERKLIZE_API DmVerityReport dm_verity_verify(const std::filesystem::path& data, const std::filesystem::path& hashes,
                                             ByteView root, const std::optional<DmVerity>& how = {},
                                             const DmVerityArea& area = {}, const RunOptions& options = {});

/// Compares digests of data blocks, as of data in a device's memory, with the tree, and the tree's blocks above them
/// with the root.
/// first    the number of the first of these data blocks
/// digests  one after the other, 32 bytes each, or 64 by SHA-512: of the block with its salt
/// how      as in dm_verity_verify(); data_blocks must be in `how` or in a superblock
/// returns  block numbers as dm_verity_verify(); other blocks are not looked at
/// errors   as dm_verity_verify(), and invalid_argument (no whole digests; blocks behind the data)
/// cost     reads 1/128 of the bytes of these blocks, at the default sizes
MERKLIZE_API DmVerityReport dm_verity_verify_digests(const std::filesystem::path& hashes, ByteView root,
                                                     std::uint64_t first, ByteView digests,
                                                     const std::optional<DmVerity>& how = {},
                                                     const DmVerityArea& area = {}, const RunOptions& options = {});

}  // namespace merklize::inline v0
