#include "array_facts.hpp"

#include "arguments.hpp"

namespace merklize::binding {

std::string in_brackets(const std::vector<Py_ssize_t>& numbers) {
    std::string text = "[";
    for (std::size_t k = 0; k < numbers.size(); k++) text += (k == 0 ? "" : ", ") + std::to_string(numbers[k]);
    return text + "]";
}

std::string ArrayFacts::text() const {
    return (on_device != nullptr ? word : text_of(array.attr("dtype"))) + in_brackets(shape);
}

nb::object ArrayFacts::contiguous() const {
    if (on_device != nullptr) return array;
    if (is_plain_ndarray(array)) {  // require() takes microseconds to find that out
        const nb::object flags = array.attr("flags");
        if (is_true(flags.attr("c_contiguous")) && is_true(flags.attr("aligned"))) return array;
    }
    return nb::module_::import_("numpy").attr("require")(array, nb::none(), nb::make_tuple("C", "A", "E"));
}

ArrayFacts facts_of(const nb::object& imported, nb::handle value, const char* what) {
    ArrayFacts facts{.array = imported};
    if (imported.is_valid() && nb::isinstance<Tensor>(imported))
        facts.array = nb::module_::import_("numpy").attr("asarray")(imported);
    if (facts.array.is_valid()) facts.on_device = bound_in<DeviceArray>(facts.array);
    if (facts.on_device != nullptr) {
        facts.word = name_of(facts.on_device->dtype);
        facts.shape = facts.on_device->shape;
        return facts;
    }
    if (!facts.array.is_valid() || !is_ndarray(facts.array)) wrong_type(what, "a NumPy array or a tensor", value);
    const nb::object type = facts.array.attr("dtype");  // its name takes NumPy a microsecond
    const std::string kind = text_of(type.attr("kind"));
    const auto bytes = nb::cast<Py_ssize_t>(type.attr("itemsize"));
    const std::string_view name = kind == "u" ? "uint" : kind == "i" ? "int" : kind == "V" ? "V" : "";
    // Items of 16 bytes may be two references to objects of Python, which are no words.
    const bool is_words = !name.empty() && is_true(type.attr("isnative")) && !is_true(type.attr("hasobject"));
    if (is_words) facts.word = std::string(name) + std::to_string(kind == "V" ? bytes : 8 * bytes);
    for (nb::handle extent : facts.array.attr("shape")) facts.shape.push_back(nb::cast<Py_ssize_t>(extent));
    return facts;
}

}  // namespace merklize::binding
