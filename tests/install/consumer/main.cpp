#include <cstring>
#include <string_view>
#include <vector>

#include <merklize/merklize.hpp>

// A tree, a proof, and an error of the library, which must be caught by its own type.
int main() {
    const std::vector<merklize::Digest> leaves(4);
    const merklize::MerkleTree tree(leaves, merklize::Hash::rp64_256);
    if (!merklize::verify(tree.prove(3), tree.root())) return 1;
    try {
        (void)tree.prove(4);
        return 2;
    } catch (const merklize::Error& error) {
        if (error.code() != merklize::ErrorCode::invalid_argument || std::strlen(error.what()) == 0) return 3;
    }
    return std::string_view(merklize::version()) == MERKLIZE_VERSION_STRING ? 0 : 4;
}
