// Poseidon2 and Poseidon with a caller's constants. The constants of our own instances give our own hashes; all others
// agree with the plain reference.

#include "merklize/poseidon.hpp"
#include "merklize/matrix_commitment.hpp"
#include "support.hpp"

using namespace support;
using merklize::MerkleProof;
using merklize::MerkleTree;
using merklize::Poseidon;
using merklize::Poseidon2;
using merklize::Poseidon2Field;

namespace {

struct Instance {
    const char* field;
    unsigned width, rate;
    Hash rows;      // our hash with the same hash of rows, or else any hash over the field
    bool is_rows;   // whether its hash of rows is the same
    bool is_nodes;  // whether its merges are the same, too
};
constexpr Instance instances[] = {
    {"goldilocks", 8, 4, Hash::poseidon2_goldilocks_8, true, true},
    {"goldilocks", 12, 8, Hash::poseidon2_goldilocks_12, true, false},
    {"goldilocks", 16, 12, Hash::poseidon2_goldilocks_12, false, false},
    {"babybear", 16, 8, Hash::poseidon2_babybear_16, true, true},
    {"babybear", 24, 16, Hash::poseidon2_babybear_24, true, false},
    {"babybear", 32, 24, Hash::poseidon2_babybear_24, false, false},
    {"koalabear", 16, 8, Hash::poseidon2_koalabear_16, true, true},
    {"koalabear", 24, 16, Hash::poseidon2_koalabear_24, true, false},
    {"koalabear", 32, 24, Hash::poseidon2_koalabear_24, false, false},
};

bool is_here(const Instance& like) {
    const auto here = hashes_here();
    return is_wanted(merklize::traits(like.rows)) &&
           std::ranges::find(here, like.rows, &merklize::HashTraits::hash) != here.end();
}

Poseidon2 made_of(const reference::Poseidon2& of, unsigned rate) {
    Poseidon2 made{.field = of.p >> 32 != 0 ? Poseidon2Field::goldilocks
                            : of.alpha == 7 ? Poseidon2Field::babybear
                                            : Poseidon2Field::koalabear,
                   .width = static_cast<unsigned>(of.diagonal.size()),
                   .rate = rate,
                   .external_rounds = static_cast<unsigned>(2 * of.initial.size()),
                   .internal_rounds = static_cast<unsigned>(of.internal.size())};
    for (const auto& row : of.initial) made.constants.insert(made.constants.end(), row.begin(), row.end());
    made.constants.insert(made.constants.end(), of.internal.begin(), of.internal.end());
    for (const auto& row : of.terminal) made.constants.insert(made.constants.end(), row.begin(), row.end());
    made.diagonal = of.diagonal;
    return made;
}

Bytes leaf_of(const reference::Poseidon2& of, unsigned rate, const Bytes& row) {
    return reference::poseidon2_leaf(of, rate, row);
}
Bytes leaf_of(const reference::Poseidon& of, unsigned rate, const Bytes& row) {
    return reference::poseidon_leaf(of, rate, row);
}
Bytes merge_of(const reference::Poseidon2& of, const Bytes& left, const Bytes& right) {
    return reference::poseidon2_merge(of, left, right);
}
Bytes merge_of(const reference::Poseidon& of, const Bytes& left, const Bytes& right) {
    return reference::poseidon_merge(of, left, right);
}

/// Constants that nobody uses, many at the edges of the field.
reference::Poseidon2 random_instance(const Instance& like, std::size_t side, std::size_t internal, std::uint64_t seed) {
    Random random(seed);
    reference::Poseidon2 of = reference::published_poseidon2(like.field, like.width);
    const auto words = [&](std::size_t n) {
        std::vector<std::uint64_t> out(n);
        for (std::uint64_t& word : out) word = random.element(of.p);
        return out;
    };
    of.initial.assign(side, {});
    of.terminal.assign(side, {});
    for (auto& row : of.initial) row = words(like.width);
    for (auto& row : of.terminal) row = words(like.width);
    of.internal = words(internal);
    of.diagonal = words(like.width);
    for (std::size_t i = 1; i < like.width; i++)
        if (of.diagonal[i] == 0) of.diagonal[i] = i + 1;  // with two zeros an internal round has no inverse
    return of;
}

template <class Reference>
void check_rows(Hash hash, const Reference& of, unsigned rate, std::size_t n, std::size_t elements) {
    Random random(n + elements);
    const merklize::HashTraits& t = merklize::traits(hash);
    const std::size_t row_bytes = elements * t.element_bits / 8;
    const Bytes rows = random_elements(t, n * row_bytes, random);
    std::vector<Digest> out(n);
    merklize::hash_leaves(view(rows), row_bytes, out, hash);
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = rows.begin() + static_cast<std::ptrdiff_t>(i * row_bytes);
        const Bytes row(at, at + static_cast<std::ptrdiff_t>(row_bytes));
        CHECK_EQ(out[i].hex(), hex(leaf_of(of, rate, row)));
    }
}

template <class Reference>
void check_tree(Hash hash, const Reference& of, std::size_t n) {
    std::vector<Digest> level = leaves(hash, n);
    const MerkleTree tree(level, hash);
    while (level.size() > 1) {
        for (std::size_t i = 0; i < level.size() / 2; ++i) {
            level[i] = to_digest(merge_of(of, to_bytes(level[2 * i]), to_bytes(level[2 * i + 1])));
        }
        level.resize(level.size() / 2);
    }
    CHECK_EQ(tree.root(), level[0]);
}

void check_is_ours(Hash hash, const Instance& like) {
    CHECK(hash != like.rows);
    CHECK_EQ(merklize::hash_from_name(merklize::traits(hash).name), hash);
    Random random(like.width);
    const merklize::HashTraits& t = merklize::traits(hash);
    for (const std::size_t elements : {1, 9, 40}) {
        const Bytes rows = random_elements(t, 100 * elements * t.element_bits / 8, random);
        std::vector<Digest> ours(100), given(100);
        merklize::hash_leaves(view(rows), elements * t.element_bits / 8, ours, like.rows);
        merklize::hash_leaves(view(rows), elements * t.element_bits / 8, given, hash);
        CHECK_EQ(given, ours);
    }
    if (!like.is_nodes) return;
    for (const std::size_t n : {1, 2, 64, 1024})
        CHECK_EQ(MerkleTree(leaves(hash, n), hash).root(), MerkleTree(leaves(hash, n), like.rows).root());
    CHECK_EQ(merklize::merge(leaves(hash, 1)[0], leaves(hash, 2)[1], hash),
             merklize::merge(leaves(hash, 1)[0], leaves(hash, 2)[1], like.rows));
}

Hash some_hash() { return merklize::poseidon2(made_of(reference::published_poseidon2("koalabear", 16), 8)); }

}  // namespace

TEST("poseidon2: the constants of our own instances give our own hashes") {
    for (const Instance& like : instances) {
        if (!like.is_rows || !is_here(like)) continue;
        const reference::Poseidon2 of = reference::published_poseidon2(like.field, like.width);
        check_is_ours(merklize::poseidon2(made_of(of, like.rate)), like);
    }
}

TEST("poseidon2: any constants, rates and rounds are those of the reference") {
    for (const Instance& like : instances) {
        if (!is_here(like)) continue;
        struct Shape {
            unsigned rate;
            std::size_t side, internal;
        };
        for (const auto& [rate, side, internal] :
             {Shape{like.rate, 4, 22}, Shape{like.width - 1, 1, 1}, Shape{1, 3, 2}, Shape{like.width - 3, 5, 40}}) {
            const reference::Poseidon2 of = random_instance(like, side, internal, 7 * like.width + rate);
            const Hash hash = merklize::poseidon2(made_of(of, rate));
            for (const std::size_t elements : {0u, 1u, rate, rate + 1, 3 * rate + 2})
                check_rows(hash, of, rate, 5, elements);
            check_rows(hash, of, rate, 19, 11);
            check_tree(hash, of, 2);
            check_tree(hash, of, 32);
        }
    }
}

TEST("poseidon2: a name is the digest that docs/hashes.md defines") {
    const Poseidon2 of = made_of(reference::published_poseidon2("babybear", 16), 8);
    Bytes bytes;
    const auto put = [&](std::uint64_t word) {
        for (unsigned i = 0; i < 64; i += 8) bytes.push_back(static_cast<std::uint8_t>(word >> i));
    };
    for (const std::uint64_t word : {0x78000001u, 16u, 8u, 8u, 13u}) put(word);
    for (const std::uint64_t word : of.constants) put(word);
    for (const std::uint64_t word : of.diagonal) put(word);
    const Bytes digest = reference::blake3(bytes, 32, 0, {.context = "merklize poseidon2 constants 1"});
    CHECK_EQ(std::string(merklize::traits(merklize::poseidon2(of)).name), "poseidon2:" + hex(digest));
    CHECK_EQ(merklize::poseidon2(of), merklize::poseidon2(of));
}

TEST("poseidon2: proofs, files and commitments name their constants") {
    const Hash hash = some_hash();
    const MerkleTree tree(leaves(hash, 64), hash);
    const auto proof = tree.prove(5);
    const auto bytes = proof.to_bytes();
    CHECK_EQ(bytes.size(), std::size_t{16 + 32 + 8 + 32 * 7});
    CHECK_EQ(static_cast<int>(bytes[5]), 255);
    const auto read = MerkleProof::from_bytes(bytes);
    CHECK(read && *read == proof && merklize::verify(*read, tree.root()));
    const std::uint64_t indices[] = {1, 2, 40};
    const auto several = tree.prove_together(indices);
    CHECK(merklize::MultiProof::from_bytes(several.to_bytes()) == several);
    CHECK(merklize::verify(several, tree.root()));

    auto other = bytes;
    other[20] ^= std::byte{1};
    CHECK(!MerkleProof::from_bytes(other));
    CHECK(merklize::unknown_hash_of_proof(other).find("its hash is made of constants with the digest ") == 0);
    CHECK_EQ(merklize::unknown_hash_of_proof(bytes), std::string());
    // Ids of this process, and of a unit that is no hash, name nothing in a proof.
    for (const int id : {128, 254, 42}) {
        other = bytes;
        other[5] = static_cast<std::byte>(id);
        CHECK(!MerkleProof::from_bytes(other));
    }

    const TemporaryFolder folder;
    const auto path = folder.path() / "tree.mkl";
    merklize::save_tree(tree, path);
    const merklize::TreeFile file(path);
    CHECK_EQ(file.root(), tree.root());
    CHECK_EQ(file.form().hash, hash);
    CHECK(merklize::verify(file.prove(9), tree.root()));

    std::vector<std::uint32_t> matrix(64 * 20);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<std::uint32_t>(i);
    std::vector<Digest> rows(64);
    merklize::hash_leaves(std::as_bytes(std::span(matrix)), 80, rows, hash);
    CHECK_EQ(MerkleTree::from_rows(std::as_bytes(std::span(matrix)), 64, hash).root(), MerkleTree(rows, hash).root());
}

TEST("poseidon2: merges of four are of the quad's constants") {
    for (const Instance& like : instances) {
        if (!like.is_rows || !is_here(like)) continue;
        const merklize::HashTraits& t = merklize::traits(like.rows);
        const unsigned cells = 4 * 256 / t.element_bits;
        Instance wide = like;
        wide.width = cells;
        const reference::Poseidon2 rows_of = random_instance(like, 2, 3, like.width),
                                   quad_of = random_instance(wide, 3, 5, 100 + like.width);
        const Poseidon2 rows = made_of(rows_of, like.rate), quad = made_of(quad_of, cells);
        const Hash hash = merklize::poseidon2(rows, &quad);
        CHECK_EQ(merklize::poseidon2(rows, &quad), hash);
        CHECK(merklize::poseidon2(rows) != hash);
        CHECK_EQ(merklize::hash_from_name(merklize::traits(hash).name), hash);
        CHECK_EQ(merklize::merge(leaves(hash, 2)[0], leaves(hash, 2)[1], hash),
                 merklize::merge(leaves(hash, 2)[0], leaves(hash, 2)[1], merklize::poseidon2(rows)));

        // Two groups of four, and the two that are left.
        const unsigned word_bytes = t.element_bits / 8;
        constexpr std::size_t n = 8, columns = 5;
        Random random(like.width);
        const Bytes words = random_elements(t, n * columns * word_bytes, random);
        const merklize::Matrix matrix{.rows = n,
                                      .columns = columns,
                                      .word_bytes = word_bytes,
                                      .row_stride = columns,
                                      .column_stride = 1,
                                      .words = words.data()};
        const merklize::MatrixCommitment made({&matrix, 1}, {hash, 4}, {}, true);
        Bytes nodes[2];
        for (std::size_t i = 0; i < n; ++i) {
            const auto at = words.begin() + static_cast<std::ptrdiff_t>(i * columns * word_bytes);
            const Bytes row(at, at + static_cast<std::ptrdiff_t>(columns * word_bytes));
            const Bytes digest = reference::poseidon2_leaf(rows_of, like.rate, row);
            nodes[i / 4].insert(nodes[i / 4].end(), digest.begin(), digest.end());
        }
        Bytes top;
        for (const Bytes& group : nodes) {
            const Bytes node = reference::poseidon2_leaf(quad_of, cells, group);
            top.insert(top.end(), node.begin(), node.end());
        }
        top.resize(4 * Digest::size);
        CHECK_EQ(made.cap()[0].hex(), hex(reference::poseidon2_leaf(quad_of, cells, top)));
        CHECK_EQ(made.form().hash, hash);
        for (std::uint64_t i = 0; i < n; ++i) {
            CHECK(merklize::verify(made.open(i), made.cap(), made.dims(), made.form()));
            Poseidon2 other = quad;
            other.constants[0] ^= 1;
            CHECK(!merklize::verify(made.open(i), made.cap(), made.dims(), {merklize::poseidon2(rows, &other), 4}));
        }
        CHECK_ERROR(invalid_argument, "and of poseidon2() with constants for merges of four, not of 'poseidon2:",
                    merklize::MatrixCommitment({&matrix, 1}, {merklize::poseidon2(rows), 4}));
    }
}

TEST("poseidon2: a name with merges of four is the digest that docs/hashes.md defines") {
    const Poseidon2 rows = made_of(reference::published_poseidon2("goldilocks", 8), 4),
                    quad = made_of(reference::published_poseidon2("goldilocks", 16), 16);
    const auto digest_of = [](std::initializer_list<const Poseidon2*> all) {
        Bytes bytes;
        const auto put = [&](std::uint64_t word) {
            for (unsigned i = 0; i < 64; i += 8) bytes.push_back(static_cast<std::uint8_t>(word >> i));
        };
        for (const Poseidon2* of : all) {
            put(0xffffffff00000001);
            for (const unsigned word : {of->width, of->rate, of->external_rounds, of->internal_rounds}) put(word);
            for (const std::uint64_t word : of->constants) put(word);
            for (const std::uint64_t word : of->diagonal) put(word);
        }
        return hex(reference::blake3(bytes, 32, 0, {.context = "merklize poseidon2 constants 1"}));
    };
    const Hash hash = merklize::poseidon2(rows, &quad);
    CHECK_EQ(std::string(merklize::traits(hash).name), "poseidon2:" + digest_of({&rows, &quad}));
    const MerkleTree tree(leaves(hash, 8), hash);
    const auto read = MerkleProof::from_bytes(tree.prove(3).to_bytes());
    CHECK(read && merklize::verify(*read, tree.root()));
    // The constants of the merge of four alone name no hash.
    CHECK_ERROR(invalid_argument, "no constants with this digest were given",
                merklize::hash_from_name("poseidon2:" + digest_of({&quad})));
}

TEST("poseidon2: shapes and words that do not fit are refused") {
    const Poseidon2 good = made_of(reference::published_poseidon2("goldilocks", 8), 4);
    const auto p = reference::published_poseidon2("goldilocks", 8).p;
    const Poseidon2 quad = made_of(reference::published_poseidon2("goldilocks", 16), 16),
                    other = made_of(reference::published_poseidon2("babybear", 32), 32);
    CHECK_ERROR(invalid_argument, "quad: field must be that of the rows, goldilocks, got babybear",
                merklize::poseidon2(good, &other));
    Poseidon2 bad_quad = quad;
    bad_quad.rate = 12;
    CHECK_ERROR(invalid_argument, "quad: width and rate over goldilocks must be four digests, 16 words, got 16 and 12",
                merklize::poseidon2(good, &bad_quad));
    CHECK_ERROR(invalid_argument, "four digests, 16 words, got 8 and 4", merklize::poseidon2(good, &good));
    CHECK_ERROR(invalid_argument, "rate must be 1 to width - 1 = 15, got 16", merklize::poseidon2(quad));
    // One zero leaves an inverse, two do not, nor does a sum of -1 of the reciprocals.
    Poseidon2 singular = good;
    singular.diagonal[3] = 0;
    merklize::poseidon2(singular);
    const std::string no_inverse = "diagonal must give internal rounds an inverse";
    for (const std::vector<std::uint64_t>& diagonal :
         {std::vector<std::uint64_t>(8, 0), {1, 2, 3, 0, 5, 6, 7, 0}, {1, 1, 1, 1, 1, 1, p - 1, (p - 1) / 6}}) {
        singular.diagonal = diagonal;
        CHECK_ERROR(invalid_argument, no_inverse, merklize::poseidon2(singular));
    }
    bad_quad = quad;
    std::ranges::fill(bad_quad.diagonal, 0);
    CHECK_ERROR(invalid_argument, "quad: " + no_inverse, merklize::poseidon2(good, &bad_quad));
    bad_quad = quad;
    bad_quad.diagonal[15] = p;
    CHECK_ERROR(invalid_argument, "quad: diagonal[15] is " + std::to_string(p), merklize::poseidon2(good, &bad_quad));
    std::vector<Digest> bad = leaves(some_hash(), 2);
    bad[1].bytes[3] = std::byte{0xff};
    CHECK_ERROR(invalid_argument, "word 8 is", MerkleTree(bad, some_hash()));
}

// ---- Poseidon, version 1 --------------------------------------------------------------------------------------------

namespace {

constexpr Instance poseidon_instances[] = {
    {"goldilocks", 8, 4, Hash::poseidon_goldilocks_8, true, true},
    {"goldilocks", 12, 8, Hash::poseidon_goldilocks_12, true, false},
    {"babybear", 16, 8, Hash::poseidon_babybear_16, true, true},
    {"babybear", 24, 16, Hash::poseidon_babybear_24, true, false},
    {"koalabear", 16, 8, Hash::poseidon_koalabear_16, true, true},
    {"koalabear", 24, 16, Hash::poseidon_koalabear_24, true, false},
};

Poseidon made_of(const reference::Poseidon& of, unsigned rate) {
    Poseidon made{.field = of.p >> 32 != 0 ? Poseidon2Field::goldilocks
                           : of.alpha == 7 ? Poseidon2Field::babybear
                                           : Poseidon2Field::koalabear,
                  .width = static_cast<unsigned>(of.matrix.size()),
                  .rate = rate,
                  .full_rounds = static_cast<unsigned>(2 * of.initial.size()),
                  .partial_rounds = static_cast<unsigned>(of.partial.size())};
    const auto put = [](std::vector<std::uint64_t>& words, const auto& rows) {
        for (const auto& row : rows) words.insert(words.end(), row.begin(), row.end());
    };
    for (const auto* rows : {&of.initial, &of.partial, &of.terminal}) put(made.constants, *rows);
    put(made.matrix, of.matrix);
    return made;
}

reference::Poseidon random_poseidon(const Instance& like, std::size_t side, std::size_t partial, std::uint64_t seed) {
    Random random(seed);
    reference::Poseidon of = reference::published_poseidon(like.field, like.width);
    of.initial.resize(side);
    of.partial.resize(partial);
    of.terminal.resize(side);
    for (auto* rows : {&of.initial, &of.partial, &of.terminal, &of.matrix}) {
        for (auto& row : *rows) {
            row.resize(like.width);
            for (std::uint64_t& word : row) word = random.element(of.p);
        }
    }
    return of;
}

Poseidon some_poseidon() { return made_of(reference::published_poseidon("goldilocks", 8), 4); }

}  // namespace

TEST("poseidon: the constants of our own instances give our own hashes") {
    for (const Instance& like : poseidon_instances) {
        if (!is_here(like)) continue;
        const reference::Poseidon of = reference::published_poseidon(like.field, like.width);
        Poseidon given = made_of(of, like.rate);
        const Hash hash = merklize::poseidon(given);
        check_is_ours(hash, like);
        given.matrix = of.matrix[0];  // that of a circulant matrix names the same hash
        CHECK_EQ(merklize::poseidon(given), hash);
    }
}

TEST("poseidon: any constants, matrices, rates and rounds are those of the reference") {
    for (const Instance& like : poseidon_instances) {
        if (!is_here(like)) continue;
        struct Shape {
            unsigned rate;
            std::size_t side, partial;
        };
        for (const auto& [rate, side, partial] :
             {Shape{like.rate, 4, 22}, Shape{like.width - 1, 1, 1}, Shape{1, 3, 2}, Shape{like.width - 3, 5, 40}}) {
            const reference::Poseidon of = random_poseidon(like, side, partial, 7 * like.width + rate);
            const Hash hash = merklize::poseidon(made_of(of, rate));
            for (const std::size_t elements : {0u, 1u, rate, rate + 1, 3 * rate + 2})
                check_rows(hash, of, rate, 5, elements);
            check_rows(hash, of, rate, 19, 11);
            check_tree(hash, of, 2);
            check_tree(hash, of, 32);
        }
    }
}

// The pivot of an elimination is in a later row, and the sums of products are the largest.
TEST("poseidon: matrices with zeros on the diagonal, and of the greatest words") {
    for (const Instance& like : poseidon_instances) {
        if (!is_here(like)) continue;
        reference::Poseidon of = random_poseidon(like, 2, 3, like.width);
        for (std::size_t i = 0; i < like.width; ++i) {
            for (std::size_t j = 0; j < like.width; ++j) of.matrix[i][j] = i == j ? 0 : of.p - 1;
        }
        const Hash hash = merklize::poseidon(made_of(of, like.rate));
        check_rows(hash, of, like.rate, 19, 11);
        check_tree(hash, of, 32);
    }
}

TEST("poseidon: a name is the digest that docs/hashes.md defines") {
    const Poseidon of = some_poseidon();
    Bytes bytes;
    const auto put = [&](std::uint64_t word) {
        for (unsigned i = 0; i < 64; i += 8) bytes.push_back(static_cast<std::uint8_t>(word >> i));
    };
    for (const std::uint64_t word :
         {std::uint64_t{0xffffffff00000001}, std::uint64_t{8}, std::uint64_t{4}, std::uint64_t{8}, std::uint64_t{22}})
        put(word);
    for (const std::uint64_t word : of.constants) put(word);
    for (const std::uint64_t word : of.matrix) put(word);
    const std::string name =
        "poseidon:" + hex(reference::blake3(bytes, 32, 0, {.context = "merklize poseidon constants 1"}));
    const Hash hash = merklize::poseidon(of);
    CHECK_EQ(std::string(merklize::traits(hash).name), name);
    CHECK_EQ(merklize::poseidon(of), hash);
    CHECK_EQ(merklize::hash_from_name(name), hash);
}

TEST("poseidon: proofs, files and commitments name their constants") {
    const Hash hash = merklize::poseidon(some_poseidon());
    const MerkleTree tree(leaves(hash, 64), hash);
    const auto bytes = tree.prove(5).to_bytes();
    const auto read = MerkleProof::from_bytes(bytes);
    CHECK(read && read->hash == hash && merklize::verify(*read, tree.root()));
    const TemporaryFolder folder;
    const auto path = folder.path() / "tree.mkl";
    merklize::save_tree(tree, path);
    CHECK_EQ(merklize::TreeFile(path).form().hash, hash);

    std::vector<std::uint64_t> words(8 * 5);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
    const merklize::Matrix matrix{
        .rows = 8, .columns = 5, .word_bytes = 8, .row_stride = 5, .column_stride = 1, .words = words.data()};
    const merklize::MatrixCommitment made({&matrix, 1}, {hash}, {}, true);
    CHECK_EQ(made.cap()[0], MerkleTree::from_rows(std::as_bytes(std::span(words)), 8, hash).root());
    CHECK(merklize::verify(made.open(3), made.cap(), made.dims(), made.form()));
    CHECK_ERROR(invalid_argument, "not of 'poseidon:", merklize::MatrixCommitment({&matrix, 1}, {hash, 4}));
}

TEST("poseidon: shapes, words and matrices that do not fit are refused") {
    const Poseidon good = some_poseidon();
    const auto with = [&](auto change) {
        Poseidon bad = good;
        change(bad);
        return bad;
    };
    CHECK_ERROR(invalid_argument, "poseidon: field must be 0 (goldilocks), 1 (babybear) or 2 (koalabear), got 3",
                merklize::poseidon(with([](Poseidon& of) { of.field = static_cast<Poseidon2Field>(3); })));
    // All but the first row and column is singular; the matrix exchanges cells 0 and 1.
    CHECK_ERROR(invalid_argument, "matrix without its first row and its first column must have an inverse",
                merklize::poseidon(with([](Poseidon& of) {
                    of.matrix.assign(64, 0);
                    of.matrix[1] = of.matrix[8] = 1;
                    for (std::size_t i = 2; i < 8; ++i) of.matrix[9 * i] = 1;
                })));
}
