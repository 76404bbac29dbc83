// Trees of every rule, hash and count of leaves: every node against the rule's own definition.

#include <algorithm>

#include "forms.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/tree_builder.hpp"
#include "merklize/tree_file.hpp"

using namespace support;
using merklize::MerkleTree;
using merklize::Policy;

namespace {

std::vector<std::size_t> sizes_of(const TestForm& f) {
    std::vector<std::size_t> sizes;
    const bool slow = f.form.hash != Hash::blake3;
    for (std::size_t n = 1; n <= (slow ? 20 : 70); ++n) sizes.push_back(n);
    if (slow) {
        for (const std::size_t n : {31, 32, 33, 47, 64, 65, 70}) sizes.push_back(n);
    } else {
        for (const std::size_t n : {127, 128, 129, 255, 257, 511, 512, 513, 1000, 1023, 1025, 1337, 1999, 2000})
            sizes.push_back(n);
    }
    std::erase_if(sizes, [&](std::size_t n) { return !fits(f, n); });
    return sizes;
}

}  // namespace

TEST("tree: every node of every form and size") {
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : sizes_of(f)) {
            const std::vector<Digest> given = leaves(f.form.hash, n, n);
            const auto levels = witness_levels(f, given);
            const std::vector<Digest> heap = witness_heap(f, given);
            const Policy policy{.levels_per_launch = static_cast<std::uint32_t>(n % 5)};
            const MerkleTree tree(given, f.form, threads(1 + n % 3, policy));
            CHECK_EQ(tree.n_leaves(), n);
            CHECK_EQ(tree.height() + 1, levels.size());
            CHECK(tree.form().rule == f.form.rule);
            CHECK_EQ(tree.root(), levels.back()[0]);
            CHECK_EQ(tree.nodes().size(), merklize::heap_slots(n));
            CHECK_EQ(tree.nodes(), heap);
            for (unsigned l = 0; l < levels.size(); ++l) CHECK_EQ(tree.level(l), levels[l]);
            for (unsigned h = 0; h < levels.size(); ++h) CHECK_EQ(tree.cap(h), levels[levels.size() - 1 - h]);
            CHECK_EQ(merklize::merkle_root(given, f.form, {.policy = policy}), levels.back()[0]);
            // In the caller's memory, which held other data before.
            std::vector<Digest> nodes = leaves(f.form.hash, heap.size(), 3);
            std::ranges::copy(given, nodes.end() - static_cast<std::ptrdiff_t>(n));
            merklize::build_tree(nodes, f.form, {.policy = policy});
            CHECK_EQ(nodes, heap);
        }
    }
}

TEST("tree: larger trees against the smaller ones in them") {
    for (const TreeRule rule : {TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last}) {
        const TestForm f{TreeForm(Hash::blake3, rule)};
        for (const std::size_t n : {4095, 4097, 8191, 10000, 16385, 40001}) {
            const std::vector<Digest> given = leaves(Hash::blake3, n, n);
            const MerkleTree tree(given, f.form);
            CHECK_EQ(tree.nodes(), witness_heap(f, given));
        }
    }
}

TEST("tree: dropped levels") {
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 2, 3, 5, 8, 13, 64, 100, 300}) {
            if (!fits(f, n) || (n > 64 && f.form.hash != Hash::blake3)) continue;
            const std::vector<Digest> given = leaves(f.form.hash, n, n);
            const MerkleTree whole(given, f.form);
            for (unsigned drop = 0; drop <= whole.height(); ++drop) {
                const MerkleTree tree(given, f.form, {}, drop);
                CHECK_EQ(tree.root(), whole.root());
                CHECK_EQ(tree.height(), whole.height());
                CHECK_EQ(tree.drop_levels(), drop);
                for (unsigned l = drop; l <= whole.height(); ++l) CHECK_EQ(tree.level(l), whole.level(l));
                if (drop > 0) CHECK_ERROR(invalid_argument, "keeps levels from", tree.level(drop - 1));
                CHECK(tree.nodes().size() <= (whole.nodes().size() >> drop) + 2);
            }
            CHECK_ERROR(invalid_argument, "drop_levels must be at most the height",
                        MerkleTree(given, f.form, {}, whole.height() + 1));
        }
    }
}

TEST("tree: dropped levels above many leaves that begin anywhere on a device") {
    if (merklize::Device().info().backend == "cpu" || !merklize::runtime::state_of(merklize::Device()).parts.empty())
        return;
    constexpr std::size_t n = (std::size_t{1} << 22) + 5;
    const std::vector<Digest> given = leaves(Hash::blake3, n, 1);
    merklize::Buffer block(merklize::Device(), 8 + Digest::size * n);
    merklize::Buffer unaligned = block.slice(8, Digest::size * n);
    unaligned.copy_from(std::as_bytes(std::span(given)));
    const Digest root = merklize::merkle_root(given, Hash::blake3, {.device = merklize::Device("cpu")});
    CHECK_EQ(merklize::merkle_root(unaligned, Hash::blake3), root);
    for (const unsigned drop : {0u, 1u, 7u, 23u}) CHECK_EQ(MerkleTree(unaligned, Hash::blake3, {}, drop).root(), root);
}

TEST("tree: proofs of a tree with dropped levels, from its leaves again") {
    Random random(4);
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 2, 5, 8, 13, 64, 100}) {
            if (!fits(f, n) || (n > 13 && f.form.hash != Hash::blake3)) continue;
            const std::vector<Digest> given = leaves(f.form.hash, n, n);
            const MerkleTree whole(given, f.form);
            std::vector<std::uint64_t> indices, some;
            for (std::uint64_t k = 0; k < n; ++k) {
                indices.push_back(n - 1 - k);
                if (random.below(3) == 0) some.push_back(k);
            }
            if (some.empty()) some.push_back(n - 1);
            for (unsigned drop = 1; drop <= whole.height(); ++drop) {
                const MerkleTree tree(given, f.form, {}, drop);
                CHECK_EQ(tree.prove(indices, given), whole.prove(indices));
                CHECK_EQ(tree.prove_together(some, given), whole.prove_together(some));
                CHECK_EQ(tree.prove_range(n / 2, n, given), whole.prove_range(n / 2, n));
                CHECK_ERROR(invalid_argument, "all its " + std::to_string(n) + " leaves must be given, got 0",
                            tree.prove(0));
                std::vector<Digest> others = given;
                others[n - 1] = leaves(f.form.hash, 1, 99)[0];
                CHECK_ERROR(invalid_argument, "the leaves given are not this tree's", tree.prove(n - 1, others));
            }
            CHECK_ERROR(invalid_argument, "leaves must not be given", whole.prove(0, given));
        }
    }
}

TEST("tree: rows") {
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 2, 3, 8, 21}) {
            if (!fits(f, n)) continue;
            for (const std::size_t words : {4, 12, 200}) {
                const std::vector<Digest> rows = leaves(f.form.hash, n * words / 4, words);
                const auto bytes = std::as_bytes(std::span(rows));
                std::vector<Digest> given(n);
                merklize::hash_leaves(bytes, 8 * words, given, f.form.hash, f.form.mode);
                const MerkleTree tree = MerkleTree::from_rows(bytes, n, f.form), expected(given, f.form);
                CHECK_EQ(tree.nodes(), expected.nodes());
                CHECK_EQ(tree.root(), expected.root());
            }
        }
    }
    const std::vector<Digest> five = leaves(Hash::blake3, 5);
    CHECK_ERROR(invalid_argument, "equal length, got 160 bytes for 3 rows",
                MerkleTree::from_rows(std::as_bytes(std::span(five)), 3, TreeForm(Hash::blake3, TreeRule::pad)));
    CHECK_ERROR(invalid_argument, "at least 1, got 0", MerkleTree::from_rows(std::span<const std::byte>(), 0));
    const std::vector<Digest> no_words(2, Digest::from_words({UINT64_MAX, 0, 0, 0}));
    CHECK_ERROR(invalid_argument, "from_rows: word 0 is 18446744073709551615, not a field element",
                MerkleTree::from_rows(std::as_bytes(std::span(no_words)), 2, Hash::rp64_256));
}

TEST("tree: messages of any lengths") {
    const merklize::Device device;
    const bool is_host = merklize::runtime::state_of(device).is_host();
    Random random(11);
    for (const TestForm& f : test_forms()) {
        const merklize::HashTraits& traits = merklize::traits(f.form.hash);
        for (const std::size_t n : {1, 2, 8, 21}) {
            if (!fits(f, n)) continue;
            std::vector<Bytes> messages;
            std::vector<merklize::MessageView> views;
            std::vector<Digest> expected;
            for (std::size_t i = 0; i < n; i++) {
                constexpr std::size_t lengths[] = {3, 0, 1, 3, 130, 17, 3, 300};  // in elements
                const std::size_t bytes = lengths[i % 8] * (traits.is_field ? traits.element_bits / 8 : 1);
                messages.push_back(traits.is_field ? random_elements(traits, bytes, random) : random.bytes(bytes));
                expected.push_back(to_digest(reference::leaf(static_cast<int>(f.form.hash), messages[i], f.mode)));
            }
            for (std::size_t i = 0; i < n; i++) {
                if (is_host || i % 2 == 0 || messages[i].empty())
                    views.emplace_back(messages[i]);
                else
                    views.emplace_back(merklize::ConstBuffer(merklize::Buffer::copy_of(messages[i], device)));
            }
            double done = 0;
            const merklize::RunOptions options{.progress = [&](double share) {
                CHECK(share >= done && share <= 1);
                done = share;
                return true;
            }};
            const MerkleTree tree = MerkleTree::from_messages(std::span(std::as_const(views)), f.form, options);
            CHECK_EQ(tree.level(0), expected);
            CHECK_EQ(tree.root(), MerkleTree(expected, f.form).root());
        }
    }
    const std::vector<std::string> texts{"a", "", "longer than the others"};
    CHECK_EQ(MerkleTree::from_messages(texts).root(), MerkleTree(merklize::hash_each(texts)).root());
    merklize::Timings timings;
    CHECK_EQ(MerkleTree::from_messages(texts, Hash::sha256_rfc6962, {.timings = &timings}).n_leaves(), 3u);
    CHECK_EQ(MerkleTree::from_messages(std::vector<std::string>(), Hash::sha256_rfc6962).n_leaves(), 0u);
}

TEST("tree: every form in the memory of a device") {
    if (merklize::runtime::state_of(merklize::Device()).is_host()) return;
    const auto on_device = [](const std::vector<Digest>& nodes) {
        return merklize::Buffer::copy_of(std::as_bytes(std::span(nodes)), merklize::Device());
    };
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 2, 3, 5, 8, 13, 64, 77, 1000}) {
            if (!fits(f, n) || (n > 77 && f.form.hash != Hash::blake3)) continue;
            const std::vector<Digest> given = leaves(f.form.hash, n, n), heap = witness_heap(f, given);
            std::vector<Digest> nodes = leaves(f.form.hash, heap.size(), 3);
            std::ranges::copy(given, nodes.end() - static_cast<std::ptrdiff_t>(n));
            const merklize::Buffer there = on_device(nodes), alone = on_device(given);
            merklize::build_tree(there, f.form);
            there.copy_to(std::as_writable_bytes(std::span(nodes)));
            CHECK_EQ(nodes, heap);
            CHECK_EQ(merklize::merkle_root(alone, f.form), heap[1]);
            const MerkleTree tree(alone, f.form);
            CHECK_EQ(tree.nodes(), heap);
            for (unsigned drop = 1; drop <= tree.height(); drop += 2) {
                const MerkleTree dropped(alone, f.form, {}, drop);
                CHECK_EQ(dropped.level(drop), tree.level(drop));
                CHECK_EQ(dropped.root(), heap[1]);
            }
            if (f.form.rule == TreeRule::perfect && n >= 8) {
                const merklize::MerkleForest forest(alone, 4, f.form);
                CHECK_EQ(forest.level(2), tree.level(2));
            }
            if (n % 4 == 0) {
                std::vector<Digest> rows(n / 4);
                merklize::hash_leaves(std::as_bytes(std::span(given)), 128, rows, f.form.hash, f.form.mode);
                CHECK_EQ(MerkleTree::from_rows(alone, n / 4, f.form).root(), MerkleTree(rows, f.form).root());
            }
        }
    }
}

// RFC 6962, section 2.1: "The hash of an empty list is the hash of an empty string". Its value is in FIPS 180-4's
// examples.
TEST("tree: the empty tree of RFC 6962, and of nothing else") {
    const Digest nothing = *Digest::from_hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const TreeForm form(Hash::sha256_rfc6962, TreeRule::left_full);
    MerkleTree tree({}, form);
    CHECK_EQ(tree.root(), nothing);
    CHECK_EQ(tree.n_leaves(), 0u);
    CHECK_EQ(tree.height(), 0u);
    CHECK(tree.level(0).empty());
    CHECK_EQ(tree.cap(0), std::vector<Digest>{nothing});
    CHECK_EQ(merklize::merkle_root({}, form), nothing);
    CHECK_EQ(MerkleTree::from_rows(std::span<const std::byte>(), 0, form).root(), nothing);
    merklize::TreeBuilder builder(form);
    CHECK_EQ(builder.root(), nothing);
    CHECK_ERROR(invalid_argument, "at most the height, 0 for 0 leaves", MerkleTree({}, form, {}, 1));

    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", input = folder.write("none", Bytes());
    merklize::save_tree(tree, path);
    CHECK_EQ(std::filesystem::file_size(path), 128u);
    merklize::TreeFile file(path);
    CHECK_EQ(file.root(), nothing);
    CHECK(file.check().empty());
    CHECK(file.read(0, 0, 0).empty());
    CHECK_ERROR(invalid_argument, "the tree has no leaves, got leaf index 0", file.prove(0));
    for (const auto& none : {merklize::TreeInput::rows(input, 7), merklize::TreeInput::leaves(input)}) {
        CHECK_EQ(merklize::merkle_root_file(none, form).root, nothing);
        CHECK_EQ(MerkleTree::from_file(none, form).root(), nothing);
        CHECK_EQ(merklize::build_tree_file(none, folder.path() / "b.mkl", form).root, nothing);
        CHECK_EQ(merklize::TreeFile(folder.path() / "b.mkl").n_leaves(), 0u);
    }
    // It grows like any other tree.
    for (const std::size_t n : {1, 2, 5, 3000}) {
        const std::vector<Digest> added = leaves(Hash::sha256_rfc6962, n);
        const Digest expected = merklize::merkle_root(added, form);
        MerkleTree grown({}, form);
        grown.append(added);
        CHECK_EQ(grown.root(), expected);
        CHECK_EQ(grown.nodes(), MerkleTree(added, form).nodes());
        merklize::save_tree(tree, path);
        merklize::TreeFile growing(path);
        growing.append(added);
        CHECK_EQ(growing.root(), expected);
        CHECK(growing.check().empty());
    }
    // Other hashes and rules have no empty tree, neither in memory nor in a file.
    for (const TestForm& f : test_forms()) {
        if (f.form.hash == Hash::sha256_rfc6962 && f.form.rule == TreeRule::left_full) continue;
        CHECK_ERROR(invalid_argument, "at least 1, got 0", MerkleTree({}, f.form));
        CHECK_ERROR(invalid_argument, "at least 1, got 0", merklize::merkle_root({}, f.form));
    }
}

TEST("tree: counts that a rule does not take") {
    for (const std::size_t n : {3, 5, 6, 7, 9, 1000})
        CHECK(MerkleTree(leaves(Hash::blake3, n)).form().rule == TreeRule::left_full);
    for (const std::size_t slots : {0, 1, 3, 5, 6, 9, 12, 17}) {
        std::vector<Digest> nodes(slots);
        CHECK_ERROR(invalid_argument, "no tree has " + std::to_string(slots) + " slots",
                    merklize::build_tree(nodes, TreeForm(Hash::blake3, TreeRule::pad)));
    }
    CHECK_ERROR(invalid_argument, "at least 1, got 0", merklize::heap_slots(0));
    CHECK_ERROR(out_of_memory, "too many leaves", merklize::heap_slots(UINT64_MAX));
    CHECK_ERROR(invalid_argument, "blake3",
                MerkleTree(leaves(Hash::rp64_256_v3, 2),
                           TreeForm(Hash::rp64_256_v3, TreeRule::perfect, Mode::derive_key("x"))));
    const Digest bad = Digest::from_words({0, 0xffffffff00000001, 0, 0});
    CHECK_ERROR(invalid_argument, "word 1 is",
                MerkleTree(leaves(Hash::rp64_256_v3, 3), TreeForm(Hash::rp64_256_v3, TreeRule::pad, {}, bad)));
    std::vector<Digest> five = leaves(Hash::rp64_256_v1, 5);
    five[4] = bad;
    CHECK_ERROR(invalid_argument, "word 17 is", MerkleTree(five, TreeForm(Hash::rp64_256_v1, TreeRule::left_full)));
}

TEST("tree: rules by name") {
    for (const TreeRule rule : rules) CHECK(merklize::rule_from_name(merklize::rule_name(rule)) == rule);
    CHECK(merklize::rule_from_name("promote") == TreeRule::left_full);
    CHECK_ERROR(invalid_argument, "number 9", merklize::rule_name(static_cast<TreeRule>(9)));
}

TEST("tree: any leaf changes the root") {
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 3, 5, 6, 7, 8, 11}) {
            if (!fits(f, n)) continue;
            std::vector<Digest> given = leaves(f.form.hash, n, n);
            const Digest root = merklize::merkle_root(given, f.form);
            for (std::size_t k = 0; k < n; ++k) {
                const Digest saved = given[k];
                given[k] = leaves(f.form.hash, 1, 1000 + k)[0];
                CHECK(merklize::merkle_root(given, f.form) != root);
                given[k] = saved;
            }
        }
    }
}
