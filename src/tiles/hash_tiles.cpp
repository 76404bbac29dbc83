// hash_tiles(): its arguments, checked, become the job HashTiles.
#include <algorithm>
#include <cstdint>
#include <string>

#include "calls/calibration.hpp"
#include "calls/operands.hpp"
#include "calls/run.hpp"
#include "host/invalid.hpp"
#include "merklize/tiles.hpp"

namespace merklize::inline v0 {
namespace {

__extension__ using Wide = __int128;  // places of bytes: a caller may claim any

constexpr std::uint64_t most_lines = std::uint64_t{1} << 40;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 56;  // addresses that a processor gives a process

struct TilesInput {
    runtime::TileGrid grid{};
    std::uint64_t tiles = 0;
    runtime::MemoryRange memory{std::span<const std::byte>()};
};

void require_shape(const TiledMatrices& tiled) {
    const unsigned size = tiled.element_bytes;
    if (size != 1 && size != 2 && size != 4 && size != 8 && size != 16)
        invalid_call("elements must have 1, 2, 4, 8 or 16 bytes, got " + std::to_string(size));
    const bool is_square = tiled.tile_rows == 32 && tiled.tile_columns == 32;
    if (!is_square && (tiled.tile_rows != 1 || tiled.tile_columns != 1024)) {
        invalid_call("tiles must be 32 x 32 or 1 x 1024 elements, got " + std::to_string(tiled.tile_rows) + " x " +
                     std::to_string(tiled.tile_columns));
    }
    const auto require_count = [](std::uint64_t n, const char* what) {
        if (n > most_lines) invalid_call(std::string("at most 2^40 ") + what + ", got " + std::to_string(n));
    };
    require_count(tiled.matrices, "matrices");
    require_count(tiled.rows, "rows");
    require_count(tiled.columns, "columns");
    const Wide matrix = Wide{tiled.rows} * tiled.columns * size;
    if (matrix > INT64_MAX || matrix * tiled.matrices > INT64_MAX) {
        invalid_call("at most 2^63 - 1 bytes, got " + std::to_string(tiled.matrices) + " matrices of " +
                     std::to_string(tiled.rows) + " x " + std::to_string(tiled.columns) + " elements");
    }
}

// errors  invalid_argument (bytes outside the buffer, or where a process has no memory)
TilesInput read_tiles(const TiledMatrices& tiled) {
    require_shape(tiled);
    TilesInput input;
    input.grid = {.first = {},
                  .rows = tiled.rows,
                  .row_bytes = tiled.columns * tiled.element_bytes,
                  .row_pitch = tiled.rows == 1 ? 0 : tiled.row_pitch,
                  .matrix_pitch = tiled.matrices == 1 ? 0 : tiled.matrix_pitch,
                  .tile_rows = tiled.tile_rows,
                  .tile_bytes = tiled.tile_columns * tiled.element_bytes};
    input.tiles = tiled.tiles();
    if (input.tiles == 0) return input;
    if (!tiled.buffer && tiled.elements == nullptr) invalid_call("the matrices' elements are null");
    const Wide down = Wide{tiled.row_pitch} * (Wide{tiled.rows} - 1),
               over = Wide{tiled.matrix_pitch} * (Wide{tiled.matrices} - 1);
    const Wide lowest = std::min<Wide>(down, 0) + std::min<Wide>(over, 0),
               end = std::max<Wide>(down, 0) + std::max<Wide>(over, 0) + input.grid.row_bytes;
    const Wide size = tiled.buffer ? Wide{tiled.buffer->size()} : Wide{most_memory};
    const Wide first = tiled.buffer ? Wide{tiled.first} : Wide{reinterpret_cast<std::uintptr_t>(tiled.elements)};
    if (first + lowest < 0 || first + end > size) {
        invalid_call("matrices reach outside the " + std::to_string(static_cast<std::uint64_t>(size)) +
                     " bytes of their " + (tiled.buffer ? "buffer" : "memory"));
    }
    const auto bytes = static_cast<std::uint64_t>(end - lowest);
    if (tiled.buffer) {
        input.grid.first = runtime::moved(runtime::place_of(*tiled.buffer), tiled.first);
        input.memory = tiled.buffer->slice(static_cast<std::uint64_t>(first + lowest), bytes);
    } else {
        input.grid.first = runtime::host_place(tiled.elements);
        const auto* lowest_byte = static_cast<const std::byte*>(tiled.elements) + static_cast<std::int64_t>(lowest);
        input.memory = std::span(lowest_byte, bytes);
    }
    return input;
}

void run_tiles(const TilesInput& input, std::uint64_t digests, const runtime::MemoryRange& out,
               const runtime::Place& to, const RunOptions& options) {
    using Use = runtime::Operand::Use;
    if (digests != input.tiles) {
        invalid_call("out must have a digest for each of " + std::to_string(input.tiles) + " tiles, got " +
                     std::to_string(digests));
    }
    runtime::require_apart({{Use::writes, "out", out}, {Use::reads, "matrices", input.memory}});
    runtime::Run run(options);
    if (input.tiles != 0) run.launch(runtime::HashTiles{.grid = input.grid, .n = input.tiles, .out = to}, 1);
    run.finish();
}

}  // namespace

void hash_tiles(const TiledMatrices& matrices, std::span<Digest> out, const RunOptions& options) {
    const PublicCall entry("hash_tiles");
    const TilesInput input = read_tiles(matrices);
    if (matrices.buffer)
        invalid_call("out must be in memory of " + matrices.buffer->device().info().id + ", where the matrices are");
    const std::uint64_t bytes = matrices.matrices * matrices.rows * input.grid.row_bytes;
    const RunOptions chosen = runtime::chosen(options, Job::rows, Hash::blake3, bytes, matrices.elements);
    run_tiles(input, out.size(), std::as_bytes(out), runtime::host_place(out.data()), chosen);
}

void hash_tiles(const TiledMatrices& matrices, Buffer out, const RunOptions& options) {
    const PublicCall entry("hash_tiles");
    const TilesInput input = read_tiles(matrices);
    if (!matrices.buffer)
        invalid_call("out must be in memory of the host, where the matrices are, got " + out.device().info().id);
    runtime::require_same_device(*matrices.buffer, out);
    if (out.size() % Digest::size != 0)
        invalid_call("out must be a multiple of 32 bytes, got " + std::to_string(out.size()) + " bytes");
    const RunOptions on_device = runtime::on_device_of(out, options);
    run_tiles(input, out.size() / Digest::size, out, runtime::place_of(out), on_device);
}

}  // namespace merklize::inline v0
