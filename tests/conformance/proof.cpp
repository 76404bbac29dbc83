// Proofs: every leaf proves, and nothing else does.

#include "support.hpp"

using namespace support;
using merklize::MerkleProof;
using merklize::MerkleTree;

namespace {

constexpr std::uint64_t p = 0xffffffff00000001;

}  // namespace

TEST("proof: every leaf of every hash, through bytes") {
    for (const merklize::HashTraits& t : merklize::hashes()) {
        for (std::size_t n = 2; n <= 64; n *= 2) {
            const MerkleTree tree(leaves(t.hash, n, n), t.hash);
            for (std::size_t k = 0; k < n; ++k) {
                const MerkleProof proof = tree.prove(k);
                CHECK_EQ(proof.index, k);
                CHECK_EQ(proof.leaf, tree.nodes()[n + k]);
                CHECK(merklize::verify(proof, tree.root()));
                const std::vector<std::byte> bytes = proof.to_bytes();
                CHECK_EQ(bytes.size(), 24 + 32 * (1 + proof.siblings.size()));
                const auto back = MerkleProof::from_bytes(bytes);
                CHECK(back && merklize::verify(*back, tree.root()));
                CHECK(back && back->to_bytes() == bytes);
            }
            CHECK_ERROR(invalid_argument, "below " + std::to_string(n) + ", got " + std::to_string(n), tree.prove(n));
        }
    }
}

TEST("proof: the bytes are as documented") {
    const MerkleTree tree(leaves(Hash::rp64_256_v2, 8, 1), Hash::rp64_256_v2);
    const std::vector<std::byte> bytes = tree.prove(5).to_bytes();
    Bytes head(24);
    for (std::size_t i = 0; i < 24; ++i) head[i] = std::to_integer<std::uint8_t>(bytes[i]);
    CHECK_EQ(hex(head),
             "4d4b5a50"
             "01"
             "02"
             "0000"
             "0500000000000000"
             "0800000000000000");
    const auto part = [&](std::size_t k) {
        Digest digest;
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(24 + 32 * k), 32, digest.bytes.begin());
        return digest;
    };
    CHECK_EQ(part(0), tree.nodes()[13]);
    CHECK_EQ(part(1), tree.nodes()[12]);
    CHECK_EQ(part(2), tree.nodes()[7]);
    CHECK_EQ(part(3), tree.nodes()[2]);
}

TEST("proof: any flipped bit of a proof or root fails") {
    for (const merklize::HashTraits& t : merklize::hashes()) {
        const MerkleTree tree(leaves(t.hash, 16, 2), t.hash);
        for (const std::size_t k : {0, 6, 15}) {
            std::vector<std::byte> bytes = tree.prove(k).to_bytes();
            for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
                bytes[bit / 8] ^= std::byte{1} << (bit % 8);
                const auto forged = MerkleProof::from_bytes(bytes);
                CHECK(!forged || !merklize::verify(*forged, tree.root()));
                bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            }
            Digest root = tree.root();
            for (std::size_t bit = 0; bit < 256; ++bit) {
                root.bytes[bit / 8] ^= std::byte{1} << (bit % 8);
                CHECK(!merklize::verify(tree.prove(k), root));
                root.bytes[bit / 8] ^= std::byte{1} << (bit % 8);
            }
        }
    }
}

TEST("proof: from_bytes takes exactly what to_bytes writes") {
    const MerkleTree tree(leaves(Hash::blake3, 8, 3));
    const std::vector<std::byte> good = tree.prove(3).to_bytes();
    CHECK(MerkleProof::from_bytes(good).has_value());
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK(!MerkleProof::from_bytes(std::span(good).first(size)));
    }
    for (const std::size_t extra : {1, 31, 32, 64, 32 * 70}) {
        std::vector<std::byte> longer = good;
        longer.resize(good.size() + extra);
        CHECK(!MerkleProof::from_bytes(longer));
    }
    const auto with = [&](std::size_t at, std::uint8_t value) {
        std::vector<std::byte> bytes = good;
        bytes[at] = std::byte{value};
        return MerkleProof::from_bytes(bytes).has_value();
    };
    CHECK(!with(0, 'X'));  // magic
    CHECK(!with(4, 2));    // format version
    CHECK(!with(5, 4));    // no such hash
    CHECK(!with(6, 1));    // reserved
    CHECK(!with(8, 8));    // index >= n
    CHECK(!with(16, 16));  // n that does not fit the count of siblings
    CHECK(!with(16, 9));   // n that is no power of two
    CHECK(!MerkleProof::from_bytes({}));
}

TEST("proof: verify refuses malformed proofs") {
    for (const merklize::HashTraits& t : merklize::hashes()) {
        const MerkleTree tree(leaves(t.hash, 16, 4), t.hash);
        const MerkleProof good = tree.prove(9);
        const auto refused = [&](auto change) {
            MerkleProof proof = good;
            change(proof);
            return !merklize::verify(proof, tree.root());
        };
        CHECK(!refused([](MerkleProof&) {}));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.pop_back(); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.push_back({}); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.clear(); }));
        CHECK(refused([](MerkleProof& proof) { proof.siblings.resize(1000); }));
        CHECK(refused([](MerkleProof& proof) { std::swap(proof.siblings[0], proof.siblings[1]); }));
        CHECK(refused([](MerkleProof& proof) { proof.index = 8; }));
        CHECK(refused([](MerkleProof& proof) { proof.index += 16; }));
        CHECK(refused([](MerkleProof& proof) { proof.index = UINT64_MAX; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 0; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 8; }));
        CHECK(refused([](MerkleProof& proof) { proof.n_leaves = 17; }));
        CHECK(refused([](MerkleProof& proof) { proof.hash = static_cast<Hash>(200); }));
        for (const merklize::HashTraits& other : merklize::hashes()) {
            if (other.hash != t.hash) CHECK(refused([&](MerkleProof& proof) { proof.hash = other.hash; }));
        }
        // An inner node cannot pass for a leaf: the tree over the parents has the same root, but n / 2 leaves.
        MerkleProof shorter = good;
        shorter.leaf = tree.nodes()[(16 + 9) / 2];
        shorter.siblings.erase(shorter.siblings.begin());
        shorter.index /= 2;
        CHECK(!merklize::verify(shorter, tree.root()));
    }
}

TEST("proof: a word >= p fails even where it means the same element") {
    for (const Hash hash : {Hash::rp64_256_v1, Hash::rp64_256_v2, Hash::rp64_256_v3}) {
        const Digest small = Digest::from_words({5, 0, 7, 1});
        const MerkleTree tree(std::vector<Digest>(4, small), hash);
        MerkleProof proof = tree.prove(2);
        CHECK(merklize::verify(proof, tree.root()));
        const Digest same = Digest::from_words({5 + p, 0, 7, 1});
        proof.leaf = same;
        CHECK(!merklize::verify(proof, tree.root()));
        proof = tree.prove(2);
        proof.siblings[0] = same;
        CHECK(!merklize::verify(proof, tree.root()));
    }
}
