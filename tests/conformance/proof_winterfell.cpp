// Winterfell's batch proofs, compared with those that winter-crypto wrote (tests/vectors/winterfell).

#include "json.hpp"
#include "proof_cases.hpp"

using namespace support;
using namespace proof_cases;
using merklize::MultiProof;
using Raw = std::vector<std::byte>;

namespace {

std::vector<Digest> vector_leaves(std::size_t n) {
    std::vector<Digest> out;
    for (std::uint64_t k = 0; k < n; ++k) {
        std::array<std::uint64_t, 4> words;
        for (std::uint64_t j = 0; j < 4; ++j) words[j] = (4 * k + j + 1) * 0x9e3779b97f4a7c15 % p;
        out.push_back(Digest::from_words(words));
    }
    return out;
}

Raw raw_from_hex(const std::string& text) {
    Raw out;
    for (std::size_t i = 0; i < text.size(); i += 2)
        out.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return out;
}

}  // namespace

TEST("proof: winter-crypto's bytes, both ways") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/winterfell_proofs.json");
    CHECK_EQ(file["proofs"].items.size(), 156u);
    for (const json::Value& given : file["proofs"].items) {
        const Hash hash = merklize::hash_from_name(given["hash"].text);
        const std::vector<Digest> all = vector_leaves(given["n_leaves"].number);
        const std::vector<std::uint64_t> indices = given["indices"].numbers();
        std::vector<Digest> leaves;
        for (const std::uint64_t index : indices) leaves.push_back(all[index]);
        const Digest root = Digest::from_hex(given["root"].text).value_or(Digest{});
        const Raw bytes = raw_from_hex(given["bytes"].text);

        const auto read = merklize::from_winterfell(bytes, hash, indices, leaves);
        CHECK(read && merklize::verify(*read, root));
        CHECK(read && merklize::to_winterfell(*read) == bytes);
        const Case form{hash, TreeRule::perfect};
        const naive::Tree tree(hash, form.rule, all, form.fast_merge());
        CHECK_EQ(tree.root(), root);
        const MultiProof made = tree.prove_together({indices.begin(), indices.end()});
        CHECK(read && *read == made);
        CHECK_EQ(merklize::to_winterfell(made), bytes);
    }
}

TEST("proof: bytes that are no proof of Winterfell's") {
    const Case form{Hash::blake3, TreeRule::perfect};
    const naive::Tree tree = form.tree(64, 1, form.fast_merge());
    const MultiProof proof = tree.prove_together({1, 8, 9, 40});
    const Raw good = merklize::to_winterfell(proof);
    const auto read = [&](const Raw& bytes) {
        return merklize::from_winterfell(bytes, proof.hash, proof.indices, proof.leaves);
    };
    CHECK_EQ(read(good), proof);
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK(!read({good.begin(), good.begin() + std::ptrdiff_t(size)}));
    Raw longer = good;
    longer.push_back(std::byte{0});
    CHECK(!read(longer));
    for (std::size_t at = 0; at < 3; ++at) {
        for (int value = 0; value < 256; ++value) {
            Raw bytes = good;
            bytes[at] = static_cast<std::byte>(value);
            CHECK_EQ(read(bytes).has_value(), bytes == good);
        }
    }
    Raw wide = good;  // the number of lists takes two bytes, though one is enough
    wide[1] = std::byte{3 << 2 | 2};
    wide.insert(wide.begin() + 2, std::byte{0});
    CHECK(!read(wide));

    std::vector<std::uint64_t> indices = proof.indices;
    CHECK(!merklize::from_winterfell(good, proof.hash, indices, std::span(proof.leaves).first(3)));
    CHECK(!merklize::from_winterfell(good, Hash::rp64_256_v1, indices, proof.leaves));
    CHECK(!merklize::from_winterfell(good, static_cast<Hash>(200), indices, proof.leaves));
    CHECK(!merklize::from_winterfell(good, proof.hash, {}, {}));
    indices[0] = 8;  // twice
    CHECK(!merklize::from_winterfell(good, proof.hash, indices, proof.leaves));
    indices[0] = 64;
    CHECK(!merklize::from_winterfell(good, proof.hash, indices, proof.leaves));
    indices[0] = 20;  // another place: another shape, or another root
    const auto moved = merklize::from_winterfell(good, proof.hash, indices, proof.leaves);
    CHECK(!moved || !merklize::verify(*moved, tree.root()));
}

TEST("proof: what Winterfell's form cannot hold") {
    const Case form{Hash::blake3, TreeRule::left_full};
    const MultiProof of_13 = form.tree(13, 1, form.fast_merge()).prove_together({2});
    CHECK_ERROR(invalid_argument, "2, 4, 8, ... leaves, not 13", merklize::to_winterfell(of_13));
    MultiProof proof = form.tree(16, 1, form.fast_merge()).prove_together({2, 7});
    CHECK(!merklize::to_winterfell(proof).empty());  // a perfect tree is the same under every rule
    proof.siblings.pop_back();
    CHECK_ERROR(invalid_argument, "16 leaves, 2 indices, 2 of their leaves, 4 siblings",
                merklize::to_winterfell(proof));
    proof.hash = Hash::rp64_256_v2;
    CHECK_ERROR(invalid_argument, "not 'rp64_256_v2'", merklize::to_winterfell(proof));
    const MultiProof one{Hash::blake3, TreeRule::perfect, 1, {0}, {Digest{}}, {}};
    CHECK_ERROR(invalid_argument, "not 1", merklize::to_winterfell(one));
}
