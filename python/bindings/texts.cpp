// JSON by the library's reader, which all of its readers share, and URLs in texts.
#include <variant>

#include "arguments.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "run.hpp"
#include "texts/json_reader.hpp"
#include "texts/urls.hpp"

namespace merklize::binding {
namespace {

// null, true, false; integers below 0 or beyond 64 bits; a float for -0 and for all that is not written as an integer
nb::object to_object(const json::Other& other) {
    constexpr std::size_t most_characters = 1000;  // Python reads no integers of more than 4,300 digits
    const std::string& text = other.text;
    if (text == "null") return nb::none();
    if (text == "true" || text == "false") return nb::bool_(text == "true");
    if (text.size() > most_characters)
        invalid_call("a number has more than " + std::to_string(most_characters) + " characters");
    if (text != "-0" && text.find_first_of(".eE") == text.npos)
        return nb::steal(PyLong_FromString(text.c_str(), nullptr, 10));
    return nb::float_(nb::str(text.c_str()));
}

nb::object to_object(const json::Value& value);
nb::object to_object(std::uint64_t number) { return nb::int_(number); }
nb::object to_object(const std::string& text) { return to_str(text); }
nb::object to_object(const json::Items& items) {
    nb::list list;
    for (const json::Value& item : items) list.append(to_object(item));
    return list;
}
nb::object to_object(const json::Members& members) {
    nb::dict fields;
    for (const auto& [name, value] : members) fields[to_str(name)] = to_object(value);
    return fields;
}
nb::object to_object(const json::Value& value) {
    return std::visit([](const auto& held) { return to_object(held); },
                      static_cast<const json::Value::variant&>(value));
}

nb::object read_json(nb::handle text) {
    const InputBytes bytes(text, "text");
    json::Value read;
    Run::without_gil(
        [&] { read = json::read_text({reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()}); });
    return to_object(read);
}

// A function of texts, for bytes: names of files may be any.
template <auto Function>
nb::bytes of_bytes(nb::handle text) {
    const InputBytes bytes(text, "text");
    const std::string made(Function({reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()}));
    return to_bytes(std::as_bytes(std::span(made)));
}

}  // namespace

void bind_texts(nb::module_& m) {
    define(m, "def read_json(text: bytes, /) -> object", read_json);
    nb::class_<json::Prefix>(m, "JsonPrefix",
                             "Tells early that a text which is read piece by piece is no object of JSON.")
        .def(nb::init<>())
        .def(
            "take",
            [](json::Prefix& self, nb::handle piece) {
                const InputBytes bytes(piece, "piece");
                return self.take({reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()});
            },
            nb::arg(), nb::sig("def take(self, piece: object, /) -> bool"));
    m.attr("MOST_STREAMED") = json::most_streamed;
    define(m, "def shown_url(url: bytes, /) -> bytes", of_bytes<texts::shown_url>);
    define(m, "def masked(text: bytes, /) -> bytes", of_bytes<texts::masked>);
    define(m, "def begin_of_no_url(word: bytes, /) -> bytes", of_bytes<texts::begin_of_no_url>);
}

}  // namespace merklize::binding
