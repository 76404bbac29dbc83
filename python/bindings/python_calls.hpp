#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

/// Calls of Python's C API. A failure becomes an exception at once, so that no pending error is left that a later call
/// could clear. `make lint` allows the functions that raise, clear or ask for a pending error in python_calls.cpp
/// alone.
namespace merklize::binding {

namespace nb = nanobind;

/// Throws the error of the call that has just failed.
/// errors  nb::python_error; InternalError if the call, somebody's extension, set no error
[[noreturn]] void throw_raised();

/// Takes the result of a call that returns a new reference, or null after an error.
template <class Object = nb::object>
Object checked(PyObject* made) {
    if (made == nullptr) throw_raised();
    return nb::steal<Object>(made);
}

/// Takes the result of a call that returns a negative number after an error.
inline int checked(int result) {
    if (result < 0) throw_raised();
    return result;
}

/// In a handler that goes on without a call that failed: throws on what is no Exception, such as Ctrl-C.
inline void pass_interrupt(const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
}

/// str() of an object; characters that UTF-8 cannot hold become \udc80 and the like.
std::string text_of(nb::handle object);
/// repr() of an object for error texts, at most 80 bytes. For an integer that Python refuses to print: its number of
/// bits.
std::string shown(nb::handle object);

/// Holds a buffer of an object. It cannot be moved, because a Py_buffer may point into itself.
class BufferView {
public:
    /// what    names the object in error texts
    /// errors  InvalidArgument (the object refuses, because it is closed, released or read-only), and whatever else it
    ///         raises
    BufferView(nb::handle object, int flags, const char* argument);
    ~BufferView() { PyBuffer_Release(&view_); }
    BufferView(const BufferView&) = delete;
    BufferView& operator=(const BufferView&) = delete;

    const Py_buffer* operator->() const noexcept { return &view_; }
    bool is_in_c_order() const { return PyBuffer_IsContiguous(&view_, 'C') != 0; }

private:
    Py_buffer view_{};
};

/// The C++ object in a Python object, or null if it is of another class.
/// errors  TypeError: the object was never initialized (cls.__new__(cls), a subclass that does not call __init__)
template <class Bound>
Bound* bound_in(nb::handle object) {
    if (!nb::isinstance<Bound>(object)) return nullptr;
    if (!nb::inst_ready(object))
        throw nb::type_error((text_of(object.type().attr("__name__")) + ": __init__ was not called").c_str());
    return nb::inst_ptr<Bound>(object);
}

/// The same of an object that must be of the class.  errors  TypeError
template <class Bound>
Bound& bound(nb::handle object) {
    Bound* found = bound_in<Bound>(object);
    if (found == nullptr) {
        throw nb::type_error(("must be " + text_of(nb::type<Bound>().attr("__name__")) + ", got " +
                              text_of(object.type().attr("__name__")))
                                 .c_str());
    }
    return *found;
}

}  // namespace merklize::binding
