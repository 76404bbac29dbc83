#include <cstring>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

Poseidon2Field to_field(nb::handle field) {
    const std::string_view name = to_text(field, "field");
    if (name == "goldilocks") return Poseidon2Field::goldilocks;
    if (name == "babybear") return Poseidon2Field::babybear;
    if (name == "koalabear") return Poseidon2Field::koalabear;
    throw Error(ErrorCode::invalid_argument,
                "field must be goldilocks, babybear or koalabear, got '" + std::string(name) + "'");
}

unsigned to_count(nb::handle value, const char* argument) {
    const std::uint64_t count = to_u64(value, argument);
    if (count <= 0xffff) return static_cast<unsigned>(count);
    throw Error(ErrorCode::invalid_argument,
                std::string(argument) + " must be below 65536, got " + std::to_string(count));
}

std::vector<std::uint64_t> to_words(nb::handle bytes, const char* argument) {
    const InputBytes input(bytes, argument);
    std::vector<std::uint64_t> words(input.span().size() / 8);
    if (!words.empty()) std::memcpy(words.data(), input.span().data(), 8 * words.size());
    return words;
}

Poseidon2 to_poseidon2(Poseidon2Field field, unsigned width, unsigned rate, nb::handle permutation,
                       const std::string& argument) {
    const auto parts = nb::cast<nb::tuple>(permutation);  // external and internal rounds, constants, diagonal
    return {field,
            width,
            rate,
            to_count(parts[0], (argument + "external rounds").c_str()),
            to_count(parts[1], (argument + "internal rounds").c_str()),
            to_words(parts[2], (argument + "constants").c_str()),
            to_words(parts[3], (argument + "diagonal").c_str())};
}

nb::str make_poseidon2(nb::handle field, nb::handle width, nb::handle rate, nb::handle permutation, nb::handle quad) {
    const Poseidon2 rows =
        to_poseidon2(to_field(field), to_count(width, "width"), to_count(rate, "rate"), permutation, "");
    if (quad.is_none()) return name_of(merklize::poseidon2(rows));
    const unsigned cells = rows.field == Poseidon2Field::goldilocks ? 16 : 32;  // four digests
    const Poseidon2 four = to_poseidon2(rows.field, cells, cells, quad, "quad: ");
    return name_of(merklize::poseidon2(rows, &four));
}

nb::str make_poseidon(nb::handle field, nb::handle width, nb::handle rate, nb::handle permutation) {
    const auto parts = nb::cast<nb::tuple>(permutation);  // full and partial rounds, constants, matrix
    return name_of(merklize::poseidon({to_field(field), to_count(width, "width"), to_count(rate, "rate"),
                                       to_count(parts[0], "full rounds"), to_count(parts[1], "partial rounds"),
                                       to_words(parts[2], "constants"), to_words(parts[3], "matrix")}));
}

}  // namespace

void bind_poseidon2(nb::module_& m) {
    define(m,
           "def poseidon2(field: str, width: int, rate: int, permutation: tuple[int, int, bytes, bytes], "
           "quad: tuple[int, int, bytes, bytes] | None, /) -> str",
           make_poseidon2);
    define(m, "def poseidon(field: str, width: int, rate: int, permutation: tuple[int, int, bytes, bytes], /) -> str",
           make_poseidon);
}

}  // namespace merklize::binding
