// Verification: proofs that follow the definitions are valid, and no others. The trees here are naive ones.

#include "asked_often.hpp"
#include "proof_cases.hpp"
#include "proofs/plan.hpp"

using namespace support;
using namespace proof_cases;
using merklize::ConsistencyProof;
using merklize::Expect;
using merklize::MerkleProof;
using merklize::MultiProof;

namespace {

Digest flipped(Digest digest, std::size_t bit) {
    digest.bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    return digest;
}

}  // namespace

TEST("proof: every leaf of every form, 1 to 40 leaves") {
    for (const Case& form : all_cases()) {
        const naive::Merge merge = form.merge();
        for (std::size_t n = 1; n <= 40; ++n) {
            if (!form.takes(n)) continue;
            const naive::Tree tree = form.tree(n, n, merge);
            std::vector<MerkleProof> proofs;
            for (std::size_t k = 0; k < n; ++k) {
                proofs.push_back(tree.prove(k));
                CHECK(merklize::verify(proofs.back(), tree.root(), {}, form.mode));
                CHECK(!merklize::verify(proofs.back(), flipped(tree.root(), 77), {}, form.mode));
                CHECK_EQ(MerkleProof::from_bytes(proofs.back().to_bytes()), proofs.back());
            }
            CHECK_EQ(merklize::verify_each(proofs, tree.root(), form.mode), std::vector<std::uint8_t>(n, 1));
            CHECK_EQ(merklize::verify_each(proofs, flipped(tree.root(), 5), form.mode),
                     std::vector<std::uint8_t>(n, 0));
        }
    }
}

TEST("proof: several leaves of every form, 1 to 40 leaves") {
    Random random(11);
    for (const Case& form : all_cases()) {
        const naive::Merge merge = form.merge();
        for (std::size_t n = 1; n <= 40; ++n) {
            if (!form.takes(n)) continue;
            const naive::Tree tree = form.tree(n, n, merge);
            std::vector<std::set<std::uint64_t>> sets = {{0}, {n - 1}, {0, n - 1}, {}};
            for (std::uint64_t k = 0; k < n; ++k) sets[3].insert(k);
            for (const std::size_t count : {std::size_t{2}, n / 3 + 1, n / 2 + 1})
                sets.push_back(random_indices(n, count, random));
            for (const auto& set : sets) {
                const MultiProof proof = tree.prove_together(set);
                CHECK(merklize::verify(proof, tree.root(), {}, form.mode));
                CHECK(!merklize::verify(proof, flipped(tree.root(), 200), {}, form.mode));
                CHECK_EQ(MultiProof::from_bytes(proof.to_bytes()), proof);
            }
            // A proof of all leaves needs no node except padding.
            if (form.rule != TreeRule::pad) CHECK(tree.prove_together(sets[3]).siblings.empty());
        }
    }
}

TEST("proof: larger trees, sampled") {
    Random random(12);
    for (const Case& form : all_cases()) {
        const bool is_field = merklize::traits(form.hash).is_field;
        for (const std::size_t n : {64, 127, 128, 129, 500, 1023, 1024, 1025, 1999, 2000}) {
            if (!form.takes(n) || (is_field && n > 129)) continue;
            const naive::Tree tree = form.tree(n, n, form.fast_merge());
            std::vector<MerkleProof> proofs;
            for (const std::uint64_t k : random_indices(n, 40, random)) proofs.push_back(tree.prove(k));
            proofs.push_back(tree.prove(n - 1));
            for (const MerkleProof& proof : proofs) CHECK(merklize::verify(proof, tree.root(), {}, form.mode));
            CHECK_EQ(merklize::verify_each(proofs, tree.root(), form.mode),
                     std::vector<std::uint8_t>(proofs.size(), 1));
            for (const std::size_t count : {std::size_t{1}, std::size_t{17}, n / 2, n}) {
                const MultiProof proof = tree.prove_together(random_indices(n, count, random));
                CHECK(merklize::verify(proof, tree.root(), {}, form.mode));
                CHECK_EQ(MultiProof::from_bytes(proof.to_bytes()), proof);
            }
        }
    }
}

// The library walks so many leaves in parts, by several threads. The walk over sets here shares no code with it.
TEST("proof: the slots of the siblings of many leaves") {
    Random random(13);
    for (const std::uint64_t n : {8192, 20000, 20001, 32767, 32768, 65537}) {
        const merklize::runtime::TreeLayout layout{n};
        std::vector<std::set<std::uint64_t>> sets = {
            random_indices(n, 8192, random), random_indices(n, n / 2, random), {}};
        for (std::uint64_t k = 0; k < n; ++k) sets[2].insert(k);
        sets.emplace_back(std::next(sets[2].begin(), static_cast<std::ptrdiff_t>(n - 8192)), sets[2].end());
        for (const auto& set : sets) {
            for (const TreeRule rule : {TreeRule::left_full, TreeRule::pad, TreeRule::duplicate_last}) {
                std::vector<std::uint64_t> expected;
                std::set<std::uint64_t> nodes = set;
                for (unsigned level = 0; level < layout.height(); ++level) {
                    std::set<std::uint64_t> parents;
                    for (const std::uint64_t node : nodes) {
                        const bool is_there = (node ^ 1) < layout.level_size(level) || rule == TreeRule::pad;
                        if (!nodes.contains(node ^ 1) && is_there)
                            expected.push_back(layout.level_offset(level) + (node ^ 1));
                        parents.insert(node / 2);
                    }
                    nodes = parents;
                }
                const std::vector<std::uint64_t> indices(set.begin(), set.end());
                for (const unsigned threads : {1, 2, 3, 64}) {
                    merklize::runtime::ProofSlots slots(layout, rule, indices, threads);
                    CHECK_EQ(slots.size(), expected.size());
                    for (std::size_t part = slots.parts(); part-- > 0;) slots.list(part);
                    CHECK(std::ranges::equal(slots.slots(), expected));
                }
            }
        }
    }
}

TEST("proof: consistency of every two sizes to 40") {
    for (const Case& form : all_cases()) {
        if (form.rule != TreeRule::left_full) continue;
        const bool slow = form.hash != Hash::blake3;
        const naive::Merge merge = form.merge();
        const std::vector<Digest> all = leaves(form.hash, slow ? 19 : 40, 3);
        std::vector<Digest> roots(1);
        for (std::size_t n = 1; n <= all.size(); ++n)
            roots.push_back(naive::tree_hash({all.begin(), all.begin() + std::ptrdiff_t(n)}, merge));
        for (std::size_t n = 1; n <= all.size(); ++n) {
            const naive::Nodes leaves(all.begin(), all.begin() + std::ptrdiff_t(n));
            for (std::size_t m = 1; m <= n; ++m) {
                ConsistencyProof proof{form.hash, m, n, naive::subproof(m, leaves, true, merge)};
                CHECK(merklize::verify(proof, {roots[m], roots[n]}, form.mode));
                CHECK_EQ(ConsistencyProof::from_bytes(proof.to_bytes()), proof);
                CHECK(!merklize::verify(proof, {flipped(roots[m], m), roots[n]}, form.mode));
                CHECK(!merklize::verify(proof, {roots[m], flipped(roots[n], n)}, form.mode));
                for (std::size_t i = 0; i < proof.nodes.size(); ++i) {
                    ConsistencyProof forged = proof;
                    forged.nodes[i] = flipped(forged.nodes[i], 8 * i);
                    CHECK(!merklize::verify(forged, {roots[m], roots[n]}, form.mode));
                }
                proof.nodes.emplace_back();
                CHECK(!merklize::verify(proof, {roots[m], roots[n]}, form.mode));
                if (m == n) continue;
                proof.nodes.resize(proof.nodes.size() - 2);
                CHECK(!merklize::verify(proof, {roots[m], roots[n]}, form.mode));
            }
        }
    }
}

TEST("proof: of trees as large as there can be") {
    // A path up the left or right edge of 2^58 leaves: every sibling is the same digest.
    const Digest some = leaves(Hash::blake3, 1, 8)[0];
    const std::uint64_t n = std::uint64_t{1} << 58;
    for (const TreeRule rule : rules) {
        for (const std::uint64_t index : {std::uint64_t{0}, n - 1, n / 3}) {
            const MerkleProof proof{Hash::blake3, rule, n, index, some, std::vector<Digest>(58, some)};
            Digest node = some;
            for (int level = 0; level < 58; ++level)
                node = index >> level & 1 ? merklize::merge(some, node) : merklize::merge(node, some);
            CHECK(merklize::verify(proof, node));
            CHECK_EQ(MerkleProof::from_bytes(proof.to_bytes()), proof);
        }
        for (const std::uint64_t count : {n + 1, n * 2, std::uint64_t{1} << 63, UINT64_MAX}) {
            CHECK(!merklize::verify(MerkleProof{Hash::blake3, rule, count, 0, some, {}}, some));
            CHECK(!merklize::verify(MultiProof{Hash::blake3, rule, count, {0}, {some}, {}}, some));
            CHECK(!merklize::verify(ConsistencyProof{Hash::blake3, count, count, {}}, {some, some}));
        }
    }
    // The last one of 2^57 + 1 leaves is an odd node on 57 levels.
    const MerkleProof last{Hash::blake3, TreeRule::left_full, n / 2 + 1, n / 2, some, {some}};
    CHECK(merklize::verify(last, merklize::merge(some, some)));
}

// Sorted pairs have no left and no right: such a proof does not show the index, and swapping two siblings changes
// nothing.
bool shows_index(const Case& form) { return form.hash != Hash::keccak256_sorted; }

TEST("proof: any flipped bit of a leaf, sibling or index fails") {
    Random random(3);
    for (const Case& form : all_cases()) {
        const std::size_t n = form.rule == TreeRule::perfect ? 16 : 13;
        const naive::Tree tree = form.tree(n, 2, form.fast_merge());
        for (const std::uint64_t k : {std::uint64_t{0}, std::uint64_t{6}, std::uint64_t{n - 1}}) {
            const MerkleProof good = tree.prove(k);
            std::vector<MerkleProof> forged;
            for (std::size_t bit = 0; bit < 256; bit += is_slowed ? 1 + random.below(16) : 1) {
                forged.push_back(good);
                forged.back().leaf = flipped(good.leaf, bit);
                for (std::size_t i = 0; i < good.siblings.size(); ++i) {
                    forged.push_back(good);
                    forged.back().siblings[i] = flipped(good.siblings[i], bit);
                }
                if (bit >= 64 || !shows_index(form)) continue;
                forged.push_back(good);
                forged.back().index ^= std::uint64_t{1} << bit;
            }
            for (const MerkleProof& proof : forged) CHECK(!merklize::verify(proof, tree.root(), {}, form.mode));
            CHECK_EQ(merklize::verify_each(forged, tree.root(), form.mode),
                     std::vector<std::uint8_t>(forged.size(), 0));
        }
    }
}

TEST("proof: several leaves: any flipped bit, wrong count or order fails") {
    Random random(5);
    for (const Case& form : all_cases()) {
        const std::size_t n = form.rule == TreeRule::perfect ? 32 : 27;
        const naive::Tree tree = form.tree(n, 2, form.fast_merge());
        const MultiProof good = tree.prove_together({2, 3, 9, n - 1});
        const auto refused = [&](auto change) {
            MultiProof proof = good;
            change(proof);
            return !merklize::verify(proof, tree.root(), {}, form.mode);
        };
        CHECK(!refused([](MultiProof&) {}));
        for (std::size_t bit = 0; bit < 256; bit += 1 + random.below(is_slowed ? 32 : 8)) {
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(refused([&](MultiProof& proof) { proof.leaves[i] = flipped(proof.leaves[i], bit); }));
                if (bit < 64 && shows_index(form))
                    CHECK(refused([&](MultiProof& proof) { proof.indices[i] ^= std::uint64_t{1} << bit; }));
            }
            for (std::size_t i = 0; i < good.siblings.size(); ++i)
                CHECK(refused([&](MultiProof& proof) { proof.siblings[i] = flipped(proof.siblings[i], bit); }));
        }
        CHECK(refused([](MultiProof& proof) { proof.siblings.pop_back(); }));
        CHECK(refused([](MultiProof& proof) { proof.siblings.clear(); }));
        CHECK(refused([](MultiProof& proof) { proof.siblings.emplace_back(); }));
        CHECK(refused([](MultiProof& proof) { proof.leaves.pop_back(); }));
        CHECK(refused([](MultiProof& proof) { proof.leaves.emplace_back(); }));
        CHECK(refused([](MultiProof& proof) { std::swap(proof.indices[0], proof.indices[1]); }));
        if (shows_index(form)) CHECK(refused([](MultiProof& proof) { std::swap(proof.leaves[0], proof.leaves[1]); }));
        CHECK(refused([](MultiProof& proof) { proof.indices[1] = proof.indices[0]; }));
        CHECK(refused([](MultiProof& proof) { proof.indices.clear(); }));
        CHECK(refused([](MultiProof& proof) {
            proof.indices.clear();
            proof.leaves.clear();
            proof.siblings.clear();
        }));
        CHECK(refused([](MultiProof& proof) { proof.n_leaves = 0; }));
        CHECK(refused([](MultiProof& proof) { proof.n_leaves = 16; }));
        CHECK(refused([](MultiProof& proof) { proof.hash = static_cast<Hash>(200); }));
        CHECK(refused([](MultiProof& proof) { proof.rule = static_cast<TreeRule>(4); }));
    }
}

TEST("proof: verify refuses what is malformed, another hash and another mode") {
    for (const Case& form : all_cases()) {
        const naive::Tree tree = form.tree(16, 4, form.fast_merge());
        const MerkleProof good = tree.prove(9);
        const auto refused = [&](auto change) {
            MerkleProof proof = good;
            change(proof);
            return !merklize::verify(proof, tree.root(), {}, form.mode) &&
                   (proof.hash != form.hash ||
                    merklize::verify_each(std::span(&proof, 1), tree.root(), form.mode)[0] == 0);
        };
        CHECK(!refused([](MerkleProof&) {}));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.pop_back(); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.emplace_back(); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.clear(); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.resize(1000); }));
        CHECK(refused([](MerkleProof& proof) { std::swap(proof.siblings[0], proof.siblings[1]); }));
        CHECK(refused([](MerkleProof& proof) { proof.index = UINT64_MAX; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 0; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 8; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 17; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = UINT64_MAX; }));
        CHECK(refused([](MerkleProof& proof) { proof.rule = static_cast<TreeRule>(4); }));
        CHECK(refused([](MerkleProof& proof) { proof.hash = static_cast<Hash>(200); }));
        // Two hashes of Plonky3 over one field hash rows differently but merge alike, so their trees over the same
        // leaves are the same.
        const auto plain_merge = [&](Hash hash) {
            return reference::merge(static_cast<int>(hash), Bytes(32, 1), Bytes(32, 2));
        };
        for (const merklize::HashTraits& other : merklize::hashes()) {
            // On a path whose pairs are in order, sorted and unsorted merges agree.
            const bool is_keccak = other.name.starts_with("keccak256") && !shows_index(form);
            if (plain_merge(other.hash) != plain_merge(form.hash) && !is_keccak)
                CHECK(refused([&](MerkleProof& proof) { proof.hash = other.hash; }));
        }
        // An inner node does not verify as a leaf. A tree over the parents has the same root, but half as many leaves.
        CHECK(refused([&](MerkleProof& proof) {
            proof.leaf = merklize::merge(good.siblings[0], good.leaf, form.hash, form.mode);
            proof.siblings.erase(proof.siblings.begin());
            proof.index /= 2;
        }));
        const Mode other = Mode::keyed(view(Bytes(32, 1)));
        CHECK(!merklize::verify(good, tree.root(), {}, other));
        CHECK(!merklize::verify(tree.prove_together({1, 4}), tree.root(), {}, other));
        if (form.mode.flags() != 0) CHECK(!merklize::verify(good, tree.root()));
    }
}

TEST("proof: verify takes what is expected and nothing else") {
    const auto one = [](const Case& form) { return form.tree(13, 2, form.fast_merge()); };
    const Case form{Hash::blake3, TreeRule::left_full};
    const naive::Tree tree = one(form);
    const MerkleProof proof = tree.prove(9);
    const auto holds = [&](const Expect& expect) { return merklize::verify(proof, tree.root(), expect); };
    CHECK(holds({}));
    CHECK(holds({.leaf = proof.leaf}) && holds({.index = 9}) && holds({.n_leaves = 13}));
    CHECK(holds({.hash = Hash::blake3}) && holds({.rule = TreeRule::left_full}));
    const Expect all{.leaf = proof.leaf, .index = 9, .n_leaves = 13, .hash = Hash::blake3, .rule = TreeRule::left_full};
    CHECK(holds(all));
    CHECK(!merklize::verify(proof, flipped(tree.root(), 7), all));
    for (std::size_t bit = 0; bit < 256; ++bit) CHECK(!holds({.leaf = flipped(proof.leaf, bit)}));
    // An expected 0 is compared, too.
    CHECK(!holds({.leaf = Digest{}}) && !holds({.index = 0}) && !holds({.n_leaves = 0}));
    CHECK(!holds({.index = 8}) && !holds({.n_leaves = 14}));
    CHECK(!holds({.hash = Hash::keccak256}) && !holds({.rule = TreeRule::duplicate_last}));
    CHECK(!holds({.hash = static_cast<Hash>(200)}) && !holds({.rule = static_cast<TreeRule>(4)}));

    // A proof of several leaves, even of one: facts of the tree may be expected, a leaf or an index never.
    for (const auto& indices : {std::set<std::uint64_t>{3, 9}, std::set<std::uint64_t>{9}}) {
        const MultiProof several = tree.prove_together(indices);
        const auto all_hold = [&](const Expect& expect) { return merklize::verify(several, tree.root(), expect); };
        CHECK(all_hold({.n_leaves = 13, .hash = Hash::blake3, .rule = TreeRule::left_full}));
        CHECK(!all_hold({.n_leaves = 12}) && !all_hold({.hash = Hash::keccak256}) &&
              !all_hold({.rule = TreeRule::pad}));
        CHECK(!all_hold({.leaf = several.leaves[0]}) && !all_hold({.index = 9}));
    }

    // With the mode of a keyed tree.
    const Mode key = Mode::keyed(view(Bytes(32, 1)));
    const Case keyed{Hash::blake3, TreeRule::left_full, key};
    const naive::Tree secret = one(keyed);
    CHECK(merklize::verify(secret.prove(9), secret.root(), {.index = 9}, key));
    CHECK(!merklize::verify(secret.prove(9), secret.root(), {.index = 8}, key));
    CHECK(!merklize::verify(secret.prove(9), secret.root(), {.index = 9}));
}

TEST("proof: what binds a proof that a root alone takes") {
    // This proof shows an inner node as a leaf of the tree over the parents, whose root is the same.
    const Case form{Hash::blake3, TreeRule::perfect};
    const naive::Tree tree = form.tree(16, 4, form.fast_merge());
    MerkleProof forged = tree.prove(9);
    forged.leaf = merklize::merge(forged.siblings[0], forged.leaf);
    forged.siblings.erase(forged.siblings.begin());
    forged.index /= 2;
    forged.n_leaves /= 2;
    CHECK(merklize::verify(forged, tree.root()));
    CHECK(!merklize::verify(forged, tree.root(), {.n_leaves = 16}));
    // A proof of consistency takes two roots by name. Swapped roots are refused.
    const Digest& one = forged.leaf;
    const ConsistencyProof proof{Hash::blake3, 1, 2, {tree.root()}};
    const Digest two = merklize::merge(one, tree.root());
    CHECK(merklize::verify(proof, {.old_root = one, .new_root = two}));
    CHECK(!merklize::verify(proof, {.old_root = two, .new_root = one}));
}

TEST("proof: a word >= p fails even where it means the same element") {
    const Digest small = Digest::from_words({5, 0, 7, 1}), same = Digest::from_words({5 + p, 0, 7, 1});
    for (const Hash hash : {Hash::rp64_256_v1, Hash::rp64_256_v2, Hash::rp64_256_v3}) {
        const Case form{hash, TreeRule::left_full};
        const naive::Tree tree(hash, form.rule, std::vector<Digest>(4, small), form.fast_merge());
        MerkleProof proof = tree.prove(2);
        CHECK(merklize::verify(proof, tree.root()));
        proof.leaf = same;
        CHECK(!merklize::verify(proof, tree.root()));
        proof = tree.prove(2);
        proof.siblings[0] = same;
        CHECK(!merklize::verify(proof, tree.root()));
        MultiProof several = tree.prove_together({0, 2});
        CHECK(merklize::verify(several, tree.root()));
        several.siblings[0] = same;
        CHECK(!merklize::verify(several, tree.root()));
        several = tree.prove_together({0, 2});
        several.leaves[1] = same;
        CHECK(!merklize::verify(several, tree.root()));
        // One leaf is its own root.
        CHECK(!merklize::verify(MerkleProof{hash, TreeRule::perfect, 1, 0, same, {}}, same));
        CHECK(!merklize::verify(ConsistencyProof{hash, 1, 1, {}}, {same, same}));
        CHECK(!merklize::verify(ConsistencyProof{hash, 1, 2, {small}}, {same, merklize::merge(small, small, hash)}));
    }
}

TEST("proof: many at once, of several heights and rules, good and bad mixed") {
    Random random(6);
    std::vector<MerkleProof> proofs;
    std::vector<std::uint8_t> expected;
    const Case full{Hash::blake3, TreeRule::left_full};
    const naive::Tree tree = full.tree(1500, 1, full.fast_merge());
    for (std::size_t i = 0; i < 3000; ++i) {
        MerkleProof proof = tree.prove(random.below(1500));
        switch (i % 7) {
            case 0: proof.siblings[random.below(proof.siblings.size())].bytes[3] ^= std::byte{4}; break;
            case 1: proof.siblings.pop_back(); break;
            case 2:  // another tree of the same root
                proof = {Hash::blake3, TreeRule::perfect, 1, 0, tree.root(), {}};
                break;
            default: break;
        }
        expected.push_back(merklize::verify(proof, tree.root()));
        CHECK_EQ(int{expected.back()}, int{i % 7 >= 2});
        proofs.push_back(std::move(proof));
    }
    CHECK_EQ(merklize::verify_each(proofs, tree.root()), expected);
    CHECK_EQ((merklize::verify_each(proofs, tree.root(), {}, threads(1))), expected);
    CHECK(merklize::verify_each({}, tree.root()).empty());
    const AskedOften often;
    merklize::RunOptions asked;
    asked.progress = [](double) { return false; };
    // The function is called every 50 ms, so there must be enough proofs for that.
    std::vector<MerkleProof> many;
    for (std::size_t i = 0; i < 150; ++i) many.insert(many.end(), proofs.begin(), proofs.end());
    CHECK_ERROR(cancelled, "cancelled", merklize::verify_each(many, tree.root(), {}, asked));
    proofs[2500].hash = Hash::rp64_256_v2;
    CHECK_ERROR(invalid_argument, "proof 0 has 'blake3', proof 2500 has 'rp64_256_v2'",
                merklize::verify_each(proofs, tree.root()));
    for (const Hash claimed : {Hash::rp64_256, Hash::blake3, static_cast<Hash>(99)}) {
        const std::vector<MerkleProof> one(1, MerkleProof{claimed});
        CHECK_EQ(merklize::verify_each(one, tree.root(), Mode::keyed(view(Bytes(16)), Hash::blake2s)),
                 std::vector<std::uint8_t>{0});
    }
}
