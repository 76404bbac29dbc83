// Certificate Transparency's published roots, paths and consistency proofs: SHA-256 under the rule left_full.

#include "json.hpp"
#include "naive_proofs.hpp"
#include "support.hpp"

using namespace support;
using merklize::TreeRule;

namespace {

const json::Value& published() {
    static const json::Value value = json::read(MERKLIZE_VECTORS "/rfc6962.json");
    return value;
}

std::vector<Digest> digests(const json::Value& list) {
    std::vector<Digest> out;
    for (const json::Value& item : list.items) out.push_back(Digest::from_hex(item.text).value_or(Digest{}));
    return out;
}

}  // namespace

TEST("proof: published paths of RFC 6962 trees") {
    const Hash hash = merklize::hash_from_name("sha256_rfc6962");
    const std::vector<Digest> leaves = digests(published()["leaf_hashes"]), roots = digests(published()["roots"]);
    CHECK_EQ(published()["paths"].items.size(), 5u);
    for (const json::Value& path : published()["paths"].items) {
        const std::uint64_t n = path["n_leaves"].number, index = path["index"].number;
        merklize::MerkleProof proof{hash, TreeRule::left_full, n, index, leaves[index], digests(path["siblings"])};
        CHECK(merklize::verify(proof, roots[n - 1]));
        CHECK_EQ(merklize::verify_each(std::span(&proof, 1), roots[n - 1])[0], 1);
        proof.leaf = leaves[(index + 1) % 8];
        CHECK(!merklize::verify(proof, roots[n - 1]));
    }
    const naive::Merge merge = [&](const Digest& l, const Digest& r) { return merklize::merge(l, r, hash); };
    for (std::size_t n = 1; n <= 8; ++n) {
        const naive::Tree tree(hash, TreeRule::left_full, {leaves.begin(), leaves.begin() + std::ptrdiff_t(n)}, merge);
        CHECK_EQ(tree.root(), roots[n - 1]);
    }
}

TEST("proof: published consistency proofs of RFC 6962 trees") {
    const Hash hash = merklize::hash_from_name("sha256_rfc6962");
    const std::vector<Digest> roots = digests(published()["roots"]);
    CHECK_EQ(published()["consistency"].items.size(), 4u);
    for (const json::Value& given : published()["consistency"].items) {
        const std::uint64_t old_n = given["old_leaves"].number, new_n = given["new_leaves"].number;
        const merklize::ConsistencyProof proof{hash, old_n, new_n, digests(given["nodes"])};
        CHECK(merklize::verify(proof, {roots[old_n - 1], roots[new_n - 1]}));
        CHECK(!merklize::verify(proof, {roots[old_n], roots[new_n - 1]}));
    }
}
