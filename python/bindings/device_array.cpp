#include "device_array.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "arguments.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

constexpr dlpack::DataType type_uint64{dlpack::type_uint, 64, 1}, type_int64{dlpack::type_int, 64, 1},
    type_uint32{dlpack::type_uint, 32, 1}, type_int32{dlpack::type_int, 32, 1};

dlpack::DataType type_named(std::string_view name) {
    for (const dlpack::DataType& type : {type_uint8, type_uint32, type_int32, type_uint64, type_int64}) {
        if (name_of(type) == name) return type;
    }
    invalid_call("dtype must be uint8, uint32, int32, uint64 or int64, got " + std::string(name));
}

[[noreturn]] void refuse(const std::string& text) { throw nb::buffer_error(text.c_str()); }

bool is_cuda(const DeviceArray& array) { return array.device().backend == "cuda"; }

std::int32_t index_of(const DeviceArray& array) {
    const std::string& id = array.device().id;
    return static_cast<std::int32_t>(std::stoi(id.substr(id.find(':') + 1)));
}

void require_cuda(const DeviceArray& array) {
    if (!is_cuda(array))
        refuse("memory of " + array.device().id + " has no DLPack form: call .numpy() to copy it to the host");
}

/// The tensor that a capsule refers to.
template <class Managed>
struct Exported {
    ConstBuffer buffer;
    std::shared_ptr<void> owner;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
    Managed managed{};
};

template <class Managed>
nb::object capsule_of(const DeviceArray& array, bool is_copy) {
    auto exported =
        std::make_unique<Exported<Managed>>(Exported<Managed>{array.buffer,
                                                              array.owner,
                                                              {array.shape.begin(), array.shape.end()},
                                                              std::vector<std::int64_t>(array.shape.size())});
    if (is_copy) {
        const std::uint64_t bytes = array.buffer.size();
        const std::int64_t step = 1;
        Run::without_gil([&] { exported->buffer = Buffer::pack(array.buffer, 0, {&bytes, 1}, {&step, 1}, 1); });
    }
    std::int64_t stride = 1;
    for (std::size_t k = array.shape.size(); k-- > 0; stride *= array.shape[k]) exported->strides[k] = stride;
    Managed& managed = exported->managed;
    managed.tensor = {const_cast<void*>(exported->buffer.native()),
                      {dlpack::cuda, index_of(array)},
                      static_cast<std::int32_t>(array.shape.size()),
                      array.dtype,
                      exported->shape.data(),
                      exported->strides.data(),
                      0};
    managed.context = exported.get();
    managed.deleter = [](Managed* done) { delete static_cast<Exported<Managed>*>(done->context); };
    if constexpr (std::is_same_v<Managed, dlpack::ManagedVersioned>) {
        managed.version = {1, 0};
        managed.flags = is_copy ? dlpack::ManagedVersioned::is_copied : 0;
    }
    // A capsule that was not consumed still owns the tensor.
    nb::object capsule = checked(PyCapsule_New(&managed, Managed::name, [](PyObject* self) {
        if (!PyCapsule_IsValid(self, Managed::name)) return;
        auto* unused = static_cast<Managed*>(PyCapsule_GetPointer(self, Managed::name));
        unused->deleter(unused);
    }));
    exported.release();
    return capsule;
}

/// The consumer's stream, as DLPack defines it for CUDA: the handle of a CUstream, or 1 or 2 for the default streams.
/// Nothing: -1, no order.
std::optional<std::uint64_t> consumer_of(nb::handle stream) {
    constexpr const char* name = "__dlpack__: stream";
    if (stream.is_none()) return cuda_stream_handle({});
    const nb::int_ number = to_integer(stream, name);
    std::int64_t small = 0;
    if (nb::try_cast(number, small) && small == -1) return std::nullopt;
    return cuda_stream_handle(to_u64(number, name));
}

/// Makes the consumer's stream wait for an array that is not complete.
void order(const DeviceArray& array, nb::handle stream) {
    const std::optional<std::uint64_t> handle = consumer_of(stream);
    if (!array.pending || !handle) return;
    const Stream consumer = shared_stream(array.buffer.device(), *handle);
    // Captured work does not end before its graph runs, so only a stream of the same capture can be ordered after it.
    if (!array.pending->event.is_captured() || consumer.is_capturing()) consumer.wait(array.pending->event);
}

nb::object export_dlpack(DeviceArray& array, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                         nb::handle copy) {
    require_cuda(array);
    if (!dl_device.is_none()) {
        const nb::tuple wanted = to_pair(dl_device, "dl_device");
        const int type = to_int(wanted[0], "dl_device: type"), id = to_int(wanted[1], "dl_device: number");
        if (type != dlpack::cuda || id != index_of(array)) {
            refuse("the array is on " + array.device().id +
                   " and is exported there alone: call .numpy() to copy it to the host");
        }
    }
    const bool is_copy = is_true(copy);
    if (is_copy) array.settle();
    order(array, stream);
    const bool is_versioned =
        !max_version.is_none() && to_int(to_pair(max_version, "max_version")[0], "max_version") >= 1;
    return is_versioned ? capsule_of<dlpack::ManagedVersioned>(array, is_copy)
                        : capsule_of<dlpack::Managed>(array, is_copy);
}

nb::dict cuda_array_interface(DeviceArray& array) {
    if (!is_cuda(array)) {
        throw nb::attribute_error(("memory of " + array.device().id + " has no CUDA array interface").c_str());
    }
    nb::dict interface;
    interface["shape"] = array.shape_tuple();
    interface["typestr"] = array.dtype == type_uint8    ? "|u1"
                           : array.dtype == type_uint32 ? "<u4"
                           : array.dtype == type_int32  ? "<i4"
                           : array.dtype == type_uint64 ? "<u8"
                                                        : "<i8";
    const bool is_empty = array.buffer.empty();
    const auto address = is_empty ? 0 : reinterpret_cast<std::uintptr_t>(array.buffer.native());
    interface["data"] = nb::make_tuple(static_cast<std::uint64_t>(address), false);
    interface["strides"] = nb::none();
    interface["stream"] = array.pending ? nb::object(nb::int_(array.pending->handle)) : nb::none();
    interface["version"] = 3;
    return interface;
}

nb::object to_numpy(DeviceArray& array) {
    array.settle();
    nb::object host = nb::module_::import_("numpy").attr("empty")(array.shape_tuple(), name_of(array.dtype));
    const OutputBytes out(host);
    Run::without_gil([&] { array.buffer.copy_to(out.span()); });
    return host;
}

/// Items first to first + count along the first dimension.
DeviceArray rows(const DeviceArray& array, std::uint64_t first, std::uint64_t count) {
    const std::uint64_t row = array.buffer.size() / static_cast<std::uint64_t>(array.shape[0]);
    DeviceArray part = array;
    part.buffer = array.buffer.slice(row * first, row * count);
    part.shape[0] = static_cast<Py_ssize_t>(count);
    return part;
}

DeviceArray make(nb::handle device, nb::handle shape, nb::handle dtype) {
    const dlpack::DataType type = type_named(to_text(dtype, "dtype"));
    std::vector<Py_ssize_t> extents;
    std::uint64_t bytes = type.bits / 8;
    for (nb::handle extent : shape) {
        extents.push_back(to_i64(extent, "shape"));
        bytes *= static_cast<std::uint64_t>(extents.back());
    }
    const Device where = to_device(to_text(device, "device"));
    std::optional<Buffer> buffer;
    Run::without_gil([&] { buffer.emplace(where, bytes); });
    return {std::move(*buffer), type, std::move(extents)};
}

DeviceArray from_numpy(nb::handle array, nb::handle device) {
    const PublicCall entry("from_numpy");
    if (!is_ndarray(array)) wrong_type("array", "a NumPy array", array);
    const DeviceArray made =
        make(device, array.attr("shape"), checked(PyObject_Str(nb::object(array.attr("dtype")).ptr())));
    const InputBytes host(array, "array");
    Buffer buffer = made.writable();
    Run::without_gil([&] { buffer.copy_from(host.span()); });
    return made;
}

constexpr const char* about =
    R"(An array in the memory of a device: argument hash_rows(), hash_leaves(), merge() and trees leave there.

It is complete when you have it, unless the call was told wait=False: then argument reads it is ordered after argument writes
it. It is to be read only: trees and others share its memory. torch.from_dlpack(x) and cupy.from_dlpack(x) look at it
without a copy (CUDA), on a stream that waits for it; numpy() waits for it and copies it to the host, which never
happens silently.
What others have queued on streams of their own must be done before the last reference goes; CUDA's default stream is
waited for.)";

/// Buffer protocol of a tensor in host memory.
int get_host_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    if (!nb::inst_ready(self)) {
        PyErr_SetString(PyExc_BufferError, "HostTensor: nothing made it");
        return -1;
    }
    Tensor& tensor = *nb::inst_ptr<Tensor>(self);
    const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    if ((!wants_strides && !tensor.is_contiguous()) || ((flags & PyBUF_WRITABLE) != 0 && tensor.is_read_only)) {
        PyErr_SetString(PyExc_BufferError, "the tensor is read-only, or its items lie apart");
        return -1;
    }
    view->obj = nb::borrow(self).release().ptr();
    view->buf = tensor.first;
    view->len = static_cast<Py_ssize_t>(tensor.bytes());
    view->itemsize = static_cast<Py_ssize_t>(tensor.item_bytes);
    view->readonly = tensor.is_read_only;
    view->ndim = static_cast<int>(tensor.shape.size());
    view->format = (flags & PyBUF_FORMAT) != 0 ? tensor.format.data() : nullptr;
    view->shape = (flags & PyBUF_ND) != 0 ? tensor.shape.data() : nullptr;
    view->strides = wants_strides ? tensor.strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = nullptr;
    return 0;
}

/// Buffer protocol of bytes in host memory.
int get_bytes(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    if (!nb::inst_ready(self)) {
        PyErr_SetString(PyExc_BufferError, "HostBytes: nothing made it");
        return -1;
    }
    const auto bytes = nb::inst_ptr<InputBytes>(self)->span();
    return PyBuffer_FillInfo(view, self, const_cast<std::byte*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), 1,
                             flags);
}

PyType_Slot bytes_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_bytes)}, {0, nullptr}};
PyType_Slot host_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_host_buffer)}, {0, nullptr}};

}  // namespace

void DeviceArray::settle() {
    if (!pending || pending->event.is_captured()) return;
    Run::without_gil([&] { pending->event.wait(); });
    pending.reset();
}

bool DeviceArray::is_ready() const { return !pending || (!pending->event.is_captured() && pending->event.query()); }

nb::tuple DeviceArray::shape_tuple() const {
    nb::list extents;
    for (const Py_ssize_t extent : shape) extents.append(extent);
    return nb::tuple(extents);
}

DeviceArray digests_array(ConstBuffer digests, Hash hash) {
    const auto n = static_cast<Py_ssize_t>(digests.size() / Digest::size);
    const unsigned bits = traits(hash).element_bits;
    if (bits == 64) return {std::move(digests), type_uint64, {n, 4}, nullptr, false};
    if (bits == 32) return {std::move(digests), type_uint32, {n, 8}, nullptr, false};
    return {std::move(digests), type_uint8, {n, 32}, nullptr, false};
}

namespace {

/// A tensor on a CUDA device.
/// transposed  null; or set to whether the result is the transposed matrix, because the columns are contiguous
DeviceArray import_tensor(nb::handle object, const std::string& device, const char* argument, const Settings& settings,
                          bool* transposed = nullptr) {
    const std::string_view wanted = settings.device;
    require_device(argument, device, wanted);
    if (device != "cuda") (void)to_device(device);  // an error before anything is exported
    const std::uint64_t stream = cuda_stream_handle(settings.stream);
    Tensor tensor = import_cuda(object, argument, wanted == "cuda" ? "cuda:0" : wanted, stream);
    if (transposed != nullptr && tensor.shape.size() == 2 && !tensor.is_contiguous()) {
        std::ranges::reverse(tensor.shape);
        std::ranges::reverse(tensor.strides);
        *transposed = tensor.is_contiguous();
        if (!*transposed) {
            std::ranges::reverse(tensor.shape);
            std::ranges::reverse(tensor.strides);
        }
    }
    const Device where = to_device(tensor.device);
    std::optional<Buffer> buffer;
    Run::without_gil([&] { buffer.emplace(tensor.buffer(where, shared_stream(where, stream))); });
    return {std::move(*buffer), tensor.dtype, tensor.shape, tensor.owner,
            tensor.is_contiguous() && !tensor.is_read_only};
}

/// Whether an object is a masked array of numpy.ma. If one exists, that module has been imported.
bool is_masked(nb::handle object) {
    const nb::object module = nb::module_::import_("sys").attr("modules").attr("get")("numpy.ma");
    return !module.is_none() && nb::isinstance(object, module.attr("MaskedArray"));
}

}  // namespace

namespace {

// A class of a module that nobody has to have imported.
class LoadedType {
public:
    constexpr LoadedType(const char* module, const char* type) : module_(module), type_(type) {}

    // Null as long as the module has not been imported.
    PyTypeObject* get() {
        if (found_ == nullptr) {
            // A name that is made once, because this is asked for each message of a call.
            if (name_ == nullptr) name_ = PyUnicode_InternFromString(module_);
            PyObject* module = name_ == nullptr ? nullptr : PyDict_GetItem(PyImport_GetModuleDict(), name_);
            if (module != nullptr) found_ = nb::getattr(module, type_, nb::object()).release().ptr();
        }
        return reinterpret_cast<PyTypeObject*>(found_);
    }

private:
    const char* module_;
    const char* type_;
    PyObject* name_ = nullptr;  // of the module
    PyObject* found_ = nullptr;
};

PyTypeObject* ndarray() {
    static LoadedType type("numpy", "ndarray");
    return type.get();
}

}  // namespace

bool is_ndarray(nb::handle object) {
    return ndarray() != nullptr && PyType_IsSubtype(Py_TYPE(object.ptr()), ndarray()) != 0;
}

bool is_plain_ndarray(nb::handle object) { return Py_TYPE(object.ptr()) == ndarray(); }

bool is_plain_memory(nb::handle object) {
    static LoadedType array("array", "array"), mapping("mmap", "mmap");
    PyTypeObject* type = Py_TYPE(object.ptr());
    return type == &PyMemoryView_Type || type == &PyByteArray_Type || type == ndarray() || type == array.get() ||
           type == mapping.get();
}

nb::object import_array(nb::handle object, const char* argument, const Settings* settings) {
    const bool is_tensor = is_known_tensor(object);  // which spares it the other questions
    if (!is_tensor && (PyBytes_CheckExact(object.ptr()) || is_plain_memory(object))) return nb::borrow(object);
    if (DeviceArray* array = is_tensor ? nullptr : bound_in<DeviceArray>(object)) {
        if (settings == nullptr) {
            throw Error(ErrorCode::invalid_argument,
                        std::string(argument) + " is in the memory of " + array->device().id +
                            "; this call takes memory of the host: call .numpy() to copy it there");
        }
        if (settings->wait) array->settle();
        return nb::borrow(object);
    }
    if (!is_tensor && is_ndarray(object)) {
        if (!is_masked(object)) return nb::borrow(object);
        throw Error(ErrorCode::invalid_argument,
                    std::string(argument) + ": a masked array; give its .data, or what .filled() makes of it");
    }
    if (const auto device = cuda_device_of(object, argument)) {
        if (settings != nullptr) return nb::cast(import_tensor(object, *device, argument, *settings));
        throw Error(ErrorCode::invalid_argument,
                    std::string(argument) + ": the tensor is on " + *device + ", this takes memory of the host");
    }
    if (PyObject_CheckBuffer(object.ptr())) return nb::borrow(object);
    if (auto tensor = import_host(object, argument)) return nb::cast(std::move(*tensor));
    return {};
}

nb::object import_matrix(nb::handle object, const char* argument, const Settings& settings, bool& transposed) {
    transposed = false;
    if (!PyBytes_CheckExact(object.ptr()) && !nb::isinstance<DeviceArray>(object) && !is_ndarray(object)) {
        if (const auto device = cuda_device_of(object, argument))
            return nb::cast(import_tensor(object, *device, argument, settings, &transposed));
    }
    return import_array(object, argument, &settings);
}

void bind_device_array(nb::module_& m) {
    nb::class_<Tensor>(m, "HostTensor", nb::type_slots(host_slots), "Somebody's tensor in host memory, as a buffer.");
    nb::class_<InputBytes>(m, "HostBytes", nb::type_slots(bytes_slots),
                           "The bytes of data in host memory, in C order, as a buffer.")
        .def(
            "__init__",
            [](InputBytes* self, nb::handle object, nb::handle argument) {
                new (self) InputBytes(object, std::string(to_text(argument, "what")).c_str());
            },
            nb::arg().none(), nb::arg().none(), nb::sig("def __init__(self, object: object, what: str, /) -> None"));
    define(
        m, "def host_bytes(object: object, what: str, /) -> memoryview", +[](nb::handle object, nb::handle argument) {
            const nb::object bytes = nb::type<InputBytes>()(object, argument);
            return checked(PyMemoryView_FromObject(bytes.ptr()));
        });
    define(
        m, "def is_data(object: object, /) -> bool", +[](nb::handle object) {
            return PyObject_CheckBuffer(object.ptr()) != 0 || nb::hasattr(object, "__dlpack__") ||
                   nb::hasattr(object, "__cuda_array_interface__");
        });
    nb::class_<DeviceArray> array(m, "DeviceArray", nb::is_weak_referenceable(), about);
    refuse_init(array,
                "DeviceArray: calls on a device make one, and DeviceArray.from_numpy(array, device) copies one there");
    array.def_prop_ro("shape", &DeviceArray::shape_tuple, nb::sig("def shape(self) -> tuple[int, ...]"), "Extents.")
        .def_prop_ro(
            "dtype", [](const DeviceArray& self) { return name_of(self.dtype); }, nb::sig("def dtype(self) -> str"),
            "Name of the items' type: \"uint8\", \"uint32\", \"int32\", \"uint64\" or \"int64\".")
        .def_prop_ro(
            "device", [](const DeviceArray& self) { return self.device().id; }, nb::sig("def device(self) -> str"),
            "Id of the device, as in devices().")
        .def_static("from_numpy", &from_numpy, nb::arg("array").none(), nb::arg("device").none(),
                    nb::sig("def from_numpy(array: numpy.typing.NDArray[typing.Any], device: str) -> DeviceArray"),
                    "Copy an array of uint8, uint32, int32, uint64 or int64 to a device.")
        .def("wait", &DeviceArray::settle, nb::sig("def wait(self) -> None"),
             "Wait until the array is complete. Raises InvalidArgument if a word of the input was not below p.")
        .def_prop_ro("ready", &DeviceArray::is_ready, nb::sig("def ready(self) -> bool"),
                     "Whether the array is complete. Never, if the call was captured into a graph.")
        .def(
            "check",
            [](const DeviceArray& self) {
                if (self.pending) self.pending->event.check();
            },
            nb::sig("def check(self) -> None"),
            "Raise InvalidArgument if a word of the input was not below p, of the last run of a captured call.")
        .def("numpy", &to_numpy, nb::sig("def numpy(self) -> numpy.typing.NDArray[typing.Any]"),
             "Wait for the array, and copy it to the host.")
        .def("__dlpack__", &export_dlpack, nb::kw_only(), nb::arg("stream").none() = nb::none(),
             nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
             nb::arg("copy").none() = nb::none(),
             nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, "
                     "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"),
             "DLPack's capsule of the memory. BufferError for devices of other kinds than CUDA's.")
        .def(
            "__dlpack_device__",
            [](const DeviceArray& self) {
                require_cuda(self);
                return nb::make_tuple(static_cast<int>(dlpack::cuda), index_of(self));
            },
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"), "DLPack's type and number of the device.")
        .def_prop_ro("__cuda_array_interface__", &cuda_array_interface,
                     nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"),
                     "Version 3 of the interface; CUDA only.")
        .def(
            "__array__",
            [](nb::handle, nb::args, nb::kwargs) -> nb::object {
                throw nb::type_error("a DeviceArray is not in memory of the host: call .numpy() to copy it there");
            },
            nb::sig("def __array__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.NoReturn"),
            "Raises TypeError: nothing is copied to the host silently.")
        .def("__len__",
             [](const DeviceArray& self) {
                 if (self.shape.empty()) throw nb::type_error("an array without dimensions has no length");
                 return self.shape[0];
             })
        .def("__repr__", [](const DeviceArray& self) {
            std::string shape;
            for (const Py_ssize_t extent : self.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
            return "<DeviceArray " + name_of(self.dtype) + "[" + shape + "] on " + self.device().id + ">";
        });
    define(
        m, "def import_array(object: object, what: str, settings: Settings, /) -> object",
        +[](nb::handle object, nb::handle argument, const Settings& settings) -> nb::object {
            nb::object found = import_array(object, std::string(to_text(argument, "what")).c_str(), &settings);
            return found.is_valid() ? found : nb::none();
        });
    define(
        m, "def is_writable(array: DeviceArray, /) -> bool",
        +[](const DeviceArray& array) { return array.is_writable; });
    define(
        m, "def rows(array: DeviceArray, first: int, count: int, /) -> DeviceArray",
        +[](const DeviceArray& array, std::uint64_t first, std::uint64_t count) { return rows(array, first, count); });
    define(m, "def empty(device: str, shape: tuple[int, ...], dtype: str, /) -> DeviceArray", make);
}

}  // namespace merklize::binding
