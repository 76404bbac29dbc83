#include "python_calls.hpp"

#include <merklize/error.hpp>

namespace merklize::binding {

void throw_raised() {
    if (PyErr_Occurred() == nullptr) throw Error(ErrorCode::internal, "a call of Python failed without an error");
    throw nb::python_error();
}

std::string text_of(nb::handle object) {
    const nb::object text = checked(PyObject_Str(object.ptr()));
    const auto bytes = checked<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    return {static_cast<const char*>(bytes.data()), bytes.size()};
}

std::string shown(nb::handle object) { return text_of(nb::module_::import_("merklize.errors").attr("shown")(object)); }

BufferView::BufferView(nb::handle object, int flags, const char* argument) {
    try {
        checked(PyObject_GetBuffer(object.ptr(), &view_, flags));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_BufferError)) throw;
        throw Error(ErrorCode::invalid_argument, std::string(argument) + ": " + text_of(error.value()));
    }
}

}  // namespace merklize::binding
