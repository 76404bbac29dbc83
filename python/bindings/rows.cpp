// Rows of arrays: their dtypes and shapes are checked here alone. What comes out is on the host, an array of NumPy in C
// order, or a DeviceArray.
#include <cstdint>
#include <cstring>
#include <string>

#include "arguments.hpp"
#include "array_facts.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "numpy_array.hpp"

namespace merklize::binding {

namespace {

/// Whether an array is NumPy's own, in C order and aligned, of items of one of the buffer protocol's formats and of
/// `word_bytes`, 0 for any, and of at most 2 dimensions. Most are, and asking Python for their description takes ten
/// times as long.
bool is_plain(nb::handle value, const char* formats, Py_ssize_t word_bytes, std::size_t least_dimensions) {
    if (!is_plain_ndarray(value)) return false;
    const auto array = NumpyArray::of(value);
    return array && array->shape.size() <= 2 && array->shape.size() >= least_dimensions &&
           (word_bytes == 0 || array->item_bytes == word_bytes) && std::strchr(formats, array->format) != nullptr &&
           reinterpret_cast<std::uintptr_t>(array->bytes.data()) % static_cast<std::uintptr_t>(array->item_bytes) == 0;
}

/// A NumPy array in C order as bytes.
nb::object as_bytes(const nb::object& rows) {
    static const nb::object& uint8 = *new nb::object(nb::module_::import_("numpy").attr("uint8"));  // never destroyed
    return rows.attr("view")(uint8);
}

ArrayFacts imported(nb::handle value, const char* what, nb::handle settings) {
    return facts_of(import_array(value, what, &bound<Settings>(settings)), value, what);
}

/// The rows of [n, ...] items of any dtype as uint8[n, m]: the bytes of each in C order.
nb::object byte_rows(nb::handle value, nb::handle what, nb::handle settings) {
    const std::string name(to_text(what, "what"));
    if (is_plain(value, "B", 1, 2)) return nb::borrow(value);
    if (is_plain(value, "?bhHiIlLqQefd", 0, 2)) return as_bytes(nb::borrow(value));
    const ArrayFacts facts = imported(value, name.c_str(), settings);
    if (facts.shape.size() < 2) invalid(name + " must be uint8[n, m], or [n, ...] of any dtype, got " + facts.text());
    const Py_ssize_t n = facts.shape[0];
    if (facts.on_device != nullptr) {
        DeviceArray bytes = *facts.on_device;
        bytes.dtype = type_uint8;
        bytes.shape = {n, n == 0 ? 0 : static_cast<Py_ssize_t>(bytes.buffer.size()) / n};
        return nb::cast(std::move(bytes));
    }
    if (is_true(facts.array.attr("dtype").attr("hasobject")))
        invalid(name + ": " + facts.text() + " holds references, not bytes; convert it to a fixed width");
    nb::object rows = facts.contiguous();
    if (facts.shape.size() > 2) {
        Py_ssize_t items = 1;
        for (std::size_t k = 1; k < facts.shape.size(); k++) items *= facts.shape[k];
        rows = rows.attr("reshape")(n, items);
    }
    return facts.word == "uint8" ? rows : as_bytes(rows);
}

/// [n, k] words of the hash, and where one row will do, [k].
nb::object word_rows(nb::handle value, nb::handle what, bool one_row_will_do, nb::handle hash, nb::handle settings) {
    const std::string name(to_text(what, "what"));
    const auto& traits = bound<HashTraits>(hash);
    const unsigned bits = traits.is_field ? traits.element_bits : 8;
    const std::size_t least = one_row_will_do ? 1 : 2;
    if (is_plain(value, bits == 8 ? "bB" : "iIlLqQ", bits / 8, least)) return nb::borrow(value);
    const ArrayFacts facts = imported(value, name.c_str(), settings);
    const std::string word = "uint" + std::to_string(bits);
    if (facts.shape.size() < least || facts.shape.size() > 2 || !facts.has_words_of(word)) {
        const std::string row = traits.is_field ? "k]" : "m]";
        invalid(name + " must be " + word + "[n, " + row + (one_row_will_do ? " or " + word + "[" + row : "") +
                ", got " + facts.text());
    }
    return facts.contiguous();
}

}  // namespace

void bind_rows(nb::module_& m) {
    define(
        m, "def imported(value: object, what: str, settings: Settings, /) -> typing.Any",
        +[](nb::handle value, nb::handle what, nb::handle settings) {
            return imported(value, std::string(to_text(what, "what")).c_str(), settings).array;
        });
    define(m, "def byte_rows(value: object, what: str, settings: Settings, /) -> typing.Any", byte_rows);
    define(
        m, "def word_rows(value: object, what: str, hash: HashInfo, settings: Settings, /) -> typing.Any",
        +[](nb::handle value, nb::handle what, nb::handle hash, nb::handle settings) {
            return word_rows(value, what, true, hash, settings);
        });
    define(
        m, "def leaf_rows(value: object, what: str, hash: HashInfo, settings: Settings, /) -> typing.Any",
        +[](nb::handle value, nb::handle what, nb::handle hash, nb::handle settings) {
            return word_rows(value, what, false, hash, settings);
        });
}

}  // namespace merklize::binding
