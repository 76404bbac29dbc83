#pragma once

#include "host/input_file.hpp"
#include "merklize/file_formats.hpp"
#include "merklize/piece_cid.hpp"

namespace merklize::runtime {

/// piece_cid_file() of any source, such as an object of a store or a pipe.
/// errors  those of piece_cid_file(), and of the source
PieceCid piece_cid_of(const ByteSource& source, const RunOptions& options);
/// How many leaves piece_leaves() gives.  errors  invalid_argument (more data than a piece of 64 GiB has)
std::uint64_t piece_leaf_count(std::uint64_t bytes);
/// fs_verity_file() of any source.
Digest fs_verity_of(const ByteSource& source, const FsVerity& how, const RunOptions& options);

}  // namespace merklize::runtime
