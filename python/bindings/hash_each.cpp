#include <deque>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "policy.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// The messages of a call, each where it lies. Keeps them alive.
class Messages {
public:
    /// messages  a list; somebody else may change it meanwhile
    /// names     a list of what error texts call them, or None: their numbers
    Messages(nb::handle messages, nb::handle names, const Settings& settings)
        : objects_(nb::steal<nb::tuple>(PySequence_Tuple(messages.ptr()))) {
        if (!objects_.is_valid()) nb::raise_python_error();
        views_.reserve(objects_.size());
        for (std::size_t i = 0; i < objects_.size(); i++) {
            try {
                add(objects_[i], "hash_each: a message", settings);
            } catch (...) {  // once more, to say which one
                const std::string name =
                    names.is_none() ? std::to_string(i) : nb::cast<std::string>(nb::repr(names[i]));
                add(objects_[i], ("hash_each: message " + name).c_str(), settings);
                throw;
            }
        }
    }

    std::span<const MessageView> views() const noexcept { return views_; }
    std::size_t size() const noexcept { return views_.size(); }

    /// Options for messages that may lie on several devices: `device` is that of those on the host.
    RunOptions options(const Run& run, const Settings& settings) const {
        RunOptions options = run.options();
        options.device = to_device(settings.device);
        if (devices_.size() < 2 || settings.stream) return options;
        // Streams of several devices have no order of their own: what the producers enqueued is waited for.
        options.stream = {};
        for (const DeviceArray* one : devices_) {
            const Device& device = one->buffer.device();
            if (device.info().backend == "cuda")
                Run::without_gil([&] { to_stream(device, cuda_stream_handle({})).synchronize(); });
        }
        return options;
    }

    /// One of those on a device, or null.
    const DeviceArray* on_device() const noexcept { return devices_.empty() ? nullptr : devices_.front(); }

private:
    void add(nb::handle object, const char* what, const Settings& settings) {
        if (PyBytes_CheckExact(object.ptr())) {
            char* bytes = nullptr;
            Py_ssize_t size = 0;
            PyBytes_AsStringAndSize(object.ptr(), &bytes, &size);
            views_.emplace_back(std::span(reinterpret_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)));
            return;
        }
        const Input& input = inputs_.emplace_back(object, what, settings);
        const DeviceArray* array = input.on_device();
        if (array == nullptr) return void(views_.emplace_back(input.span()));
        require_device(what, array->device().id, settings.device);
        views_.emplace_back(array->buffer);
        for (const DeviceArray* known : devices_) {
            if (known->buffer.device() == array->buffer.device()) return;
        }
        devices_.push_back(array);
    }

    nb::tuple objects_;
    std::deque<Input> inputs_;
    std::vector<MessageView> views_;
    std::vector<const DeviceArray*> devices_;  // the first of each device
};

void hash_each(nb::handle messages, nb::handle names, nb::handle out, nb::handle key, nb::handle context,
               nb::handle length, nb::handle seek, const Settings& settings, nb::handle policy) {
    const Messages given(messages, names, settings);
    const Mode mode = to_mode(key, context, "hash_each");
    const std::uint64_t bytes = to_u64(length, "hash_each: length"), first = to_u64(seek, "hash_each: seek");
    const OutputBytes output(out);
    const Run run(settings, given.on_device(), to_policy(policy));
    const RunOptions options = given.options(run, settings);
    Run::without_gil([&] { merklize::hash_each(given.views(), output.span(), bytes, first, mode, options); });
}

void hash_message_each(nb::handle messages, nb::handle names, nb::handle out, nb::handle hash,
                       const Settings& settings) {
    const Messages given(messages, names, settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const OutputBytes output(out);
    const Run run(settings, given.on_device());
    const RunOptions options = given.options(run, settings);
    Run::without_gil([&] {
        const std::vector<Digest> digests = merklize::hash_message_each(given.views(), which, options);
        std::ranges::copy(digests, as_digests(output.span()).begin());
    });
}

}  // namespace

void bind_hash_each(nb::module_& m) {
    define(m, "hash_each", hash_each,
           "def hash_each(messages: list[object], names: list[object] | None, out: object, key: object, context: str | "
           "None, length: int, seek: int, settings: Settings, policy: object, /) -> None");
    define(m, "hash_message_each", hash_message_each,
           "def hash_message_each(messages: list[object], names: list[object] | None, out: object, hash: str, "
           "settings: Settings, /) -> None");
}

}  // namespace merklize::binding
