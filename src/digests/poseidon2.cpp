// Hashes of Poseidon2 with a caller's constants: checks, the digest that names them, and the table that kernels read.
#include "merklize/poseidon2.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

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
    std::uint64_t modulus;
    unsigned width;
};
constexpr Unit units[] = {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name) {id, MKZ_UNIT_TABLE_IS_GIVEN != 0, MKZ_UNIT_MODULUS, MKZ_UNIT_RATE},
#include "merklize/core/hashes.h"
};
constexpr const char* field_names[] = {"goldilocks", "babybear", "koalabear"};
constexpr std::uint64_t moduli[] = {0xffffffff00000001, 0x78000001, 0x7f000001};

constexpr const char* family = "poseidon2";
constexpr unsigned most_external = 64, most_internal = 256;

const char* field_name(Poseidon2Field field, const char* what) {
    const auto i = static_cast<std::size_t>(field);
    if (i < std::size(field_names)) return field_names[i];
    invalid(what, "field must be 0 (goldilocks), 1 (babybear) or 2 (koalabear), got " + std::to_string(i));
}

const mkz_hash_info& unit_of(const Poseidon2& of, const char* what) {
    const std::string field = field_name(of.field, what);
    std::string widths;
    for (const Unit& unit : units) {
        if (!unit.is_given || unit.modulus != moduli[static_cast<std::size_t>(of.field)]) continue;
        if (unit.width == of.width) return *mkz_find_hash(unit.id);
        widths += std::to_string(unit.width) + ", ";
    }
    invalid(what, "width over " + field + " must be one of " + widths + "got " + std::to_string(of.width));
}

void require_words(const mkz_hash_info& unit, std::span<const std::uint64_t> words, const char* name,
                   const char* what) {
    const std::size_t i = runtime::first_not_below(unit.modulus, 8, words.data(), words.size());
    if (i == words.size()) return;
    invalid(what, std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(words[i]) +
                      ", not a field element: it must be below p = " + std::to_string(unit.modulus));
}

void require_permutation(const Poseidon2& of, const mkz_hash_info& unit, const char* what) {
    if (of.external_rounds < 2 || of.external_rounds > most_external || of.external_rounds % 2 != 0) {
        invalid(what, "external rounds must be even, 2 to " + std::to_string(most_external) + ", got " +
                          std::to_string(of.external_rounds));
    }
    if (of.internal_rounds < 1 || of.internal_rounds > most_internal) {
        invalid(what, "internal rounds must be 1 to " + std::to_string(most_internal) + ", got " +
                          std::to_string(of.internal_rounds));
    }
    const std::size_t wanted = std::size_t{of.external_rounds} * of.width + of.internal_rounds;
    if (of.constants.size() != wanted) {
        const std::string half = std::to_string(of.external_rounds / 2) + " x " + std::to_string(of.width);
        invalid(what, "constants must have " + std::to_string(wanted) + " words: " + half + ", " +
                          std::to_string(of.internal_rounds) + ", " + half + "; got " +
                          std::to_string(of.constants.size()));
    }
    if (of.diagonal.size() != of.width) {
        invalid(what, "diagonal must have width = " + std::to_string(of.width) + " words, got " +
                          std::to_string(of.diagonal.size()));
    }
    require_words(unit, of.constants, "constants", what);
    require_words(unit, of.diagonal, "diagonal", what);
}

const mkz_hash_info& require_hash(const Poseidon2& of) {
    const mkz_hash_info& unit = unit_of(of, family);
    if (of.rate < 1 || of.rate >= of.width) {
        invalid(family,
                "rate must be 1 to width - 1 = " + std::to_string(of.width - 1) + ", got " + std::to_string(of.rate));
    }
    require_permutation(of, unit, family);
    return unit;
}

const mkz_hash_info& require_quad(const Poseidon2& of, Poseidon2Field field) {
    constexpr const char* what = "poseidon2: quad";
    if (of.field != field) {
        invalid(what, "field must be that of the rows, " + std::string(field_name(field, what)) + ", got " +
                          field_name(of.field, what));
    }
    const unsigned width = field == Poseidon2Field::goldilocks ? 16 : 32;  // four digests
    if (of.width != width || of.rate != width) {
        invalid(what, "width and rate over " + std::string(field_name(field, what)) + " must be four digests, " +
                          std::to_string(width) + " words, got " + std::to_string(of.width) + " and " +
                          std::to_string(of.rate));
    }
    const mkz_hash_info& unit = unit_of(of, what);
    require_permutation(of, unit, what);
    return unit;
}

// docs/hashes.md defines these words and their digest.
void append_words(std::vector<std::uint64_t>& words, const Poseidon2& of, std::uint64_t modulus) {
    words.insert(words.end(), {modulus, of.width, of.rate, of.external_rounds, of.internal_rounds});
    words.insert(words.end(), of.constants.begin(), of.constants.end());
    words.insert(words.end(), of.diagonal.begin(), of.diagonal.end());
}

Digest digest_of(std::span<const std::uint64_t> words) {
    return hash(std::as_bytes(words), Mode::derive_key("merklize poseidon2 constants 1"), runtime::on_this_thread());
}

// The table that core/hashes/poseidon2_given.h reads.
std::vector<std::uint64_t> table_of(const Poseidon2& of, const mkz_hash_info& unit) {
    std::vector<std::uint64_t> table = {of.rate, of.external_rounds / 2, of.internal_rounds};
    const auto p = static_cast<mkz_u32>(unit.modulus);  // of the 31-bit fields
    const auto put = [&](std::span<const std::uint64_t> words, bool less_p) {
        for (const std::uint64_t word : words) {
            if (unit.word_bits == 64) {
                table.push_back(word);
                continue;
            }
            const mkz_u32 montgomery = mkz_m31_from_word(static_cast<mkz_u32>(word), p);
            table.push_back(less_p ? montgomery - p : montgomery);
        }
    };
    put(of.diagonal, false);
    put(of.constants, true);
    return table;
}

}  // namespace

Hash poseidon2(const Poseidon2& instance, const Poseidon2* quad) {
    const mkz_hash_info& unit = require_hash(instance);
    std::vector<std::uint64_t> words;
    append_words(words, instance, unit.modulus);
    const runtime::GivenHash* four = nullptr;
    if (quad != nullptr) {
        const mkz_hash_info& wide = require_quad(*quad, instance.field);
        const std::size_t before = words.size();
        append_words(words, *quad, wide.modulus);
        four = &runtime::add_given(wide.id, family, digest_of(std::span(words).subspan(before)), table_of(*quad, wide));
    }
    return runtime::add_given(unit.id, family, digest_of(words), table_of(instance, unit), four).traits.hash;
}

}  // namespace merklize::inline v0
