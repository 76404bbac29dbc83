#pragma once

#include <cstdint>
#include <span>

#include "merklize/async.hpp"
#include "merklize/hash.hpp"

namespace merklize::runtime {

/// hash_leaves() for the public function `what`, whose name begins error texts.
void hash_leaves(const char* what, std::span<const std::byte> rows, std::uint64_t row_bytes, std::span<Digest> out,
                 Hash hash, const Mode& mode, const RunOptions& options);
void hash_leaves(const char* what, const ConstBuffer& rows, std::uint64_t row_bytes, const Buffer& out, Hash hash,
                 const Mode& mode, const RunOptions& options);
Event hash_leaves(const char* what, const Stream& stream, const HashLeavesCall& call);

/// merge() of host memory, likewise.
void merge_pairs(const char* what, std::span<const Digest> left, std::span<const Digest> right, std::span<Digest> out,
                 Hash hash, const Mode& mode, const RunOptions& options);

}  // namespace merklize::runtime
