// Matrices of words in another form than the canonical one have the digests of the canonical words.
#include <bit>

#include "merklize/matrix.hpp"
#include "merklize/matrix_commitment.hpp"
#include "support.hpp"

using namespace support;
using merklize::Elements;
using merklize::Matrix;

namespace {

__extension__ using Wide = unsigned __int128;

/// 2^b x mod p, by division.
template <class Word>
Word to_montgomery(std::uint64_t x, std::uint64_t p) {
    return static_cast<Word>((Wide{x} << (8 * sizeof(Word))) % p);
}

/// Another word that represents the same element, if there is one.
template <class Word>
Word to_any(std::uint64_t x, std::uint64_t p) {
    return x <= static_cast<Word>(~Word{0}) - p ? static_cast<Word>(x + p) : static_cast<Word>(x);
}

template <class Word>
std::vector<Digest> digests_of(const merklize::HashTraits& t, const Matrix& matrix) {
    std::vector<Digest> digests(matrix.rows);
    merklize::hash_rows(std::span(&matrix, 1), digests, {t.hash});
    return digests;
}

template <class Word>
void check_forms(const merklize::HashTraits& t, std::size_t n, std::size_t columns, std::size_t stride) {
    const std::uint64_t p = t.modulus;
    Random random(n + columns);
    std::vector<Word> canonical(n * stride, static_cast<Word>(~Word{0})), any = canonical, montgomery = canonical;
    for (std::size_t i = 0; i < canonical.size(); i++) {
        if (i % stride >= columns) continue;  // not read
        const std::uint64_t x = i % 7 == 0 ? i % 40 : i % 7 == 1 ? p - 1 - i % 40 : random.element(p);
        canonical[i] = static_cast<Word>(x);
        any[i] = to_any<Word>(x, p);
        montgomery[i] = to_montgomery<Word>(x, p);
    }
    const auto matrix_of = [&](const std::vector<Word>& words, Elements form) {
        Matrix matrix = Matrix::of_rows(std::span<const Word>(words), n);
        matrix.columns = columns;
        matrix.elements = form;
        return matrix;
    };
    const std::vector<Digest> expected = digests_of<Word>(t, matrix_of(canonical, Elements::canonical));
    CHECK(digests_of<Word>(t, matrix_of(any, Elements::any)) == expected);
    CHECK(digests_of<Word>(t, matrix_of(montgomery, Elements::montgomery)) == expected);
    if (merklize::Device().info().backend != "cpu") {
        const auto bytes = std::as_bytes(std::span(montgomery));
        Matrix there = matrix_of(montgomery, Elements::montgomery);
        there.buffer = on_device(bytes);
        there.words = nullptr;
        std::vector<Digest> digests(n);
        merklize::hash_rows(std::span(&there, 1), digests, {t.hash});
        CHECK(digests == expected);
    }
}

template <class Word>
void check_all_forms(const merklize::HashTraits& t) {
    check_forms<Word>(t, 1, 1, 1);
    check_forms<Word>(t, 19, 37, 37);
    check_forms<Word>(t, 33, 16, 24);
    // More rows than one staged piece has, for wide rows.
    check_forms<Word>(t, merklize::Device().info().backend == "cpu" ? 40 : 2500, 2633, 2633);
}

}  // namespace

TEST("elements: matrices of any words and of Montgomery words") {
    for (const Hash hash :
         {Hash::poseidon2_goldilocks_8, Hash::rp64_256_v3, Hash::poseidon2_koalabear_16, Hash::poseidon2_babybear_16}) {
        const merklize::HashTraits& t = merklize::traits(hash);
        if (t.element_bits == 64) check_all_forms<std::uint64_t>(t);
        if (t.element_bits == 32) check_all_forms<std::uint32_t>(t);
    }
}

// Words of 16 bytes: rows are their bytes, whatever the strides, and a commitment is the same tree.
TEST("elements: words of 16 bytes, row after row, column after column, with gaps and backwards") {
    constexpr std::size_t n = 64, columns = 5, gap = 7;
    for (const Hash hash : {Hash::blake3, Hash::keccak256}) {
        Random random(3);
        const Bytes bytes = random.bytes(16 * n * columns);
        std::vector<Digest> expected(n), digests(n);
        merklize::hash_leaves(view(bytes), 16 * columns, expected, hash, {}, on_cpu());
        std::vector<Wide> dense(n * columns), down(n * columns), apart(n * gap), back(n * columns);
        std::memcpy(dense.data(), bytes.data(), bytes.size());
        for (std::size_t i = 0; i < n * columns; i++) {
            down[i % columns * n + i / columns] = dense[i];
            apart[i / columns * gap + i % columns] = dense[i];
            back[n * columns - 1 - i] = dense[i];
        }
        std::vector<Matrix> matrices = {
            Matrix::of_rows(std::span<const Wide>(dense), n), Matrix::of_columns(std::span<const Wide>(down), n),
            Matrix::of_rows(std::span<const Wide>(apart), n), Matrix::of_rows(std::span<const Wide>(back), n)};
        CHECK_EQ(matrices[0].word_bytes, 16u);
        matrices[2].columns = columns;
        matrices[3].row_stride = -static_cast<std::int64_t>(columns);
        matrices[3].column_stride = -1;
        matrices[3].words = back.data() + n * columns - 1;
        const std::vector<Wide>* held[] = {&dense, &down, &apart, &back};
        const merklize::MerkleTree tree(expected, {hash, merklize::TreeRule::perfect}, on_cpu());
        for (std::size_t m = 0; m < 4; m++) {
            Matrix matrix = matrices[m];
            for (const bool is_there : {false, true}) {
                if (is_there) {
                    if (merklize::Device().info().backend == "cpu") break;
                    matrix.buffer = on_device(std::as_bytes(std::span(*held[m])));
                    matrix.first = m == 3 ? 16 * (n * columns - 1) : 0;
                    matrix.words = nullptr;
                }
                merklize::hash_rows(std::span(&matrix, 1), digests, {hash});
                CHECK(digests == expected);
                for (const unsigned dropped : {0u, 3u}) {
                    const merklize::MatrixCommitment commitment(std::span(&matrix, 1), {hash}, {}, false, dropped);
                    CHECK_EQ(commitment.cap()[0], tree.root());
                    const std::uint64_t index = 37;
                    auto opening = commitment.open(std::span(&index, 1), std::span(&matrix, 1))[0];
                    CHECK(std::ranges::equal(opening.rows, view(bytes).subspan(16 * columns * index, 16 * columns)));
                    const merklize::MatrixDims dims[] = {{n, columns}};
                    merklize::CommitmentForm form(hash);
                    form.word_bytes = 16;
                    CHECK(merklize::verify(opening, commitment.cap(), dims, form));
                    opening.rows[5] ^= std::byte{1};
                    CHECK(!merklize::verify(opening, commitment.cap(), dims, form));
                }
            }
        }
    }
    const std::vector<Wide> words(8);
    const Matrix matrix = Matrix::of_rows(std::span<const Wide>(words), 4);
    std::vector<Digest> out(4);
    CHECK_ERROR(invalid_argument, "words of 'rp64_256_v3' have 8 bytes, got 16",
                merklize::hash_rows(std::span(&matrix, 1), out, {Hash::rp64_256}));
    CHECK_ERROR(invalid_argument, "words in Montgomery form must have 4 bytes, got 16",
                merklize::hash_rows(std::span(&matrix, 1), out, {Hash::blake3, {}, 0x7f000001}));
}

TEST("elements: forms that cannot be are refused") {
    std::vector<std::uint64_t> words(8, 1);
    Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(words), 4);
    std::vector<Digest> out(4);
    matrix.elements = Elements::montgomery;
    CHECK_ERROR(invalid_argument, "elements must be canonical for hashes of bytes",
                merklize::hash_rows(std::span(&matrix, 1), out, {Hash::blake3}));
    const Hash hash = Hash::poseidon2_goldilocks_8;
    CHECK_ERROR(invalid_argument, "matrices that are kept must have canonical words",
                merklize::MatrixCommitment(std::span(&matrix, 1), {hash}, {}, true));
    const merklize::MatrixCommitment commitment(std::span(&matrix, 1), {hash});
    const std::uint64_t index = 1;
    CHECK_ERROR(invalid_argument, "rows must be of canonical words",
                commitment.open(std::span(&index, 1), std::span(&matrix, 1)));
    std::vector<Matrix> two(2, matrix);
    two[1].elements = Elements::any;
    CHECK_ERROR(invalid_argument, "matrix 1: elements must have the same form", merklize::hash_rows(two, out, {hash}));
    matrix.elements = static_cast<Elements>(3);
    CHECK_ERROR(invalid_argument, "elements must be canonical (0), any (1) or montgomery (2), got 3",
                merklize::hash_rows(std::span(&matrix, 1), out, {hash}));
}
