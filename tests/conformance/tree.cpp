// Whole trees: every node against single merges, every leaf's influence, known roots.

#include <algorithm>

#include "support.hpp"

using namespace support;
using merklize::MerkleTree;
using merklize::Policy;

namespace {

std::vector<Digest> witness(Hash hash, const std::vector<Digest>& given) {
    std::vector<Bytes> bytes;
    for (const Digest& leaf : given) bytes.push_back(to_bytes(leaf));
    std::vector<Digest> nodes;
    for (const Bytes& node : reference::tree(static_cast<int>(hash), bytes)) nodes.push_back(to_digest(node));
    return nodes;
}

// Every node of a tree built with each of these counts of levels a launch.
void check_nodes(Hash hash, std::size_t n, std::initializer_list<std::uint32_t> levels_per_launch) {
    const std::vector<Digest> given = leaves(hash, n, n), expected = witness(hash, given);
    for (const std::uint32_t levels : levels_per_launch) {
        const MerkleTree tree(given, hash, threads(1 + levels % 3, {.levels_per_launch = levels}));
        CHECK_EQ(tree.n_leaves(), n);
        CHECK(tree.hash() == hash);
        CHECK_EQ(tree.root(), expected[1]);
        CHECK_EQ(tree.nodes(), expected);
        CHECK(tree.policy().levels_per_launch >= 1);
        CHECK_EQ(tree.device().id, merklize::Device().info().id);
    }
}

}  // namespace

TEST("tree: every node of every size against the reference") {
    for (const merklize::HashTraits& t : hashes_here()) {
        for (std::size_t n = 2; n <= (t.is_field ? 128 : 4096); n *= 2) check_nodes(t.hash, n, {0});
    }
}

TEST("tree_policies: every node of every size against the reference, by so many levels a launch") {
    for (const merklize::HashTraits& t : hashes_here()) {
        for (std::size_t n = 2; n <= (t.is_field ? 128 : 4096); n *= 2) check_nodes(t.hash, n, {1, 2, 3, 5, 30});
    }
}

TEST("tree: every node of a large tree against merges") {
    for (const merklize::HashTraits& t : hashes_here()) {
        const std::size_t n = t.is_field ? 1024 : 1 << 15;
        const MerkleTree tree(leaves(t.hash, n, 3), t.hash);
        const std::span<const Digest> nodes = tree.nodes();
        CHECK_EQ(nodes.size(), 2 * n);
        CHECK_EQ(nodes[0], Digest{});
        // All in one call, because on a device each call is a launch; then some alone.
        std::vector<Digest> left, right, parents(n);
        for (std::size_t i = 0; i < n; ++i) {
            left.push_back(nodes[2 * i]);
            right.push_back(nodes[2 * i + 1]);
        }
        merklize::merge(left, right, parents, t.hash);
        CHECK_EQ(nodes.subspan(1, n - 1), std::span(parents).subspan(1));
        for (std::size_t i = 1; i < n; i += n / 64)
            CHECK_EQ(nodes[i], merklize::merge(nodes[2 * i], nodes[2 * i + 1], t.hash));
    }
}

TEST("tree: any leaf changes the root, and only its own path") {
    for (const merklize::HashTraits& t : hashes_here()) {
        const std::size_t n = t.is_field ? 64 : 512;
        std::vector<Digest> given = leaves(t.hash, n, 5);
        const MerkleTree before(given, t.hash);
        for (std::size_t k = 0; k < n; ++k) {
            const Digest saved = given[k];
            given[k].bytes[8] ^= std::byte{1};  // the lowest bit of a word: canonical stays canonical, except for p - 1
            if (!is_canonical(t, given[k])) given[k] = Digest{};
            const MerkleTree after(given, t.hash);
            for (std::size_t i = 1; i < 2 * n; ++i) {
                bool on_path = false;
                for (std::size_t node = n + k; node >= 1; node /= 2) on_path = on_path || node == i;
                CHECK_EQ(before.nodes()[i] != after.nodes()[i], on_path);
            }
            given[k] = saved;
        }
    }
}

TEST("tree: known roots") {
    const auto root = [](std::size_t n) { return MerkleTree(known_leaves(n)).root().hex(); };
    CHECK_EQ(root(2), "ac5319ace433dd60ba5ffd206b27f3136ec357b69ca08f44eda8ffcc52a4a65f");
    CHECK_EQ(root(1 << 10), "a10cdf376affe2cf843d72b664faa33e37ed4e3d01e3dea214850fa7679879f4");
    CHECK_EQ(root(1 << 20), "ede5e0f06e7f756c19cc86c73599183cef05c130613a1ae1faf1d7c564ce2696");
}

TEST("tree_policies: the same bytes for every count of threads and every policy") {
    for (const merklize::HashTraits& t : hashes_here()) {
        const std::vector<Digest> given = leaves(t.hash, t.is_field ? 512 : 1 << 14, 6);
        const Digest root = MerkleTree(given, t.hash, threads(1)).root();
        for (unsigned n_threads = 2; n_threads <= 9; ++n_threads) {
            for (const std::uint32_t levels : {std::uint32_t{0}, n_threads})
                CHECK_EQ(MerkleTree(given, t.hash, threads(n_threads, {.levels_per_launch = levels})).root(), root);
        }
    }
}

TEST("tree: build_tree in the caller's memory, aligned or not") {
    for (const merklize::HashTraits& t : hashes_here()) {
        const std::vector<Digest> given = leaves(t.hash, 64, 7);
        const MerkleTree tree(given, t.hash);
        for (const std::size_t offset : {0, 1, 4}) {
            Bytes memory(offset + 128 * Digest::size, 0xa5);
            const std::span nodes(reinterpret_cast<Digest*>(memory.data() + offset), 128);
            std::copy(given.begin(), given.end(), nodes.begin() + 64);
            const Policy used = merklize::build_tree(nodes, t.hash);
            CHECK(used.levels_per_launch >= 1);
            CHECK_EQ(nodes, tree.nodes());
        }
    }
}

TEST("tree: has a copy of its leaves, wherever they came from") {
    for (const Hash hash : {Hash::blake3, Hash::sha256_rfc6962, Hash::rp64_256}) {
        const bool is_field = merklize::traits(hash).is_field;
        for (const std::size_t n : {2, 63, 64, 65, 127, 4095, 4096, 4097, 32767, 32768, 32769, 40001}) {
            if (is_field && n > 128) continue;
            const std::vector<Digest> given = leaves(hash, n, n);
            for (const std::size_t offset : {0, 1, 16}) {
                Bytes memory(offset + n * Digest::size);
                const std::span caller(reinterpret_cast<Digest*>(memory.data() + offset), n);
                std::copy(given.begin(), given.end(), caller.begin());
                const merklize::TreeForm form(hash, merklize::TreeRule::left_full);
                const MerkleTree tree(caller, form, threads(1 + offset % 2));
                std::fill(memory.begin(), memory.end(), std::uint8_t{0xa5});
                CHECK_EQ(tree.nodes().last(n), std::span(given));
                CHECK_EQ(tree.root(), merklize::merkle_root(given, form));
                CHECK(merklize::verify(tree.prove(n - 1), tree.root()));
            }
        }
    }
}

TEST("tree: caps") {
    const MerkleTree tree(leaves(Hash::blake3, 64, 8));
    for (unsigned height = 0; height <= 6; ++height) {
        const std::vector<Digest> cap = tree.cap(height);
        CHECK_EQ(cap.size(), std::size_t{1} << height);
        CHECK_EQ(cap, tree.nodes().subspan(cap.size(), cap.size()));
    }
    CHECK_ERROR(invalid_argument, "height must be at most 6 for 64 leaves, got 7", tree.cap(7));
}

TEST("tree: moved-to trees hold the nodes") {
    MerkleTree a(leaves(Hash::blake3, 8, 9)), b(leaves(Hash::rp64_256, 4, 9), Hash::rp64_256);
    const Digest root = a.root();
    b = std::move(a);
    CHECK_EQ(b.root(), root);
    CHECK_EQ(b.n_leaves(), 8u);
    const MerkleTree c = std::move(b);
    CHECK_EQ(c.root(), root);
}
