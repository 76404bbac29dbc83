// Hashes of Poseidon2 with a caller's constants: checks, the digest that names them, and the table that kernels read.
#include "merklize/poseidon2.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "hashes/field.hpp"
#include "hashes/given.hpp"
#include "hashes/hash_info.hpp"
#include "merklize/core/words/monty31.h"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::inline v0 {
namespace {

struct Unit {
    Poseidon2Field field;
    unsigned width;
    Hash hash;
};
constexpr Unit units[] = {
    {Poseidon2Field::goldilocks, 8, Hash::poseidon2_given_goldilocks_8},
    {Poseidon2Field::goldilocks, 12, Hash::poseidon2_given_goldilocks_12},
    {Poseidon2Field::goldilocks, 16, Hash::poseidon2_given_goldilocks_16},
    {Poseidon2Field::babybear, 16, Hash::poseidon2_given_babybear_16},
    {Poseidon2Field::babybear, 24, Hash::poseidon2_given_babybear_24},
    {Poseidon2Field::babybear, 32, Hash::poseidon2_given_babybear_32},
    {Poseidon2Field::koalabear, 16, Hash::poseidon2_given_koalabear_16},
    {Poseidon2Field::koalabear, 24, Hash::poseidon2_given_koalabear_24},
    {Poseidon2Field::koalabear, 32, Hash::poseidon2_given_koalabear_32},
};
constexpr const char* field_names[] = {"goldilocks", "babybear", "koalabear"};

constexpr unsigned most_external = 64, most_internal = 256;

[[noreturn]] void invalid(const std::string& text) { throw Error(ErrorCode::invalid_argument, "poseidon2: " + text); }

const mkz_hash_info& unit_of(const Poseidon2& of) {
    const auto field = static_cast<std::size_t>(of.field);
    if (field >= std::size(field_names))
        invalid("field must be 0 (goldilocks), 1 (babybear) or 2 (koalabear), got " + std::to_string(field));
    std::string widths;
    for (const Unit& unit : units) {
        if (unit.field != of.field) continue;
        if (unit.width == of.width) return runtime::info(unit.hash);
        widths += std::to_string(unit.width) + ", ";
    }
    invalid("width over " + std::string(field_names[field]) + " must be one of " + widths + "got " +
            std::to_string(of.width));
}

void require_words(const mkz_hash_info& unit, std::span<const std::uint64_t> words, const char* what) {
    const std::size_t i = runtime::first_not_below(unit.modulus, 8, words.data(), words.size());
    if (i == words.size()) return;
    invalid(std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(words[i]) +
            ", not a field element: it must be below p = " + std::to_string(unit.modulus));
}

void require_shape(const Poseidon2& of) {
    if (of.rate < 1 || of.rate >= of.width)
        invalid("rate must be 1 to width - 1 = " + std::to_string(of.width - 1) + ", got " + std::to_string(of.rate));
    if (of.external_rounds < 2 || of.external_rounds > most_external || of.external_rounds % 2 != 0) {
        invalid("external rounds must be even, 2 to " + std::to_string(most_external) + ", got " +
                std::to_string(of.external_rounds));
    }
    if (of.internal_rounds < 1 || of.internal_rounds > most_internal) {
        invalid("internal rounds must be 1 to " + std::to_string(most_internal) + ", got " +
                std::to_string(of.internal_rounds));
    }
    const std::size_t wanted = std::size_t{of.external_rounds} * of.width + of.internal_rounds;
    if (of.constants.size() != wanted) {
        const std::string half = std::to_string(of.external_rounds / 2) + " x " + std::to_string(of.width);
        invalid("constants must have " + std::to_string(wanted) + " words: " + half + ", " +
                std::to_string(of.internal_rounds) + ", " + half + "; got " + std::to_string(of.constants.size()));
    }
    if (of.diagonal.size() != of.width) {
        invalid("diagonal must have width = " + std::to_string(of.width) + " words, got " +
                std::to_string(of.diagonal.size()));
    }
}

// docs/hashes.md defines these bytes.
Digest digest_of(const Poseidon2& of, std::uint64_t modulus) {
    std::vector<std::uint64_t> words = {modulus, of.width, of.rate, of.external_rounds, of.internal_rounds};
    words.insert(words.end(), of.constants.begin(), of.constants.end());
    words.insert(words.end(), of.diagonal.begin(), of.diagonal.end());
    static const Device& cpu = *new Device("cpu");  // never destroyed
    return hash(std::as_bytes(std::span(words)), Mode::derive_key("merklize poseidon2 constants 1"),
                RunOptions{.device = cpu, .threads = 1});
}

// As core/hashes/poseidon2_given.h reads it.
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

Hash poseidon2(const Poseidon2& instance) {
    const mkz_hash_info& unit = unit_of(instance);
    require_shape(instance);
    require_words(unit, instance.constants, "constants");
    require_words(unit, instance.diagonal, "diagonal");
    return runtime::add_given(unit.id, "poseidon2", digest_of(instance, unit.modulus), table_of(instance, unit))
        .traits.hash;
}

}  // namespace merklize::inline v0
