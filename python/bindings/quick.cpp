// Calls on little data on the host, where reading the options would take most of the time. Each is a built-in function
// that handles a call of the plain form, and hands any other call on, unchanged, to the Python function that reads all
// options.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "gil.hpp"
#include "hashes/message.hpp"
#include "host/blake3/digest.hpp"
#include "merklize/core/hashes/blake3.h"
#include "module.hpp"
#include "numpy_array.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

// So few bytes one thread hashes as fast as several do, and before another thread of Python waits long.
constexpr std::size_t little = 32768;
// With threads=1, so many bytes take too short a time for progress or Ctrl-C to matter.
constexpr std::size_t little_alone = 1 << 20;

// Open blocks of merklize.tuning.options(), in all threads. A call inside one has options that are not among its
// arguments.
std::atomic<int> tuning_blocks{0};

// Whether a call runs on the CPU without progress.  device  as the caller gave it
bool runs_plainly(std::string_view device = "auto") {
    return tuning_blocks.load(std::memory_order_relaxed) == 0 && is_cpu(device);
}

// The functions below return an empty object, or throw, if they do not handle a call.

nb::object digest_of(std::span<const std::byte> data) {
    // One chunk, without what a call with options needs.
    if (data.size() <= MKZ_BLAKE3_CHUNK_LEN) return to_bytes(runtime::blake3_digest(data).bytes);
    nb::object result = checked(PyBytes_FromStringAndSize(nullptr, Digest::size));
    static const Mode plain;
    const std::span out(reinterpret_cast<std::byte*>(PyBytes_AsString(result.ptr())), Digest::size);
    const auto hash = [&] { merklize::hash(data, out, 0, plain, on_this_thread()); };
    if (data.size() <= little) {
        hash();
    } else {
        const GilReleased released;
        hash();
    }
    return result;
}

// Other hashes are one chain of blocks, of which the slowest one needs 150 us for so many bytes.
constexpr std::size_t little_message = 1024;

// The hash of a name. Names in the text of programs are objects that Python has once, so these are looked for first.
Hash hash_named(PyObject* name) {
    static const auto& known = *[] {
        auto* names = new std::vector<std::pair<PyObject*, Hash>>;  // never destroyed, as Python's objects in it
        for (const HashTraits& hash : hashes())
            names->emplace_back(PyUnicode_InternFromString(std::string(hash.name).c_str()), hash.hash);
        return names;
    }();
    for (const auto& [object, hash] : known)
        if (object == name) return hash;
    return hash_from_name(to_text(name, "hash"));
}

nb::object message_digest_of(std::span<const std::byte> data, PyObject* name) {
    const Hash hash = hash_named(name);
    if (hash == Hash::blake3) return digest_of(data);
    if (data.size() > little_message) return {};
    static const Mode plain;
    runtime::Message message({hash, plain}, data.size());
    message.update(data);
    return to_bytes(message.digest().bytes);
}

// A tensor on a CUDA device whose bytes lie in C order.
struct TensorThere {
    const CudaDevice& device;
    ConstBuffer data;
    bool are_digests;

    static std::optional<TensorThere> of(nb::handle object) {
        TensorViewer viewer;
        const std::optional<Seen> seen = viewer.view(object, cuda_stream_handle({}));
        if (!seen || seen->device().type != dlpack::cuda) return {};
        const CudaDevice& device = cuda_device(seen->device().id);
        return TensorThere{device, runtime::Internals::part_of(device.memory, seen->address(), seen->bytes),
                           seen->are_digests()};
    }
};

nb::object digest_of_tensor(nb::handle object, bool one_thread) {
    const auto tensor = TensorThere::of(object);
    if (!tensor) return {};
    nb::object result = checked(PyBytes_FromStringAndSize(nullptr, Digest::size));
    const std::span out(reinterpret_cast<std::byte*>(PyBytes_AsString(result.ptr())), Digest::size);
    static const Mode plain;
    const CudaDevice& device = tensor->device;
    const RunOptions& options = one_thread || tensor->data.size() <= little ? device.by_one_thread : device.options;
    Run::without_gil([&] { merklize::hash(tensor->data, out, 0, plain, options); });
    return result;
}

// Only of little data, because field hashes of more take so long that Ctrl-C matters.
nb::object root_of_tensor(nb::handle object, Hash hash) {
    const auto tensor = TensorThere::of(object);
    if (!tensor || !tensor->are_digests || tensor->data.size() > little_alone) return {};
    Digest root;
    Run::without_gil([&] { root = merklize::merkle_root(tensor->data, hash, tensor->device.options); });
    return to_bytes(root.bytes);
}

bool is_text(PyObject* object, const char* text) {
    return PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, text) == 0;
}

bool is_one(PyObject* object) {
    int is_large = 0;
    return PyLong_CheckExact(object) && PyLong_AsLongAndOverflow(object, &is_large) == 1;
}

// The keywords of a call that has no others than device="cpu", threads=1 and hash=NAME.
struct PlainOptions {
    bool on_cpu = false;
    bool one_thread = false;
    PyObject* hash = nullptr;
};

// None if the call has other keywords.  values  of the keywords
std::optional<PlainOptions> plain_options(PyObject* const* values, PyObject* names) {
    PlainOptions options;
    for (Py_ssize_t k = 0, count = names == nullptr ? 0 : PyTuple_Size(names); k < count; k++) {
        PyObject* name = PyTuple_GetItem(names, k);
        if (is_text(name, "device") && is_text(values[k], "cpu"))
            options.on_cpu = true;
        else if (is_text(name, "threads") && is_one(values[k]))
            options.one_thread = true;
        else if (is_text(name, "hash") && PyUnicode_CheckExact(values[k]))
            options.hash = values[k];
        else
            return {};
    }
    return options;
}

// hash(data) of bytes, of plain memory or of a tensor, also with device="cpu" and threads=1; of bytes and plain memory
// also with hash=NAME.
nb::object quick_hash(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count != 1) return {};
    const std::optional<PlainOptions> options = plain_options(args + count, names);
    if (!options) return {};
    if (is_known_tensor(args[0]) || (!PyBytes_CheckExact(args[0]) && !is_plain_memory(args[0]))) {
        const bool is_tuned = tuning_blocks.load(std::memory_order_relaxed) != 0;
        const bool is_plain = options->hash == nullptr && !options->on_cpu && !is_tuned;
        return is_plain ? digest_of_tensor(args[0], options->one_thread) : nb::object();
    }
    if (!runs_plainly(options->on_cpu ? "cpu" : "auto")) return {};
    const auto digest = [&](std::span<const std::byte> data) -> nb::object {
        if (data.size() > (options->one_thread ? little_alone : little)) return {};
        return options->hash == nullptr ? digest_of(data) : message_digest_of(data, options->hash);
    };
    if (PyBytes_CheckExact(args[0])) {
        char* data = nullptr;
        Py_ssize_t size = 0;
        PyBytes_AsStringAndSize(args[0], &data, &size);
        return digest(std::as_bytes(std::span(data, static_cast<std::size_t>(size))));
    }
    const PlainMemory memory(args[0]);
    return memory.is_valid() ? digest(memory.bytes()) : nb::object();
}

// The hash, given behind the `count_of_data` first arguments or by its keyword. None if the call has others.
std::optional<Hash> hash_behind(Py_ssize_t count_of_data, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const Py_ssize_t keywords = names == nullptr ? 0 : PyTuple_Size(names);
    if (count < count_of_data || count + keywords > count_of_data + 1) return {};
    if (count + keywords == count_of_data) return Hash::blake3;
    if (!PyUnicode_CheckExact(args[count_of_data])) return {};
    if (keywords == 1 && !is_text(PyTuple_GetItem(names, 0), "hash")) return {};
    return hash_named(args[count_of_data]);
}

bool are_digests(const NumpyArray& array) {
    return !array.shape.empty() && array.item_bytes * array.shape.back() == Digest::size &&
           std::strchr("BIiLlQq", array.format) != nullptr;
}

// merge(left, right) and merge(left, right, hash) of arrays uint8[..., 32], uint64[..., 4] or uint32[..., 8] of one
// shape.
nb::object quick_merge(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count < 2 || !runs_plainly()) return {};
    if (!is_plain_ndarray(args[0]) || !is_plain_ndarray(args[1])) return {};
    const auto left = NumpyArray::of(args[0]), right = NumpyArray::of(args[1]);
    const bool is_quick = left && right && left->bytes.size() <= little && are_digests(*left) &&
                          left->format == right->format && std::ranges::equal(left->shape, right->shape);
    if (!is_quick) return {};
    const std::optional<Hash> hash = hash_behind(2, args, count, names);
    if (!hash) return {};
    nb::object merged = NumpyArray::like(args[0]);
    static const Mode plain;
    merklize::merge(as_digests(left->bytes), as_digests(right->bytes), as_digests(NumpyArray::of(merged)->bytes), *hash,
                    plain, on_this_thread());
    return merged;
}

// An array [n, k] that is the one argument beside the hash, if it holds little for that hash.
std::optional<std::pair<NumpyArray, Hash>> one_array(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count < 1 || !runs_plainly() || !is_plain_ndarray(args[0])) return {};
    const auto array = NumpyArray::of(args[0]);
    if (!array || array->shape.size() != 2 || array->bytes.empty()) return {};
    const std::optional<Hash> hash = hash_behind(1, args, count, names);
    if (!hash || array->bytes.size() > (*hash == Hash::blake3 ? little : little_message)) return {};
    return {{*array, *hash}};
}

// hash_rows(rows) and hash_rows(rows, hash) of an array [n, k], by a hash of bytes.
nb::object quick_hash_rows(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    const auto given = one_array(args, count, names);
    if (!given || traits(given->second).is_field) return {};
    const auto& [rows, hash] = *given;
    nb::object digests = NumpyArray::of_bytes(rows.shape[0], Digest::size);
    static const Mode plain;
    merklize::hash_leaves(rows.bytes, rows.bytes.size() / static_cast<std::size_t>(rows.shape[0]),
                          as_digests(NumpyArray::of(digests)->bytes), hash, plain, on_this_thread());
    return digests;
}

// merkle_root(leaves) and merkle_root(leaves, hash) of an array [n, 32], or [n, 4] or [n, 8] of words, or of a tensor.
nb::object quick_merkle_root(PyObject* const* args, Py_ssize_t count, PyObject* names) {
    if (count >= 1 && is_known_tensor(args[0])) {
        const std::optional<Hash> hash = hash_behind(1, args, count, names);
        const bool is_tuned = tuning_blocks.load(std::memory_order_relaxed) != 0;
        return hash && !is_tuned ? root_of_tensor(args[0], *hash) : nb::object();
    }
    const auto given = one_array(args, count, names);
    if (!given || !are_digests(given->first)) return {};
    return to_bytes(merklize::merkle_root(as_digests(given->first.bytes), given->second, on_this_thread()).bytes);
}

// The Python function that reads all options.
template <nb::object (*quick)(PyObject* const*, Py_ssize_t, PyObject*)>
PyObject* full = nullptr;

template <nb::object (*quick)(PyObject* const*, Py_ssize_t, PyObject*)>
PyObject* call(PyObject*, PyObject* const* args, Py_ssize_t count, PyObject* names) try {
    try {
        nb::object result = quick(args, count, names);
        if (result.is_valid()) return result.release().ptr();
    } catch (const nb::python_error& error) {  // the Python function then raises the right error
        pass_interrupt(error);
    } catch (...) {}
    return PyObject_Vectorcall(full<quick>, args, static_cast<std::size_t>(count), names);
} catch (nb::python_error& error) {
    error.restore();
    return nullptr;
}

// A built-in function that replaces `function` in its module. The first line of its doc string is its signature.
template <nb::object (*quick)(PyObject* const*, Py_ssize_t, PyObject*)>
nb::object stand_for(nb::handle function, const char* signature) {
    full<quick> = function.inc_ref().ptr();
    static const std::string name = nb::cast<std::string>(function.attr("__name__"));  // Python keeps pointers to these
    static const std::string text = name + signature + "\n--\n\n" + nb::cast<std::string>(function.attr("__doc__"));
    static PyMethodDef method = {name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call<quick>)),
                                 METH_FASTCALL | METH_KEYWORDS, text.c_str()};
    const nb::object module_name = function.attr("__module__");
    const nb::object module = nb::module_::import_("sys").attr("modules")[module_name];
    return checked(PyCFunction_NewEx(&method, module.ptr(), module_name.ptr()));  // with a module, as pickle needs it
}

}  // namespace

void bind_quick(nb::module_& m) {
    define(
        m, "def count_tuning_block(begins: bool, /) -> None",
        +[](nb::handle begins) { tuning_blocks += begins.is(Py_True) ? 1 : -1; });
    m.def("quick_hash", &stand_for<quick_hash>,
          nb::sig("def quick_hash(function: typing.Any, signature: str) -> typing.Any"));
    m.def("quick_merge", &stand_for<quick_merge>,
          nb::sig("def quick_merge(function: typing.Any, signature: str) -> typing.Any"));
    m.def("quick_hash_rows", &stand_for<quick_hash_rows>,
          nb::sig("def quick_hash_rows(function: typing.Any, signature: str) -> typing.Any"));
    m.def("quick_merkle_root", &stand_for<quick_merkle_root>,
          nb::sig("def quick_merkle_root(function: typing.Any, signature: str) -> typing.Any"));
}

}  // namespace merklize::binding
