// Every kernel of a device once, on little data, for slow tools such as NVIDIA's memory checkers.

#include <algorithm>
#include <set>
#include <string>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/constraints.hpp"
#include "merklize/tiles.hpp"
#include "merklize/xmss.hpp"
#include "programs/variant.hpp"
#include "queue/device.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::MerkleTree;
using merklize::Mode;

namespace {

namespace bodies = merklize::runtime::bodies;

// hash_chunks, hash_parents and hash_each: one chunk, a cut one, some levels of parents.
void digests() {
    const Bytes data = Random(1).bytes(300 * 1024 + 5);
    for (const std::size_t size : {0, 5, 1024, 1025, 300 * 1024, 300 * 1024 + 5}) {
        const std::span<const std::byte> part = view(data).first(size);
        CHECK_EQ(merklize::hash(on_device(part)), merklize::hash(part, {}, on_cpu()));
    }
    std::vector<Digest> many(60), expected(60);
    const Buffer out(Device(), 60 * Digest::size);
    merklize::hash_leaves(on_device(view(data).first(60 * 5000)), 5000, out);
    support::hash_messages(view(data).first(60 * 5000), 5000, std::as_writable_bytes(std::span(expected)), {},
                           on_cpu());
    CHECK_EQ(on_host<Digest>(out), expected);
    std::vector<merklize::MessageView> views, there;
    for (const std::size_t size : {0, 5, 1024, 1025, 70 * 1024, 70 * 1024 + 5}) {
        views.emplace_back(view(data).first(size));
        there.emplace_back(on_device(view(data).first(size)));
    }
    CHECK_EQ(merklize::hash_each(there), merklize::hash_each(views, {}, on_cpu()));
    Bytes longer(64 * views.size()), wanted(64 * views.size());
    merklize::hash_each(there, std::as_writable_bytes(std::span(longer)), 64);
    merklize::hash_each(views, std::as_writable_bytes(std::span(wanted)), 64, 0, {}, on_cpu());
    CHECK_EQ(hex(longer), hex(wanted));
}

// merge_pairs, and hash_rows of the hashes that have it.
void batches(Hash hash, const Mode& mode = {}) {
    const std::vector<Digest> left = leaves(hash, 150, 1), right = leaves(hash, 150, 2);
    std::vector<Digest> expected(150);
    const Buffer out(Device(), 150 * Digest::size);
    merklize::merge(left, right, expected, hash, mode, on_cpu());
    merklize::merge(on_device(left), on_device(right), out, hash, mode);
    CHECK_EQ(on_host<Digest>(out), expected);
    for (const std::size_t bytes : {8, 40, 320}) {
        const Buffer records = on_device(std::as_bytes(std::span(left)).first(10 * bytes)), digests(Device(), 320);
        std::vector<Digest> wanted(10);
        merklize::hash_leaves(std::as_bytes(std::span(left)).first(10 * bytes), bytes, wanted, hash, mode, on_cpu());
        merklize::hash_leaves(records, bytes, digests, hash, mode);
        CHECK_EQ(on_host<Digest>(digests), wanted);
    }
}

// extend64 and extend32, of two passes; weighted_sums64 and weighted_sums32; constraints64 and constraints32,
// and the kernels that copy their cells.
void extensions() {
    for (const auto field : {merklize::Field::goldilocks, merklize::Field::koalabear}) {
        const unsigned word = field == merklize::Field::goldilocks ? 8 : 4;
        Bytes words(512 * 5 * word);
        for (std::size_t i = 0; i < words.size(); i += 4) words[i] = static_cast<std::uint8_t>(i);
        std::vector<std::byte> expected(2 * words.size());
        const Buffer out(Device(), expected.size());
        const auto of = [&](const merklize::ConstBuffer& there) { return merklize::Matrix::of_rows(there, 512, word); };
        merklize::Matrix matrix = of(on_device(view(words)));
        merklize::extend(matrix, out, {.field = field});
        matrix.buffer.reset();
        matrix.words = words.data();
        merklize::extend(matrix, expected, {.field = field}, on_cpu());
        CHECK(on_host<std::byte>(out) == expected);
        std::vector<std::byte> sums(5 * word), wanted(sums.size());
        const auto weights = std::as_bytes(std::span(words)).first(512 * word);
        merklize::weighted_sums(matrix, weights, wanted, {.field = field}, on_cpu());
        merklize::weighted_sums(of(on_device(view(words))), weights, sums, {.field = field});
        CHECK(sums == wanted);
        // The square of each row's first word.
        const auto first = merklize::ConstraintOperand::cell(0, 0);
        const std::vector<merklize::ConstraintStep> steps = {
            {merklize::ConstraintOp::multiply, 0, first, first},
            {merklize::ConstraintOp::sum, 0, merklize::ConstraintOperand::slot(0), {0}}};
        const merklize::ConstraintForm form{.field = field, .steps = steps, .weights = weights.first(word)};
        std::vector<std::byte> folded(512 * word), by_cpu(folded.size());
        matrix.elements = word == 8 ? merklize::Elements::any : merklize::Elements::montgomery;
        merklize::evaluate_constraints({&matrix, 1}, by_cpu, form, on_cpu());
        matrix.buffer = on_device(view(words));
        matrix.words = nullptr;
        merklize::evaluate_constraints({&matrix, 1}, folded, form);
        CHECK(folded == by_cpu);
    }
}

// hash_tiles of one chunk and of several, and merge_rows.
void tiles() {
    const Bytes words = Random(2).bytes(70 * 100 * 16);
    for (const unsigned element : {1u, 2u, 16u}) {
        merklize::TiledMatrices view{.rows = 70, .columns = 100, .element_bytes = element};
        view.row_pitch = 100 * element;
        view.elements = words.data();
        std::vector<Digest> expected(view.tiles());
        std::vector<Digest> nodes(merklize::range_nodes(1, expected.size(), 20).size());
        const Buffer out(Device(), Digest::size * expected.size()), top(Device(), Digest::size * nodes.size());
        merklize::hash_tiles(view, expected, on_cpu());
        view.buffer = on_device(std::as_bytes(std::span(words)));
        merklize::hash_tiles(view, out);
        CHECK_EQ(on_host<Digest>(out), expected);
        merklize::merge_ranges(expected, 1, 1, 20, nodes, on_cpu());
        merklize::merge_ranges(out, 1, 1, 20, top);
        CHECK_EQ(on_host<Digest>(top), nodes);
    }
}

// xmss_leaves and xmss_level.
void keys_that_sign() {
    const Bytes seeds = Random(3).bytes(64);
    const auto here = merklize::xmss::keys(seeds, 5, 40, on_cpu()), there = merklize::xmss::keys(seeds, 5, 40);
    for (std::size_t k = 0; k < 2; k++) CHECK(here[k].public_key() == there[k].public_key());
}

// merge_level and merge_subtree, by teams where the hash has them; merge_edge; merge_at, gather_nodes and
// scatter_nodes.
void trees(Hash hash, const Mode& mode) {
    const std::vector<Digest> given = leaves(hash, 512, 3);
    const merklize::TreeForm form(hash, merklize::default_rule(hash), mode);
    std::vector<Digest> expected(1024);
    std::ranges::copy(given, expected.begin() + 512);
    std::vector<Digest> nodes = expected;
    merklize::build_tree(expected, form, on_cpu());
    for (const std::uint32_t levels : {1u, 4u, 9u}) {
        const Buffer there = on_device(nodes);
        merklize::build_tree(there, form, {.policy = {.levels_per_launch = levels}});
        const std::vector<Digest> built = on_host<Digest>(there);
        CHECK(std::equal(built.begin() + 1, built.end(), expected.begin() + 1));
    }
    const merklize::Stream stream{Device()};
    const Buffer odd = on_device(std::as_bytes(std::span(given).first(333))), root(Device(), Digest::size);
    const merklize::TreeForm padded(hash, merklize::TreeRule::pad, mode);
    merklize::merkle_root(stream, {.leaves = odd, .out = root, .form = padded}).wait();
    CHECK_EQ(on_host<Digest>(root)[0], merklize::merkle_root(std::span(given).first(333), padded, on_cpu()));
    MerkleTree tree(on_device(given), form), reference(given, form, on_cpu());
    const std::vector<std::uint64_t> indices = {0, 1, 77, 300, 511};
    const std::vector<Digest> fresh = leaves(hash, indices.size(), 4);
    tree.update(indices, fresh);
    reference.update(indices, fresh, on_cpu());
    CHECK_EQ(tree.nodes(), reference.nodes());
    CHECK_EQ(tree.prove_together(indices).siblings, reference.prove_together(indices).siblings);
}

}  // namespace

TEST("every_kernel: computes on little data what the CPU does") {
    if (Device().info().backend == "cpu") return;
    digests();
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (!is_wanted(t)) continue;
        batches(t.hash);
        trees(t.hash, {});
    }
    trees(Hash::blake3, Mode::derive_key("every kernel"));
    const Mode keyed = Mode::keyed(view(Bytes(7, 3)), Hash::blake2s);
    batches(Hash::blake2s, keyed);
    trees(Hash::blake2s, keyed);
    extensions();
    tiles();
    keys_that_sign();

    const std::vector<Digest> rows = leaves(Hash::blake3, 140), packed = {rows[3], rows[23], rows[43]};
    const std::uint64_t extents[] = {3, 2};
    const std::int64_t strides[] = {20 * Digest::size, 16};
    CHECK_EQ(on_host<Digest>(Buffer::pack(on_device(rows), 3 * Digest::size, extents, strides, 16)), packed);
    CHECK_ERROR(
        invalid_argument, "word 3 is",
        merklize::merkle_root(on_device(std::vector<std::uint64_t>{1, 2, 3, ~0ull, 5, 6, 7, 8}), Hash::rp64_256));

    const auto nodes = merklize::bao_outboard(std::as_bytes(std::span(rows)), {}, on_cpu());
    CHECK(merklize::bao_outboard(on_device(rows)).bytes == nodes.bytes);

    // All kernels that are named above did run.
    merklize::runtime::QueueDevice& device = *merklize::runtime::state_of(Device()).opened();
    const std::set<std::string> ran = device.programs().found();
    const auto require = [&](Hash hash, std::initializer_list<merklize::runtime::Body> bodies) {
        for (const merklize::runtime::Body& body : bodies) {
            const std::string name = entry_name({.hash = static_cast<std::uint32_t>(hash)}, body);
            if (!ran.contains(name)) check::fail(__FILE__, __LINE__, name + " did not run");
        }
    };
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (!is_wanted(t)) continue;
        require(t.hash, {bodies::merge_level, bodies::merge_pairs, bodies::merge_subtree, bodies::merge_at,
                         bodies::merge_edge});
        const bool has_chunks = t.hash == Hash::blake3 || t.hash == Hash::blake3_parent;
        require(t.hash, {has_chunks ? bodies::hash_chunks : bodies::hash_rows});
    }
    require(Hash::blake3, {bodies::hash_chunks, bodies::hash_parents, bodies::hash_each, bodies::hash_each_parents,
                           bodies::hash_each_tower, bodies::hash_tiles, bodies::merge_rows});
    require(Hash::blake2s, {bodies::xmss_leaves, bodies::xmss_level});
    CHECK(ran.contains(bodies::order_parents.name));
    CHECK(ran.contains(bodies::gather_strided.name));
    CHECK(ran.contains(bodies::check_words64.name));
    CHECK(ran.contains(bodies::extend32.name));
    CHECK(ran.contains(bodies::extend64.name));
    CHECK(ran.contains(bodies::weighted_sums32.name));
    CHECK(ran.contains(bodies::weighted_sums64.name));
    CHECK(ran.contains(bodies::constraint_cells32.name));
    CHECK(ran.contains(bodies::constraint_cells64.name));
    CHECK(ran.contains(bodies::constraints32.name));
    CHECK(ran.contains(bodies::constraints64.name));
    if (device.facts().unified) return;  // on unified memory the host gathers nodes and copies leaves
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (is_wanted(t)) require(t.hash, {bodies::merge_keep});
    }
    CHECK(ran.contains(bodies::gather_nodes.name));
    CHECK(ran.contains(bodies::scatter_nodes.name));
}
