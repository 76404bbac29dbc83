#include "numpy_array.hpp"

#include <atomic>
#include <iterator>

#include "python_calls.hpp"

namespace merklize::binding {

namespace {

// The beginnings of PyArray_Descr and PyArrayObject, which NumPy keeps as they are: programs are compiled with them.
struct Type {
    PyObject base;
    PyTypeObject* scalar;
    char kind, type, byte_order, flags;
    int number;
};
struct Array {
    PyObject base;
    std::byte* data;
    int dimensions;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    PyObject* owner;
    Type* type;
    int flags;
};
constexpr int in_c_order = 1;

struct Item {
    char format;
    Py_ssize_t bytes;
};
constexpr int number_of_half = 23;
constexpr Item items[] = {
    {'?', sizeof(bool)},
    {'b', 1},
    {'B', 1},
    {'h', sizeof(short)},
    {'H', sizeof(short)},
    {'i', sizeof(int)},
    {'I', sizeof(int)},
    {'l', sizeof(long)},
    {'L', sizeof(long)},
    {'q', sizeof(long long)},
    {'Q', sizeof(long long)},
    {'f', sizeof(float)},
    {'d', sizeof(double)},
};

// The functions that extensions compiled with NumPy's headers call, by their numbers there.
struct Functions {
    unsigned (*abi)();
    PyTypeObject* array;
    PyObject* (*type)(int number);
    PyObject* (*make)(PyTypeObject*, PyObject* type, int dimensions, const Py_ssize_t* shape, const Py_ssize_t* strides,
                      void* data, int flags, PyObject* like);
};
constexpr std::size_t number_of_abi = 0, number_of_array = 2, number_of_type = 45, number_of_make = 94;
constexpr unsigned abi_of_1 = 0x01000009, abi_of_2 = 0x02000000;

// Of the NumPy that has been imported. Null: not a known one.
const Functions* find_functions() try {
    nb::object module;
    try {
        module = nb::module_::import_("numpy._core.multiarray");
    } catch (const nb::python_error& error) {  // NumPy 1
        pass_interrupt(error);
        module = nb::module_::import_("numpy.core.multiarray");
    }
    const nb::object capsule = module.attr("_ARRAY_API");
    void* const* table = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (table == nullptr) throw_raised();
    static Functions functions;
    functions.abi = reinterpret_cast<decltype(functions.abi)>(table[number_of_abi]);
    functions.array = static_cast<PyTypeObject*>(table[number_of_array]);
    functions.type = reinterpret_cast<decltype(functions.type)>(table[number_of_type]);
    functions.make = reinterpret_cast<decltype(functions.make)>(table[number_of_make]);
    const unsigned abi = functions.abi();
    return abi == abi_of_1 || abi == abi_of_2 ? &functions : nullptr;
} catch (const nb::python_error& error) {
    pass_interrupt(error);
    return nullptr;
}

const Functions* functions() {
    static std::atomic<const Functions*> found{nullptr};
    static std::atomic<bool> is_known{false};  // two threads may both ask: that does no harm
    if (!is_known) {
        found = find_functions();
        is_known = true;
    }
    return found;
}

}  // namespace

std::optional<NumpyArray> NumpyArray::of(nb::handle array) {
    if (functions() == nullptr) return {};
    const auto& it = *reinterpret_cast<const Array*>(array.ptr());
    const int number = it.type->number;
    const bool is_half = number == number_of_half;
    const bool is_native = it.type->byte_order == '=' || it.type->byte_order == '|';
    if ((it.flags & in_c_order) == 0 || !is_native) return {};
    if (!is_half && (number < 0 || number >= static_cast<int>(std::size(items)))) return {};
    const Item item = is_half ? Item{'e', 2} : items[number];
    const std::span<const Py_ssize_t> shape(it.shape, static_cast<std::size_t>(it.dimensions));
    Py_ssize_t bytes = item.bytes;
    for (const Py_ssize_t extent : shape) bytes *= extent;
    return NumpyArray{{it.data, static_cast<std::size_t>(bytes)}, shape, item.format, item.bytes};
}

nb::object NumpyArray::like(nb::handle array) {
    const auto& it = *reinterpret_cast<const Array*>(array.ptr());
    auto* const type = reinterpret_cast<PyObject*>(it.type);
    Py_INCREF(type);  // make() takes it over
    return checked(
        functions()->make(Py_TYPE(array.ptr()), type, it.dimensions, it.shape, nullptr, nullptr, 0, nullptr));
}

nb::object NumpyArray::of_bytes(Py_ssize_t rows, Py_ssize_t columns) {
    constexpr int number_of_uint8 = 2;
    const Functions& numpy = *functions();
    const Py_ssize_t shape[] = {rows, columns};
    return checked(numpy.make(numpy.array, numpy.type(number_of_uint8), 2, shape, nullptr, nullptr, 0, nullptr));
}

}  // namespace merklize::binding
