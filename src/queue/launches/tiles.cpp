// Tiles of matrices, and levels of the trees above them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "host/threads.hpp"
#include "jobs/host_executor.hpp"
#include "merklize/core/hashes/blake3.h"
#include "merklize/error.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

// The kernels' argument mkz_tiles (core/kernels/hash_tiles.h).
struct TilesShape {
    std::uint64_t origin;
    std::uint64_t row_pitch, matrix_pitch;
    std::uint64_t rows, row_bytes;
    std::uint64_t first, count;
    std::uint32_t tile_rows, tile_bytes;
    std::uint32_t log_chunks, log_per_group;
};

std::uint32_t log_up(std::uint64_t n) { return static_cast<std::uint32_t>(std::bit_width(n - 1)); }

// The largest tile decides how many chunks a group makes room for.
std::uint32_t log_chunks_of(const TileGrid& grid) {
    const std::uint64_t bytes =
        std::min<std::uint64_t>(grid.tile_rows, grid.rows) * std::min<std::uint64_t>(grid.tile_bytes, grid.row_bytes);
    return log_up(divide_up(bytes, MKZ_BLAKE3_CHUNK_LEN));
}

// Kernels of core/kernels/hash_tiles.h. A group's values are all in its local memory, so it is neither larger than that
// nor smaller than the chunks of a tile.
struct TilesKernel {
    Kernel kernel;
    std::uint32_t lanes;
    std::uint64_t group_chunks() const { return std::uint64_t{lanes} * kernel.group_size; }
};

TilesKernel tiles_kernel(DeviceCall& call, Hash hash, std::uint64_t n, bool is_even, const Body& body) {
    constexpr std::uint32_t most_in_group = 1024, least_in_group = 16;
    mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_CHUNKS, hash, n);
    policy.group_size = std::clamp(policy.group_size, least_in_group, most_in_group / policy.lanes);
    Variant variant = variant_of(info(hash).id, policy);
    variant.align = is_even ? 16 : 1;
    return {call.free_kernel(variant, body), policy.lanes};
}

bool is_even(std::int64_t pitch) { return pitch % 16 == 0; }

// Hashes tiles of a grid on the device, from tile a.first on.
void launch_tiles(DeviceCall& call, const HashTiles& a, const Range& out) {
    const TileGrid& grid = a.grid;
    const Range in = range_of(grid.first);
    const std::uint32_t log_chunks = log_chunks_of(grid);
    // The origin of packed tiles may lie before the block, where no kernel reads.
    const bool even = is_even(grid.row_pitch) && is_even(grid.matrix_pitch) && call.is_aligned(in, 16);
    const TilesKernel found = tiles_kernel(call, a.hash, a.n << log_chunks, even, bodies::hash_tiles);
    if (found.group_chunks() >> log_chunks == 0)
        throw Error(ErrorCode::internal, call.device().id() + " has too small groups for tiles");
    const TilesShape shape{.origin = in.offset,
                           .row_pitch = static_cast<std::uint64_t>(grid.row_pitch),
                           .matrix_pitch = static_cast<std::uint64_t>(grid.matrix_pitch),
                           .rows = grid.rows,
                           .row_bytes = grid.row_bytes,
                           .first = a.first,
                           .count = a.n,
                           .tile_rows = grid.tile_rows,
                           .tile_bytes = grid.tile_bytes,
                           .log_chunks = log_chunks,
                           .log_per_group = log_up(found.group_chunks() >> log_chunks)};
    call.enqueue(found.kernel, divide_up(a.n, found.group_chunks() >> log_chunks),
                 {in.memory, shape, out.memory, out.offset / Digest::size});
}

// Rows in a buffer begin where kernels can read 16 bytes at once.
std::uint64_t packed_pitch(std::uint64_t row_bytes) { return divide_up(row_bytes, 16) * 16; }

// Tiles of the host that go to a device together: whole rows of tiles, or a part of one.
struct TilesPiece {
    std::uint64_t first, n;  // tiles
    std::uint64_t bands, row_bytes;

    std::uint64_t pitch() const { return packed_pitch(row_bytes); }
    std::uint64_t bytes(const TileGrid& grid) const { return bands * grid.tile_rows * pitch(); }
};

std::vector<TilesPiece> pieces_of(const HashTiles& a) {
    const TileGrid& grid = a.grid;
    const std::uint64_t across = grid.across(), band_bytes = grid.tile_rows * packed_pitch(grid.row_bytes);
    const std::uint64_t bands = std::max<std::uint64_t>(1, Staging::piece_bytes / band_bytes);
    const std::uint64_t tiles =
        std::min(across, Staging::piece_bytes / (std::uint64_t{grid.tile_rows} * grid.tile_bytes));
    std::vector<TilesPiece> pieces;
    for (std::uint64_t tile = a.first, end = a.first + a.n; tile < end;) {
        const std::uint64_t column = tile % across, whole = std::min(bands, (end - tile) / across);
        if (column == 0 && whole > 0 && tiles == across) {
            pieces.push_back({tile, whole * across, whole, grid.row_bytes});
        } else {
            const std::uint64_t n = std::min({tiles, across - column, end - tile});
            const std::uint64_t begin = column * grid.tile_bytes;
            pieces.push_back({tile, n, 1, std::min(grid.row_bytes - begin, n * grid.tile_bytes)});
        }
        tile += pieces.back().n;
    }
    return pieces;
}

// Rows of a piece lie one behind another in its buffer, each row of tiles where tile_rows rows of those before end.
void pack_piece(const TileGrid& grid, const TilesPiece& piece, unsigned threads, std::byte* to) {
    const std::uint64_t across = grid.across();
    parallel_for(piece.bands, threads, [&](std::size_t band) {
        const TileGrid::Tile tile = grid.tile(piece.first + band * across);
        for (std::uint64_t row = 0; row < tile.n_rows; row++) {
            const auto distance = static_cast<std::int64_t>(grid.distance(tile.matrix, tile.row + row, tile.byte));
            std::memcpy(to + (band * grid.tile_rows + row) * piece.pitch(), host_bytes(grid.first) + distance,
                        piece.row_bytes);
        }
    });
}

// The grid of a piece's buffer, in which its tiles have the numbers that they have in the whole.
TileGrid packed_grid(const TileGrid& grid, const TilesPiece& piece, mkz_memory* memory) {
    const TileGrid::Tile tile = grid.tile(piece.first);
    TileGrid packed = grid;
    packed.row_pitch = static_cast<std::int64_t>(piece.pitch());
    packed.matrix_pitch = static_cast<std::int64_t>(grid.down() * grid.tile_rows * piece.pitch());
    packed.first = {memory, 0 - packed.distance(tile.matrix, tile.row, tile.byte), true};
    return packed;
}

bool tiles_staged(DeviceCall& call, const HashTiles& a, const Tick& tick) {
    const std::vector<TilesPiece> pieces = pieces_of(a);
    std::uint64_t most_bytes = 0, most_tiles = 0;
    for (const TilesPiece& piece : pieces) {
        most_bytes = std::max(most_bytes, piece.bytes(a.grid));
        most_tiles = std::max(most_tiles, piece.n);
    }
    Staging::Pipeline pipeline;
    pipeline.sizes = {most_bytes, Digest::size * most_tiles};
    pipeline.parts = [&](std::uint64_t which, std::size_t) {
        const TilesPiece& piece = pieces[which];
        std::byte* const out = host_bytes(at_node(a.out, piece.first - a.first));
        return std::vector<Staging::HostPart>{{out, 0, Digest::size * piece.n}};
    };
    pipeline.fill = [&](std::uint64_t which, std::size_t buffer, Staging::Slot& slot) {
        pack_piece(a.grid, pieces[which], call.threads(), slot.pinned(buffer));
        return pieces[which].bytes(a.grid);
    };
    pipeline.compute = [&](std::uint64_t which, const Staging::Slot& slot) {
        const TilesPiece& piece = pieces[which];
        HashTiles here = a;
        here.first = piece.first;
        here.n = piece.n;
        here.grid = packed_grid(a.grid, piece, slot.block(0)->memory());
        launch_tiles(call, here, {slot.block(1)->memory(), 0});
    };
    return call.run(pieces.size(), pipeline, tick);
}

}  // namespace

// If a device has no room for what is on the host, the processors hash.
bool DeviceCall::launch(const HashTiles& a, const Tick& tick) {
    if (a.n == 0) return true;
    if (a.grid.first.on_device) {
        const Lease out = aligned_out(range_of(a.out), Digest::size * a.n);
        launch_tiles(*this, a, range_of(out));
        return_out(range_of(a.out), range_of(out), Digest::size * a.n);
        return !tick || tick(1);
    }
    try {
        return tiles_staged(*this, a, tick);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    return HostExecutor(threads()).launch(a, tick);
}

bool DeviceCall::launch(const MergeRows& a, const Tick& tick) {
    const std::uint64_t n = a.rows * a.out_nodes();
    if (n == 0) return true;
    const TilesKernel merge = tiles_kernel(*this, a.hash, n, true, bodies::merge_rows);
    const Range in = range_of(a.in), out = range_of(a.out);
    enqueue(merge.kernel, divide_up(n, merge.group_chunks()),
            {in.memory, in.offset / Digest::size, a.in_stride, out.memory, out.offset / Digest::size, a.out_stride,
             a.rows, a.pairs, std::uint32_t{a.has_odd}});
    return !tick || tick(1);
}

}  // namespace merklize::runtime
