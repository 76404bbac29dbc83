#include "tensor.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "host/invalid.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// CuPy divides a negative stride as an unsigned number when it exports by DLPack.
struct StrideOverflow : Error {
    explicit StrideOverflow(const std::string& text) : Error(ErrorCode::invalid_argument, text) {}
};

std::string of_buffer_protocol(const dlpack::DataType& dtype, std::uint64_t item_bytes) {
    constexpr struct {
        dlpack::DataType dtype;
        const char* format;
    } known[] = {
        {{dlpack::type_bool, 8, 1}, "?"},      {{dlpack::type_int, 8, 1}, "b"},
        {{dlpack::type_int, 16, 1}, "h"},      {{dlpack::type_int, 32, 1}, "i"},
        {{dlpack::type_int, 64, 1}, "q"},      {{dlpack::type_uint, 8, 1}, "B"},
        {{dlpack::type_uint, 16, 1}, "H"},     {{dlpack::type_uint, 32, 1}, "I"},
        {{dlpack::type_uint, 64, 1}, "Q"},     {{dlpack::type_float, 16, 1}, "e"},
        {{dlpack::type_float, 32, 1}, "f"},    {{dlpack::type_float, 64, 1}, "d"},
        {{dlpack::type_complex, 64, 1}, "Zf"}, {{dlpack::type_complex, 128, 1}, "Zd"},
    };
    for (const auto& one : known) {
        if (one.dtype == dtype) return one.format;
    }
    return std::to_string(item_bytes) + "s";
}

// The sizes that a tensor claims are not trusted, because the code after this counts in 64 bits.
void finish(Tensor& tensor, const char* argument) {
    const unsigned bits = unsigned{tensor.dtype.bits} * tensor.dtype.lanes;
    if (bits == 0 || bits % 8 != 0)
        invalid_call(std::string(argument) + ": items of " + std::to_string(bits) + " bits");
    tensor.item_bytes = bits / 8;
    tensor.format = of_buffer_protocol(tensor.dtype, tensor.item_bytes);
    std::uint64_t bytes = tensor.item_bytes;
    bool is_empty = false;
    for (const Py_ssize_t extent : tensor.shape) {
        if (extent < 0) invalid_call(std::string(argument) + ": a negative extent");
        is_empty = is_empty || extent == 0;
        if (extent != 0 && bytes > std::uint64_t{PY_SSIZE_T_MAX} / static_cast<std::uint64_t>(extent))
            invalid_call(std::string(argument) + ": more than 2^63 bytes");
        if (extent != 0) bytes *= static_cast<std::uint64_t>(extent);
    }
    static std::byte nothing;
    if (is_empty || tensor.first == nullptr) {
        if (!is_empty) invalid_call(std::string(argument) + ": the tensor has no memory");
        tensor.first = &nothing;
    }
}

std::vector<Py_ssize_t> c_order_strides(const std::vector<Py_ssize_t>& shape, std::uint64_t item_bytes) {
    std::vector<Py_ssize_t> strides(shape.size());
    auto stride = static_cast<Py_ssize_t>(item_bytes);
    for (std::size_t k = shape.size(); k-- > 0;) {
        strides[k] = stride;
        if (shape[k] > 1) stride *= shape[k];
    }
    return strides;
}

// The deleter may use Python, so it runs with the GIL, and not at all after the interpreter's end.
template <class Managed>
std::shared_ptr<void> owner_of(Managed* managed) {
    return {managed, [](Managed* done) {
                if (done->deleter == nullptr || !Py_IsInitialized()) return;
                const GilHeld held;
                done->deleter(done);
            }};
}

/// Takes the tensor out of a capsule, and becomes its owner.
template <class Managed>
Managed* take(nb::handle capsule) {
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
    if (managed == nullptr) throw_raised();
    checked(PyCapsule_SetName(capsule.ptr(), Managed::used_name));
    return managed;
}

bool is_on_host(const dlpack::Device& device) { return device.type == dlpack::cpu || device.type == dlpack::cuda_host; }

bool is_on_cuda(const dlpack::Device& device) {
    return device.type == dlpack::cuda || device.type == dlpack::cuda_managed;
}

bool has_dimensions(const dlpack::Tensor& tensor) {
    return tensor.ndim == 0 || (tensor.ndim > 0 && tensor.ndim <= PyBUF_MAX_NDIM && tensor.shape != nullptr);
}

/// Fills in a tensor from DLPack's description.
/// promised  the device that __dlpack_device__ named
void describe(Tensor& tensor, const dlpack::Tensor& given, const dlpack::Device& promised, const char* argument) {
    const auto name = [](const dlpack::Device& device) {
        return "(" + std::to_string(device.type) + ", " + std::to_string(device.id) + ")";
    };
    const bool is_there = is_on_host(promised)
                              ? is_on_host(given.device)
                              : is_on_cuda(promised) && is_on_cuda(given.device) && given.device.id == promised.id;
    if (!is_there) {
        invalid_call(std::string(argument) + ": __dlpack_device__ says " + name(promised) +
                     ", and __dlpack__ gave memory of " + name(given.device));
    }
    if (!has_dimensions(given)) {
        invalid_call(std::string(argument) + ": a tensor must have 0 to " + std::to_string(PyBUF_MAX_NDIM) +
                     " dimensions and their extents, got " + std::to_string(given.ndim));
    }
    tensor.dtype = given.dtype;
    tensor.first = static_cast<std::byte*>(given.data);
    if (tensor.first != nullptr) tensor.first += given.byte_offset;
    for (std::int32_t k = 0; k < given.ndim; k++) tensor.shape.push_back(given.shape[k]);
    finish(tensor, argument);
    if (given.strides == nullptr) {
        tensor.strides = c_order_strides(tensor.shape, tensor.item_bytes);
        return;
    }
    for (std::int32_t k = 0; k < given.ndim; k++) {
        Py_ssize_t stride = 0;
        if (__builtin_mul_overflow(given.strides[k], static_cast<Py_ssize_t>(tensor.item_bytes), &stride))
            throw StrideOverflow(std::string(argument) + ": a stride of more than 2^63 bytes");
        tensor.strides.push_back(stride);
    }
}

Tensor from_versioned(dlpack::ManagedVersioned* managed, const dlpack::Device& promised, const char* argument) {
    Tensor tensor;
    tensor.owner = owner_of(managed);
    if (managed->version.major != 1)
        invalid_call(std::string(argument) + ": DLPack of version " + std::to_string(managed->version.major));
    tensor.is_read_only = (managed->flags & dlpack::ManagedVersioned::read_only) != 0;
    describe(tensor, managed->tensor, promised, argument);
    return tensor;
}

Tensor from_capsule(nb::handle capsule, const dlpack::Device& promised, const char* argument) {
    if (PyCapsule_IsValid(capsule.ptr(), dlpack::ManagedVersioned::name))
        return from_versioned(take<dlpack::ManagedVersioned>(capsule), promised, argument);
    if (!PyCapsule_IsValid(capsule.ptr(), dlpack::Managed::name))
        invalid_call(std::string(argument) + ": __dlpack__ gave no DLPack capsule");
    auto* managed = take<dlpack::Managed>(capsule);
    Tensor tensor;
    tensor.owner = owner_of(managed);
    describe(tensor, managed->tensor, promised, argument);
    return tensor;
}

/// The functions that a type has, or null.
const dlpack::ExchangeApi* exchange_api_in(nb::handle type) {
    const nb::object capsule = nb::getattr(type, dlpack::ExchangeApi::attribute, nb::none());
    if (!PyCapsule_IsValid(capsule.ptr(), dlpack::ExchangeApi::name)) return nullptr;
    const auto* api =
        static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::ExchangeApi::name));
    while (api != nullptr && api->version.major > 1) api = api->previous;
    return api != nullptr && api->version.major == 1 ? api : nullptr;
}

/// The functions that the type of an object has, or null. Those of the last type that has some are remembered, because
/// a program has its tensors of one type.
struct {
    nb::handle type{};  // kept alive, so that no other type gets its address
    const dlpack::ExchangeApi* api = nullptr;
} known;

const dlpack::ExchangeApi* exchange_api_of(nb::handle object) {
    if (is_known_tensor(object)) return known.api;
    const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
    const dlpack::ExchangeApi* found = exchange_api_in(type);
    if (found == nullptr) return nullptr;
    const nb::object before = nb::steal(known.type);
    known = {type.inc_ref(), found};
    return found;
}

/// Describes a tensor. False if the functions refuse it; then __dlpack__ raises the reason.
bool borrow(const dlpack::ExchangeApi& api, nb::handle object, dlpack::Tensor& tensor) {
    try {
        if (api.borrow_from_object(object.ptr(), &tensor) != 0) throw_raised();
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

/// Orders `stream` after the work that the producer of tensors has enqueued on a CUDA device.
void order_after_producer(const dlpack::ExchangeApi& api, std::int32_t device, std::uint64_t stream) {
    void* current = nullptr;
    if (api.current_stream(dlpack::cuda, device, &current) != 0) throw_raised();
    const std::uint64_t producer = cuda_stream_handle(reinterpret_cast<std::uintptr_t>(current));
    if (producer == stream) return;
    const Device& where = cuda_device(device).device;
    shared_stream(where, stream).wait(shared_stream(where, producer).record());
}

/// Imports a tensor by the functions of its type, which take some hundred nanoseconds where __dlpack__ takes tens of
/// microseconds.
/// device  the tensor's CUDA device
Tensor from_exchange_api(const dlpack::ExchangeApi& api, nb::handle object, const dlpack::Device& device,
                         const char* argument, std::uint64_t stream) {
    dlpack::ManagedVersioned* managed = nullptr;
    if (api.from_object(object.ptr(), &managed) != 0) throw_raised();
    Tensor tensor = from_versioned(managed, device, argument);
    tensor.device = "cuda:" + std::to_string(device.id);
    if (tensor.bytes() != 0) order_after_producer(api, device.id, stream);
    return tensor;
}

/// Makes a GPU PyTorch's current one during its lifetime, because PyTorch exports a tensor only from the current GPU.
class CurrentGpu {
public:
    explicit CurrentGpu(nb::handle tensor) {
        const nb::object torch = nb::module_::import_("sys").attr("modules").attr("get")("torch");
        if (torch.is_none() || !nb::isinstance(tensor, torch.attr("Tensor")) || !is_true(tensor.attr("is_cuda")))
            return;
        nb::object change = torch.attr("cuda").attr("device")(tensor.attr("device"));
        change.attr("__enter__")();
        change_ = std::move(change);
    }
    CurrentGpu(const CurrentGpu&) = delete;
    CurrentGpu& operator=(const CurrentGpu&) = delete;
    ~CurrentGpu() {
        if (!change_.is_valid()) return;
        try {
            change_.attr("__exit__")(nb::none(), nb::none(), nb::none());
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("torch.cuda.device");
        }
    }

private:
    nb::object change_;
};

nb::object export_of(nb::handle object, nb::kwargs arguments) {
    nb::object source = nb::borrow(object);
    const CurrentGpu current(object);
    // PyTorch exports no tensor that takes part in differentiation, but the detached tensor has the same bytes.
    if (nb::hasattr(source, "requires_grad") && is_true(source.attr("requires_grad"))) {
        source = source.attr("detach")();
    }
    nb::object method = source.attr("__dlpack__");
    // Exporters before version 1 do not know this argument. Later ones export read-only memory only if it is given.
    nb::kwargs versioned = nb::borrow<nb::kwargs>(arguments.attr("copy")());
    versioned["max_version"] = nb::make_tuple(1, 0);
    try {
        return method(**versioned);
    } catch (nb::python_error& error) {
        // Other refusals are of the array itself: pyarrow's of one with nulls.
        const bool is_of_call =
            error.matches(PyExc_TypeError) && std::string_view(error.what()).find("argument") != std::string_view::npos;
        if (!is_of_call) throw;
    }
    return method(**arguments);
}

std::optional<dlpack::Device> dlpack_device_of(nb::handle object) {
    if (const dlpack::ExchangeApi* api = exchange_api_of(object);
        api != nullptr && api->borrow_from_object != nullptr) {
        if (dlpack::Tensor tensor{}; borrow(*api, object, tensor)) return tensor.device;
    }
    if (!nb::hasattr(object, "__dlpack_device__") || !nb::hasattr(object, "__dlpack__")) return {};
    const nb::tuple found = to_pair(object.attr("__dlpack_device__")(), "__dlpack_device__()");
    return dlpack::Device{to_int(found[0], "__dlpack_device__: type"), to_int(found[1], "__dlpack_device__: number")};
}

/// An entry of the CUDA array interface: None if it is missing.
nb::object entry(const nb::dict& interface, const char* name) { return interface.attr("get")(name); }

/// An entry that is a tuple.
nb::tuple tuple_entry(const nb::dict& interface, const char* name, const char* argument) {
    return to_tuple(entry(interface, name), (std::string(argument) + ": __cuda_array_interface__: " + name).c_str());
}

/// "<u8", "|b1", "<V2": byte order, kind and bytes.
dlpack::DataType type_of(std::string_view typestr, const char* argument) {
    const auto refuse = [&] { invalid_call(std::string(argument) + ": items of type '" + std::string(typestr) + "'"); };
    if (typestr.size() < 3) refuse();
    unsigned bytes = 0;
    for (const char digit : typestr.substr(2)) {
        if (digit < '0' || digit > '9' || bytes > 1000) refuse();
        bytes = 10 * bytes + static_cast<unsigned>(digit - '0');
    }
    if (bytes == 0) refuse();
    std::uint8_t code = dlpack::type_opaque;
    if (typestr[0] != '>') {
        switch (typestr[1]) {
            case 'b': code = dlpack::type_bool; break;
            case 'i': code = dlpack::type_int; break;
            case 'u': code = dlpack::type_uint; break;
            case 'f': code = dlpack::type_float; break;
            case 'c': code = dlpack::type_complex; break;
            default: break;
        }
    }
    if (bytes <= 16) return {code, static_cast<std::uint8_t>(8 * bytes), 1};
    return {dlpack::type_opaque, 8, static_cast<std::uint16_t>(bytes)};
}

/// The device of an address, found by trying all devices.
std::string device_of_pointer(std::byte* first, std::uint64_t bytes, std::string_view wanted) {
    if (bytes == 0 || wanted != "auto") return std::string(bytes == 0 && wanted == "auto" ? "cuda:0" : wanted);
    std::string last;
    for (const DeviceInfo& info : merklize::devices()) {
        if (info.backend != "cuda") continue;
        try {
            (void)Buffer::wrap(Device(info.id), first, 1);
            return info.id;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::invalid_argument) throw;
            last = error.what();
        }
    }
    if (last.empty()) throw Error(ErrorCode::unavailable, merklize::why_unavailable("cuda"));
    invalid_call(last);
}

Tensor from_cuda_array_interface(nb::handle object, const char* argument, std::string_view wanted,
                                 std::uint64_t stream) {
    const nb::object given = object.attr("__cuda_array_interface__");
    if (!PyDict_Check(given.ptr()))
        wrong_type((std::string(argument) + ": __cuda_array_interface__").c_str(), "a dict", given);
    const auto interface = nb::borrow<nb::dict>(given);
    if (!entry(interface, "mask").is_none()) invalid_call(std::string(argument) + ": a masked array");
    Tensor tensor;
    const nb::tuple data = to_pair(tuple_entry(interface, "data", argument), "__cuda_array_interface__: data");
    tensor.first = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(to_u64(data[0], argument)));
    tensor.is_read_only = is_true(data[1]);
    const nb::object typestr = entry(interface, "typestr");
    tensor.dtype = type_of(to_text(typestr, argument), argument);
    for (nb::handle extent : tuple_entry(interface, "shape", argument))
        tensor.shape.push_back(to_i64(extent, argument));
    finish(tensor, argument);
    if (entry(interface, "strides").is_none()) {
        tensor.strides = c_order_strides(tensor.shape, tensor.item_bytes);
    } else {
        for (nb::handle stride : tuple_entry(interface, "strides", argument))
            tensor.strides.push_back(to_i64(stride, argument));
    }
    if (tensor.strides.size() != tensor.shape.size()) invalid_call(std::string(argument) + ": strides of another rank");
    // The object owns the memory.
    tensor.owner = {nb::borrow(object).release().ptr(), [](PyObject* done) {
                        if (!Py_IsInitialized()) return;
                        const GilHeld held;
                        Py_DECREF(done);
                    }};
    tensor.device = device_of_pointer(tensor.first, tensor.bytes(), wanted);
    // Waits for the work that the producer has enqueued on another stream, as the interface demands of consumers.
    const nb::object producer = entry(interface, "stream");
    if (!producer.is_none()) {
        if (const std::uint64_t handle = to_u64(producer, argument); handle != stream && tensor.bytes() != 0) {
            const Device device = to_device(tensor.device);
            Run::without_gil([&] { to_stream(device, handle).synchronize(); });
        }
    }
    return tensor;
}

}  // namespace

bool is_known_tensor(nb::handle object) noexcept {
    return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == known.type.ptr();
}

std::string name_of(const dlpack::DataType& dtype) {
    std::string name;
    switch (dtype.code) {
        case dlpack::type_int: name = "int"; break;
        case dlpack::type_uint: name = "uint"; break;
        case dlpack::type_float: name = "float"; break;
        case dlpack::type_bfloat: name = "bfloat"; break;
        case dlpack::type_complex: name = "complex"; break;
        case dlpack::type_bool: name = "bool"; break;
        default: name = "type" + std::to_string(dtype.code) + "_"; break;
    }
    if (dtype.code != dlpack::type_bool || dtype.bits != 8) name += std::to_string(dtype.bits);
    return dtype.lanes == 1 ? name : name + "x" + std::to_string(dtype.lanes);
}

std::uint64_t Tensor::bytes() const {
    std::uint64_t bytes = item_bytes;
    for (const Py_ssize_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
    return bytes;
}

bool Tensor::is_contiguous() const {
    if (bytes() == 0) return true;
    const std::vector<Py_ssize_t> expected = c_order_strides(shape, item_bytes);
    for (std::size_t k = 0; k < shape.size(); k++) {
        if (shape[k] > 1 && strides[k] != expected[k]) return false;
    }
    return true;
}

Buffer Tensor::buffer(const Device& where, const std::optional<Stream>& stream) const {
    if (is_contiguous()) return Buffer::wrap(where, first, bytes());
    std::int64_t lowest = 0, highest = 0;
    std::vector<std::uint64_t> extents(shape.begin(), shape.end());
    std::vector<std::int64_t> steps(strides.begin(), strides.end());
    for (std::size_t k = 0; k < shape.size(); k++) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(std::int64_t{shape[k] - 1}, std::int64_t{strides[k]}, &reach) ||
            __builtin_add_overflow(reach < 0 ? lowest : highest, reach, reach < 0 ? &lowest : &highest)) {
            invalid_call("a tensor whose strides reach over 2^63 bytes");
        }
    }
    // Items are packed in units of up to 16 bytes; larger items count as one dimension more.
    const std::uint64_t unit = std::min<std::uint64_t>(16, item_bytes & -item_bytes);
    if (unit != item_bytes) {
        extents.push_back(item_bytes / unit);
        steps.push_back(static_cast<std::int64_t>(unit));
    }
    const std::uint64_t reach = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest) + item_bytes;
    const Buffer source = Buffer::wrap(where, first + lowest, reach);
    return Buffer::pack(source, static_cast<std::uint64_t>(-lowest), extents, steps, static_cast<std::uint32_t>(unit),
                        stream);
}

std::optional<std::string> cuda_device_of(nb::handle object, const char* argument) {
    if (const auto device = dlpack_device_of(object)) {
        if (is_on_host(*device)) return {};
        if (is_on_cuda(*device)) return "cuda:" + std::to_string(device->id);
        invalid_call(std::string(argument) + ": the tensor is on a device of DLPack's type " +
                     std::to_string(device->type) + "; only CUDA's (2, 13) and the host's (1, 3) are known here");
    }
    if (nb::hasattr(object, "__cuda_array_interface__")) return "cuda";
    return {};
}

Tensor import_cuda(nb::handle object, const char* argument, std::string_view wanted, std::uint64_t stream) {
    const std::string device = *cuda_device_of(object, argument);
    if (device == "cuda") return from_cuda_array_interface(object, argument, wanted, stream);
    try {
        if (const dlpack::ExchangeApi* api = exchange_api_of(object)) {
            try {
                return from_exchange_api(*api, object, *dlpack_device_of(object), argument, stream);
            } catch (const nb::python_error& error) {  // __dlpack__ then succeeds, or raises the reason
                pass_interrupt(error);
            }
        }
        nb::kwargs arguments;
        arguments["stream"] = stream;
        const auto promised = dlpack_device_of(object).value_or(dlpack::Device{});
        Tensor tensor = from_capsule(export_of(object, arguments), promised, argument);
        tensor.device = device;
        return tensor;
    } catch (const StrideOverflow&) {
        if (!nb::hasattr(object, "__cuda_array_interface__")) throw;
    }
    return from_cuda_array_interface(object, argument, device, stream);
}

bool Seen::are_digests() const noexcept {
    const auto& [code, bits, lanes] = tensor.dtype;
    const bool is_word = (code == dlpack::type_uint || code == dlpack::type_int) && (bits == 32 || bits == 64);
    const bool is_byte = code == dlpack::type_uint && bits == 8;
    return tensor.ndim == 2 && lanes == 1 && (is_word || is_byte) &&
           tensor.shape[1] == std::int64_t{8 * Digest::size} / bits;
}

std::optional<Seen> TensorViewer::view(nb::handle object, std::uint64_t stream) {
    if (const PyTypeObject* type = Py_TYPE(object.ptr()); type != type_) {
        // NumPy arrays are left out, because they may be masked.
        api_ = is_ndarray(object) ? nullptr : exchange_api_of(object);
        type_ = type;
    }
    if (api_ == nullptr || api_->borrow_from_object == nullptr) return {};
    tensor_ = {};
    if (!borrow(*api_, object, tensor_) || !has_dimensions(tensor_)) return {};
    const dlpack::Tensor& tensor = tensor_;
    const bool on_host = is_on_host(tensor.device);
    const unsigned bits = unsigned{tensor.dtype.bits} * tensor.dtype.lanes;
    if ((!on_host && tensor.device.type != dlpack::cuda) || bits == 0 || bits % 8 != 0) return {};
    std::uint64_t items = 1;
    for (std::int32_t k = tensor.ndim; k-- > 0;) {
        const std::int64_t extent = tensor.shape[k];
        if (extent <= 0 ||
            (tensor.strides != nullptr && extent > 1 && tensor.strides[k] != static_cast<std::int64_t>(items))) {
            return {};
        }
        if (__builtin_mul_overflow(items, static_cast<std::uint64_t>(extent), &items) ||
            items > std::uint64_t{PY_SSIZE_T_MAX} / 16) {
            return {};
        }
    }
    if (tensor.data == nullptr || bits > 128) return {};
    if (!on_host && std::ranges::find(ordered_, tensor.device.id) == ordered_.end()) {
        order_after_producer(*api_, tensor.device.id, stream);
        ordered_.push_back(tensor.device.id);
    }
    return Seen{tensor, static_cast<std::byte*>(tensor.data) + tensor.byte_offset, items * (bits / 8)};
}

std::optional<Tensor> import_host(nb::handle object, const char* argument) {
    const auto promised = dlpack_device_of(object);
    if (!promised) return {};
    Tensor tensor = from_capsule(export_of(object, nb::kwargs()), *promised, argument);
    tensor.device = "cpu";
    return tensor;
}

}  // namespace merklize::binding
