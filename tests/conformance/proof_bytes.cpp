// Proofs as bytes: each proof has one encoding, as documented, and all other bytes are refused.

#include "proof_cases.hpp"

using namespace support;
using namespace proof_cases;
using merklize::ConsistencyProof;
using merklize::MerkleProof;
using merklize::MultiProof;
using Raw = std::vector<std::byte>;

namespace {

std::string hex_of(std::span<const std::byte> bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return hex(Bytes(data, data + bytes.size()));
}

/// A tree of 13 leaves, or of 16, and proofs of every kind.
struct Proofs {
    naive::Tree tree;
    MerkleProof single;
    MultiProof several;

    explicit Proofs(const Case& form)
        : tree(form.tree(form.rule == TreeRule::perfect ? 16 : 13, 5, form.fast_merge())),
          single(tree.prove(5)),
          several(tree.prove_together({0, 4, 5, 6, 11})) {}
};

ConsistencyProof consistency(std::size_t m, std::size_t n) {
    const Case form{Hash::blake3, TreeRule::left_full};
    return {Hash::blake3, m, n, naive::subproof(m, leaves(Hash::blake3, n, 5), true, form.fast_merge())};
}

/// Changes, cuts and lengthens the bytes: each result is refused, or it is another proof with exactly these bytes.
template <class Proof>
void check_canonical(const Raw& good) {
    const auto check = [&](const Raw& bytes) {
        const auto proof = Proof::from_bytes(bytes);
        CHECK(!proof || proof->to_bytes() == bytes);
        return proof.has_value();
    };
    CHECK(check(good));
    const std::size_t fields = std::min<std::size_t>(good.size(), 40);  // a digest may have any value
    for (std::size_t at = 0; at < fields; ++at) {
        for (int value = 0; value < 256; ++value) {
            Raw bytes = good;
            bytes[at] = static_cast<std::byte>(value);
            check(bytes);
        }
        Raw bytes = good;
        bytes.insert(bytes.begin() + std::ptrdiff_t(at), std::byte{0});
        check(bytes);
        bytes[at] = std::byte{0x80};
        check(bytes);
    }
    for (std::size_t size = 0; size < good.size(); ++size)
        CHECK(!check({good.begin(), good.begin() + std::ptrdiff_t(size)}));
    for (const std::size_t extra : {1, 31, 32, 64, 32 * 70}) {
        Raw longer = good;
        longer.resize(good.size() + extra);
        CHECK(!check(longer));
    }
}

}  // namespace

TEST("proof: the bytes are as documented") {
    const Case form{Hash::rp64_256_v2, TreeRule::left_full};
    const Proofs proofs(form);
    const Raw single = proofs.single.to_bytes();
    CHECK_EQ(hex_of(std::span(single).first(24)),
             "4d4b5a50"
             "02"
             "02"
             "01"
             "00"
             "0d00000000000000"
             "0500000000000000");
    CHECK_EQ(hex_of(std::span(single).subspan(24, 32)), proofs.single.leaf.hex());
    CHECK_EQ(single.size(), 24u + 32 * 5);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK_EQ(hex_of(std::span(single).subspan(56 + 32 * i, 32)), proofs.single.siblings[i].hex());

    const Raw several = proofs.several.to_bytes();  // 0, 4 to 6, 11: three runs
    CHECK_EQ(hex_of(std::span(several).first(23)),
             "4d4b5a50"
             "02"
             "02"
             "01"
             "01"
             "0d00000000000000"
             "03"
             "0001"
             "0303"
             "0401");
    CHECK_EQ(hex_of(std::span(several).subspan(23, 32)), proofs.several.leaves[0].hex());
    CHECK_EQ(several.size(), 23u + 32 * (5 + proofs.several.siblings.size()));
    CHECK_EQ(hex_of(std::span(several).last(32)), proofs.several.siblings.back().hex());

    const ConsistencyProof proof = consistency(6, 8);
    const Raw bytes = proof.to_bytes();
    CHECK_EQ(hex_of(std::span(bytes).first(24)),
             "4d4b5a50"
             "02"
             "00"
             "01"
             "02"
             "0800000000000000"
             "0600000000000000");
    CHECK_EQ(bytes.size(), 24u + 32 * 3);
    CHECK_EQ(hex_of(std::span(bytes).last(32)), proof.nodes[2].hex());
}

TEST("proof: from_bytes takes exactly what to_bytes writes") {
    for (const TreeRule rule : rules) {
        const Proofs proofs({Hash::blake3, rule});
        const Raw single = proofs.single.to_bytes(), several = proofs.several.to_bytes();
        check_canonical<MerkleProof>(single);
        check_canonical<MultiProof>(several);
        CHECK(!MultiProof::from_bytes(single) && !ConsistencyProof::from_bytes(single));
        CHECK(!MerkleProof::from_bytes(several) && !ConsistencyProof::from_bytes(several));
    }
    for (const std::size_t m : {1, 2, 3, 6, 7}) check_canonical<ConsistencyProof>(consistency(m, 7).to_bytes());
    CHECK(!MerkleProof::from_bytes({}) && !MultiProof::from_bytes({}) && !ConsistencyProof::from_bytes({}));
}

TEST("proof: headers that are refused") {
    const Proofs proofs({Hash::blake3, TreeRule::left_full});
    for (const Raw& good : {proofs.single.to_bytes(), proofs.several.to_bytes(), consistency(6, 13).to_bytes()}) {
        const auto taken = [](const Raw& bytes) {
            return MerkleProof::from_bytes(bytes) || MultiProof::from_bytes(bytes) ||
                   ConsistencyProof::from_bytes(bytes);
        };
        const auto with = [&](std::size_t at, std::uint8_t value) {
            Raw bytes = good;
            bytes[at] = std::byte{value};
            return taken(bytes);
        };
        CHECK(taken(good));
        CHECK(!with(0, 'X'));    // magic
        CHECK(!with(4, 1));      // a format before
        CHECK(!with(4, 3));      // a newer one
        CHECK(!with(5, 200));    // no such hash
        CHECK(!with(6, 4));      // no such rule
        CHECK(!with(6, 0));      // a perfect tree does not have 13 leaves
        CHECK(!with(7, 3));      // no such kind
        CHECK(!with(8, 0));      // no leaves
        CHECK(!with(8, 4));      // fewer than the index
        CHECK(!with(15, 0xff));  // more than there can be
        CHECK(!with(15, 0x04));
    }
}

TEST("proof: few bytes never take much memory") {
    // All of 2^58 leaves; runs that pass the end, or wrap around at 2^64.
    const Bytes head = {'M', 'K', 'Z', 'P', 2, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 4};
    const Bytes most(8, 0xff);
    for (const Bytes& runs : {Bytes{1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 4},
                              Bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
                              Bytes{2, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1}, Bytes{0},
                              Bytes{1, 0, 0}, Bytes{2, 0, 1, 0, 1}, Bytes{1, 0x80, 0, 1}}) {
        Bytes bytes = head;
        bytes.insert(bytes.end(), runs.begin(), runs.end());
        CHECK(!MultiProof::from_bytes(view(bytes)));
        bytes.resize(bytes.size() + 320);
        CHECK(!MultiProof::from_bytes(view(bytes)));
    }
}

TEST("proof: what is no proof has no bytes") {
    const Proofs good({Hash::blake3, TreeRule::left_full});
    MerkleProof single = good.single;
    single.index = 13;
    CHECK_ERROR(invalid_argument, "hash 0, rule 1, 13 leaves, index 13, 4 other nodes", single.to_bytes());
    single = good.single;
    single.siblings.pop_back();
    CHECK_ERROR(invalid_argument, "index 5, 3 other nodes", single.to_bytes());
    single = good.single;
    single.hash = static_cast<Hash>(200);
    CHECK_ERROR(invalid_argument, "hash 200", single.to_bytes());
    MultiProof several = good.several;
    std::swap(several.indices[0], several.indices[1]);
    CHECK_ERROR(invalid_argument, "5 indices, 5 of their leaves", several.to_bytes());
    several = good.several;
    several.leaves.pop_back();
    CHECK_ERROR(invalid_argument, "5 indices, 4 of their leaves", several.to_bytes());
    CHECK_ERROR(invalid_argument, "7 leaves, 8 of them old, 0 other nodes",
                ConsistencyProof{Hash::blake3, 8, 7}.to_bytes());
    CHECK_ERROR(invalid_argument, "0 of them old", ConsistencyProof{Hash::blake3, 0, 7}.to_bytes());
}
