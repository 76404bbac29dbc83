#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace merklize::runtime {

/// A prime field on the host; words are canonical.
struct PrimeField {
    std::uint64_t p;
    std::uint64_t add(std::uint64_t a, std::uint64_t b) const noexcept;
    std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const noexcept;
    std::uint64_t inverse(std::uint64_t a) const noexcept;  ///< of a word that is not 0
};

/// Whether a matrix of n x n words, row after row, has an inverse.
bool has_inverse(std::span<const std::uint64_t> matrix, std::uint64_t p);

/// Poseidon's partial rounds by fewer products, as scripts/generate_hash_constants.py makes them for our own constants.
///
/// Constants of cells other than 0 pass the S-box of a partial round, so each is added behind the round's matrix, and
/// at last to the terminal rounds. Let M be the matrix and D its rows and columns from 1 on. Then M = S diag(1, D),
/// where S has a first row, a first column, and else ones on the diagonal. diag(1, D) passes the S-box, too, and joins
/// the matrix of the round before: diag(1, D) M. The rows and columns of that one from 1 on are D^2, its first row is
/// that of M, its first column D times that of M; and so on to the first round.
struct PartialRounds {
    /// matrix     of n x n words, row after row
    /// constants  of the partial rounds, n words each
    /// errors     invalid_argument (the matrix, or what is left of it without its first row and column, has no inverse)
    PartialRounds(std::span<const std::uint64_t> matrix, std::span<const std::uint64_t> constants, std::uint64_t p);

    PrimeField field;
    std::vector<std::uint64_t> constants{};  ///< of cell 0 in each partial round
    std::vector<std::uint64_t> rest{};       ///< what the constants of the first terminal round get
    std::vector<std::uint64_t> before{};     ///< the matrix in the place of M before the partial rounds, row after row
    std::vector<std::uint64_t> sparse{};  ///< for each partial round n words of S's first row and n of its first column
};

}  // namespace merklize::runtime
