// Calls that write into memory of the caller: a write over anything else that the call uses is refused, memory beside
// it is not.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "default_device.hpp"
#include "merklize/async.hpp"
#include "merklize/bao.hpp"
#include "merklize/constraints.hpp"
#include "merklize/extend.hpp"
#include "merklize/hash_each.hpp"
#include "merklize/tiles.hpp"
#include "merklize/xmss.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::ConstBuffer;
using merklize::Device;
using merklize::ExtendedMatrix;
using merklize::ExtendForm;
using merklize::Hash;
using merklize::Matrix;
using merklize::Stream;

namespace {

constexpr std::size_t arena_bytes = 1 << 14, place = arena_bytes / 2;

// A call that reads `in` and writes `out`. Memory is bytes of the host, or a Buffer.
template <class Memory>
struct Writing {
    const char* name;
    std::size_t in_bytes, out_bytes;
    std::function<void(const Memory& in, const Memory& out)> call;
    bool in_place = false;  // `out` may be `in`
};

// Words of this are below every modulus.
std::vector<std::byte> arena() {
    std::vector<std::byte> bytes(arena_bytes);
    for (std::size_t i = 0; i < arena_bytes; i += 4) bytes[i] = static_cast<std::byte>(i / 4 * 7 + i / 1024);
    return bytes;
}

using HostBytes = std::span<std::byte>;

std::span<Digest> digests(HostBytes bytes) {
    return {reinterpret_cast<Digest*>(bytes.data()), bytes.size() / Digest::size};
}
std::vector<merklize::MessageView> messages(HostBytes bytes) {
    std::vector<merklize::MessageView> views;
    for (std::size_t i = 0; i < bytes.size(); i += 64) views.emplace_back(bytes.subspan(i, 64));
    return views;
}
[[maybe_unused]] std::vector<merklize::MessageView> messages(const Buffer& bytes) {
    std::vector<merklize::MessageView> views;
    for (std::size_t i = 0; i < bytes.size(); i += 64) views.emplace_back(bytes.slice(i, 64));
    return views;
}

Matrix matrix(HostBytes bytes, std::uint64_t rows) {
    const std::uint64_t columns = bytes.size() / rows / 8;
    return {.rows = rows,
            .columns = columns,
            .word_bytes = 8,
            .row_stride = static_cast<std::int64_t>(columns),
            .column_stride = 1,
            .words = bytes.data()};
}
Matrix matrix(const Buffer& bytes, std::uint64_t rows) { return Matrix::of_rows(bytes, rows, 8); }

// One tile of 2-byte elements.
merklize::TiledMatrices tile(HostBytes bytes) {
    return {.rows = 32, .columns = 32, .row_pitch = 64, .elements = bytes.data()};
}
merklize::TiledMatrices tile(const Buffer& bytes) {
    return {.rows = 32, .columns = 32, .row_pitch = 64, .buffer = bytes};
}

// Other operands of the calls, which lie elsewhere.
const std::vector<std::byte> elsewhere = arena();
HostBytes host_apart(std::size_t bytes) { return HostBytes(const_cast<std::byte*>(elsewhere.data()), bytes); }

const ExtendForm twice{.added_bits = 1};

std::vector<Writing<HostBytes>> host_calls() {
    const auto sums_of = [](const Matrix& from, HostBytes weights, HostBytes out) {
        merklize::weighted_sums(from, weights, out, {.over = merklize::SumOver::columns});
    };
    const auto folded = [](Matrix from, HostBytes weights, HostBytes scalars, HostBytes out) {
        from.elements = merklize::Elements::any;
        merklize::evaluate_constraints({&from, 1}, out, {.scalars = scalars, .weights = weights});
    };
    const auto committed = [](std::vector<ExtendedMatrix> matrices) { merklize::commit_extended(matrices); };
    return {
        {"hash_leaves", 512, 256, [](HostBytes in, HostBytes out) { merklize::hash_leaves(in, 64, digests(out)); }},
        {"hash_leaves of digests", 256, 256,
         [](HostBytes in, HostBytes out) { merklize::hash_leaves(in, 32, digests(out)); }},
        {"merge: left", 256, 256,
         [](HostBytes in, HostBytes out) { merklize::merge(digests(in), digests(host_apart(256)), digests(out)); },
         true},
        {"merge: right", 256, 256,
         [](HostBytes in, HostBytes out) { merklize::merge(digests(host_apart(256)), digests(in), digests(out)); },
         true},
        {"hash_each", 512, 256, [](HostBytes in, HostBytes out) { merklize::hash_each(messages(in), out, 32); }},
        {"hash_message_each", 512, 256,
         [](HostBytes in, HostBytes out) { merklize::hash_message_each(messages(in), out, 32, Hash::sha256); }},
        {"hash_rows", 512, 256,
         [](HostBytes in, HostBytes out) { merklize::hash_rows(std::vector{matrix(in, 8)}, digests(out)); }},
        {"hash_rows: second matrix", 512, 256,
         [](HostBytes in, HostBytes out) {
             merklize::hash_rows(std::vector{matrix(host_apart(64), 8), matrix(in, 8)}, digests(out));
         }},
        {"extend", 512, 1024, [](HostBytes in, HostBytes out) { merklize::extend(matrix(in, 8), out, twice); }},
        {"weighted_sums: matrix", 512, 64,
         [=](HostBytes in, HostBytes out) { sums_of(matrix(in, 8), host_apart(64), out); }},
        {"weighted_sums: weights", 64, 64,
         [=](HostBytes in, HostBytes out) { sums_of(matrix(host_apart(512), 8), in, out); }},
        {"evaluate_constraints: matrix", 512, 64,
         [=](HostBytes in, HostBytes out) { folded(matrix(in, 8), host_apart(64), {}, out); }},
        {"evaluate_constraints: weights", 64, 64,
         [=](HostBytes in, HostBytes out) { folded(matrix(host_apart(512), 8), in, {}, out); }},
        {"evaluate_constraints: scalars", 64, 64,
         [=](HostBytes in, HostBytes out) { folded(matrix(host_apart(512), 8), host_apart(64), in, out); }},
        {"hash_tiles", 2048, 32, [](HostBytes in, HostBytes out) { merklize::hash_tiles(tile(in), digests(out)); }},
        {"merge_ranges", 256, 32,
         [](HostBytes in, HostBytes out) { merklize::merge_ranges(digests(in), 1, 8, 20, digests(out)); }},
        {"xmss::verify_each", 2416, 2,
         [](HostBytes in, HostBytes out) {
             const std::uint64_t epochs[2] = {};
             merklize::xmss::verify_each(host_apart(64), epochs, host_apart(64), in,
                                         {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
         }},
        {"commit_extended", 512, 1024, [=](HostBytes in, HostBytes out) { committed({{matrix(in, 8), twice, out}}); }},
        {"commit_extended: another matrix", 512, 1024,
         [=](HostBytes in, HostBytes out) {
             committed({{matrix(host_apart(512), 8), twice, out}, {matrix(in, 8), twice}});
         }},
        {"commit_extended: another out", 1024, 1024,
         [=](HostBytes in, HostBytes out) {
             const Matrix words = matrix(host_apart(512), 8);
             committed({{words, twice, in}, {words, twice, out}});
         }},
        {"bao_outboard", 4096, 200,
         [](HostBytes in, HostBytes out) { merklize::bao_outboard(in, out, merklize::bao_form); }},
        {"bao_encode", 1024, 1032,
         [](HostBytes in, HostBytes out) { merklize::bao_encode(in, out, merklize::bao_form); }},
    };
}

std::vector<Writing<Buffer>> device_calls() {
    const Buffer there = on_device(elsewhere);
    const auto apart = [there](std::size_t bytes) { return there.slice(0, bytes); };
    const auto on_stream = [](const auto& enqueue) {
        const Stream stream{Device()};
        enqueue(stream).wait();
    };
    const auto committed = [](std::vector<ExtendedMatrix> matrices) { merklize::commit_extended(matrices); };
    using B = const Buffer&;
    return {
        {"hash_leaves", 512, 256, [](B in, B out) { merklize::hash_leaves(in, 64, out); }},
        {"merge: left", 256, 256, [=](B in, B out) { merklize::merge(in, apart(256), out); }, true},
        {"merge: right", 256, 256, [=](B in, B out) { merklize::merge(apart(256), in, out); }, true},
        {"hash_rows", 512, 256, [](B in, B out) { merklize::hash_rows(std::vector{matrix(in, 8)}, out); }},
        {"extend", 512, 1024, [](B in, B out) { merklize::extend(matrix(in, 8), out, twice); }},
        {"hash_tiles", 2048, 32, [](B in, B out) { merklize::hash_tiles(tile(in), out); }},
        {"merge_ranges", 256, 32, [](B in, B out) { merklize::merge_ranges(in, 1, 8, 20, out); }},
        {"commit_extended", 512, 1024, [=](B in, B out) { committed({{matrix(in, 8), twice, {}, out}}); }},
        {"commit_extended: another matrix", 512, 1024,
         [=](B in, B out) {
             const Buffer its(Device(), 1024);
             committed({{matrix(apart(512), 8), twice, {}, out}, {matrix(in, 8), twice, {}, its}});
         }},
        {"commit_extended: another buffer", 1024, 1024,
         [=](B in, B out) {
             const Matrix words = matrix(apart(512), 8);
             committed({{words, twice, {}, in}, {words, twice, {}, out}});
         }},
        {"bao_outboard", 4096, 200, [](B in, B out) { merklize::bao_outboard(in, out, merklize::bao_form); }},
        {"enqueued hash", 512, 32,
         [=](B in, B out) { on_stream([&](const Stream& s) { return merklize::hash(s, {.data = in, .out = out}); }); }},
        {"enqueued hash_leaves", 512, 256,
         [=](B in, B out) {
             on_stream(
                 [&](const Stream& s) { return merklize::hash_leaves(s, {.rows = in, .row_bytes = 64, .out = out}); });
         }},
        {"enqueued merge: left", 256, 256,
         [=](B in, B out) {
             on_stream(
                 [&](const Stream& s) { return merklize::merge(s, {.left = in, .right = apart(256), .out = out}); });
         },
         true},
        {"enqueued merge: right", 256, 256,
         [=](B in, B out) {
             on_stream(
                 [&](const Stream& s) { return merklize::merge(s, {.left = apart(256), .right = in, .out = out}); });
         },
         true},
        {"enqueued merkle_root", 256, 32,
         [=](B in, B out) {
             on_stream([&](const Stream& s) { return merklize::merkle_root(s, {.leaves = in, .out = out}); });
         }},
        {"enqueued merkle_root of one leaf", 32, 32,
         [=](B in, B out) {
             on_stream([&](const Stream& s) { return merklize::merkle_root(s, {.leaves = in, .out = out}); });
         },
         true},
        {"enqueued gather_nodes: nodes", 256, 64,
         [=](B in, B out) {
             const Buffer slots = on_device(std::vector<std::uint64_t>{1, 3});
             on_stream(
                 [&](const Stream& s) { return merklize::gather_nodes(s, {.nodes = in, .slots = slots, .out = out}); });
         }},
        {"enqueued gather_nodes: slots", 16, 64,
         [=](B in, B out) {
             const std::uint64_t slots[] = {1, 3};
             Buffer(in).copy_from(std::as_bytes(std::span(slots)));
             on_stream([&](const Stream& s) {
                 return merklize::gather_nodes(s, {.nodes = apart(256), .slots = in, .out = out});
             });
         }},
    };
}

std::vector<std::byte> bytes_of(HostBytes bytes) { return {bytes.begin(), bytes.end()}; }
std::vector<std::byte> bytes_of(const Buffer& buffer) { return on_host<std::byte>(buffer); }
HostBytes part_of(HostBytes bytes, std::size_t first, std::size_t size) { return bytes.subspan(first, size); }
Buffer part_of(const Buffer& buffer, std::size_t first, std::size_t size) { return buffer.slice(first, size); }

// make  new memory with the content of arena()
template <class Memory, class Make>
void try_all(const std::vector<Writing<Memory>>& calls, const Make& make) {
    for (const Writing<Memory>& it : calls) {
        const auto at = [&](std::int64_t after) {
            auto owner = make();
            const Memory memory = owner;
            const Memory in = part_of(memory, place, it.in_bytes),
                         out = part_of(memory, place + static_cast<std::size_t>(after), it.out_bytes);
            it.call(in, out);
            return bytes_of(out);
        };
        const auto in_bytes = static_cast<std::int64_t>(it.in_bytes),
                   out_bytes = static_cast<std::int64_t>(it.out_bytes);
        std::cout << "  " << it.name << '\n';
        const std::vector<std::byte> expected = at(-out_bytes - 512);
        CHECK(at(in_bytes) == expected && at(-out_bytes) == expected);
        if (it.in_place)
            CHECK(at(0) == expected);
        else
            CHECK_ERROR(invalid_argument, "must not overlap", at(0));
        for (const std::int64_t after :
             {in_bytes - 1, 1 - out_bytes, in_bytes / 2, -out_bytes / 2, std::int64_t{1}, std::int64_t{-1}})
            CHECK_ERROR(invalid_argument, "must not overlap", at(after));
    }
}

}  // namespace

TEST("overlaps: calls that write into memory of the host") {
    try_all<HostBytes>(host_calls(), [] { return arena(); });
}

TEST("overlaps: calls that write into memory of a device") {
    if (!has_memory()) return;
    try_all<Buffer>(device_calls(), [] { return on_device(arena()); });
}

TEST("overlaps: one output after all was read may lie over it") {
    std::vector<std::byte> bytes = arena();
    const Digest expected = merklize::hash(bytes);
    merklize::hash(bytes, HostBytes(bytes).subspan(100, Digest::size));
    CHECK(std::ranges::equal(HostBytes(bytes).subspan(100, Digest::size), std::as_bytes(std::span(expected.bytes))));
    bytes = arena();
    const Digest other = merklize::hash_message(bytes, Hash::sha256);
    merklize::hash_message(bytes, HostBytes(bytes).first(Digest::size), Hash::sha256);
    CHECK(std::ranges::equal(HostBytes(bytes).first(Digest::size), std::as_bytes(std::span(other.bytes))));
}

TEST("overlaps: many outputs") {
    constexpr std::size_t n = 3000;
    std::vector<std::uint64_t> words(8 * n), out(16 * n);
    std::vector<ExtendedMatrix> matrices;
    for (std::size_t m = 0; m < n; m++) {
        matrices.push_back({Matrix::of_rows(std::span<const std::uint64_t>(words).subspan(8 * m, 8), 8), twice,
                            std::as_writable_bytes(std::span(out).subspan(16 * m, 16))});
    }
    merklize::commit_extended(matrices);
    matrices[n - 2].out = matrices[5].out;
    CHECK_ERROR(invalid_argument, "must not overlap out 2998", merklize::commit_extended(matrices));
}
