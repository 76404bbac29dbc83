#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "digests/hash_each.hpp"
#include "jobs/internals.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// Views of the messages of a call, for calls that take each by itself.
class Views {
public:
    explicit Views(std::size_t n) { views_.reserve(n); }
    void add(std::span<const std::byte> host) { views_.emplace_back(host); }
    void add(const ConstBuffer& buffer) { views_.emplace_back(buffer); }
    void add(const ConstBuffer& in, std::uint64_t first, std::uint64_t bytes) {
        views_.emplace_back(runtime::Internals::part_of(in, first, bytes));
    }
    std::span<const MessageView> get() const noexcept { return views_; }

private:
    std::vector<MessageView> views_;
};

/// The messages of a call, each where it lies. Keeps them alive.
/// Places  Views or runtime::MessageGroups
template <class Places>
class Messages {
public:
    /// messages  a list, which another thread may change meanwhile, or a tuple
    /// names     a tuple of the messages' names in error texts, or None: they are numbered
    Messages(nb::handle messages, nb::handle names, const Settings& settings)
        : objects_(checked<nb::tuple>(PySequence_Tuple(messages.ptr()))), places_(objects_.size()) {
        for (std::size_t i = 0; i < objects_.size(); i++) {
            try {
                add(objects_[i], "a message", settings);
            } catch (...) {  // imports it again, with its name in the error
                const std::string name = names.is_none() ? std::to_string(i) : shown(names[i]);
                add(objects_[i], ("message " + name).c_str(), settings);
                throw;
            }
        }
    }

    Places& places() noexcept { return places_; }
    std::size_t size() const noexcept { return objects_.size(); }

    /// The options' device is for messages on the host. The stream belongs to the only device that messages are on.
    RunOptions options(const Settings& settings) const {
        Settings for_host = settings;
        if (!devices_.empty()) for_host.stream.reset();
        RunOptions options = Run(for_host).options();
        if (devices_.empty()) return options;
        if (devices_.size() == 1 || settings.stream) {
            const bool is_cuda = devices_[0].info().backend == "cuda";
            if (is_cuda || settings.stream) {
                options.stream =
                    shared_stream(devices_[0], is_cuda ? cuda_stream_handle(settings.stream) : *settings.stream);
            }
            return options;
        }
        // Streams of several devices have no common order, so this waits for the work that the producers enqueued.
        for (const Device& device : devices_) {
            if (device.info().backend == "cuda")
                Run::without_gil([&] { shared_stream(device, cuda_stream_handle({})).synchronize(); });
        }
        return options;
    }

private:
    void add(nb::handle object, const char* argument, const Settings& settings) {
        if (PyBytes_CheckExact(object.ptr())) {
            char* bytes = nullptr;
            Py_ssize_t size = 0;
            PyBytes_AsStringAndSize(object.ptr(), &bytes, &size);
            return places_.add(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
        }
        if (!is_known_tensor(object) && is_plain_memory(object)) {
            if (const PlainMemory& memory = memories_.emplace_back(object); memory.is_valid())
                return places_.add(memory.bytes());
            memories_.pop_back();
        }
        if (const auto seen = viewer_.view(object, cuda_stream_handle(settings.stream))) {
            if (seen->device.type != dlpack::cuda)
                return places_.add(std::span<const std::byte>(seen->first, seen->bytes));
            if (known_ == nullptr || seen->device.id != number_) {
                require_device(argument, "cuda:" + std::to_string(seen->device.id), settings.device);
                known_ = &cuda_device(seen->device.id);
                number_ = seen->device.id;
                note(known_->device);
            }
            return places_.add(known_->memory, seen->address(), seen->bytes);
        }
        const Input& input = inputs_.emplace_back(object, argument, settings);
        const DeviceArray* array = input.on_device();
        if (array == nullptr) return places_.add(input.span());
        require_device(argument, array->device().id, settings.device);
        places_.add(array->buffer);
        note(array->buffer.device());
    }

    void note(const Device& device) {
        if (std::ranges::find(devices_, device) == devices_.end()) devices_.push_back(device);
    }

    nb::tuple objects_;
    std::deque<PlainMemory> memories_;
    std::deque<Input> inputs_;
    Places places_;
    std::vector<Device> devices_;  // on which messages lie
    TensorViewer viewer_;
    const CudaDevice* known_ = nullptr;  // of the last tensor
    std::int32_t number_ = 0;            // of that device
};

void hash_each(nb::handle messages, nb::handle names, nb::handle out, nb::handle key, nb::handle context,
               nb::handle length, nb::handle seek, const Settings& settings) {
    Messages<runtime::MessageGroups> given(messages, names, settings);
    const Mode mode = to_mode(key, context);
    const std::uint64_t bytes = to_u64(length, "length"), first = to_u64(seek, "seek");
    const OutputBytes output(out);
    const RunOptions options = given.options(settings);
    // `out` is an array that the package has just made, so no message overlaps it.
    Run::without_gil([&] {
        const PublicCall entry("hash_each");
        runtime::require_outputs(given.size(), output.span().size(), bytes);
        runtime::hash_each(std::move(given.places()), output.span(), {bytes, first, mode}, options);
    });
}

void hash_message_each(nb::handle messages, nb::handle names, nb::handle out, nb::handle hash, nb::handle key,
                       nb::handle length, const Settings& settings) {
    Messages<Views> given(messages, names, settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const MessageForm form(which, to_mode(key, nb::none(), which));
    const std::uint64_t bytes = to_u64(length, "length");
    const OutputBytes output(out);
    const RunOptions options = given.options(settings);
    Run::without_gil([&] { merklize::hash_message_each(given.places().get(), output.span(), bytes, form, options); });
}

// A dict of the digests with their names.
nb::dict named_digests(nb::handle names, nb::handle digests, nb::handle length) {
    const auto keys = nb::borrow<nb::tuple>(names);
    const InputBytes all(digests, "digests");
    const std::uint64_t bytes = to_u64(length, "length");
    nb::dict named;
    for (std::size_t i = 0; i < keys.size(); i++) {
        const nb::object digest = to_bytes(all.span().subspan(bytes * i, bytes));
        checked(PyDict_SetItem(named.ptr(), nb::handle(keys[i]).ptr(), digest.ptr()));
    }
    return named;
}

/// Rows of equal length as messages, of an array on the host or on a device.
void hash_rows_output(nb::handle rows, nb::handle row_bytes, nb::handle out, nb::handle key, nb::handle context,
                      nb::handle length, nb::handle seek, const Settings& settings) {
    const Input input(rows, "rows", settings);
    const Mode mode = to_mode(key, context);
    const std::uint64_t bytes = to_u64(length, "length"), first = to_u64(seek, "seek");
    const std::uint64_t width = to_u64(row_bytes, "row length");
    const OutputBytes output(out);
    const Run run(settings, input.on_device());
    std::vector<MessageView> views(bytes == 0 ? 0 : output.span().size() / bytes);
    for (std::size_t i = 0; i < views.size(); i++) {
        if (input.on_device() != nullptr)
            views[i] = input.buffer().slice(width * i, width);
        else
            views[i] = input.span().subspan(width * i, width);
    }
    run([&](const RunOptions& options) { merklize::hash_each(views, output.span(), bytes, first, mode, options); });
}

}  // namespace

void bind_hash_each(nb::module_& m) {
    define(m,
           "def hash_each(messages: list[object] | tuple[object, ...], names: tuple[object, ...] | None, out: object, "
           "key: object, context: str | "
           "None, length: int, seek: int, settings: Settings, /) -> None",
           hash_each);
    define(m,
           "def named_digests(names: tuple[object, ...], digests: object, length: int, /) -> dict[typing.Any, bytes]",
           named_digests);
    define(m,
           "def hash_rows_output(rows: object, row_bytes: int, out: object, key: object, context: str | None, length: "
           "int, seek: int, settings: Settings, /) -> None",
           hash_rows_output);
    define(m,
           "def hash_message_each(messages: list[object] | tuple[object, ...], names: tuple[object, ...] | None, out: "
           "object, hash: str, "
           "key: object, length: int, settings: Settings, /) -> None",
           hash_message_each);
}

}  // namespace merklize::binding
