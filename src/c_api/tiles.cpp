// Tiles of matrices, and the nodes above them.
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::TiledMatrices;

namespace {

TiledMatrices read_tiles(const Call& call, const merklize_tiled_matrices& given) {
    if (given.elements != nullptr && given.buffer != nullptr)
        call.invalid("matrices have elements or a buffer, got both");
    TiledMatrices made{.matrices = given.matrices,
                       .rows = given.rows,
                       .columns = given.columns,
                       .element_bytes = given.element_bytes,
                       .row_pitch = given.row_pitch,
                       .matrix_pitch = given.matrix_pitch,
                       .tile_rows = given.tile_rows,
                       .tile_columns = given.tile_columns,
                       .elements = given.elements};
    if (given.tile_rows == 0 && given.tile_columns == 0) made.tile_rows = made.tile_columns = 32;
    if (given.buffer == nullptr) return made;
    made.buffer = given.buffer->value;
    made.first = given.first;
    return made;
}

}  // namespace

merklize_status merklize_hash_tiles(const merklize_tiled_matrices* matrices, merklize_output out,
                                    const merklize_run_options* options) {
    return run("merklize_hash_tiles", [&](const Call& call) {
        const Options run(call, options);
        const TiledMatrices given = read_tiles(call, call.need(matrices, "matrices"));
        if (call.on_device(out, "out"))
            merklize::hash_tiles(given, call.written(out.buffer, "out"), run.get());
        else
            merklize::hash_tiles(given, call.digests(out, "out"), run.get());
        run.finish();
    });
}

merklize_status merklize_range_nodes(uint64_t first, uint64_t count, uint64_t total, merklize_range_node* nodes,
                                     size_t capacity, size_t* needed) {
    return run("merklize_range_nodes", [&](const Call& call) {
        std::vector<merklize_range_node> found;
        for (const merklize::RangeNode& node : merklize::range_nodes(first, count, total))
            found.push_back({.index = node.index, .level = node.level});
        call.put_items(std::span<const merklize_range_node>(found), nodes, capacity, needed, "nodes");
    });
}

merklize_status merklize_merge_ranges(merklize_view leaves, uint64_t trees, uint64_t first, uint64_t total,
                                      merklize_output out, const merklize_run_options* options) {
    return run("merklize_merge_ranges", [&](const Call& call) {
        const Options run(call, options);
        const bool there = call.on_device(leaves, "leaves");
        if (there != call.on_device(out, "out")) call.invalid("leaves and out must both be buffers, or none");
        if (there) {
            merklize::merge_ranges(leaves.buffer->value, trees, first, total, call.written(out.buffer, "out"),
                                   run.get());
        } else {
            merklize::merge_ranges(call.digests(leaves, "leaves"), trees, first, total, call.digests(out, "out"),
                                   run.get());
        }
        run.finish();
    });
}
