// A Merkle tree over 1024 records, and a proof that one of them is in it.
#include <iostream>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

int main() {
    // A leaf is 32 bytes, here the digest of a record.
    std::vector<merklize::Digest> leaves;
    for (int i = 0; i < 1024; ++i) {
        const std::string record = "record " + std::to_string(i);
        leaves.push_back(merklize::hash(record));
    }
    const merklize::MerkleTree tree(leaves, merklize::Hash::blake3);
    std::cout << "root " << tree.root().hex() << " on " << tree.device().id << '\n';

    // The prover sends bytes. The verifier knows the root, the number of leaves, and the leaf that it asks about.
    const std::vector<std::byte> sent = tree.prove(5).to_bytes();
    std::cout << "the proof has " << sent.size() << " bytes\n";

    const auto shows = [&](const merklize::Digest& leaf) {
        const auto proof = merklize::MerkleProof::from_bytes(sent);
        const merklize::Expect expect{.leaf = leaf, .index = 5, .n_leaves = 1024, .hash = merklize::Hash::blake3};
        return proof && verify(*proof, tree.root(), expect);
    };
    std::cout << "leaf 5 is in the tree: " << (shows(leaves[5]) ? "yes" : "no") << '\n';
    std::cout << "another leaf: " << (shows(leaves[6]) ? "yes" : "no") << '\n';
}
