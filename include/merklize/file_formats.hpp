#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

/// Formats of one file, or of one list, that other systems verify: fs-verity, Amazon Glacier, BitTorrent v2, SSZ.
/// docs/formats.md has the rules. All of them use SHA-256. Leaves and nodes are hashed on options.device;
/// options.timings must not be set, and progress counts the leaves.
namespace merklize::inline v0 {

/// How fs-verity cuts a file into blocks.
struct FsVerity {
    std::uint32_t block_size = 4096;    ///< bytes: a power of two, 1024 to 65536
    std::span<const std::byte> salt{};  ///< at most 32 bytes, hashed in front of each block
};

/// The fs-verity digest with SHA-256, as `fsverity digest` prints it and the kernel measures it.
/// data    the whole file, host memory
/// errors  invalid_argument (block size, salt)
/// cost    reads `data` once; with a salt it copies it once
MERKLIZE_API Digest fs_verity(ByteView data, const FsVerity& how = {}, const RunOptions& options = {});
/// The same of a file or of anything else that can be opened and read, 16 MiB at a time. Memory: 16 MiB, and 32 bytes a
/// block.
/// errors  io (also if the file changed meanwhile), and those of fs_verity()
MERKLIZE_API Digest fs_verity_file(const std::filesystem::path& path, const FsVerity& how = {},
                                   const RunOptions& options = {});

/// Amazon Glacier's tree hash: SHA-256 of pieces of 1 MiB, the last one shorter, then of pairs; an odd node moves up.
/// No bytes give SHA-256 of nothing. For a file, call merkle_root_file() with pieces of 1 MiB and
/// form_of(Format::glacier).
MERKLIZE_API Digest glacier(ByteView data, const RunOptions& options = {});

/// What a torrent of version 2 says of a file.
struct BitTorrentFile {
    std::optional<Digest> root{};  ///< `pieces root`; an empty file has none
    std::vector<Digest>
        layers{};  ///< the file's value in `piece layers`: a node a piece; none if it is no longer than a piece
};

/// `pieces root` and piece layer of a file for BitTorrent v2 (BEP 52).
/// data          the whole file, host memory
/// piece_length  bytes: a power of two, at least 16384
/// errors        invalid_argument (piece_length)
MERKLIZE_API BitTorrentFile bittorrent_v2(ByteView data, std::uint64_t piece_length = 1 << 20,
                                          const RunOptions& options = {});

/// SSZ's merkleize(chunks, limit), which Ethereum's consensus layer verifies.
/// chunks         any number
/// limit          chunks that the type allows; none: as many as there are
/// mix_in_length  of a list: the count of its elements, which is hashed with the root
/// errors         invalid_argument (more chunks than the limit)
MERKLIZE_API Digest ssz(std::span<const Digest> chunks, std::optional<std::uint64_t> limit = {},
                        std::optional<std::uint64_t> mix_in_length = {}, const RunOptions& options = {});

}  // namespace merklize::inline v0
