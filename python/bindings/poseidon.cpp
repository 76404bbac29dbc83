#include <cstring>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

Poseidon2Field to_field(nb::handle field, const std::string& of) {
    const std::string_view name = to_text(field, (of + "field").c_str());
    if (name == "goldilocks") return Poseidon2Field::goldilocks;
    if (name == "babybear") return Poseidon2Field::babybear;
    if (name == "koalabear") return Poseidon2Field::koalabear;
    throw Error(ErrorCode::invalid_argument,
                of + "field must be goldilocks, babybear or koalabear, got '" + std::string(name) + "'");
}

unsigned to_count(nb::handle value, const char* what) {
    const std::uint64_t count = to_u64(value, what);
    if (count <= 0xffff) return static_cast<unsigned>(count);
    throw Error(ErrorCode::invalid_argument, std::string(what) + " must be below 65536, got " + std::to_string(count));
}

std::vector<std::uint64_t> to_words(nb::handle bytes, const char* what) {
    const InputBytes input(bytes, what);
    std::vector<std::uint64_t> words(input.span().size() / 8);
    if (!words.empty()) std::memcpy(words.data(), input.span().data(), 8 * words.size());
    return words;
}

Poseidon2 to_poseidon2(Poseidon2Field field, unsigned width, unsigned rate, nb::handle permutation,
                       const std::string& what) {
    const auto parts = nb::cast<nb::tuple>(permutation);  // external and internal rounds, constants, diagonal
    return {field,
            width,
            rate,
            to_count(parts[0], (what + "external rounds").c_str()),
            to_count(parts[1], (what + "internal rounds").c_str()),
            to_words(parts[2], (what + "constants").c_str()),
            to_words(parts[3], (what + "diagonal").c_str())};
}

nb::str make_poseidon2(nb::handle field, nb::handle width, nb::handle rate, nb::handle permutation, nb::handle quad) {
    const Poseidon2 rows = to_poseidon2(to_field(field, "poseidon2: "), to_count(width, "poseidon2: width"),
                                        to_count(rate, "poseidon2: rate"), permutation, "poseidon2: ");
    if (quad.is_none()) return name_of(merklize::poseidon2(rows));
    const unsigned cells = rows.field == Poseidon2Field::goldilocks ? 16 : 32;  // four digests
    const Poseidon2 four = to_poseidon2(rows.field, cells, cells, quad, "poseidon2: quad: ");
    return name_of(merklize::poseidon2(rows, &four));
}

nb::str make_poseidon(nb::handle field, nb::handle width, nb::handle rate, nb::handle permutation) {
    const auto parts = nb::cast<nb::tuple>(permutation);  // full and partial rounds, constants, matrix
    return name_of(merklize::poseidon(
        {to_field(field, "poseidon: "), to_count(width, "poseidon: width"), to_count(rate, "poseidon: rate"),
         to_count(parts[0], "poseidon: full rounds"), to_count(parts[1], "poseidon: partial rounds"),
         to_words(parts[2], "poseidon: constants"), to_words(parts[3], "poseidon: matrix")}));
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
