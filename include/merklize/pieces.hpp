#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/bytes.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>
#include <merklize/hash.hpp>

/// BLAKE3 digests that can tell where data differs: with each digest come the nodes of BLAKE3's own tree above its
/// pieces.
namespace merklize::inline v0 {

/// What one message gives.
struct PieceDigests {
    Digest digest;  ///< hash() of the message
    /// Chaining values of its pieces, ceil(bytes / piece_size) of them, from which digest_of_pieces() makes `digest`.
    /// Empty if the message is no longer than one piece, or if no pieces were asked for.
    std::vector<Digest> pieces;
};

/// The digest of one message in host memory, and the values of its pieces, from one pass over its bytes.
/// piece_size  0 = no pieces; otherwise a power of two of at least 256 KiB
/// errors       invalid_argument (piece_size), and those of hash()
MERKLIZE_API PieceDigests hash_pieces(ByteView data, std::uint64_t piece_size, const RunOptions& options = {});
/// The same for a message in the memory of a device, hashed there.
/// order  begins after what is enqueued on options.stream; complete when it returns
MERKLIZE_API PieceDigests hash_pieces(const ConstBuffer& data, std::uint64_t piece_size,
                                      const RunOptions& options = {});

/// Bytes [offset, offset + bytes) of a file.
struct FileRange {
    std::uint64_t offset, bytes;
};

/// The same for ranges of one regular file or block device, a message each, in any order. All threads read and hash at
/// once, whatever the lengths: a range is cut into reads of 256 KiB, and a thread takes the next read of any range.
/// fd      open for reading; its position is neither used nor changed. It is not closed
/// name    for error texts
/// errors  io (not a regular file or a block device; its size is not the stated one; it ends before a range does; it
///         changed while it was read); invalid_argument (piece_size)
/// cost    reads each range once; 32 bytes of memory for 256 KiB of data
MERKLIZE_API std::vector<PieceDigests> hash_file_ranges(int fd, std::string_view name,
                                                        std::span<const FileRange> ranges, std::uint64_t piece_size,
                                                        const RunOptions& options = {});

/// The values of the pieces of a part of a longer message, as hash_pieces() of the whole gives them. Parts may be
/// hashed anywhere and in any order, also by several machines.
/// offset  bytes of the message before `part`: a multiple of piece_size
/// part    not empty; whole pieces, but for the last one of the message. The message is longer than one piece
/// errors  invalid_argument (piece_size, offset, an empty part), and those of hash()
MERKLIZE_API std::vector<Digest> piece_values(ByteView part, std::uint64_t offset, std::uint64_t piece_size,
                                              const Mode& mode = {}, const RunOptions& options = {});
/// The value of 2^k neighbouring pieces that begin at a multiple of 2^k: that of one piece of 2^k times the size. At
/// the message's end they may be fewer. They must not be all pieces of the message, which have a digest instead.
/// errors  invalid_argument (no piece)
MERKLIZE_API Digest value_of_pieces(std::span<const Digest> pieces, const Mode& mode = {});

/// The digest of the message that has these pieces.
/// errors  invalid_argument (fewer than 2 pieces: a message of one piece has none)
MERKLIZE_API Digest digest_of_pieces(std::span<const Digest> pieces);
/// The same in a mode, with extendable output: fills `out` with output bytes from `seek` on.
MERKLIZE_API void digest_of_pieces(std::span<const Digest> pieces, std::span<std::byte> out, std::uint64_t seek,
                                   const Mode& mode);

}  // namespace merklize::inline v0
