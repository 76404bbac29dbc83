// Mutates proofs and feeds them to MerkleProof::from_bytes and verify; sanitizers make memory errors visible:
//   fuzz-proof [--seconds N] [--seed S]
// What must hold: no crash; what parses writes the same bytes again; only the unchanged proof verifies.

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "support.hpp"

using namespace support;
using merklize::MerkleProof;

namespace {

struct Seed {
    std::vector<std::byte> bytes;
    Digest root;
};

std::vector<Seed> valid_proofs() {
    std::vector<Seed> out;
    for (const merklize::HashTraits& t : merklize::hashes()) {
        for (const std::size_t n : {2, 8, 64}) {
            const merklize::MerkleTree tree(leaves(t.hash, n, n), t.hash);
            for (const std::size_t k : {std::size_t{0}, n / 2, n - 1})
                out.push_back({tree.prove(k).to_bytes(), tree.root()});
        }
    }
    return out;
}

/// One to four changes of the kinds that parsers get wrong: bits, edge bytes, lengths, moved and repeated parts.
std::vector<std::byte> mutate(std::vector<std::byte> bytes, Random& random) {
    constexpr std::uint8_t edges[] = {0, 1, 2, 3, 4, 0x7f, 0x80, 0xff};
    for (std::uint64_t change = random.below(4) + 1; change > 0; --change) {
        const std::size_t size = bytes.size(), at = size == 0 ? 0 : random.below(size);
        switch (random.below(8)) {
            case 0: bytes.resize(random.below(2 * size + 64), std::byte{static_cast<std::uint8_t>(random())}); break;
            case 1: bytes.resize(size + 32 * random.below(70)); break;
            case 2:
                bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                             std::byte{static_cast<std::uint8_t>(random())});
                break;
            case 3:
                if (size > 0) bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 4:  // an edge value into the header, where all the fields are
                if (size > 0) bytes[random.below(std::min<std::size_t>(size, 24))] = std::byte{edges[random.below(8)]};
                break;
            case 5:
                if (size >= 96) std::swap_ranges(bytes.begin() + 24, bytes.begin() + 56, bytes.end() - 32);
                break;
            case 6: {  // a whole word: >= p, a power of two, anything
                const std::uint64_t word =
                    random.below(2) ? ~random.below(1u << 31) : std::uint64_t{1} << random.below(64);
                if (size >= 8) std::memcpy(bytes.data() + random.below(size / 8) * 8, &word, 8);
                break;
            }
            default:
                if (size > 0) bytes[at] ^= std::byte{1} << random.below(8);
        }
    }
    return bytes;
}

int fuzz(double seconds, std::uint64_t seed) {
    std::cout << "fuzz-proof: seed " << seed << ", " << seconds << " s" << std::endl;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    const std::vector<Seed> seeds = valid_proofs();
    Random random(seed);
    std::uint64_t n = 0, parsed = 0;
    for (; n % 256 != 0 || std::chrono::steady_clock::now() < end; ++n) {
        const Seed& from = seeds[random.below(seeds.size())];
        const std::vector<std::byte> bytes = mutate(from.bytes, random);
        const auto proof = MerkleProof::from_bytes(bytes);
        if (!proof) continue;
        ++parsed;
        const bool verified = merklize::verify(*proof, from.root);
        if (proof->to_bytes() == bytes && verified == (bytes == from.bytes)) continue;
        std::cout << "FAILED at input " << n << " (" << bytes.size()
                  << " bytes): " << (verified ? "a changed proof verifies" : "a parsed proof writes other bytes")
                  << '\n';
        return 1;
    }
    std::cout << n << " inputs, " << parsed << " of them parsed, none verified wrongly" << std::endl;
    return parsed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    double seconds = 10;
    std::uint64_t seed = 20261120;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::strtod(argv[i + 1], nullptr);
        if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    return fuzz(seconds, seed);
}
