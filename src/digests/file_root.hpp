#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "digests/chunk_tree.hpp"
#include "digests/file_reads.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/pieces.hpp"

namespace merklize::runtime {

/// BLAKE3 of files: the root node of the bytes read, computed on the run's device. All threads read a regular file. One
/// thread at a time reads a pipe; the others hash.

/// The values of the subtrees of 2^levels chunks in the next `bytes` bytes of a source, in order. The last one may be
/// smaller.
/// first_chunk  of the message: a multiple of 2^levels
/// levels       on a device at most batch_levels
std::vector<ChainingValue> values_of_next(SourceReader& reader, std::uint64_t bytes, std::uint64_t first_chunk,
                                          std::uint32_t levels, const Mode& mode, Run& run, double share);
/// The root of the next `bytes` bytes of a source. This is `share` of the whole call.
Node root_of_next(SourceReader& reader, std::uint64_t bytes, const Mode& mode, Run& run, double share);
/// What a file had when it was hashed: its size may be another than the system states.
struct FileRoot {
    Node root;
    std::uint64_t bytes;
};
/// The root of the rest of a file. If the stated size is wrong (files in /sys state a page), it is read in order up to
/// its end.
/// rest    as stated(): the read itself tells whether it is true, so that a small file takes one
/// before  called before each read from a rotational disk; given by callers that read several files
/// errors  io (somebody wrote to the file meanwhile)
FileRoot root_of_rest(const InputFile& file, const InputFile::Extent& rest, const Mode& mode, Run& run,
                      const InputFile::BeforeDisk& before = {});
/// The root of everything from an input that can only be read in order.
FileRoot root_of_stream(const InputFile& file, const Mode& mode, Run& run);
/// One of the two.
inline FileRoot root_of_file(const InputFile& file, const std::optional<InputFile::Extent>& stated, const Mode& mode,
                             Run& run, const InputFile::BeforeDisk& before = {}) {
    return stated ? root_of_rest(file, *stated, mode, run, before) : root_of_stream(file, mode, run);
}
/// The root of a whole source; of a file, from its position to its end.
Node root_of(const ByteSource& source, const Mode& mode, Run& run);

/// As hash_files().
/// sizes  gets the bytes that were hashed of each file; may be empty
std::vector<FileDigest> hash_files(std::span<const std::filesystem::path> paths, std::size_t length, std::uint64_t seek,
                                   const Mode& mode, const RunOptions& options, std::span<std::uint64_t> sizes);

/// Puts the error of a file into its result. Called in a catch block: an error of another kind is rethrown.
void note_failure(FileDigest& result, const Error& error);

/// The digest of a whole source, as hash_file() gives it.
/// seek    of BLAKE3's output; of another hash it is 0
/// errors  those of the source; invalid_argument (a form or a length that require_message() refuses)
void hash_source(const ByteSource& source, const MessageForm& form, std::span<std::byte> out, std::uint64_t seek,
                 const RunOptions& options);

/// As hash_file_ranges(), for any source.
std::vector<PieceDigests> hash_ranges(const ByteSource& source, std::span<const FileRange> ranges,
                                      std::uint64_t piece_size, const RunOptions& options);
/// As piece_values(), of bytes of any source.
std::vector<Digest> piece_values(const ByteSource& source, const FileRange& part, std::uint64_t offset,
                                 std::uint64_t piece_size, const Mode& mode, const RunOptions& options);

}  // namespace merklize::runtime
