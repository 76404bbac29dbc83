// Rescue Prime: rows of elements and merges, against winter-crypto's vectors and the plain reference.

#include <algorithm>
#include <cstring>

#include "json.hpp"
#include "support.hpp"

using namespace support;

namespace {

constexpr Hash field_hashes[] = {Hash::rp64_256_v1, Hash::rp64_256_v2, Hash::rp64_256_v3, Hash::rpjive64_256};

/// n rows of `elements` words against the reference, in one call.
void check_rows(Hash hash, const std::vector<std::uint64_t>& rows, std::size_t n, std::size_t elements,
                unsigned n_threads = 0) {
    std::vector<std::uint64_t> out(4 * n);
    support::hash_words<std::uint64_t>(rows, elements, out, hash, threads(n_threads));
    for (std::size_t i = 0; i < n; ++i) {
        Bytes row(8 * elements), digest(32);
        if (elements != 0) std::memcpy(row.data(), rows.data() + i * elements, row.size());
        std::memcpy(digest.data(), out.data() + 4 * i, digest.size());
        CHECK_EQ(hex(digest), hex(reference::leaf(static_cast<int>(hash), row)));
    }
}

}  // namespace

TEST("rescue: winter-crypto's vectors") {
    int n_tests = 0;
    for (const json::Value& test : json::read(MERKLIZE_VECTORS "/rescue_prime.json").items) {
        const std::vector<std::uint64_t> input = test["input"].numbers();
        if (test["op"].text != "merge" && test["op"].text != "hash_elements") continue;
        const Hash hash = merklize::hash_from_name(test["variant"].text);
        const std::vector<std::uint64_t> expected = test["digest"].numbers();
        std::vector<std::uint64_t> out(4);
        support::hash_words<std::uint64_t>(input, input.size(), out, hash);
        CHECK_EQ(out, expected);
        if (test["op"].text == "merge") {
            const Digest left = Digest::from_words({input[0], input[1], input[2], input[3]});
            const Digest right = Digest::from_words({input[4], input[5], input[6], input[7]});
            const auto words = merklize::merge(left, right, hash).words();
            CHECK(std::equal(words.begin(), words.end(), expected.begin()));
        }
        ++n_tests;
    }
    CHECK_EQ(n_tests, 3 * (8 + 17));
}

TEST("rescue: every length of rows, every count around a group of lanes") {
    for (const Hash hash : field_hashes) {
        Random random(static_cast<std::uint64_t>(hash));
        for (std::size_t elements = 0; elements <= 33; ++elements) {
            std::vector<std::uint64_t> rows(2 * elements);
            for (std::uint64_t& word : rows) word = random.element();
            check_rows(hash, rows, 2, elements);
        }
        for (std::size_t n = 0; n <= 34; ++n) {
            std::vector<std::uint64_t> rows(8 * n);
            for (std::uint64_t& word : rows) word = random.element();
            check_rows(hash, rows, n, 8);
        }
    }
}

TEST("rescue: words at the edges of the field") {
    // Every cell of a row at an edge value, and each edge alone in each cell.
    const std::uint64_t values[] = {0, 1, 0xffffffff, 0x100000000, 0x8000000000000000, p - 0x100000000, p - 2, p - 1};
    for (const Hash hash : field_hashes) {
        std::vector<std::uint64_t> rows;
        for (const std::uint64_t value : values) {
            rows.insert(rows.end(), 8, value);
            for (std::size_t k = 0; k < 8; ++k) {
                std::vector<std::uint64_t> row(8, 0);
                row[k] = value;
                rows.insert(rows.end(), row.begin(), row.end());
            }
        }
        check_rows(hash, rows, rows.size() / 8, 8);
    }
}

TEST("rescue: more rows than one piece, with threads") {
    for (const Hash hash : field_hashes) {
        const std::size_t n = 1500, elements = 3;
        Random random(11);
        std::vector<std::uint64_t> rows(n * elements);
        for (std::uint64_t& word : rows) word = random.element();
        check_rows(hash, rows, n, elements, 3);
    }
}

TEST("merge: arrays of pairs against the reference, all hashes") {
    for (const merklize::HashTraits& t : hashes_here()) {
        for (const std::size_t n : {0, 1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 300}) {
            const std::vector<Digest> left = leaves(t.hash, n, 21), right = leaves(t.hash, n, 22);
            std::vector<Digest> out(n);
            merklize::merge(left, right, out, t.hash, {}, threads(2));
            for (std::size_t i = 0; i < n; ++i) {
                const Bytes expected =
                    reference::merge(static_cast<int>(t.hash), to_bytes(left[i]), to_bytes(right[i]));
                CHECK_EQ(out[i], to_digest(expected));
                if (n < 10) CHECK_EQ(merklize::merge(left[i], right[i], t.hash), out[i]);
            }
        }
    }
}

TEST("merge: digests need no alignment") {
    Bytes memory(1 + 3 * 32 * 9);
    Digest* const digests = reinterpret_cast<Digest*>(memory.data() + 1);
    for (const merklize::HashTraits& t : hashes_here()) {
        const std::vector<Digest> given = leaves(t.hash, 18, 23);
        std::copy(given.begin(), given.end(), digests);
        merklize::merge({digests, 9}, {digests + 9, 9}, {digests + 18, 9}, t.hash);
        for (std::size_t i = 0; i < 9; ++i) CHECK_EQ(digests[18 + i], merklize::merge(given[i], given[9 + i], t.hash));
    }
}
