#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/buffer.hpp>
#include <merklize/device.hpp>
#include <merklize/digest.hpp>

namespace merklize::inline v0 {

/// Matrices of one shape, cut into tiles: a view, whose memory must stay as long as the calls that use it. The elements
/// of a row lie side by side. The byte of matrix m, row i and byte b of the row is
/// `m matrix_pitch + i row_pitch + b` bytes behind the first.
///
/// A tile is tile_rows rows of tile_columns columns; those at the lower and the right border are smaller. Tiles are
/// counted along a row of tiles, then down a matrix, then over the matrices.
struct TiledMatrices {
    std::uint64_t matrices = 1;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    unsigned element_bytes = 2;     ///< 1, 2, 4, 8 or 16
    std::int64_t row_pitch = 0;     ///< bytes from one row to the next, of any sign
    std::int64_t matrix_pitch = 0;  ///< bytes from one matrix to the next, of any sign
    unsigned tile_rows = 32;        ///< 32, for tiles of 32 x 32 elements; or 1, for tiles of 1 x 1024
    unsigned tile_columns = 32;
    /// In memory of the host: the first element.
    const void* elements = nullptr;
    /// Or in memory of a device: bytes that hold all elements, and where in them the first one begins.
    std::optional<ConstBuffer> buffer{};
    std::uint64_t first = 0;

    /// Tiles of all matrices.
    std::uint64_t tiles() const noexcept {
        if (tile_rows == 0 || tile_columns == 0) return 0;
        const std::uint64_t down = rows / tile_rows + (rows % tile_rows != 0);
        return matrices * down * (columns / tile_columns + (columns % tile_columns != 0));
    }
};

/// The leaves of the format tiles-v1: out[t] is BLAKE3 of the bytes of tile t, row after row. The matrices are read
/// once, and not copied.
/// matrices  in memory of the host; a device that hashes gets them in pieces, while it hashes
/// out       matrices.tiles() digests; must not overlap the matrices
/// order     complete when it returns
/// errors    invalid_argument (sizes; matrices that reach outside their memory; an overlap), cancelled
/// cost      that of hash() of the same bytes, if tiles are whole. Working memory: 72 KiB a thread; 64 MiB of a device
///           that hashes matrices of the host, and if it has no room, the processors hash
MERKLIZE_API void hash_tiles(const TiledMatrices& matrices, std::span<Digest> out, const RunOptions& options = {});
/// The same in the memory of a device, which computes: matrices and digests are on one.
MERKLIZE_API void hash_tiles(const TiledMatrices& matrices, Buffer out, const RunOptions& options = {});

/// A node of a tree: level 0 are the leaves.
struct RangeNode {
    unsigned level = 0;
    std::uint64_t index = 0;

    friend bool operator==(const RangeNode&, const RangeNode&) = default;
};

/// The largest nodes that lie in the leaves [first, first + count) of a tree of `total` leaves, which follow RFC 6962
/// (TreeRule::left_full): from below, and within a level from the left. They are at most two a level.
/// errors  invalid_argument (a range that the tree does not have)
MERKLIZE_API std::vector<RangeNode> range_nodes(std::uint64_t first, std::uint64_t count, std::uint64_t total);

/// These nodes of `trees` trees of one shape, by BLAKE3 as the merge: of the leaves alone that each tree's owner has.
/// The nodes of all ranges of a tree are enough to compute its root.
/// leaves  n for each tree, one tree behind another: its leaves [first, first + n)
/// out     range_nodes(first, n, total) for each tree; must not overlap the leaves
/// order   complete when it returns
/// errors  invalid_argument (sizes; a range that the trees do not have; an overlap), out_of_memory, cancelled
/// cost    n - 1 merges a tree, and three quarters of the leaves' memory
MERKLIZE_API void merge_ranges(std::span<const Digest> leaves, std::uint64_t trees, std::uint64_t first,
                               std::uint64_t total, std::span<Digest> out, const RunOptions& options = {});
/// The same in the memory of a device, which computes. Both buffers are whole digests and begin on multiples of 32.
MERKLIZE_API void merge_ranges(const ConstBuffer& leaves, std::uint64_t trees, std::uint64_t first, std::uint64_t total,
                               Buffer out, const RunOptions& options = {});

}  // namespace merklize::inline v0
