#include <vector>

#include <merklize/merklize.hpp>

int main() {
    const std::vector<merklize::Digest> leaves(4);
    const merklize::MerkleTree tree(leaves, merklize::Hash::rp64_256);
    return merklize::verify(tree.prove(3), tree.root()) ? 0 : 1;
}
