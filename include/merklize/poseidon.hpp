#pragma once

#include <cstdint>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/hashes.hpp>

namespace merklize::inline v0 {

/// A field over which Poseidon2 and Poseidon are computed: p = 2^64 - 2^32 + 1, 2^31 - 2^27 + 1 or 2^31 - 2^24 + 1. The
/// S-box is x^7; x^3 for KoalaBear.
enum class Poseidon2Field : std::uint8_t { goldilocks, babybear, koalabear };

/// An instance of Poseidon2: all that defines a prover's hash. docs/hashes.md has the permutation and the sponge. All
/// words are canonical: below p.
struct Poseidon2 {
    Poseidon2Field field = Poseidon2Field::goldilocks;
    unsigned width = 0;            ///< cells: 8, 12 or 16 over Goldilocks, 16, 24 or 32 over the others
    unsigned rate = 0;             ///< words of a row that one permutation takes: 1 to width - 1. Of a quad: width
    unsigned external_rounds = 8;  ///< half of them before the internal rounds, half after: 2, 4, 6 ... 64
    unsigned internal_rounds = 0;  ///< 1 to 256
    /// In the order of use: `width` words for each of the first external_rounds / 2 rounds, one for each internal
    /// round, `width` for each of the last external_rounds / 2.
    std::vector<std::uint64_t> constants{};
    /// An internal round makes cell i = sum of all cells + diagonal[i] * cell i: `width` words.
    std::vector<std::uint64_t> diagonal{};
};

/// A hash made of a caller's constants. It works wherever a Hash does, on every device: rows by
/// PaddingFreeSponge<width, rate, digest>, merges by TruncatedPermutation<2, digest, width>. Its name,
/// traits(hash).name, is "poseidon2:" and the digest of the constants. Files and proofs store this name, and
/// hash_from_name() knows it from now on. The Hash is valid in this process alone.
/// quad    the permutation of a MatrixCommitment's merges of four, TruncatedPermutation<4, digest, width>: over the
///         same field, its width and rate both four digests, 16 words over Goldilocks and 32 over the others. The name
///         then covers both. Null: the hash has no merge of four, and arity 4 is refused
/// order   may be called from any thread; the same constants always give the same Hash
/// errors  invalid_argument (a width, rate or count of rounds that is not taken, a wrong number of words, a word >= p
///         with its index; a diagonal whose internal round has no inverse; a quad over another field; more than 127
///         sets of constants in one process)
/// cost    once a set of constants: a digest of some thousand bytes. They stay in memory
MERKLIZE_API Hash poseidon2(const Poseidon2& instance, const Poseidon2* quad = nullptr);

/// An instance of Poseidon, version 1. docs/hashes.md has the permutation. All words are canonical: below p.
struct Poseidon {
    Poseidon2Field field = Poseidon2Field::goldilocks;
    unsigned width = 0;           ///< cells: 8 or 12 over Goldilocks, 16 or 24 over the others
    unsigned rate = 0;            ///< words of a row that one permutation takes: 1 to width - 1
    unsigned full_rounds = 8;     ///< half of them before the partial rounds, half after: 2, 4, 6 ... 64
    unsigned partial_rounds = 0;  ///< 1 to 256
    /// `width` words for each round, in the order of use.
    std::vector<std::uint64_t> constants{};
    /// The MDS matrix by which every round multiplies: width x width words, row after row; or `width` words, the first
    /// row of a circulant matrix, each of whose rows is the one above it moved right by a cell.
    std::vector<std::uint64_t> matrix{};
};

/// The same for Poseidon, with a name that begins with "poseidon:". Such a hash has no merge of four.
/// errors  invalid_argument (as of poseidon2(); a matrix of another size, or without an inverse; or one without an
///         inverse when its first row and column are left out, which no MDS matrix is)
/// cost    once a set of constants: some ten thousand products, and a digest of some thousand bytes. They stay in
///         memory
MERKLIZE_API Hash poseidon(const Poseidon& instance);

}  // namespace merklize::inline v0
