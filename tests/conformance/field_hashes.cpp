// Rows and merges of every field hash with words of 32 or of 64 bits, against the plain references; permutations of the
// published vectors.

#include <algorithm>
#include <cstring>

#include "json.hpp"
#include "merklize/core/hashes.h"
#include "merklize/core/names.h"
#include "support.hpp"

using namespace support;

namespace {

/// Words of a field hash, below p.
template <class Word>
std::vector<Word> random_words(const merklize::HashTraits& t, std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Word> words(n);
    for (Word& word : words) word = static_cast<Word>(random.element(t.modulus));
    return words;
}

/// n rows of `elements` words against the reference, in one call.
template <class Word>
void check_rows(const merklize::HashTraits& t, const std::vector<Word>& rows, std::size_t n, std::size_t elements,
                unsigned n_threads = 0) {
    constexpr std::size_t digest_words = 32 / sizeof(Word);
    std::vector<Word> out(digest_words * n);
    support::hash_words<Word>(rows, elements, out, t.hash, threads(n_threads));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(rows.data());
    const std::size_t row_bytes = sizeof(Word) * elements;
    for (std::size_t i = 0; i < n; ++i) {
        const Bytes row(bytes + i * row_bytes, bytes + (i + 1) * row_bytes);
        const Bytes expected = reference::leaf(static_cast<int>(t.hash), row);
        CHECK_EQ(hex(Bytes(reinterpret_cast<const std::uint8_t*>(out.data() + digest_words * i),
                           reinterpret_cast<const std::uint8_t*>(out.data() + digest_words * (i + 1)))),
                 hex(expected));
    }
}

template <class Word>
void check_all_rows(const merklize::HashTraits& t) {
    for (std::size_t elements = 0; elements <= 40; ++elements)
        check_rows(t, random_words<Word>(t, 2 * elements, elements), 2, elements);
    for (std::size_t n = 0; n <= 34; ++n) check_rows(t, random_words<Word>(t, 9 * n, n), n, 9);
    check_rows(t, random_words<Word>(t, 400 * 3, 11), 400, 3, 3);
    // Every cell of a row at an edge value, and each edge alone in each cell.
    const std::uint64_t p = t.modulus;
    std::vector<Word> rows;
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, p / 2, p / 2 + 1, p - 2, p - 1,
                                      (std::uint64_t{1} << 27) - 1, std::uint64_t{1} << 24}) {
        rows.insert(rows.end(), 24, static_cast<Word>(value));
        for (std::size_t k = 0; k < 24; ++k) {
            rows.insert(rows.end(), 24, 0);
            rows[rows.size() - 24 + k] = static_cast<Word>(value);
        }
    }
    check_rows(t, rows, rows.size() / 24, 24);
}

/// The core's permutation of a state of the vectors, whose words are as in memory.
template <class Word, std::size_t width, class Permute, class In, class Out>
Bytes permuted(const Bytes& input, Permute permute, In in, Out out) {
    Word state[width];
    if (input.size() != sizeof state) return {};
    std::memcpy(state, input.data(), sizeof state);
    for (Word& cell : state) cell = in(cell);
    permute(state);
    for (Word& cell : state) cell = out(cell);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(state);
    return {bytes, bytes + sizeof state};
}

Bytes permuted(Hash hash, const Bytes& input) {
    const auto same = [](mkz_u64 x) { return x; };
    const auto canonical = [](mkz_u64 x) { return mkz_gl_canonical(x); };
    const auto p = static_cast<mkz_u32>(merklize::traits(hash).modulus);  // of 31 bits
    const auto in = [p](mkz_u32 x) { return mkz_m31_from_word(x, p); };
    const auto out = [p](mkz_u32 x) { return mkz_m31_to_word(x, p); };
    switch (hash) {
        case Hash::rpo256: return permuted<mkz_u64, 12>(input, mkz_rpo256_permute, same, canonical);
        case Hash::rpx256: return permuted<mkz_u64, 12>(input, mkz_rpx256_permute, same, canonical);
        case Hash::poseidon2_goldilocks_8:
            return permuted<mkz_u64, 8>(input, mkz_poseidon2_goldilocks_8_permute, same, canonical);
        case Hash::poseidon2_goldilocks_12:
            return permuted<mkz_u64, 12>(input, mkz_poseidon2_goldilocks_12_permute, same, canonical);
        case Hash::poseidon2_miden: return permuted<mkz_u64, 12>(input, mkz_poseidon2_miden_permute, same, canonical);
        case Hash::poseidon2_babybear_16:
            return permuted<mkz_u32, 16>(input, mkz_poseidon2_babybear_16_permute, in, out);
        case Hash::poseidon2_babybear_24:
            return permuted<mkz_u32, 24>(input, mkz_poseidon2_babybear_24_permute, in, out);
        case Hash::poseidon2_koalabear_16:
            return permuted<mkz_u32, 16>(input, mkz_poseidon2_koalabear_16_permute, in, out);
        case Hash::poseidon2_koalabear_24:
            return permuted<mkz_u32, 24>(input, mkz_poseidon2_koalabear_24_permute, in, out);
        case Hash::poseidon_goldilocks_8:
            return permuted<mkz_u64, 8>(input, mkz_poseidon_goldilocks_8_permute, same, canonical);
        case Hash::poseidon_goldilocks_12:
            return permuted<mkz_u64, 12>(input, mkz_poseidon_goldilocks_12_permute, same, canonical);
        case Hash::poseidon_babybear_16: return permuted<mkz_u32, 16>(input, mkz_poseidon_babybear_16_permute, in, out);
        case Hash::poseidon_babybear_24: return permuted<mkz_u32, 24>(input, mkz_poseidon_babybear_24_permute, in, out);
        case Hash::poseidon_koalabear_16:
            return permuted<mkz_u32, 16>(input, mkz_poseidon_koalabear_16_permute, in, out);
        case Hash::poseidon_koalabear_24:
            return permuted<mkz_u32, 24>(input, mkz_poseidon_koalabear_24_permute, in, out);
        default: return {};
    }
}

}  // namespace

TEST("elements: rows of every length and count") {
    for (const merklize::HashTraits& t : hashes_here()) {
        if (t.element_bits == 64) check_all_rows<std::uint64_t>(t);
        if (t.element_bits == 32) check_all_rows<std::uint32_t>(t);
    }
}

TEST("elements: rows of no whole words, and words that are not below p, are refused with their place") {
    std::vector<std::uint32_t> rows32(40, 5), out32(16);
    CHECK_ERROR(invalid_argument, "a row of 'rpo256' must be a multiple of 8 bytes, its words, got 60 bytes",
                support::hash_words<std::uint32_t>(std::span(rows32).first(30), 15, out32, Hash::rpo256));
    for (const auto& [hash, p] :
         {std::pair{Hash::poseidon2_babybear_16, 0x78000001u}, std::pair{Hash::poseidon2_koalabear_24, 0x7f000001u}}) {
        std::vector<std::uint32_t> bad = rows32;
        bad[33] = p;
        CHECK_ERROR(invalid_argument,
                    "hash_leaves: word 33 is " + std::to_string(p) +
                        ", not a field element: it must be below p = " + std::to_string(p),
                    support::hash_words<std::uint32_t>(bad, 20, out32, hash));
        std::vector<Digest> left = leaves(hash, 4), right = leaves(hash, 4, 2), out(4);
        const std::uint32_t word = 0xffffffff;
        std::memcpy(right[1].bytes.data() + 20, &word, 4);
        CHECK_ERROR(invalid_argument, "merge: right: word 13 is 4294967295", merklize::merge(left, right, out, hash));
        CHECK_ERROR(invalid_argument, "word 13 is 4294967295", merklize::merkle_root(right, hash));
    }
}

TEST("elements: permutations of the published vectors") {
    std::size_t n_permutations = 0;
    for (const merklize::HashTraits& t : merklize::hashes()) {
        const std::filesystem::path path = MERKLIZE_VECTORS "/" + std::string(t.name) + ".json";
        if (!t.is_field || !std::filesystem::exists(path)) continue;
        const json::Value file = json::read(path.string());
        if (!file.members.contains("permutations")) continue;
        for (const json::Value& test : file["permutations"].items) {
            CHECK_EQ(hex(permuted(t.hash, from_hex(test["input"].text))), test["output"].text);
            ++n_permutations;
        }
    }
    CHECK_EQ(n_permutations, std::size_t{12 * 8 + 3 * 7});
}
