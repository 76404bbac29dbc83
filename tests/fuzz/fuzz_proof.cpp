// Mutates proofs and feeds them to the parsers and to verify; sanitizers make memory errors visible:
//   fuzz-proof [--seconds N] [--seed S] [--corpus FOLDER] [--keep FOLDER]
// The rules: no crash; a parsed proof writes the same bytes again; a valid proof is valid by the definition, too, and
// is true if it claims the same tree (hash, rule and numbers of leaves).

#include <algorithm>
#include <cstring>
#include <iostream>
#include <string>

#include "fuzz.hpp"
#include "proof_cases.hpp"

using namespace support;
using namespace proof_cases;
using merklize::ConsistencyProof;
using merklize::MerkleProof;
using merklize::MultiProof;

namespace {

enum class Kind : std::uint8_t { single, several, consistency, winterfell };

struct Seed {
    Kind kind;
    std::vector<std::byte> bytes;
    naive::Nodes leaves;
    Digest root;
    Digest old_root{};
    MultiProof of{};  // of Winterfell's
};

std::vector<Seed> valid_proofs() {
    std::vector<Seed> out;
    Random random(1);
    for (const TreeRule rule : rules) {
        for (const merklize::HashTraits& t : merklize::hashes()) {
            const Case form{t.hash, rule};
            for (const std::size_t n : {1, 2, 5, 8, 27, 64}) {
                if (!form.takes(n)) continue;
                const naive::Tree tree = form.tree(n, n, form.fast_merge());
                for (const std::size_t k : {std::size_t{0}, n / 2, n - 1})
                    out.push_back({Kind::single, tree.prove(k).to_bytes(), tree.leaves(), tree.root()});
                for (const std::size_t count : {std::size_t{2}, n / 3 + 1, n}) {
                    const MultiProof proof = tree.prove_together(random_indices(n, count, random));
                    out.push_back({Kind::several, proof.to_bytes(), tree.leaves(), tree.root()});
                    if (rule != TreeRule::perfect || n < 2) continue;
                    if (t.hash != Hash::blake3 && t.hash != Hash::rp64_256) continue;
                    out.push_back(
                        {Kind::winterfell, merklize::to_winterfell(proof), tree.leaves(), tree.root(), {}, proof});
                }
                if (rule != TreeRule::left_full) continue;
                for (const std::size_t m : {std::size_t{1}, n / 2 + 1, n}) {
                    const naive::Nodes old(tree.leaves().begin(), tree.leaves().begin() + std::ptrdiff_t(m));
                    const ConsistencyProof proof{t.hash, m, n,
                                                 naive::subproof(m, tree.leaves(), true, form.fast_merge())};
                    out.push_back({Kind::consistency, proof.to_bytes(), tree.leaves(), tree.root(),
                                   naive::tree_hash(old, form.fast_merge())});
                }
            }
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
            case 4:  // an edge value in the header, which has all the fields
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

/// The first bytes say which tree a proof is of, except for the old tree of a consistency proof.
bool same_tree(const Seed& from, const std::vector<std::byte>& bytes) {
    const std::size_t header = from.kind == Kind::consistency ? 24 : 16;
    return std::equal(bytes.begin(), bytes.begin() + std::ptrdiff_t(header), from.bytes.begin());
}

/// Whether all leaves are leaves of the tree, at their indices. A proof of two leaves can be cut to one of them, which
/// is no forgery.
bool is_true(const MerkleProof& proof, const Seed& from) {
    // Sorted pairs have no left and right, so such a proof shows a leaf, but not its index.
    if (proof.hash == Hash::keccak256_sorted) return std::ranges::find(from.leaves, proof.leaf) != from.leaves.end();
    return proof.leaf == from.leaves[proof.index];
}
bool is_true(const MultiProof& proof, const Seed& from) {
    for (std::size_t i = 0; i < proof.indices.size(); ++i) {
        const Digest& leaf = proof.leaves[i];
        const bool is_there = proof.hash == Hash::keccak256_sorted
                                  ? std::ranges::find(from.leaves, leaf) != from.leaves.end()
                                  : leaf == from.leaves[proof.indices[i]];
        if (!is_there) return false;
    }
    return true;
}
/// For two roots there is exactly one proof.
bool is_true(const ConsistencyProof& proof, const Seed& from) { return proof.to_bytes() == from.bytes; }

template <class Proof>
bool verifies(const Proof& proof, const Digest& root) {
    return merklize::verify(proof, root);
}
bool verifies(const ConsistencyProof& proof, const Digest& old_root, const Digest& new_root) {
    return merklize::verify(proof, {.old_root = old_root, .new_root = new_root});
}

enum class Outcome : std::uint8_t { refused, parsed, verified, other_bytes, forged, not_by_definition };

template <class Proof, class... Roots>
Outcome judge(const std::optional<Proof>& proof, const Seed& from, const std::vector<std::byte>& bytes,
              const Roots&... roots) {
    if (!proof) return Outcome::refused;
    if (proof->to_bytes() != bytes) return Outcome::other_bytes;
    const bool verified = verifies(*proof, roots...);
    if (verified && same_tree(from, bytes) && !is_true(*proof, from)) return Outcome::forged;
    const naive::Merge merge = [&](const Digest& l, const Digest& r) { return merklize::merge(l, r, proof->hash); };
    const auto is_element = [&](const Digest& digest) {
        return support::is_canonical(merklize::traits(proof->hash), digest);
    };
    // merge() takes field elements alone, and verify() must do the same.
    bool elements = true;
    if constexpr (std::is_same_v<Proof, ConsistencyProof>) {
        for (const Digest& node : proof->nodes) elements = elements && is_element(node);
        ((elements = elements && is_element(roots)), ...);
    } else {
        for (const Digest& node : proof->siblings) elements = elements && is_element(node);
        if constexpr (std::is_same_v<Proof, MerkleProof>) {
            elements = elements && is_element(proof->leaf);
        } else {
            for (const Digest& node : proof->leaves) elements = elements && is_element(node);
        }
    }
    if (verified != (elements && naive::verify(*proof, roots..., merge))) return Outcome::not_by_definition;
    return verified ? Outcome::verified : Outcome::parsed;
}

Outcome judge(const Seed& from, const std::vector<std::byte>& bytes) {
    switch (from.kind) {
        case Kind::single: return judge(MerkleProof::from_bytes(bytes), from, bytes, from.root);
        case Kind::several: return judge(MultiProof::from_bytes(bytes), from, bytes, from.root);
        case Kind::consistency:
            return judge(ConsistencyProof::from_bytes(bytes), from, bytes, from.old_root, from.root);
        case Kind::winterfell: break;
    }
    const auto proof = merklize::from_winterfell(bytes, from.of.hash, from.of.indices, from.of.leaves);
    if (!proof) return Outcome::refused;
    if (merklize::to_winterfell(*proof) != bytes) return Outcome::other_bytes;
    const bool verified = merklize::verify(*proof, from.root);
    return !verified ? Outcome::parsed : bytes == from.bytes ? Outcome::verified : Outcome::forged;
}

// Why the outcome is wrong, or null.
const char* fault_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::other_bytes: return "a parsed proof writes other bytes";
        case Outcome::forged: return "a changed proof verifies";
        case Outcome::not_by_definition: return "verify and the definition differ";
        case Outcome::refused:
        case Outcome::parsed:
        case Outcome::verified: break;
    }
    return nullptr;
}

int run(fuzz::Fuzzer& fuzzer) {
    const std::vector<Seed> seeds = valid_proofs();
    const fuzz::Corpus corpus = fuzzer.corpus();
    Random random(fuzzer.seed());
    std::uint64_t parsed = 0, verified = 0;
    const auto fault = [&](const Seed& from, const std::vector<std::byte>& bytes) {
        fuzzer.trying(bytes);
        const Outcome outcome = judge(from, bytes);
        parsed += outcome == Outcome::parsed;
        verified += outcome == Outcome::verified;
        return fault_of(outcome);
    };
    for (const fuzz::Content& input : corpus.inputs)
        for (const Seed& from : seeds)
            if (const char* what = fault(from, input)) return fuzzer.failed(what);
    while (fuzzer.n() % 256 != 0 || !fuzzer.is_over(parsed > 0 && verified > 0)) {
        const Seed& from = seeds[random.below(seeds.size())];
        const std::uint64_t kept = random.below(16 * (corpus.inputs.size() + 1));
        const auto bytes = mutate(kept < corpus.inputs.size() ? corpus.inputs[kept] : from.bytes, random);
        if (const char* what = fault(from, bytes)) return fuzzer.failed(what);
    }
    std::cout << fuzzer.n() << " inputs, " << parsed << " of them parsed and refused, " << verified
              << " verified as they should" << std::endl;
    return fuzzer.passed();
}

}  // namespace

int main(int argc, char** argv) {
    fuzz::Fuzzer fuzzer("proof", argc, argv, 20261120);
    return run(fuzzer);
}
