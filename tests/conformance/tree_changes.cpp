// update() and append() against trees built from all leaves, and forests against single trees.

#include <algorithm>
#include <map>
#include <set>

#include "asked_often.hpp"
#include "forms.hpp"
#include "levels/indices.hpp"

using namespace support;
using merklize::MerkleForest;
using merklize::MerkleTree;

namespace {

void check_same(const MerkleTree& tree, const std::vector<Digest>& given) {
    const MerkleTree anew(given, tree.form());
    CHECK_EQ(tree.n_leaves(), given.size());
    CHECK_EQ(tree.root(), anew.root());
    CHECK_EQ(tree.nodes(), anew.nodes());
}

merklize::RunOptions cancelled_at(int call, int& calls) {
    merklize::RunOptions options;
    options.progress = [call, &calls](double) { return ++calls < call; };
    return options;
}

}  // namespace

// Several threads sort 32,768 indices or more.
TEST("tree: indices are put in order by any number of threads") {
    Random random(4);
    for (const std::uint64_t n : {std::uint64_t{40000}, std::uint64_t{1} << 24, std::uint64_t{1} << 50}) {
        std::set<std::uint64_t> set{0, n - 1};
        while (set.size() < 33000) set.insert(random.below(n));
        for (std::uint64_t k = 0; k < 1000; k++) set.insert(n / 2 + k);
        const std::vector<std::uint64_t> expected(set.begin(), set.end());
        std::vector<std::uint64_t> given = expected;
        for (std::size_t k = given.size() - 1; k > 0; k--) std::swap(given[k], given[random.below(k + 1)]);
        for (const unsigned threads : {1, 2, 3, 100}) {
            const auto sorted = [&](const std::vector<std::uint64_t>& indices) {
                return merklize::runtime::ascending(indices, n, threads);
            };
            CHECK(sorted(given) == expected);
            CHECK(sorted(expected) == expected);
            std::vector<std::uint64_t> wrong = given;
            wrong[7] = wrong.back();
            CHECK_ERROR(invalid_argument, "leaf index " + std::to_string(wrong[7]) + " is there twice", sorted(wrong));
            wrong[7] = n;
            CHECK_ERROR(invalid_argument, "must be below " + std::to_string(n), sorted(wrong));
        }
    }
}

TEST("tree: updates equal a rebuild") {
    Random random(1);
    for (const TestForm& f : test_forms()) {
        const bool slow = f.form.hash != Hash::blake3;
        for (const std::size_t n : {1, 2, 3, 4, 5, 8, 31, 32, 33, 100, 128, 1000, 1024, 3000}) {
            if (!fits(f, n) || (slow && n > 100)) continue;
            std::vector<Digest> given = leaves(f.form.hash, n, n);
            MerkleTree tree(given, f.form);
            for (int round = 0; round < 4; ++round) {
                std::map<std::uint64_t, Digest> change;
                const std::size_t count = round == 3 ? n : 1 + random.below(std::min<std::size_t>(n, 300));
                while (change.size() < count) {
                    const std::uint64_t k = round == 3 ? change.size() : random.below(n);
                    change[k] = leaves(f.form.hash, 1, random())[0];
                }
                std::vector<std::uint64_t> indices;
                std::vector<Digest> fresh;
                for (const auto& [k, leaf] : change) indices.push_back(k), fresh.push_back(leaf), given[k] = leaf;
                if (round % 2 != 0) std::ranges::reverse(indices), std::ranges::reverse(fresh);
                tree.update(indices, fresh);
                check_same(tree, given);
            }
        }
    }
}

TEST("tree: appends equal a rebuild") {
    Random random(2);
    for (const TestForm& f : test_forms()) {
        if (f.form.rule != TreeRule::left_full) continue;
        const std::size_t most = f.form.hash == Hash::blake3 ? 9000 : 150;
        for (int run = 0; run < 4; ++run) {
            std::vector<Digest> given = leaves(f.form.hash, 1 + random.below(20), run);
            MerkleTree tree(given, f.form);
            while (given.size() < most) {
                const std::size_t count = random.below(3) == 0 ? 1 : 1 + random.below(run == 3 ? 4000 : 40);
                const std::vector<Digest> more = leaves(f.form.hash, count, random());
                given.insert(given.end(), more.begin(), more.end());
                tree.append(more);
                if (run == 3 || random.below(8) == 0 || given.size() < 70) check_same(tree, given);
                const std::uint64_t k = random.below(given.size());
                given[k] = leaves(f.form.hash, 1, random())[0];
                tree.update({&k, 1}, {&given[k], 1});
            }
            check_same(tree, given);
        }
    }
}

// The leaves that a change takes from the tree's own nodes are those from before the change.
TEST("tree: changes take leaves from the tree's own nodes") {
    for (const TestForm& f : test_forms()) {
        if (f.form.hash != Hash::blake3) continue;
        for (const std::size_t n : {1, 2, 5, 16, 33, 2048}) {
            if (!fits(f, n)) continue;
            const std::vector<Digest> given = leaves(f.form.hash, n, n);
            const std::size_t slots = MerkleTree(given, f.form).nodes().size();
            for (const std::size_t first : {slots - n, slots - n + n / 2, slots - n - n / 3, std::size_t{0}}) {
                const std::size_t count = std::min(n, slots - first);
                std::vector<std::uint64_t> indices(count);
                for (std::size_t k = 0; k < count; k++) indices[k] = count - 1 - k;
                MerkleTree tree(given, f.form);
                const std::vector<Digest> before(tree.nodes().begin(), tree.nodes().end());
                tree.update(indices, tree.nodes().subspan(first, count));
                std::vector<Digest> expected = given;
                for (std::size_t k = 0; k < count; k++) expected[indices[k]] = before[first + k];
                check_same(tree, expected);
                if (f.form.rule != TreeRule::left_full) continue;
                // The second append is into the room that the first one made.
                for (int round = 0; round < 2; round++) {
                    const std::vector<Digest> now(tree.nodes().begin(), tree.nodes().end());
                    const std::span added = std::span(now).subspan(first, count / (round + 1));
                    tree.append(tree.nodes().subspan(first, added.size()));
                    expected.insert(expected.end(), added.begin(), added.end());
                    check_same(tree, expected);
                }
            }
        }
    }
}

TEST("tree: a cancelled change leaves the tree as it was") {
    const AskedOften often;
    for (const TreeRule rule : rules) {
        const std::size_t n = rule == TreeRule::perfect ? 1 << 15 : 30000;
        const std::vector<Digest> given = leaves(Hash::rp64_256_v3, n, 1), other = leaves(Hash::rp64_256_v3, n, 2);
        MerkleTree tree(given, TreeForm(Hash::rp64_256_v3, rule));
        const std::vector<Digest> before(tree.nodes().begin(), tree.nodes().end());
        std::vector<std::uint64_t> all(n);
        for (std::size_t k = 0; k < n; ++k) all[k] = k;
        int calls = 0, stopped = 0;
        for (const int call : {1, 2}) {
            calls = 0;
            try {
                tree.update(all, other, cancelled_at(call, calls));
                tree.update(all, given);
            } catch (const merklize::Error& error) {
                stopped += error.code() == merklize::ErrorCode::cancelled;
            }
            CHECK_EQ(tree.root(), before[1]);
            CHECK_EQ(tree.nodes(), before);
        }
        CHECK(stopped > 0);
        if (rule != TreeRule::left_full) continue;
        tree.append(std::span(other).first(1));  // now there is room for more
        const std::vector<Digest> grown(tree.nodes().begin(), tree.nodes().end());
        for (const std::size_t count : {2000, 20000}) {
            calls = 0;
            try {
                tree.append(std::span(other).first(count), cancelled_at(1, calls));
                CHECK(calls == 0);
                return;
            } catch (const merklize::Error& error) {
                CHECK(error.code() == merklize::ErrorCode::cancelled);
            }
            CHECK_EQ(tree.nodes(), grown);
            CHECK_EQ(tree.root(), grown[1]);
        }
    }
}

TEST("tree: bad input changes nothing") {
    const std::vector<Digest> given = leaves(Hash::rp64_256_v2, 6, 1);
    MerkleTree tree(given, TreeForm(Hash::rp64_256_v2, TreeRule::left_full));
    const std::vector<Digest> two = leaves(Hash::rp64_256_v2, 2, 2);
    const auto update = [&](std::vector<std::uint64_t> indices, std::vector<Digest> fresh) {
        tree.update(indices, fresh);
    };
    CHECK_ERROR(invalid_argument, "below 6, got 6", update({0, 6}, two));
    CHECK_ERROR(invalid_argument, "leaf index 3 is there twice", update({3, 3}, two));
    CHECK_ERROR(invalid_argument, "equal counts, got 1 and 2", update({3}, two));
    const Digest bad = Digest::from_words({0xffffffff00000001, 0, 0, 0});
    CHECK_ERROR(invalid_argument, "word 4 is", update({3, 4}, {two[0], bad}));
    CHECK_ERROR(invalid_argument, "word 0 is", tree.append(std::vector{bad}));
    update({}, {});
    tree.append({});
    check_same(tree, given);
    MerkleTree padded(given, TreeForm(Hash::rp64_256_v2, TreeRule::pad));
    MerkleTree dropped(given, TreeForm(Hash::rp64_256_v2, TreeRule::left_full), {}, 1);
    const std::uint64_t zero = 0;
    CHECK_ERROR(invalid_argument, "does not keep its leaves", dropped.append(two));
    CHECK_ERROR(invalid_argument, "does not keep its leaves", dropped.update({&zero, 1}, {two.data(), 1}));
}

TEST("tree: forests are single trees") {
    for (const TestForm& f : test_forms()) {
        if (f.form.rule != TreeRule::perfect) continue;
        const bool slow = f.form.hash != Hash::blake3;
        for (const std::size_t n : {1, 2, 4, 16, 128}) {
            for (const std::size_t m : {1, 2, 3, 7, 32, 100}) {
                if (slow && m * n > 500) continue;
                const std::vector<Digest> given = leaves(f.form.hash, m * n, n);
                const MerkleForest forest(given, n, f.form);
                CHECK_EQ(forest.n_trees(), m);
                CHECK_EQ(forest.n_leaves(), n);
                const std::vector<Digest> roots = forest.roots();
                for (std::size_t t = 0; t < m; ++t) {
                    const std::span part = std::span(given).subspan(t * n, n);
                    const MerkleTree tree(part, f.form);
                    CHECK_EQ(roots[t], tree.root());
                    for (unsigned l = 0; l <= tree.height(); ++l)
                        CHECK_EQ(forest.level(l).subspan(t * (n >> l), n >> l), tree.level(l));
                    const std::size_t k = t % n;
                    CHECK_EQ(forest.prove(t, k), tree.prove(k));
                }
                CHECK_ERROR(invalid_argument, "tree must be below", forest.prove(m, 0));
                CHECK_ERROR(invalid_argument, "leaf index must be below", forest.prove(0, n));
                CHECK_ERROR(invalid_argument, "level: level must be 0 to", forest.level(forest.height() + 1));
            }
        }
    }
}
