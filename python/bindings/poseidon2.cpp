#include <cstring>
#include <vector>

#include "arguments.hpp"
#include "form.hpp"
#include "module.hpp"

namespace merklize::binding {

namespace {

Poseidon2Field to_field(nb::handle field) {
    const std::string_view name = to_text(field, "poseidon2: field");
    if (name == "goldilocks") return Poseidon2Field::goldilocks;
    if (name == "babybear") return Poseidon2Field::babybear;
    if (name == "koalabear") return Poseidon2Field::koalabear;
    throw Error(ErrorCode::invalid_argument,
                "poseidon2: field must be goldilocks, babybear or koalabear, got '" + std::string(name) + "'");
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

nb::str make(nb::handle field, nb::handle width, nb::handle rate, nb::handle external, nb::handle internal,
             nb::handle constants, nb::handle diagonal) {
    return name_of(merklize::poseidon2(
        {to_field(field), to_count(width, "poseidon2: width"), to_count(rate, "poseidon2: rate"),
         to_count(external, "poseidon2: external rounds"), to_count(internal, "poseidon2: internal rounds"),
         to_words(constants, "poseidon2: constants"), to_words(diagonal, "poseidon2: diagonal")}));
}

}  // namespace

void bind_poseidon2(nb::module_& m) {
    define(m, "poseidon2", make,
           "def poseidon2(field: str, width: int, rate: int, external: int, internal: int, constants: bytes, "
           "diagonal: bytes, /) -> str");
}

}  // namespace merklize::binding
