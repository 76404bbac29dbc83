// Hashes of Poseidon2 and Poseidon with a caller's constants: checks, the digest that names them, and the table that
// kernels read.
#include "merklize/poseidon.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "digests/partial_rounds.hpp"
#include "hashes/field.hpp"
#include "hashes/given.hpp"
#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"
#include "jobs/cpu_device.hpp"
#include "merklize/core/words/monty31.h"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

// All units of core/hashes.h, parts included. A unit with given constants states its width as the greatest rate.
struct Unit {
    std::uint32_t id;
    bool is_given;
    unsigned width;
    std::string_view name;
};
constexpr Unit units[] = {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name) {id, MKZ_UNIT_TABLE_IS_GIVEN != 0, MKZ_UNIT_RATE, #name},
#include "merklize/core/hashes.h"
};
constexpr const char* field_names[] = {"goldilocks", "babybear", "koalabear"};

constexpr const char* poseidon2_name = "poseidon2";
constexpr const char* poseidon_name = "poseidon";
constexpr unsigned most_outer = 64, most_middle = 256;  // external or full rounds; internal or partial ones

const char* field_name(Poseidon2Field field) {
    const auto i = static_cast<std::size_t>(field);
    if (i < std::size(field_names)) return field_names[i];
    invalid_call("field", "must be 0 (goldilocks), 1 (babybear) or 2 (koalabear), got " + std::to_string(i));
}

const mkz_hash_info& unit_of(const char* family, Poseidon2Field field, unsigned width) {
    const std::string name = field_name(field), start = family + ("_given_" + name);
    std::string widths;
    for (const Unit& unit : units) {
        if (!unit.is_given || !unit.name.starts_with(start)) continue;
        if (unit.width == width) return *mkz_find_hash(unit.id);
        widths += std::to_string(unit.width) + ", ";
    }
    invalid_call("width over " + name + " must be one of " + widths + "got " + std::to_string(width));
}

void require_rate(unsigned rate, unsigned width) {
    if (rate < 1 || rate >= width)
        invalid_call("rate", "must be 1 to width - 1 = " + std::to_string(width - 1) + ", got " + std::to_string(rate));
}

// Rounds whose S-boxes are on every cell and stand half before, half after those whose S-box is on cell 0.
void require_rounds(const char* outer_name, unsigned outer, const char* middle_name, unsigned middle) {
    if (outer < 2 || outer > most_outer || outer % 2 != 0) {
        invalid_call(std::string(outer_name) + " rounds must be even, 2 to " + std::to_string(most_outer) + ", got " +
                     std::to_string(outer));
    }
    if (middle < 1 || middle > most_middle) {
        invalid_call(std::string(middle_name) + " rounds must be 1 to " + std::to_string(most_middle) + ", got " +
                     std::to_string(middle));
    }
}

void require_words(const mkz_hash_info& unit, std::span<const std::uint64_t> words, const char* name) {
    const std::size_t i = runtime::first_not_below(unit.modulus, 8, words.data(), words.size());
    if (i == words.size()) return;
    invalid_call(std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(words[i]) +
                 ", not a field element: it must be below p = " + std::to_string(unit.modulus));
}

void require_permutation(const Poseidon2& of, const mkz_hash_info& unit) {
    require_rounds("external", of.external_rounds, "internal", of.internal_rounds);
    const std::size_t wanted = std::size_t{of.external_rounds} * of.width + of.internal_rounds;
    if (of.constants.size() != wanted) {
        const std::string half = std::to_string(of.external_rounds / 2) + " x " + std::to_string(of.width);
        invalid_call("constants", "must have " + std::to_string(wanted) + " words: " + half + ", " +
                                      std::to_string(of.internal_rounds) + ", " + half + "; got " +
                                      std::to_string(of.constants.size()));
    }
    if (of.diagonal.size() != of.width) {
        invalid_call("diagonal", "must have width = " + std::to_string(of.width) + " words, got " +
                                     std::to_string(of.diagonal.size()));
    }
    require_words(unit, of.constants, "constants");
    require_words(unit, of.diagonal, "diagonal");
    std::vector<std::uint64_t> matrix(std::size_t{of.width} * of.width, 1);
    for (std::size_t i = 0; i < of.width; i++) matrix[(of.width + 1) * i] = (of.diagonal[i] + 1) % unit.modulus;
    if (!runtime::has_inverse(matrix, unit.modulus)) {
        invalid_call("diagonal",
                     "must give internal rounds an inverse; their matrix, of ones and of diagonal[i] + 1 at (i, i), is "
                     "singular");
    }
}

const mkz_hash_info& require_hash(const Poseidon2& of) {
    const mkz_hash_info& unit = unit_of(poseidon2_name, of.field, of.width);
    require_rate(of.rate, of.width);
    require_permutation(of, unit);
    return unit;
}

const mkz_hash_info& require_quad(const Poseidon2& of, Poseidon2Field field) try {
    if (of.field != field) {
        invalid_call("field",
                     "must be that of the rows, " + std::string(field_name(field)) + ", got " + field_name(of.field));
    }
    const unsigned width = field == Poseidon2Field::goldilocks ? 16 : 32;  // four digests
    if (of.width != width || of.rate != width) {
        invalid_call("width and rate over " + std::string(field_name(field)) + " must be four digests, " +
                     std::to_string(width) + " words, got " + std::to_string(of.width) + " and " +
                     std::to_string(of.rate));
    }
    const mkz_hash_info& unit = unit_of(poseidon2_name, of.field, of.width);
    require_permutation(of, unit);
    return unit;
} catch (const Error& error) {
    invalid_call("quad: " + (error.argument().empty() ? "" : error.argument() + " ") + error.rule());
}

// Poseidon's matrix, row after row: what was given, or all rows of the circulant one.
std::vector<std::uint64_t> require_matrix(const Poseidon& of, const mkz_hash_info& unit) {
    const std::size_t n = of.width;
    if (of.matrix.size() != n && of.matrix.size() != n * n) {
        invalid_call("matrix", "must have width x width = " + std::to_string(n * n) +
                                   " words, or width = " + std::to_string(n) +
                                   ", the first row of a circulant one; got " + std::to_string(of.matrix.size()));
    }
    require_words(unit, of.matrix, "matrix");
    if (of.matrix.size() == n * n) return of.matrix;
    std::vector<std::uint64_t> all(n * n);
    for (std::size_t i = 0; i < all.size(); i++) all[i] = of.matrix[(n + i % n - i / n) % n];
    return all;
}

const mkz_hash_info& require_hash(const Poseidon& of) {
    const mkz_hash_info& unit = unit_of(poseidon_name, of.field, of.width);
    require_rate(of.rate, of.width);
    require_rounds("full", of.full_rounds, "partial", of.partial_rounds);
    const std::size_t rounds = std::size_t{of.full_rounds} + of.partial_rounds;
    if (of.constants.size() != rounds * of.width) {
        invalid_call("constants", "must have " + std::to_string(rounds * of.width) +
                                      " words: " + std::to_string(rounds) + " rounds x " + std::to_string(of.width) +
                                      "; got " + std::to_string(of.constants.size()));
    }
    require_words(unit, of.constants, "constants");
    return unit;
}

// docs/hashes.md defines these words and their digest.
void append_words(std::vector<std::uint64_t>& words, const Poseidon2& of, std::uint64_t modulus) {
    words.insert(words.end(), {modulus, of.width, of.rate, of.external_rounds, of.internal_rounds});
    words.insert(words.end(), of.constants.begin(), of.constants.end());
    words.insert(words.end(), of.diagonal.begin(), of.diagonal.end());
}

Digest digest_of(const char* family, std::span<const std::uint64_t> words) {
    const std::string context = "merklize " + std::string(family) + " constants 1";
    return hash(std::as_bytes(words), Mode::derive_key(context), runtime::on_this_thread());
}

// Appends words to a table: of a 31-bit field in Montgomery form, and constants of S-boxes less p.
void put(std::vector<std::uint64_t>& table, const mkz_hash_info& unit, std::span<const std::uint64_t> words,
         bool less_p) {
    const auto p = static_cast<mkz_u32>(unit.modulus);  // of the 31-bit fields
    for (const std::uint64_t word : words) {
        if (unit.word_bits == 64) {
            table.push_back(word);
            continue;
        }
        const mkz_u32 montgomery = mkz_m31_from_word(static_cast<mkz_u32>(word), p);
        table.push_back(less_p ? montgomery - p : montgomery);
    }
}

// The table that core/hashes/poseidon2_given.h reads.
std::vector<std::uint64_t> table_of(const Poseidon2& of, const mkz_hash_info& unit) {
    std::vector<std::uint64_t> table = {of.rate, of.external_rounds / 2, of.internal_rounds};
    put(table, unit, of.diagonal, false);
    put(table, unit, of.constants, true);
    return table;
}

// The table that core/hashes/poseidon_given.h reads.
std::vector<std::uint64_t> table_of(const Poseidon& of, const mkz_hash_info& unit,
                                    std::span<const std::uint64_t> matrix) {
    const std::size_t n = of.width, side = of.full_rounds / 2 * n, end = side + of.partial_rounds * n;
    const runtime::PartialRounds partial(matrix, std::span(of.constants).subspan(side, end - side), unit.modulus);
    std::vector<std::uint64_t> full(of.constants.begin(), of.constants.begin() + static_cast<std::ptrdiff_t>(side));
    full.insert(full.end(), of.constants.begin() + static_cast<std::ptrdiff_t>(end), of.constants.end());
    for (std::size_t k = 0; k < n; k++) full[side + k] = partial.field.add(full[side + k], partial.rest[k]);
    std::vector<std::uint64_t> table = {of.rate, of.full_rounds / 2, of.partial_rounds};
    put(table, unit, full, true);
    put(table, unit, partial.constants, true);
    put(table, unit, matrix, false);
    put(table, unit, partial.before, false);
    put(table, unit, partial.sparse, false);
    return table;
}

}  // namespace

Hash poseidon2(const Poseidon2& instance, const Poseidon2* quad) {
    const PublicCall entry(poseidon2_name);
    const mkz_hash_info& unit = require_hash(instance);
    std::vector<std::uint64_t> words;
    append_words(words, instance, unit.modulus);
    const runtime::GivenHash* four = nullptr;
    if (quad != nullptr) {
        const mkz_hash_info& wide = require_quad(*quad, instance.field);
        const std::size_t before = words.size();
        append_words(words, *quad, wide.modulus);
        four = &runtime::add_given(wide.id, poseidon2_name, digest_of(poseidon2_name, std::span(words).subspan(before)),
                                   table_of(*quad, wide));
    }
    return runtime::add_given(unit.id, poseidon2_name, digest_of(poseidon2_name, words), table_of(instance, unit), four)
        .traits.hash;
}

Hash poseidon(const Poseidon& instance) {
    const PublicCall entry(poseidon_name);
    const mkz_hash_info& unit = require_hash(instance);
    const std::vector<std::uint64_t> matrix = require_matrix(instance, unit);
    std::vector<std::uint64_t> words = {unit.modulus, instance.width, instance.rate, instance.full_rounds,
                                        instance.partial_rounds};
    words.insert(words.end(), instance.constants.begin(), instance.constants.end());
    words.insert(words.end(), matrix.begin(), matrix.end());
    return runtime::add_given(unit.id, poseidon_name, digest_of(poseidon_name, words), table_of(instance, unit, matrix))
        .traits.hash;
}

}  // namespace merklize::inline v0
