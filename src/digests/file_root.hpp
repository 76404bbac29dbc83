#pragma once

#include <cstdint>

#include "digests/chunk_tree.hpp"
#include "digests/file_reads.hpp"

namespace merklize::runtime {

/// BLAKE3 of files: the root node of what is read, on the run's device. A regular file is read by all threads; a pipe by one thread at
/// a time while the others hash.

/// `bytes` bytes of a regular file at `offset`; `share` of the call is done by it.
Node root_of_extent(const InputFile& file, std::uint64_t offset, std::uint64_t bytes, const Mode& mode, Run& run,
                    double share);
/// The last `bytes` bytes of a regular file, which must still end there when they are read.
Node root_of_rest(const InputFile& file, std::uint64_t position, std::uint64_t bytes, const Mode& mode, Run& run);
/// Everything that comes, of what can only be read in order.
Node root_of_stream(const InputFile& file, const Mode& mode, Run& run);
/// Everything from the file's position to its end.
Node root_of(const InputFile& file, const Mode& mode, Run& run);

}  // namespace merklize::runtime
