// Tiles and ranges of trees against their definition: tiles are cut out element by element, and nodes are RFC 6962's
// recursion.
#include <algorithm>
#include <cstring>

#include "default_device.hpp"
#include "little_memory.hpp"
#include "merklize/tiles.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::RangeNode;
using merklize::TiledMatrices;

namespace {

struct TileShape {
    std::uint64_t matrices, rows, columns;
    unsigned element;
    bool is_line = false;           // tiles of 1 x 1024
    std::int64_t row_pitch = 0;     // 0: row after row
    std::int64_t matrix_pitch = 0;  // 0: matrix after matrix
    std::uint64_t misaligned = 0;   // bytes before the first element
};

// Random memory, a view of it, and the tiles' digests by the definition.
struct TileCase {
    Bytes memory{};
    TiledMatrices view{};
    std::uint64_t first = 0;

    explicit TileCase(const TileShape& shape) {
        const auto row_bytes = static_cast<std::int64_t>(shape.columns * shape.element);
        view.matrices = shape.matrices;
        view.rows = shape.rows;
        view.columns = shape.columns;
        view.element_bytes = shape.element;
        view.row_pitch = shape.row_pitch == 0 ? row_bytes : shape.row_pitch;
        view.matrix_pitch =
            shape.matrix_pitch == 0 ? static_cast<std::int64_t>(shape.rows) * row_bytes : shape.matrix_pitch;
        if (shape.is_line) {
            view.tile_rows = 1;
            view.tile_columns = 1024;
        }
        const std::int64_t down = static_cast<std::int64_t>(shape.rows - 1) * view.row_pitch,
                           over = static_cast<std::int64_t>(shape.matrices - 1) * view.matrix_pitch;
        const std::int64_t lowest = std::min<std::int64_t>(down, 0) + std::min<std::int64_t>(over, 0),
                           end = std::max<std::int64_t>(down, 0) + std::max<std::int64_t>(over, 0) + row_bytes;
        first = shape.misaligned + static_cast<std::uint64_t>(-lowest);
        memory = Random(shape.rows * 131 + shape.columns * 7 + shape.element)
                     .bytes(shape.misaligned + static_cast<std::uint64_t>(end - lowest));
        view.elements = memory.data() + first;
    }

    std::vector<Digest> expected() const {
        std::vector<Digest> found;
        for (std::uint64_t m = 0; m < view.matrices; m++) {
            for (std::uint64_t row = 0; row < view.rows; row += view.tile_rows) {
                for (std::uint64_t column = 0; column < view.columns; column += view.tile_columns)
                    found.push_back(tile(m, row, column));
            }
        }
        return found;
    }

    // The same memory on the default device, `offset` bytes behind the beginning of a block.
    TiledMatrices there(std::uint64_t offset) const {
        TiledMatrices made = view;
        made.elements = nullptr;
        made.buffer = on_device(memory, offset);
        made.first = first;
        return made;
    }

private:
    Digest tile(std::uint64_t m, std::uint64_t row, std::uint64_t column) const {
        reference::Bytes message;
        for (std::uint64_t i = row; i < std::min<std::uint64_t>(row + view.tile_rows, view.rows); i++) {
            for (std::uint64_t k = column; k < std::min<std::uint64_t>(column + view.tile_columns, view.columns); k++) {
                const auto at = static_cast<std::int64_t>(first) + static_cast<std::int64_t>(m) * view.matrix_pitch +
                                static_cast<std::int64_t>(i) * view.row_pitch +
                                static_cast<std::int64_t>(k * view.element_bytes);
                for (unsigned b = 0; b < view.element_bytes; b++)
                    message.push_back(memory[static_cast<std::size_t>(at) + b]);
            }
        }
        Digest digest;
        const reference::Bytes hashed = reference::blake3(message);
        std::memcpy(&digest, hashed.data(), sizeof digest);
        return digest;
    }
};

std::vector<Digest> tiles_of(const TiledMatrices& view, const merklize::RunOptions& options = {}) {
    std::vector<Digest> out(view.tiles());
    merklize::hash_tiles(view, out, options);
    return out;
}

// out_offset  bytes of the block before the digests
std::vector<Digest> tiles_there(const TiledMatrices& view, std::uint64_t out_offset = 0) {
    const Buffer block(Device(), out_offset + Digest::size * view.tiles() + 1);
    const Buffer out = block.slice(out_offset, Digest::size * view.tiles());
    merklize::hash_tiles(view, out);
    return on_host<Digest>(out);
}

void check_tiles(const TileShape& shape) {
    const TileCase one(shape);
    const std::vector<Digest> expected = one.expected();
    CHECK(tiles_of(one.view, on_cpu()) == expected);
    CHECK(tiles_of(one.view, on_cpu(1)) == expected);
    CHECK(tiles_of(one.view) == expected);
    if (!has_memory()) return;
    CHECK(tiles_there(one.there(0)) == expected);
    CHECK(tiles_there(one.there(3), 32) == expected);
}

constexpr std::uint64_t borders[] = {1, 31, 32, 33, 63, 64, 65};

// The nodes of a tree by RFC 6962.
Digest subtree(std::span<const Digest> leaves) {
    if (leaves.size() == 1) return leaves[0];
    std::size_t half = 1;
    while (2 * half < leaves.size()) half *= 2;
    const Digest left = subtree(leaves.first(half)), right = subtree(leaves.subspan(half));
    reference::Bytes both(64);
    std::memcpy(both.data(), &left, 32);
    std::memcpy(both.data() + 32, &right, 32);
    Digest merged;
    std::memcpy(&merged, reference::blake3(both).data(), 32);
    return merged;
}
std::span<const Digest> below(std::span<const Digest> leaves, unsigned level, std::uint64_t index) {
    const std::uint64_t first = index << level;
    return leaves.subspan(first, std::min<std::uint64_t>(std::uint64_t{1} << level, leaves.size() - first));
}

// The nodes whose leaves are all in the range, and whose parents' are not, by looking at every node of the tree.
std::vector<RangeNode> nodes_by_search(std::uint64_t first, std::uint64_t count, std::uint64_t total) {
    const auto is_in = [&](unsigned level, std::uint64_t index) {
        const std::uint64_t begin = index << level, end = std::min((index + 1) << level, total);
        return begin < end && begin >= first && end <= first + count;
    };
    unsigned height = 0;
    while ((std::uint64_t{1} << height) < total) height++;
    std::vector<RangeNode> nodes;
    for (unsigned level = 0; level <= height; level++) {
        for (std::uint64_t index = 0; index << level < total; index++) {
            if (is_in(level, index) && (level == height || !is_in(level + 1, index / 2)))
                nodes.push_back({level, index});
        }
    }
    return nodes;
}

void check_ranges(std::uint64_t trees, std::uint64_t first, std::uint64_t count, std::uint64_t total) {
    std::vector<Digest> mine, expected;
    const std::vector<RangeNode> nodes = merklize::range_nodes(first, count, total);
    CHECK(nodes == nodes_by_search(first, count, total));
    for (std::uint64_t t = 0; t < trees; t++) {
        const std::vector<Digest> all = leaves(Hash::blake3, total, t + 1);
        mine.insert(mine.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
                    all.begin() + static_cast<std::ptrdiff_t>(first + count));
        for (const RangeNode& node : nodes) expected.push_back(subtree(below(all, node.level, node.index)));
    }
    const auto by = [&](const merklize::RunOptions& options) {
        std::vector<Digest> out(expected.size());
        merklize::merge_ranges(mine, trees, first, total, out, options);
        return out;
    };
    CHECK(by(on_cpu()) == expected);
    CHECK(by({}) == expected);
    if (!has_memory()) return;
    const Buffer out(Device(), Digest::size * expected.size());
    merklize::merge_ranges(on_device(mine), trees, first, total, out);
    CHECK(on_host<Digest>(out) == expected);
}

}  // namespace

TEST("tiles: every border, of elements of every size") {
    for (const unsigned element : {1u, 2u, 4u, 8u, 16u}) {
        for (const std::uint64_t rows : borders) {
            for (const std::uint64_t columns : borders) {
                if (element <= 2 || rows % 32 <= 1 || columns % 32 <= 1) check_tiles({1, rows, columns, element});
            }
        }
    }
}

// Whole tiles side by side fill the lanes of a batch, of two, and some of the next.
TEST("tiles: as many side by side as lanes have room for") {
    for (const unsigned element : {1u, 2u, 4u, 8u, 16u}) {
        for (const std::uint64_t across : {7, 8, 9, 16, 17, 32, 33, 65}) {
            const std::uint64_t columns = 32 * across;
            check_tiles({1, 33, columns, element});
            check_tiles({2, 64, columns + 5, element, false, static_cast<std::int64_t>((columns + 5) * element + 3)});
        }
        check_tiles({2, 64, 32 * 40, element, false, -static_cast<std::int64_t>(32 * 40 * element)});
    }
}

TEST("tiles: of one row") {
    for (const unsigned element : {1u, 2u, 4u, 8u, 16u}) {
        for (const std::uint64_t columns : {1, 5, 63, 1023, 1024, 1025, 2100})
            check_tiles({1, 1, columns, element, true});
        check_tiles({2, 3, 1500, element, true});
        check_tiles({1, 5, 1030, element, true, 1040 * 16});
    }
}

TEST("tiles: views of any pitches, and several matrices") {
    for (const unsigned element : {1u, 2u, 4u, 8u, 16u}) {
        const std::int64_t row = 70 * element;
        check_tiles({3, 40, 70, element});
        check_tiles({2, 40, 70, element, false, row + 64});
        check_tiles({2, 64, 64, element, false, 64 * 5 * element, 64 * 64 * 5 * element});  // a box of columns
        check_tiles({2, 33, 64, element, false, 64 * 16 + 1, 64 * 64 * 17});                // pitches of any bytes
        check_tiles({2, 40, 70, element, false, row + 6, 41 * (row + 6) + 3, 5});
        check_tiles({3, 40, 70, element, false, -row});
        check_tiles({3, 40, 70, element, false, row, -40 * row});
        check_tiles({4, 33, 35, element, false, 35 * 16, 48});  // matrices that overlap
        check_tiles({3, 5, 64, element, false, 64 * 16, 0});
    }
    TileCase same({5, 40, 64, 2});
    same.view.matrix_pitch = 0;
    CHECK(tiles_of(same.view) == same.expected());
    same.view.row_pitch = 0;
    CHECK(tiles_of(same.view) == same.expected());
    check_tiles({300, 2, 3, 2});
    check_tiles({1, 1, 20000, 2});
    check_tiles({1, 3000, 2, 4});
}

TEST("tiles: a device gets matrices of the host in pieces") {
    for (const TileShape& shape :
         std::vector<TileShape>{{1, 100, 300000, 1},        // a row of tiles is larger than no piece, several fit
                                {1, 33, 600000, 1},         // a row of tiles is larger than a piece
                                {1, 1, 40000000, 1, true},  // so is a line
                                {700, 31, 1000, 1},
                                {1, 600000, 1, 1},  // rows that padding makes 16 times as long
                                {2, 65, 130000, 2, false, 300001}}) {
        const TileCase one(shape);
        CHECK(tiles_of(one.view) == tiles_of(one.view, on_cpu()));
        if (has_memory()) CHECK(tiles_there(one.there(0)) == tiles_of(one.view, on_cpu()));
    }
}

TEST("tiles: any policy") {
    if (!has_memory()) return;
    const TileCase one({2, 70, 200, 16});
    const std::vector<Digest> expected = tiles_of(one.view, on_cpu());
    for (const std::uint32_t group : {1u, 8u, 64u, 1024u}) {
        for (const std::uint32_t lanes : {1u, 4u, 16u}) {
            CHECK(tiles_of(one.view, {.policy = {.group_size = group, .lanes = lanes}}) == expected);
        }
    }
}

TEST("tiles: a device that is full") {
    if (!has_memory()) return;
    const TileCase one({2, 100, 300, 2});
    const std::vector<Digest> expected = tiles_of(one.view, on_cpu());
    const std::vector<Digest> mine = leaves(Hash::blake3, 3 * 1000, 1);
    std::vector<Digest> nodes(3 * merklize::range_nodes(5, 1000, 2000).size()), found(nodes.size());
    merklize::merge_ranges(mine, 3, 5, 2000, nodes, on_cpu());
    const TiledMatrices there = one.there(0);
    const Buffer out(Device(), Digest::size * expected.size());
    for (const std::uint64_t bytes : {0, 1 << 10, 1 << 16}) {
        const LittleMemory little(bytes);
        CHECK(tiles_of(one.view) == expected);
        merklize::hash_tiles(there, out);
        CHECK(on_host<Digest>(out) == expected);
        merklize::merge_ranges(mine, 3, 5, 2000, found);
        CHECK(found == nodes);
    }
}

TEST("tiles: arguments that do not fit") {
    const TileCase one({2, 40, 70, 2});
    std::vector<Digest> out(12);
    const auto refused = [&](const char* text, auto change, std::size_t digests = 12) {
        TiledMatrices view = one.view;
        change(view);
        CHECK_ERROR(invalid_argument, text, merklize::hash_tiles(view, std::span(out).first(digests)));
    };
    const auto none = [](TiledMatrices&) {};
    refused("hash_tiles: out must have a digest for each of 12 tiles, got 11", none, 11);
    refused("hash_tiles: elements must have 1, 2, 4, 8 or 16 bytes, got 3",
            [](TiledMatrices& v) { v.element_bytes = 3; });
    refused("elements must have 1, 2, 4, 8 or 16 bytes, got 0", [](TiledMatrices& v) { v.element_bytes = 0; });
    refused("hash_tiles: tiles must be 32 x 32 or 1 x 1024 elements, got 32 x 1024",
            [](TiledMatrices& v) { v.tile_columns = 1024; });
    refused("tiles must be 32 x 32 or 1 x 1024 elements, got 0 x 0",
            [](TiledMatrices& v) { v.tile_columns = v.tile_rows = 0; });
    refused("hash_tiles: the matrices' elements are null", [](TiledMatrices& v) { v.elements = nullptr; });
    refused("at most 2^40 rows, got 18446744073709551615", [](TiledMatrices& v) { v.rows = UINT64_MAX; });
    refused("at most 2^40 columns, got 1099511627777", [](TiledMatrices& v) { v.columns = (1ull << 40) + 1; });
    refused("at most 2^40 matrices, got 9223372036854775808", [](TiledMatrices& v) { v.matrices = 1ull << 63; });
    refused("at most 2^63 - 1 bytes, got 1099511627776 matrices of 1099511627776 x 1099511627776 elements",
            [](TiledMatrices& v) { v.matrices = v.rows = v.columns = 1ull << 40; });
    refused("matrices reach outside the 72057594037927936 bytes of their memory",
            [](TiledMatrices& v) { v.row_pitch = INT64_MAX; });
    refused("matrices reach outside", [](TiledMatrices& v) { v.row_pitch = INT64_MIN; });
    refused("matrices reach outside", [](TiledMatrices& v) { v.matrix_pitch = INT64_MIN; });
    TiledMatrices empty = one.view;
    empty.columns = 0;
    merklize::hash_tiles(empty, std::span<Digest>());
    empty.elements = nullptr;
    merklize::hash_tiles(empty, std::span<Digest>());
    std::vector<std::byte> bytes(4096);
    TiledMatrices view{.matrices = 1, .rows = 32, .columns = 32, .row_pitch = 64, .elements = bytes.data()};
    CHECK_ERROR(invalid_argument,
                "hash_tiles: out must not overlap matrices, got 32 bytes 2000 bytes after the beginning of 2048",
                merklize::hash_tiles(view, std::span(reinterpret_cast<Digest*>(&bytes[2000]), 1)));
    if (!has_memory()) return;
    const Buffer there(Device(), 4096);
    CHECK_ERROR(invalid_argument,
                "hash_tiles: out must be in memory of the host, where the matrices are, got " + Device().info().id,
                merklize::hash_tiles(view, there.slice(0, 32)));
    view.buffer = there;
    CHECK_ERROR(invalid_argument,
                "hash_tiles: out must be in memory of " + Device().info().id + ", where the matrices are",
                merklize::hash_tiles(view, std::span(out).first(1)));
    CHECK_ERROR(invalid_argument, "hash_tiles: out must not overlap matrices",
                merklize::hash_tiles(view, there.slice(32, 32)));
    CHECK_ERROR(invalid_argument, "hash_tiles: out must be a multiple of 32 bytes, got 33 bytes",
                merklize::hash_tiles(view, there.slice(2048, 33)));
    for (const std::uint64_t first : {std::uint64_t{2049}, std::uint64_t{1} << 63, UINT64_MAX}) {
        view.first = first;
        CHECK_ERROR(invalid_argument, "hash_tiles: matrices reach outside the 4096 bytes of their buffer",
                    merklize::hash_tiles(view, there.slice(0, 32)));
    }
}

TEST("tiles: nodes of every range of small trees") {
    for (std::uint64_t total = 1; total <= 18; total++) {
        for (std::uint64_t first = 0; first <= total; first++) {
            for (std::uint64_t count = 0; first + count <= total; count++)
                CHECK(merklize::range_nodes(first, count, total) == nodes_by_search(first, count, total));
        }
    }
    for (std::uint64_t total : {1, 2, 3, 5, 7, 8, 13}) {
        for (std::uint64_t first = 0; first < total; first++) {
            for (std::uint64_t count = 1; first + count <= total; count += 2) check_ranges(3, first, count, total);
        }
    }
}

TEST("tiles: nodes of random ranges") {
    Random random(56);
    for (int i = 0; i < 30; i++) {
        const std::uint64_t total = 1 + random.below(900), first = random.below(total),
                            count = 1 + random.below(total - first);
        check_ranges(1 + random.below(9), first, count, total);
    }
    check_ranges(1, 0, 5000, 5000);
    check_ranges(200, 0, 7, 7);
    // A tree that no memory has, of which somebody has a few leaves.
    const std::vector<Digest> mine = leaves(Hash::blake3, 4, 1);
    std::vector<Digest> out(1);
    merklize::merge_ranges(mine, 1, std::uint64_t{1} << 60, UINT64_MAX, out);
    CHECK_EQ(out[0], subtree(mine));
    const std::vector<RangeNode> top = {{64, 0}};
    CHECK(merklize::range_nodes(0, UINT64_MAX, UINT64_MAX) == top);
    CHECK(merklize::range_nodes(UINT64_MAX - 1, 1, UINT64_MAX).size() == 1);
}

TEST("tiles: ranges that do not fit") {
    const std::vector<Digest> mine = leaves(Hash::blake3, 12, 1);
    std::vector<Digest> out(12);
    const auto call = [&](std::uint64_t trees, std::uint64_t first, std::uint64_t total, std::size_t digests) {
        merklize::merge_ranges(mine, trees, first, total, std::span(out).first(digests));
    };
    CHECK_ERROR(invalid_argument, "merge_ranges: leaves must be as many for each of 5 trees, got 12", call(5, 0, 9, 1));
    CHECK_ERROR(invalid_argument, "merge_ranges: leaves must be as many for each of 0 trees, got 12", call(0, 0, 9, 0));
    CHECK_ERROR(invalid_argument, "merge_ranges: there are 9 leaves, got a range of 4 from leaf 6 on",
                call(3, 6, 9, 3));
    CHECK_ERROR(invalid_argument,
                "merge_ranges: there are 9 leaves, got a range of 4 from leaf 18446744073709551615 on",
                call(3, UINT64_MAX, 9, 3));
    CHECK_ERROR(invalid_argument, "merge_ranges: out must have 3 digests for each of 3 trees, got 8", call(3, 1, 9, 8));
    CHECK_ERROR(invalid_argument, "range_nodes: there are 9 leaves, got a range of 18446744073709551615 from leaf 1 on",
                merklize::range_nodes(1, UINT64_MAX, 9));
    CHECK_ERROR(invalid_argument, "merge_ranges: out must not overlap leaves",
                merklize::merge_ranges(std::span(out).first(4), 1, 0, 4, std::span(out).subspan(3, 1)));
    merklize::merge_ranges(std::span<const Digest>(), 0, 0, 9, std::span<Digest>());
    merklize::merge_ranges(std::span<const Digest>(), 7, 3, 9, std::span<Digest>());
    if (!has_memory()) return;
    const Buffer there(Device(), 1024);
    CHECK_ERROR(invalid_argument,
                "merge_ranges: nodes on " + Device().info().id + " must begin on a multiple of 32 bytes",
                merklize::merge_ranges(there.slice(16, 128), 1, 0, 4, there.slice(512, 32)));
    CHECK_ERROR(invalid_argument, "merge_ranges: leaves and out must be multiples of 32 bytes, got 129 bytes",
                merklize::merge_ranges(there.slice(0, 129), 1, 0, 4, there.slice(512, 32)));
}
