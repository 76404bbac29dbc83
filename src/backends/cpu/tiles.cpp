// Tiles of matrices. Whole tiles side by side are hashed where they lie, a tile a lane; others are first copied into a
// core's cache, one behind another.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "backends/cpu/loops.hpp"
#include "jobs/host_executor.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"

namespace merklize::cpu {
namespace {

using runtime::Extent;
using runtime::HashEach;
using runtime::HashRows;
using runtime::HashTiles;
using runtime::host_place;
using runtime::HostExecutor;
using runtime::TileGrid;

// Bytes of tiles that a thread takes at a time, and of those that it copies. The largest tile has 16 KiB.
constexpr std::uint64_t tiles_piece_bytes = 256 << 10, packed_tiles_bytes = 64 << 10;

// With fewer tiles, most lanes would be idle; copied tiles of several rows of tiles fill them together.
constexpr std::uint64_t least_in_place = 8;

/// Hashes some tiles of a job.
class TilesPiece {
public:
    explicit TilesPiece(const HashTiles& job) : job_(job), grid_(job.grid) {}

    void hash(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t done = 0; done < count;) {
            const std::uint64_t index = first + done,
                                n = std::min(count - done, grid_.across() - index % grid_.across());
            const TileGrid::Tile tile = grid_.tile(index), last = grid_.tile(index + n - 1);
            const std::uint64_t whole = n - (last.n_bytes != tile.n_bytes ? 1 : 0);
            const std::uint64_t in_place = whole >= least_in_place && fits_lanes(tile) ? whole : 0;
            if (in_place != 0) hash_in_place(tile, in_place, out_of(index));
            for (std::uint64_t i = in_place; i < n; i++) add(index + i);
            done += n;
        }
        flush();
    }

private:
    const std::uint8_t* row_of(const TileGrid::Tile& tile, std::uint64_t row) const {
        return at(grid_.first) + static_cast<std::int64_t>(grid_.distance(tile.matrix, tile.row + row, tile.byte));
    }
    std::uint8_t* out_of(std::uint64_t tile) const { return at(job_.out) + Digest::size * (tile - job_.first); }

    // Whether the tile is a power of two of chunks, each of whole rows of whole or half blocks.
    static bool fits_lanes(const TileGrid::Tile& tile) {
        return tile.n_rows == 32 && tile.n_bytes % (MKZ_BLAKE3_BLOCK_LEN / 2) == 0 &&
               MKZ_BLAKE3_CHUNK_LEN % tile.n_bytes == 0;
    }

    void hash_in_place(const TileGrid::Tile& tile, std::uint64_t n, std::uint8_t* out) {
        const std::uint64_t chunks = tile.bytes() / MKZ_BLAKE3_CHUNK_LEN;
        std::uint8_t values[Digest::size * tiles_piece_bytes / MKZ_BLAKE3_CHUNK_LEN];
        const Mode plain;
        std::uint8_t* to = chunks == 1 ? out : values;
        lanes().hash_tile_chunks(row_of(tile, 0), n, tile.n_bytes, grid_.row_pitch, chunks, plain.key_words(), to);
        if (chunks == 1) return;
        for (std::uint64_t each = chunks / 2; each > 1; each /= 2)
            lanes().compress_pairs(values, n * each, plain.key_words(), MKZ_BLAKE3_PARENT, values);
        lanes().compress_pairs(values, n, plain.key_words(), MKZ_BLAKE3_PARENT | MKZ_BLAKE3_ROOT, out);
    }

    // Takes a tile to the others that are hashed together; copied, unless its bytes lie together already.
    void add(std::uint64_t index) {
        const TileGrid::Tile tile = grid_.tile(index);
        if (used_ + tile.bytes() > packed_tiles_bytes) flush();
        const std::uint8_t* from = row_of(tile, 0);
        if (tile.n_rows > 1 && grid_.row_pitch != static_cast<std::int64_t>(tile.n_bytes)) {
            std::uint8_t* to = packed_ + used_;
            for (std::uint64_t row = 0; row < tile.n_rows; row++)
                std::memcpy(to + row * tile.n_bytes, row_of(tile, row), tile.n_bytes);
            from = to;
            used_ += tile.bytes();
        }
        tiles_.push_back({host_place(from), tile.bytes()});
        outs_.push_back(out_of(index));
    }

    // Whether the tiles are rows of one length, one behind another.
    bool are_rows() const {
        for (std::size_t i = 1; i < tiles_.size(); i++) {
            const bool follows = host_bytes(tiles_[i].place) == host_bytes(tiles_[i - 1].place) + tiles_[i - 1].bytes;
            if (!follows || tiles_[i].bytes != tiles_[0].bytes) return false;
        }
        return true;
    }

    void flush() {
        if (tiles_.empty()) return;
        const std::uint64_t n = tiles_.size();
        found_.resize(n);
        HostExecutor alone(1);
        const runtime::Place out = host_place(found_.data());
        if (are_rows()) {
            alone.launch(
                HashRows{.hash = job_.hash, .rows = tiles_[0].place, .n = n, .length = tiles_[0].bytes, .out = out},
                {});
        } else {
            alone.launch(HashEach{.hash = job_.hash, .messages = tiles_, .out = out}, {});
        }
        for (std::uint64_t i = 0; i < n; i++) std::memcpy(outs_[i], &found_[i], Digest::size);
        tiles_.clear();
        outs_.clear();
        used_ = 0;
    }

    const HashTiles& job_;
    const TileGrid& grid_;
    std::vector<Extent> tiles_{};
    std::vector<std::uint8_t*> outs_{};
    std::vector<Digest> found_{};
    std::uint64_t used_ = 0;
    alignas(64) std::uint8_t packed_[packed_tiles_bytes];
};

runtime::Pace tile_pace;  // of 64 bytes of a tile

}  // namespace
}  // namespace merklize::cpu

namespace merklize::runtime {

bool HostExecutor::launch(const HashTiles& a, const Tick& tick) {
    try {
        const std::uint64_t tile_bytes = std::uint64_t{a.grid.tile_rows} * a.grid.tile_bytes;
        const cpu::Workers workers{threads_, tick};
        const std::uint64_t per_piece = cpu::piece_of(workers, a.n, 16, cpu::tiles_piece_bytes / tile_bytes);
        return cpu::in_pieces(
            workers, a.n, per_piece,
            [&](std::uint64_t first, std::uint64_t count) { cpu::TilesPiece(a).hash(a.first + first, count); },
            {&cpu::tile_pace, tile_bytes / 64});
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
