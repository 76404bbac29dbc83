#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

/// BLAKE3 digests that can tell where data differs: with each digest come the nodes of BLAKE3's own tree above its pieces.
namespace merklize::inline v0 {

/// What one message gives.
struct PieceDigests {
    Digest digest;  ///< hash() of the message
    /// Chaining values of its pieces, ceil(bytes / piece_bytes) of them, from which digest_of_pieces() makes `digest`.
    /// Empty if the message is no longer than one piece, or if no pieces were asked for.
    std::vector<Digest> pieces;
};

/// The digest of one message in host memory, and the values of its pieces, from one pass over its bytes.
/// piece_bytes  0 = no pieces; otherwise a power of two of at least 256 KiB
/// errors       invalid_argument (piece_bytes), and those of hash()
MERKLIZE_API PieceDigests hash_pieces(std::span<const std::byte> data, std::uint64_t piece_bytes,
                                      const RunOptions& options = {});
/// The same for a message in the memory of a device, hashed there.
/// order  begins after what is enqueued on options.stream; complete when it returns
MERKLIZE_API PieceDigests hash_pieces(const ConstBuffer& data, std::uint64_t piece_bytes,
                                      const RunOptions& options = {});

/// Bytes offset to offset + bytes of a file.
struct FileRange {
    std::uint64_t offset, bytes;
};

/// The same for ranges of one regular file, a message each, in any order. All threads read and hash at once, whatever the lengths:
/// a range is cut into reads of 256 KiB, and a thread takes the next read of any range.
/// fd      open for reading; its position is neither used nor changed. It is not closed
/// name    for error texts
/// errors  io (not a regular file; it ends before a range does; it changed while it was read); invalid_argument (piece_bytes)
/// cost    reads each range once; 32 bytes of memory for 256 KiB of data
MERKLIZE_API std::vector<PieceDigests> hash_file_ranges(int fd, std::string_view name,
                                                        std::span<const FileRange> ranges, std::uint64_t piece_bytes,
                                                        const RunOptions& options = {});

/// The digest that has these pieces.
/// errors  invalid_argument (fewer than 2 pieces: a message of one piece has none)
MERKLIZE_API Digest digest_of_pieces(std::span<const Digest> pieces);

}  // namespace merklize::inline v0
