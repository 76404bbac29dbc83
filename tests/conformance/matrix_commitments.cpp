// Commitments with dropped levels have the same caps and openings as those that keep all levels. The answers of the
// latter are Plonky3's (python/tests/test_matrices.py).
#include <algorithm>
#include <numeric>

#include "matrices/plan.hpp"
#include "merklize/matrix_commitment.hpp"
#include "support.hpp"

using namespace support;
using merklize::CommitmentForm;
using merklize::Matrix;
using merklize::MatrixCommitment;
using merklize::MatrixDims;

namespace {

bool has_device_memory() { return merklize::Device().info().backend != "cpu"; }

/// Matrices of random words, on the host and, if it has memory of its own, on the device of the test.
struct Input {
    Input(std::span<const MatrixDims> dims, std::uint32_t below) {
        Random random(dims.size() + dims[0].rows);
        for (const MatrixDims& one : dims) {
            std::vector<std::uint32_t>& values = words.emplace_back(one.rows * one.columns);
            for (std::uint32_t& word : values) word = static_cast<std::uint32_t>(random.element(below));
            host.push_back(Matrix::of_rows(std::span<const std::uint32_t>(values), one.rows));
            host.back().columns = one.columns;
            if (!has_device_memory()) continue;
            there.push_back(host.back());
            there.back().words = nullptr;
            there.back().buffer = on_device(values);
        }
    }
    std::vector<std::vector<std::uint32_t>> words{};
    std::vector<Matrix> host{}, there{};
};

std::uint32_t words_below(const CommitmentForm& form) {
    if (form.montgomery != 0) return form.montgomery;
    const std::uint64_t p = merklize::traits(form.hash).modulus;
    return p != 0 ? static_cast<std::uint32_t>(p) : 0xffffffff;
}

void check_dropped(std::span<const MatrixDims> dims, const CommitmentForm& form, std::span<const unsigned> dropped) {
    const Input input(dims, words_below(form));
    const MatrixCommitment whole(input.host, form);
    std::vector<std::uint64_t> indices;
    const std::uint64_t n = whole.n_leaves();
    for (std::uint64_t i = 0; i < n; i += n < 64 ? 1 : n / 7) indices.push_back(i);
    indices.push_back(n - 1);
    if (n > 1) indices.push_back(n - 2);
    std::vector<std::uint64_t> once = indices;
    std::ranges::sort(once);
    once.erase(std::unique(once.begin(), once.end()), once.end());
    const std::vector<Digest> siblings = whole.siblings(indices), together = whole.siblings_together(once);
    const auto same_openings = [&](const MatrixCommitment& commitment, std::span<const Matrix> given) {
        CHECK(std::ranges::equal(commitment.cap(), whole.cap()));
        CHECK(commitment.siblings(indices, given) == siblings);
        CHECK(commitment.siblings_together(once, given) == together);
        const merklize::MatrixMultiOpening opening = commitment.open_together(once, given);
        CHECK(opening == whole.open_together(once, input.host));
        CHECK(commitment.open(indices, given) == whole.open(indices, input.host));
    };
    for (const unsigned drop_levels : dropped) {
        const MatrixCommitment kept(input.host, form, {}, true, drop_levels);
        CHECK(kept.drop_levels() == drop_levels);
        CHECK(kept.path_length() == whole.path_length());
        same_openings(kept, {});
        same_openings(MatrixCommitment(input.host, form, {}, false, drop_levels), input.host);
        if (has_device_memory())
            same_openings(MatrixCommitment(input.there, form, {}, false, drop_levels), input.there);
    }
}

}  // namespace

TEST("commitment: without its lowest levels") {
    const unsigned few[] = {1, 3}, quads[] = {1, 2}, none[] = {0};
    const std::vector<std::vector<MatrixDims>> shapes = {
        {{8, 3}}, {{16, 2}, {8, 9}, {4, 3}}, {{5, 3}, {33, 1}, {1, 7}, {17, 20}, {9, 2}},   {{61, 5}, {31, 0}, {16, 3}},
        {{9, 0}}, {{3, 4}, {41, 2}},         {{100, 2}, {50, 1}, {25, 1}, {13, 1}, {7, 1}},
    };
    for (const std::vector<MatrixDims>& dims : shapes) {
        for (const Hash hash : {Hash::blake3, Hash::poseidon2_koalabear_16}) {
            check_dropped(dims, {hash}, few);
            check_dropped(dims, {hash, 4}, quads);
        }
        check_dropped(dims, {Hash::sha256, 2, 0, 0x78000001}, few);
    }
    check_dropped(std::vector<MatrixDims>{{1, 3}}, {Hash::blake3}, none);
    const unsigned two[] = {2};
    check_dropped(std::vector<MatrixDims>{{64, 3}, {16, 2}}, {Hash::blake3, 2, 4}, two);
}

TEST("commitment: without its lowest levels, made in several pieces") {
    const std::uint64_t piece = std::uint64_t{1} << 18;
    const unsigned four[] = {4}, three[] = {3};
    check_dropped(std::vector<MatrixDims>{{2 * piece, 1}}, {Hash::blake3}, four);
    const std::uint64_t odd = 2 * piece + 5;
    check_dropped(std::vector<MatrixDims>{{odd, 1}, {(odd + 7) / 8, 2}, {(odd + 63) / 64, 1}}, {Hash::blake3}, four);
    check_dropped(std::vector<MatrixDims>{{piece + 1, 1}, {(piece + 2) / 2, 1}}, {Hash::blake3, 4}, three);
}

TEST("commitment: dropped levels leave little memory") {
    const MatrixDims rows{std::uint64_t{1} << 24, 1};
    const auto slots = [&](unsigned arity, unsigned drop_levels) {
        const CommitmentForm form(Hash::blake3, arity);
        return merklize::runtime::plan_commitment({&rows, 1}, form, drop_levels).slots;
    };
    CHECK(10 * slots(2, 4) < slots(2, 0));
    CHECK(10 * slots(4, 2) < slots(4, 0));
}

TEST("commitment: what cannot be dropped is refused, and rows that are needed") {
    const MatrixDims dims{16, 2};
    const Input input({&dims, 1}, 100);
    CHECK_ERROR(invalid_argument, "drop_levels must be at most 3, the layers below the cap of 16 rows, got 4",
                MatrixCommitment(input.host, {Hash::blake3, 2, 1}, {}, false, 4));
    const MatrixCommitment commitment(input.host, {Hash::blake3}, {}, false, 2);
    const std::uint64_t index = 3;
    CHECK_ERROR(invalid_argument, "the lowest 2 levels are made again from the rows; give the matrices",
                commitment.siblings({&index, 1}));
    const MatrixDims other{16, 3};
    const Input wrong({&other, 1}, 100);
    CHECK_ERROR(invalid_argument, "the matrices must be those of the commitment",
                commitment.siblings({&index, 1}, wrong.host));
    // The error counts rows from the first row of the matrix, also if the wrong word is in a later piece.
    std::vector<std::uint32_t> words((std::size_t{1} << 18) + 64, 1);
    words[words.size() - 3] = 0xffffffff;
    const Matrix matrix = Matrix::of_rows(std::span<const std::uint32_t>(words), words.size());
    CHECK_ERROR(invalid_argument,
                "row " + std::to_string(words.size() - 3) + ", column 0 is 4294967295, not a field element",
                MatrixCommitment({&matrix, 1}, {Hash::poseidon2_koalabear_16}, {}, false, 1));
}

TEST("commitment: an opening names the rows that have changed since their nodes were dropped") {
    struct Change {
        std::size_t matrix;
        std::uint64_t row, index;
        const char* text;
    };
    for (const unsigned arity : {2u, 4u}) {
        const MatrixDims dims[] = {{29, 3}, {arity == 2 ? 15u : 8u, 2}, {4, 1}};
        Input input(dims, 100);
        const unsigned drop_levels = arity == 2 ? 2 : 1;
        const MatrixCommitment commitment(input.host, {Hash::blake3, arity}, {}, false, drop_levels);
        // Row 9 of the first matrix and this row of the second one are below node 2; row 28 is alone below the last
        // node.
        const std::uint64_t row = arity == 2 ? 4 : 2;
        const Change changes[] = {
            {0, 9, 11, "rows 8 to 11"}, {1, row, 8, "rows 8 to 11"}, {0, 28, 28, "rows 28 to 28"}};
        for (const Change& change : changes) {
            std::uint32_t& word = input.words[change.matrix][change.row * dims[change.matrix].columns];
            const std::string text = change.text;
            const std::uint64_t there[] = {0, change.index}, elsewhere[] = {0, 4, 23};
            const auto sound = commitment.siblings(elsewhere, input.host);
            word++;
            CHECK_ERROR(invalid_argument,
                        "siblings: " + text +
                            " of the tallest matrix, or those that belong to them in lower ones, are not the rows of "
                            "the commitment; give the matrices as they were when it was made",
                        commitment.siblings(there, input.host));
            CHECK_ERROR(invalid_argument, text, commitment.open_together(there, input.host));
            CHECK(commitment.siblings(elsewhere, input.host) == sound);
            word--;
            CHECK(commitment.siblings(there, input.host).size() == 2 * commitment.path_length());
        }
    }
    if (!has_device_memory()) return;
    std::vector<std::uint32_t> words(29 * 3, 7);
    merklize::Buffer buffer = on_device(words);
    const Matrix there = Matrix::of_rows(buffer, 29, 4);
    const MatrixCommitment kept({&there, 1}, {Hash::blake3}, {}, true, 2);
    const std::uint64_t index = 9;
    CHECK(kept.siblings({&index, 1}).size() == kept.path_length());
    words[9 * 3]++;
    buffer.copy_from(std::as_bytes(std::span(words)));
    CHECK_ERROR(invalid_argument, "rows 8 to 11", kept.siblings({&index, 1}));
}

TEST("commitment: openings of rows that have changed are refused, whichever row it is") {
    for (const unsigned arity : {2u, 4u}) {
        const MatrixDims dims[] = {{29, 3}, {arity == 2 ? 15u : 8u, 2}, {4, 1}};
        Input input(dims, 100);
        std::vector<std::uint64_t> all(29);
        std::iota(all.begin(), all.end(), std::uint64_t{0});
        for (const unsigned drop_levels : {0u, 1u}) {
            const MatrixCommitment commitment(input.host, {Hash::blake3, arity}, {}, false, drop_levels),
                kept(input.host, {Hash::blake3, arity}, {}, true, drop_levels);
            const auto sound = commitment.open_together(all, input.host);
            for (std::size_t m = 0; m < 3; m++) {
                for (std::uint64_t row = 0; row < dims[m].rows; row++) {
                    std::uint32_t& word = input.words[m][row * dims[m].columns];
                    word++;
                    CHECK_ERROR(invalid_argument, "are not the rows of the commitment",
                                commitment.open_together(all, input.host));
                    CHECK_ERROR(invalid_argument, "are not the rows of the commitment",
                                commitment.open(all, input.host));
                    CHECK(kept.open_together(all) == sound);
                    word--;
                }
            }
            CHECK(commitment.open_together(all, input.host) == sound);
        }
    }
}
