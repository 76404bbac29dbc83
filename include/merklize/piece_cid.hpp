#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

/// Filecoin's piece commitment (CommP), by which storage providers identify the data that they store. docs/formats.md
/// has the rule. It runs on the threads of the CPU. options.timings and options.policy must not be set.
namespace merklize::inline v0 {

struct PieceCid {
    Digest root{};            ///< the commitment
    std::uint64_t bytes = 0;  ///< of the data
    unsigned height = 0;      ///< of the tree, at least 2: it has 2^height leaves of 32 bytes

    /// Bytes of the piece that a provider stores, with two zero bits after each 254 bits: 32 * 2^height.
    std::uint64_t padded_bytes() const noexcept { return std::uint64_t{32} << height; }
    /// Number of zero bytes after the data.
    std::uint64_t padding() const noexcept { return padded_bytes() / 128 * 127 - bytes; }
    /// "baga6ea4seaq...", version 1: the root only. A verifier needs the size, too.
    MERKLIZE_API std::string v1() const;
    /// "bafkzcib...", version 2 (FRC-0069): root, height and padding.
    MERKLIZE_API std::string v2() const;
};

/// Bytes of the largest data: that of a piece of 64 GiB.
inline constexpr std::uint64_t most_piece_bytes = (std::uint64_t{1} << 36) / 128 * 127;

/// errors  invalid_argument (more than most_piece_bytes)
/// cost    reads `data` once; takes 32 bytes of memory for each MiB of `data`, and a fixed amount
MERKLIZE_API PieceCid piece_cid(ByteView data, const RunOptions& options = {});
/// The same for a file, or a pipe.  errors  io (also if the file changed meanwhile), and those of piece_cid()
MERKLIZE_API PieceCid piece_cid_file(const std::filesystem::path& path, const RunOptions& options = {});

/// The leaves of a piece's tree over some data: 4 for each 127 bytes begun, 254 bits each. MerkleTree over all leaves
/// of a piece, by `sha256_trunc254` and the rule `pad`, has the root of piece_cid(), and its proofs show that ranges of
/// the data lie under that root: bytes from 127 a up to 127 b are the leaves from 4 a up to 4 b.
/// data    a whole piece's, or a part that begins at a multiple of 127 bytes
/// errors  invalid_argument (more than most_piece_bytes)
/// cost    memory: 128 bytes for 127 of data
MERKLIZE_API std::vector<Digest> piece_leaves(ByteView data);

}  // namespace merklize::inline v0
