#pragma once

#include <cstdint>
#include <span>

#include "queue/device_call.hpp"

/// Jobs as kernels of core/entry.h: which entry point, which variant, how many groups. What returns a bool returns false if tick
/// cancelled.
namespace merklize::runtime::launches {

// chunks.cpp, outboard.cpp, each.cpp, rows.cpp, matrices.cpp
bool hash_chunks(DeviceCall& call, const HashChunks& job, const Tick& tick);
bool digest_nodes(DeviceCall& call, const DigestNodes& job, const Tick& tick);
bool hash_each(DeviceCall& call, const HashEach& job, const Tick& tick);
bool hash_rows(DeviceCall& call, const HashRows& job, const Tick& tick);
bool hash_matrices(DeviceCall& call, const HashMatrices& job, const Tick& tick);

// pack.cpp
/// The first n rows of a matrix on the device to `out`, row after row.
void pack_rows(DeviceCall& call, const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out);

// field_words.cpp
/// DeviceMemory::require_canonical().
void require_canonical(DeviceCall& call, const mkz_hash_info& hash, const Place& words, std::uint64_t n,
                       const char* what);

// merges.cpp, paths.cpp
bool merge_pairs(DeviceCall& call, const MergePairs& job, const Tick& tick);
bool merge_subtrees(DeviceCall& call, const MergeSubtrees& job, const Tick& tick);
bool merge_at(DeviceCall& call, const MergeAt& job, const Tick& tick);
void merge_edge(DeviceCall& call, const MergeEdge& job);

// nodes.cpp
/// Nodes of a tree to the host.
void gather_nodes(DeviceCall& call, const Place& nodes, std::span<const std::uint32_t> slots, void* out);
void gather_nodes(DeviceCall& call, const Place& nodes, std::span<const std::uint64_t> slots, void* out);
/// slots, out  memory of the device
void gather_nodes(DeviceCall& call, const Place& nodes, const Place& slots, std::uint64_t n, const Place& out);
/// old  null, or where what was in the slots goes first
void scatter_nodes(DeviceCall& call, const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                   const Place* old = nullptr);
/// n nodes of zeros.
void clear_nodes(DeviceCall& call, const Place& nodes, std::uint64_t n);

}  // namespace merklize::runtime::launches
