#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "digests/chunk_tree.hpp"
#include "digests/file_reads.hpp"
#include "merklize/pieces.hpp"

namespace merklize::runtime {

/// BLAKE3 of files: the root node of what is read, on the run's device. All threads read a regular file. One thread at
/// a time reads a pipe, while the others hash.

/// The next `bytes` bytes of a source. This is `share` of the whole call.
Node root_of_next(SourceReader& reader, std::uint64_t bytes, const Mode& mode, Run& run, double share);
/// The rest of a regular file. If its size is wrong (files in /sys state a page), it is read in order up to its end.
/// before  if the caller reads several files: what comes before a read of a rotational disk
/// errors  io (somebody wrote to the file meanwhile)
Node root_of_rest(const InputFile& file, const InputFile::Extent& rest, const Mode& mode, Run& run,
                  const InputFile::BeforeDisk& before = {});
/// Everything from an input that can only be read in order.
Node root_of_stream(const InputFile& file, const Mode& mode, Run& run);
/// Everything of a source: of a file from its position to its end.
Node root_of(const ByteSource& source, const Mode& mode, Run& run);

/// The digest of all of a source, as hash_file() gives it.
/// mode, out, seek  as hash_file() has them with BLAKE3; with another hash none, 32 bytes and 0
/// errors           those of the source; invalid_argument (no hash of messages)
void hash_source(const ByteSource& source, Hash hash, const Mode& mode, std::span<std::byte> out, std::uint64_t seek,
                 const RunOptions& options);

/// hash_file_ranges() of a source.
std::vector<PieceDigests> hash_ranges(const ByteSource& source, std::span<const FileRange> ranges,
                                      std::uint64_t piece_bytes, const RunOptions& options);

}  // namespace merklize::runtime
