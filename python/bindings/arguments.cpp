#include "arguments.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "host/invalid.hpp"
#include "numpy_array.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

std::string name_of_type(nb::handle object) { return text_of(object.type().attr("__name__")); }

/// Whether a buffer format (struct syntax, PEP 3118) contains Python objects. Names of fields are between colons.
bool has_objects(const char* format) {
    bool in_name = false;
    for (; format && *format; ++format) {
        if (*format == ':') in_name = !in_name;
        if (*format == 'O' && !in_name) return true;
    }
    return false;
}

/// A view of opaque items, for dtypes (datetime64) that NumPy refuses to export although they are plain bytes.
nb::object opaque_view(nb::handle array, const char* argument) {
    nb::object dtype = array.attr("dtype");
    if (is_true(dtype.attr("hasobject"))) {
        invalid_call(std::string(argument) + ": an array of " + text_of(dtype) +
                     " holds references, not bytes; convert it to a dtype of fixed width");
    }
    return array.attr("view")(nb::str("V{}").attr("format")(dtype.attr("itemsize")));
}

constexpr std::uint64_t piece_bytes = 16 << 20;

// The array as a plain NumPy array, if it is large and not contiguous; else none.
nb::object large_and_apart(nb::handle object, const char* argument) {
    if (PyBytes_Check(object.ptr()) || PyByteArray_Check(object.ptr())) return {};
    // Other libraries' tensors are copied whole, because asking them twice would cost more. Some on a GPU are buffers,
    // too, by their type.
    if (!is_ndarray(object) && (!PyObject_CheckBuffer(object.ptr()) || nb::hasattr(object, "__dlpack__") ||
                                nb::hasattr(object, "__cuda_array_interface__"))) {
        return {};
    }
    const nb::object plain = import_array(object, argument, nullptr);
    try {
        const BufferView view(plain, PyBUF_FULL_RO, argument);
        if (static_cast<std::uint64_t>(view->len) <= piece_bytes || view.is_in_c_order()) return {};
    } catch (const Error&) {
        if (!is_ndarray(plain)) throw;
    }
    nb::object array = nb::module_::import_("numpy").attr("asarray")(plain);
    const bool is_whole = to_u64(array.attr("nbytes"), argument) <= piece_bytes ||
                          is_true(array.attr("flags").attr("c_contiguous")) ||
                          is_true(array.attr("dtype").attr("hasobject"));
    return is_whole ? nb::object() : array;
}

void each_part(const nb::object& array, const char* argument,
               const std::function<void(std::span<const std::byte>)>& use) {
    const std::uint64_t bytes = to_u64(array.attr("nbytes"), argument);
    if (bytes == 0) return;
    if (bytes <= piece_bytes || is_true(array.attr("flags").attr("c_contiguous"))) {
        const InputBytes part(nb::module_::import_("numpy").attr("ascontiguousarray")(array), argument);
        return use(part.span());
    }
    const std::size_t rows = nb::len(array);
    const std::uint64_t row_bytes = bytes / rows;
    for (std::size_t i = 0; i < rows;) {
        check_signals();
        if (row_bytes >= piece_bytes) {
            each_part(array[i++], argument, use);
        } else {
            const std::size_t end = std::min<std::size_t>(rows, i + piece_bytes / row_bytes);
            each_part(array[nb::slice(nb::int_(i), nb::int_(end), nb::none())], argument, use);
            i = end;
        }
    }
}

}  // namespace

bool is_large_and_apart(nb::handle object, const char* argument) {
    return large_and_apart(object, argument).is_valid();
}

void each_piece(nb::handle object, const char* argument, const std::function<void(std::span<const std::byte>)>& use) {
    if (const PlainMemory memory(object); memory.is_valid()) return use(memory.bytes());
    if (const nb::object array = large_and_apart(object, argument); array.is_valid())
        return each_part(array, argument, use);
    const InputBytes whole(object, argument);
    use(whole.span());
}

std::string in_call(std::string_view text) {
    return text_of(nb::module_::import_("merklize.errors").attr("in_call")(to_str(text), PublicCall::name()));
}

namespace {

// "; hash_file() reads a file": how to hash what is no bytes, or nothing. text  of the error, which begins with the
// call
std::string way_out(nb::handle object, std::string_view text) {
    if (PyUnicode_Check(object.ptr())) return "; encode() makes bytes of text, bytes.fromhex() of hexadecimal digits";
    constexpr const char* begins[] = {"hash: ", "Hasher: ", "update: data "};
    if (std::ranges::none_of(begins, [&](const char* begin) { return text.starts_with(begin); })) return {};
    constexpr std::pair<const char*, const char*> ways[] = {
        {"__fspath__", "hash_file() reads the file of a path"},
        {"read", "hash_file() reads an open file"},
        {"state_dict", "manifest() takes a model, and hash_each() its state_dict()"},
        {"to_numpy", "to_numpy() makes an array"},
        {"keys", "hash_each() hashes each value, and manifest() takes tensors by their names"},
        {"__iter__", "hash_each() hashes each item"},
    };
    for (const auto& [attribute, way] : ways)
        if (nb::hasattr(object, attribute)) return std::string("; ") + way;
    return {};
}

}  // namespace

[[noreturn]] void wrong_type(const char* argument, const char* expected, nb::handle got) {
    throw nb::type_error(
        in_call(std::string(argument) + " must be " + expected + ", got " + name_of_type(got)).c_str());
}

InputBytes::InputBytes(nb::handle object, const char* argument) {
    nb::object plain = import_array(object, argument, nullptr);
    if (!plain.is_valid()) {
        const std::string text = in_call(std::string(argument) +
                                         " must be bytes-like, a NumPy array or a tensor, got " + name_of_type(object));
        throw nb::type_error((text + way_out(object, text)).c_str());
    }
    try {
        view_.emplace(plain, PyBUF_FULL_RO, argument);
    } catch (const Error&) {
        if (!is_ndarray(plain)) throw;
        plain = opaque_view(plain, argument);
        view_.emplace(plain, PyBUF_FULL_RO, argument);
    }
    if (has_objects((*view_)->format)) {
        invalid_call(std::string(argument) +
                     ": an array of Python objects holds references, not bytes; convert it to a dtype of fixed width");
    }
    if (view_->is_in_c_order()) return;

    if (!nb::hasattr(plain, "tobytes")) plain = nb::module_::import_("numpy").attr("asarray")(plain);
    const nb::object copy = plain.attr("tobytes")();
    view_.emplace(copy, PyBUF_SIMPLE, argument);
}

std::span<const std::byte> InputBytes::span() const noexcept {
    return {static_cast<const std::byte*>((*view_)->buf), static_cast<std::size_t>((*view_)->len)};
}

PlainMemory::PlainMemory(nb::handle object) {
    if (!is_plain_memory(object)) return;
    if (const auto array = is_plain_ndarray(object) ? NumpyArray::of(object) : std::nullopt) {
        array_ = nb::borrow(object);
        bytes_ = array->bytes;
        is_valid_ = true;
        return;
    }
    try {
        view_.emplace(object, PyBUF_STRIDES | PyBUF_FORMAT, "array");
    } catch (const Error&) {  // NumPy exports no buffers of this dtype; the object was released or closed
        return;
    }
    const char* format = (*view_)->format;
    is_valid_ = format != nullptr && format[0] != '\0' && std::strchr("bBc?hHiIlLqQefd", format[0]) != nullptr &&
                format[1] == '\0' && view_->is_in_c_order();
    bytes_ = {static_cast<const std::byte*>((*view_)->buf), static_cast<std::size_t>((*view_)->len)};
}

Input::Input(nb::handle object, const char* argument, const Settings& settings)
    : imported_(import_array(object, argument, &settings)) {
    if (imported_.is_valid()) array_ = bound_in<DeviceArray>(imported_);
    if (array_ == nullptr) bytes_.emplace(imported_.is_valid() ? nb::handle(imported_) : object, argument);
}

std::span<std::byte> OutputBytes::span() const noexcept {
    return {static_cast<std::byte*>(view_->buf), static_cast<std::size_t>(view_->len)};
}

Output::Output(nb::handle length, nb::handle seek) : seek_(to_u64(seek, "seek")) {
    const std::uint64_t size = to_u64(length, "length");
    if (size != 0 && size - 1 > std::numeric_limits<std::uint64_t>::max() - seek_) {
        invalid_call("seek + length must be at most 2^64, got " + std::to_string(seek_) + " + " + std::to_string(size));
    }
    try {
        if (size > static_cast<std::uint64_t>(PY_SSIZE_T_MAX)) throw std::bad_alloc();
        bytes_ = checked<nb::bytes>(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    } catch (const std::exception&) {
        throw Error(ErrorCode::out_of_memory, in_call("no memory for " + std::to_string(size) + " bytes"));
    }
}

std::span<std::byte> Output::span() const noexcept {
    return {reinterpret_cast<std::byte*>(PyBytes_AsString(bytes_.ptr())), bytes_.size()};
}

nb::bytes to_bytes(std::span<const std::byte> bytes) { return nb::bytes(bytes.data(), bytes.size()); }

nb::str to_str(std::string_view text) {
    return checked<nb::str>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

nb::str to_file_name(std::string_view path) {
    return checked<nb::str>(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}

nb::int_ to_integer(nb::handle value, const char* argument) {
    try {
        return checked<nb::int_>(PyNumber_Index(value.ptr()));
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) throw;
    }
    wrong_type(argument, "an integer", value);
}

std::uint64_t to_u64(nb::handle value, const char* argument) {
    const nb::int_ integer = to_integer(value, argument);
    std::uint64_t result = 0;
    if (nb::try_cast(integer, result)) return result;
    invalid_call(argument, "must be 0 to 2^64 - 1, got " + shown(integer));
}

std::int64_t to_i64(nb::handle value, const char* argument) {
    const nb::int_ integer = to_integer(value, argument);
    std::int64_t result = 0;
    if (nb::try_cast(integer, result)) return result;
    invalid_call(argument, "must be -2^63 to 2^63 - 1, got " + shown(integer));
}

int to_int(nb::handle value, const char* argument) {
    const nb::int_ integer = to_integer(value, argument);
    std::uint32_t result = 0;
    if (nb::try_cast(integer, result) && result <= INT_MAX) return static_cast<int>(result);
    invalid_call(argument, "must be 0 to 2^31 - 1, got " + shown(integer));
}

bool is_true(nb::handle value) {
    try {
        return checked(PyObject_IsTrue(value.ptr())) != 0;
    } catch (nb::python_error& error) {  // of an array
        if (!error.matches(PyExc_ValueError)) throw;
        invalid_call("a fact must be True or False: " + text_of(error.value()));
    }
}

bool is_flag(nb::handle value) {
    const std::string_view kind = Py_TYPE(value.ptr())->tp_name;
    return kind == "bool" || kind == "numpy.bool" || kind == "numpy.bool_";
}

bool to_flag(nb::handle value, const char* argument) {
    if (!is_flag(value)) wrong_type(argument, "True or False", value);
    return is_true(value);
}

bool cancels(nb::handle answer) { return is_flag(answer) && !is_true(answer); }

nb::tuple to_tuple(nb::handle value, const char* argument) {
    if (!PyTuple_Check(value.ptr())) wrong_type(argument, "a tuple", value);
    return nb::borrow<nb::tuple>(value);
}

nb::tuple to_fields(nb::handle value, std::size_t count, const char* argument) {
    nb::tuple fields = to_tuple(value, argument);
    if (fields.size() != count)
        invalid_call(argument,
                     "must be a tuple of " + std::to_string(count) + ", got " + std::to_string(fields.size()));
    return fields;
}

nb::tuple to_pair(nb::handle value, const char* argument) { return to_fields(value, 2, argument); }

nb::handle to_iterable(nb::handle values, const char* argument) {
    if (PyMemoryView_Check(values.ptr()) && !values.attr("ndim").equal(nb::int_(1)))
        throw nb::type_error(
            in_call(std::string(argument) + " must be an iterable, got a memoryview of several dimensions").c_str());
    if (Py_TYPE(values.ptr())->tp_iter == nullptr && PySequence_Check(values.ptr()) == 0)
        wrong_type(argument, "an iterable", values);
    if (PyAnySet_Check(values.ptr())) wrong_type(argument, "in an order", values);
    return values;
}

FileRange to_range(nb::handle range, const char* argument, const char* begin, const char* bytes) {
    const std::string expected = std::string("(") + begin + ", " + bytes + ")";
    PyObject* given = range.ptr();
    if (PySequence_Check(given) == 0 || PyUnicode_Check(given) || PyBytes_Check(given) || PyByteArray_Check(given))
        wrong_type(argument, expected.c_str(), range);
    if (nb::len(range) != 2) {
        throw Error(ErrorCode::invalid_argument, std::string(argument) + " must be " + expected + ", got " +
                                                     std::to_string(nb::len(range)) + " items");
    }
    return {to_u64(range[0], begin), to_u64(range[1], bytes)};
}

std::vector<FileRange> to_ranges(nb::handle ranges, const char* begin, const char* bytes) {
    std::vector<FileRange> made;
    for (nb::handle range : to_iterable(ranges, "ranges")) made.push_back(to_range(range, "a range", begin, bytes));
    return made;
}

unsigned to_threads(nb::handle value, const char* argument) {
    if (value.is_none()) return 0;
    const std::uint64_t threads = to_u64(value, argument);
    if (threads == 0) invalid_call(argument, "must be at least 1, or None for all, got 0");
    return static_cast<unsigned>(std::min<std::uint64_t>(threads, std::numeric_limits<unsigned>::max()));
}

std::string_view to_text(nb::handle value, const char* argument) {
    if (!PyUnicode_Check(value.ptr())) wrong_type(argument, "a string", value);
    Py_ssize_t length = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &length))
        return {text, static_cast<std::size_t>(length)};
    try {
        throw_raised();
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_UnicodeError)) throw;
    }
    invalid_call(argument, "must be text that UTF-8 can hold, got lone surrogates");
}

std::filesystem::path to_path(nb::handle value, const char* argument) {
    if (!PyBytes_Check(value.ptr())) wrong_type(argument, "a path", value);
    const std::string_view path{PyBytes_AsString(value.ptr()), static_cast<std::size_t>(PyBytes_Size(value.ptr()))};
    if (path.find('\0') != path.npos) invalid_call(std::string(argument) + ": a path cannot hold a zero byte");
    return path;
}

Digest to_digest(nb::handle value, const char* argument) {
    if (PyUnicode_Check(value.ptr())) {
        const std::string_view text = to_text(value, argument);
        if (const std::optional<Digest> digest = Digest::from_hex(text)) return *digest;
        const std::string_view digits = text.substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
        if (digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos)
            invalid_call(argument,
                         "must be 32 bytes or 64 hexadecimal digits, got " + std::to_string(digits.size()) + " digits");
        wrong_type(argument, "bytes-like, a NumPy array, a tensor or 64 hexadecimal digits", value);
    }
    const InputBytes bytes(value, argument);
    if (bytes.span().size() != Digest::size) {
        const bool is_record = std::string_view(argument) == "leaf";
        invalid_call(argument, "must be 32 bytes, got " + std::to_string(bytes.span().size()) + " bytes" +
                                   (is_record ? "; the leaf is the digest of a record: merklize.hash(record)" : ""));
    }
    Digest digest;
    std::memcpy(digest.bytes.data(), bytes.span().data(), Digest::size);
    return digest;
}

std::span<const Digest> as_digests(std::span<const std::byte> bytes, const char* argument) {
    if (bytes.size() % Digest::size != 0)
        invalid_call(argument, "must be 32 bytes each, got " + std::to_string(bytes.size()) + " bytes");
    return {reinterpret_cast<const Digest*>(bytes.data()), bytes.size() / Digest::size};
}

std::span<Digest> as_digests(std::span<std::byte> bytes, const char* argument) {
    return {reinterpret_cast<Digest*>(bytes.data()), as_digests(std::span<const std::byte>(bytes), argument).size()};
}

Mode to_mode(nb::handle key, nb::handle context, Hash hash, Mode (*keyed)(ByteView key, Hash hash)) {
    if (!key.is_none() && !context.is_none()) {
        invalid_call("key and context exclude each other: one is keyed hashing, the other key derivation");
    }
    if (!key.is_none()) return keyed(InputBytes(key, "key").span(), hash);
    if (!context.is_none()) return Mode::derive_key(to_text(context, "context"));
    return {};
}

}  // namespace merklize::binding
