#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hashes/hash_info.hpp"
#include "hashes/wipe.hpp"
#include "merklize/digest.hpp"
#include "merklize/hash.hpp"
#include "merklize/tree_form.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

/// The jobs: what an executor (executor.hpp) can be asked to compute, as plain data. A job says which hash, which items
/// and where they lie; it knows no tree and no device. A copy of a key in a job is wiped with the job.

/// Where bytes lie. On the host, pointer + offset is their address. On the run's device, `pointer` is a block
/// (mkz_memory *).
struct Place {
    void* pointer = nullptr;
    std::uint64_t offset = 0;  ///< bytes
    bool on_device = false;
};

/// The place of host bytes.
inline Place host_place(const void* bytes) { return {const_cast<void*>(bytes), 0, false}; }
/// The address of a place on the host.
inline std::byte* host_bytes(const Place& place) { return static_cast<std::byte*>(place.pointer) + place.offset; }
/// The place `bytes` bytes further on.
inline Place moved(Place place, std::uint64_t bytes) {
    place.offset += bytes;
    return place;
}
/// The place of node `index` of the nodes that begin at a place.
inline Place at_node(const Place& nodes, std::uint64_t index) { return moved(nodes, Digest::size * index); }

/// Levels that one job can build.
inline constexpr std::uint32_t max_levels = 32;

/// BLAKE3 chaining values of subtrees of 2^levels chunks: none of them is a root. The last chunk and the last subtree
/// may be partial. A partial subtree has BLAKE3's shape: an odd node moves up unmerged.
struct HashChunks {
    Hash hash = Hash::blake3;  ///< one that has a tree of chunks
    Place data{};
    std::uint64_t bytes = 0;        ///< at least 1
    std::uint64_t first_chunk = 0;  ///< index of the first chunk in the whole message: a multiple of 2^levels
    std::uint32_t levels = 0;
    Mode mode{};
    Place out{};  ///< one value of 32 bytes a subtree
};

/// Where the bytes of one message lie.
struct Extent {
    Place place{};
    std::uint64_t bytes = 0;  ///< any number; if 0, the place does not matter
};

/// BLAKE3 digests of messages of any lengths, all on the host or all on the run's device.
struct HashEach {
    /// A device takes no longer messages from the host, because they would not fit into a piece of its staging.
    static constexpr std::uint64_t longest_staged = 4 << 20;

    Hash hash = Hash::blake3;            ///< one that has a tree of chunks
    std::span<const Extent> messages{};  ///< host memory
    Mode mode{};
    bool below_root = false;  ///< for messages of more than a chunk: the two values below the root, not the digest
    Place out{};              ///< 32 bytes a message, or 64 bytes with below_root
};

/// Hashes n rows of equal length, one after another, to n digests, which are leaves of this hash.
struct HashRows {
    Hash hash{};
    Place rows{};
    std::uint64_t n = 0;
    std::uint64_t length = 0;  ///< units of a row: canonical words of 8 bytes for a field hash; else bytes
    Mode mode{};               ///< ignored if the hash takes no keys
    Place out{};
};

/// Bytes of a unit of a row.
inline std::uint64_t row_unit(Hash hash) { return info(hash).element_bytes; }

/// A matrix of words. The word of row i and column k is `i row_stride + k column_stride` bytes behind the first;
/// strides are of any sign, and may be 0.
struct MatrixAt {
    Place first{};
    std::uint64_t columns = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
};

/// The matrix from row `row` and column `column` on.
inline MatrixAt from_row(MatrixAt matrix, std::uint64_t row, std::uint64_t column = 0) {
    const std::int64_t bytes =
        static_cast<std::int64_t>(row) * matrix.row_stride + static_cast<std::int64_t>(column) * matrix.column_stride;
    if (matrix.first.on_device) {
        matrix.first.offset += static_cast<std::uint64_t>(bytes);
    } else {
        matrix.first = host_place(host_bytes(matrix.first) + bytes);
    }
    matrix.columns -= column;
    return matrix;
}

/// Hashes rows of several matrices side by side to n digests: row i of the first, of the second and so on are one row
/// of HashRows.
struct HashMatrices {
    Hash hash{};
    std::vector<MatrixAt> matrices{};  ///< each on the host or on the run's device
    std::uint64_t n = 0;               ///< rows of each
    std::uint32_t word_bytes = 0;      ///< of each matrix: a multiple of the hash's row unit
    std::uint64_t modulus = 0;         ///< words must be below it; 0: any word. `out` is then undefined
    bool montgomery = false;           ///< words of 4 bytes are hashed as 2^32 x mod modulus
    bool from_montgomery = false;      ///< a field hash takes words of b bits, 2^b x mod its modulus, as x
    std::uint64_t first_row = 0;       ///< the number that the text gives row 0
    Mode mode{};                       ///< ignored if the hash takes no keys
    Place out{};                       ///< may be the matrices' own memory if row i begins where digest i goes

    /// Bytes of a row.
    std::uint64_t row_bytes() const noexcept {
        std::uint64_t columns = 0;
        for (const MatrixAt& matrix : matrices) columns += matrix.columns;
        return word_bytes * columns;
    }
};

/// The low-degree extension of each column of a matrix (merklize/extend.hpp).
struct Extend {
    std::uint32_t field = 0;  ///< its number: find_field() (extension.hpp)
    MatrixAt in{};            ///< the columns
    std::uint64_t rows = 0;   ///< a power of two
    MatrixAt out{};           ///< 2^added_bits times the rows, of words side by side
    std::uint32_t added_bits = 0;
    std::uint64_t shift = 0;
    bool is_reversed = false;  ///< whether rows of `out` are in bit-reversed order
    bool is_checked = false;   ///< whether words must be below the modulus
};

/// Sums of the rows, or of the columns, of a matrix with weights (merklize/extend.hpp). Weights and sums are in memory
/// of the host.
struct WeightedSums {
    std::uint32_t field = 0;  ///< its number: find_field() (extension.hpp)
    MatrixAt in{};
    std::uint64_t rows = 0;
    bool over_rows = true;               ///< a sum for each column; else one for each row
    std::uint32_t degree = 1;            ///< words of a weight and of a sum
    const std::byte* weights = nullptr;  ///< factors (core/kernels/extend.h): `degree` for each row, or each column
    bool is_checked = false;             ///< whether words of the matrix must be below the modulus
    std::byte* out = nullptr;            ///< `degree` canonical words a sum

    std::uint64_t terms() const noexcept { return over_rows ? rows : in.columns; }
    std::uint64_t sums() const noexcept { return over_rows ? in.columns : rows; }
};

/// Weighted sums of polynomials in the rows of matrices (merklize/constraints.hpp). The matrices may be on a device;
/// everything else is in memory of the host.
struct Constraints {
    std::uint32_t field = 0;           ///< its number: find_field() (extension.hpp)
    std::vector<MatrixAt> matrices{};  ///< 1 to 3, whose words have the form that products take and give
    std::uint32_t log_rows = 0;        ///< of each
    std::uint64_t first = 0;           ///< point
    std::uint64_t points = 0;
    std::uint64_t next = 0;                  ///< points from a point to the point whose row is its next row
    bool is_reversed = false;                ///< whether rows are in bit-reversed order
    std::span<const std::uint32_t> steps{};  ///< as core/kernels/constraints.h has them
    std::span<const std::byte> scalars{}, weights{};
    std::uint32_t degree = 1;  ///< words of a weight and of a sum
    std::byte* out = nullptr;  ///< `degree` canonical words a point
};

/// Matrices of one shape, cut into tiles (merklize/tiles.hpp). Tiles are counted along a row of tiles, then down a
/// matrix, then over the matrices.
struct TileGrid {
    Place first{};  ///< the first byte of matrix 0
    std::uint64_t rows = 0;
    std::uint64_t row_bytes = 0;
    std::int64_t row_pitch = 0;     ///< bytes from one row to the next, of any sign
    std::int64_t matrix_pitch = 0;  ///< and from one matrix to the next
    std::uint32_t tile_rows = 0;
    std::uint32_t tile_bytes = 0;  ///< bytes of a row of a whole tile

    std::uint64_t across() const noexcept { return (row_bytes + tile_bytes - 1) / tile_bytes; }
    std::uint64_t down() const noexcept { return (rows + tile_rows - 1) / tile_rows; }

    /// Where a tile lies in its matrix.
    struct Tile {
        std::uint64_t matrix, row, byte;  ///< of its first byte
        std::uint64_t n_rows, n_bytes;    ///< its rows, and bytes of each
        std::uint64_t bytes() const noexcept { return n_rows * n_bytes; }
    };
    Tile tile(std::uint64_t index) const noexcept {
        const std::uint64_t band = index / across(), byte = index % across() * tile_bytes;
        const std::uint64_t row = band % down() * tile_rows;
        const std::uint64_t n_rows = rows - row < tile_rows ? rows - row : tile_rows;
        const std::uint64_t n_bytes = row_bytes - byte < tile_bytes ? row_bytes - byte : tile_bytes;
        return {band / down(), row, byte, n_rows, n_bytes};
    }
    /// The distance of a row of a tile, or of a matrix, from the first byte, modulo 2^64.
    std::uint64_t distance(std::uint64_t matrix, std::uint64_t row, std::uint64_t byte) const noexcept {
        return matrix * static_cast<std::uint64_t>(matrix_pitch) + row * static_cast<std::uint64_t>(row_pitch) + byte;
    }
};

/// BLAKE3 digests of the tiles [first, first + n). Matrices and digests are on the host, or both on the run's device.
struct HashTiles {
    Hash hash = Hash::blake3;  ///< one that has a tree of chunks
    TileGrid grid{};
    std::uint64_t first = 0;
    std::uint64_t n = 0;
    Place out{};  ///< of tile `first`
};

/// A key of XMSS, as kernels have it: MKZ_XMSS_KEY_WORDS (core/hashes/xmss.h). The destructor wipes it.
struct XmssSecret {
    std::uint32_t seed[8]{};
    std::uint32_t parameter[4]{};
    std::uint32_t zeros[4]{};

    ~XmssSecret() { wipe(this, sizeof *this); }
};

/// The roots of subtrees of 2^levels epochs of XMSS keys. The subtrees of a key cover all of its epochs, and all keys
/// have the same epochs. Subtree t of the job is subtree t % per_key() of key t / per_key().
struct MakeXmss {
    static constexpr Hash hash = Hash::blake2s;

    std::span<const XmssSecret> keys{};  ///< host memory
    std::uint32_t first = 0, last = 0;   ///< epochs
    std::uint32_t levels = 0;
    std::uint64_t begin = 0, n = 0;  ///< the subtrees that are made
    std::byte* out = nullptr;        ///< host memory: 16 bytes for each

    std::uint64_t per_key() const noexcept { return (last >> levels) - (first >> levels) + std::uint64_t{1}; }

    /// A slot of a level, whose slots are counted over all subtrees that are made, one subtree behind another.
    struct Slot {
        std::uint64_t key;
        std::uint32_t index;  ///< of the node, within its level of the whole tree
        bool is_there;        ///< whether an epoch of the key is below it
    };
    Slot slot(std::uint32_t level, std::uint64_t slot) const noexcept {
        const std::uint32_t log_slots = levels - level;
        const std::uint64_t tree = begin + (slot >> log_slots), key = tree / per_key();
        const std::uint64_t nth = (first >> levels) + tree % per_key(), mask = (std::uint64_t{1} << log_slots) - 1;
        const auto index = static_cast<std::uint32_t>((nth << log_slots) + (slot & mask));
        return {key, index, index >= first >> level && index <= last >> level};
    }
};

/// One level of several trees: in each of `rows` rows of nodes, out[i] = merge(in[2i], in[2i + 1]) for i < pairs, and
/// with an odd node out[pairs] = in[2 pairs]. A device takes nodes in its memory alone.
struct MergeRows {
    Hash hash{};
    Mode mode{};
    Place in{};
    std::uint64_t in_stride = 0;  ///< nodes from one row to the next
    std::uint64_t rows = 0;
    std::uint64_t pairs = 0;
    bool has_odd = false;
    Place out{};  ///< memory that `in` does not have
    std::uint64_t out_stride = 0;

    std::uint64_t out_nodes() const noexcept { return pairs + (has_odd ? 1 : 0); }
};

/// out[i] = merge(left[i], right[i]).
struct MergePairs {
    Hash hash{};
    Mode mode{};
    Place left{};
    Place right{};
    std::uint64_t n = 0;
    Place out{};
};

/// Builds `levels` levels above a level of n nodes, n a multiple of 2^levels. Level 0 is the given level. An executor
/// sees offsets and no layout. On a device, offset[l + 1] must be offset[l] / 2 from level 1 on.
struct MergeSubtrees {
    Hash hash{};
    Mode mode{};
    std::uint32_t levels = 0;
    std::uint64_t n = 0;
    Place below{};  ///< of level 0; may be `nodes`
    Place nodes{};
    std::uint64_t offset[max_levels + 1]{};  ///< of each level: nodes into `nodes`, of level 0 into `below`
    /// Gets a copy of the nodes of level 0 as they are read; aligned to 64 bytes, or a null pointer. For nodes on the
    /// host, only the CPU's executor takes a job that has it.
    Place kept{};
};

/// The rule for the parent of a node without a sibling. The kernels have the same numbers (core/kernels.h).
enum class OddNode : std::uint32_t {
    promote,    ///< a copy of the node
    duplicate,  ///< merge(node, node)
    pad,        ///< merge(node, root of a subtree of padding)
};

/// The kind of parent that a tree's rule asks for.
constexpr OddNode odd_node_of(TreeRule rule) noexcept {
    switch (rule) {
        case TreeRule::pad: return OddNode::pad;
        case TreeRule::duplicate_last: return OddNode::duplicate;
        case TreeRule::perfect:  // has none
        case TreeRule::left_full: break;
    }
    return OddNode::promote;
}

/// The paths from some nodes of a level of a tree in heap order, `levels` levels up: slot p of `nodes` = merge(slot 2p,
/// slot 2p + 1), level after level. The siblings of the paths must be there. For an update (the changed leaves), and
/// for the right edge of a tree whose whole subtrees are built (the last leaf). The list goes to a device once; its
/// kernels find the parents of each level themselves.
struct MergeAt {
    Hash hash{};
    Mode mode{};
    Place nodes{};            ///< slot 0 of the tree
    std::uint64_t first = 0;  ///< slot of the first node of the level: a power of two, at least 2^levels
    std::uint64_t width = 0;  ///< nodes of the level, 1 to `first`; level l above has ceil(width / 2^l)
    const std::uint64_t* changed =
        nullptr;          ///< host memory: nodes of the level, counted from `first`; ascending, none twice
    std::uint64_t n = 0;  ///< at least 1
    std::uint32_t levels = 0;
    OddNode odd_node = OddNode::promote;  ///< the rule for an odd node on a path
    const Digest* pads = nullptr;         ///< of OddNode::pad: [levels], the sibling of an odd node of each level
};

/// Builds the right edge of a tree of `n` leaves in heap order whose other nodes are there: the nodes above the last
/// leaf and above fewer than 2^level leaves. Only devices run it; the host has edge_above().
struct MergeEdge {
    Hash hash{};
    Mode mode{};
    Place leaves{};  ///< leaf 0
    Place nodes{};   ///< slot 0 of the tree
    std::uint64_t n = 0;
    std::uint32_t levels = 0;  ///< of the whole tree: 2^levels >= n
    OddNode odd_node = OddNode::promote;
    Digest padding{};  ///< of OddNode::pad
};

/// The nodes of BLAKE3's tree of a message, those above groups of 2^levels chunks, in the order of an outboard. Only
/// devices run it, for data in their memory.
struct DigestNodes {
    Place data{};
    std::uint64_t bytes = 0;  ///< more than one group
    std::uint32_t levels = 0;
    bool post_order = false;
    Place out{};  ///< 64 bytes a node
};

/// Merges n chaining values, in place, to the ceil(n / 2) values above them. Only the host runs it.
struct HashParents {
    Place values{};
    std::uint64_t n = 0;
    Mode mode{};
};

/// Makes n blocks of extendable output, from block `counter` on, of the root compression (cv, block, block_len, flags).
/// Only the host runs it.
struct Expand {
    std::uint32_t cv[8]{};
    std::uint32_t block[16]{};
    std::uint32_t block_len = 0;
    std::uint32_t flags = 0;
    std::uint64_t counter = 0;
    std::uint64_t n = 0;
    Place out{};

    ~Expand() { wipe(cv, sizeof cv); }  // cv is the key if the root is the first compression
};

/// X(Job): the jobs that every executor runs.
// clang-format off
#define MKZ_JOBS(X) \
    X(HashChunks) X(HashEach) X(HashRows) X(HashMatrices) X(MergePairs) X(MergeSubtrees) X(MergeAt) X(Extend) \
    X(WeightedSums) X(Constraints) X(HashTiles) X(MergeRows) X(MakeXmss)
// clang-format on

}  // namespace merklize::runtime
