#include <algorithm>
#include <deque>
#include <optional>
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
    void found(std::size_t) noexcept {}
    void add(std::span<const std::byte> host) { views_.emplace_back(host); }
    void add(const ConstBuffer& buffer) { views_.emplace_back(buffer); }
    void add(const ConstBuffer& in, std::uint64_t first, std::uint64_t bytes) {
        views_.emplace_back(runtime::Internals::part_of(in, first, bytes));
    }
    std::span<const MessageView> get() const noexcept { return views_; }

private:
    std::vector<MessageView> views_;
};

/// The messages of a call by their places. A device hashes the first ones while the host looks for the others, which
/// takes it as long.
class Groups : public runtime::MessageGroups {
public:
    /// settings  of a call for plain digests, without a stream, progress or timings; null: of another call
    Groups(std::size_t n, const Settings* settings)
        : MessageGroups(n, std::exchange(kept(), {})),
          n_(n),
          batch_(std::max(least_batch, (n + 7) / 8)),
          next_(batch_),
          settings_(settings) {}
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;
    ~Groups() {
        if (ahead_) {
            const GilReleased released;  // for the device's work
            ahead_.reset();
        }
        if (groups().empty()) return;
        std::vector<runtime::Extent>& room = groups()[0].messages;
        room.clear();
        if (room.capacity() > kept().capacity() && room.capacity() <= most_kept) kept().swap(room);
    }

    /// The first n messages have been added.
    void found(std::size_t n) {
        if (n != next_ || n == n_ || settings_ == nullptr) return;
        next_ += batch_;
        const Group& group = groups()[0];
        const std::span<const runtime::Extent> batch = rest(group);
        std::uint64_t bytes = 0;
        for (const runtime::Extent& message : batch) bytes += message.bytes;
        // Of short messages the device makes less work than a launch; of long ones each batch would add launches.
        if (groups().size() != 1 || !group.device || bytes < least_bytes || bytes > most_average * batch.size()) {
            settings_ = nullptr;
            return;
        }
        Run::without_gil([&] {
            const PublicCall entry("hash_each");
            if (!ahead_) ahead_.emplace(options_on(*group.device), n_);
            ahead_->add(batch);
        });
    }

    /// Hashes all messages. Called without the GIL.
    void hash(std::span<std::byte> out, const runtime::Output& wanted, const RunOptions& options) {
        if (ahead_) {
            const bool is_all = groups().size() == 1;
            if (is_all) ahead_->add(rest(groups()[0]));
            ahead_->finish(out.data());
            if (!is_all) take_out_first(ahead_->size());
            ahead_.reset();
            if (is_all) return;
        }
        runtime::hash_each(*this, out, wanted, options);
    }

private:
    // The room of the thread's earlier call, because the system zeroes each page that it gives a call again.
    static std::vector<runtime::Extent>& kept() {
        static thread_local std::vector<runtime::Extent> room;
        return room;
    }

    // A batch costs a device some 10 us beside its work, and the host looks at this many messages in some 40.
    static constexpr std::size_t least_batch = 512, most_kept = 1 << 17;
    static constexpr std::uint64_t least_bytes = 8 << 20, most_average = 256 << 10;

    std::span<const runtime::Extent> rest(const Group& group) const {
        return std::span(group.messages).subspan(ahead_ ? ahead_->size() : 0);
    }
    RunOptions options_on(const Device& device) const {
        RunOptions options{.device = device, .threads = settings_->threads, .policy = settings_->policy};
        if (device.info().backend == "cuda") options.stream = shared_stream(device, cuda_stream_handle({}));
        return options;
    }

    const std::size_t n_, batch_;
    std::size_t next_;
    const Settings* settings_;
    std::optional<runtime::DigestsAhead> ahead_{};
};

/// The messages of a call, each where it lies. Keeps them alive.
/// Places  Views or Groups
template <class Places>
class Messages {
public:
    /// messages  a list, which another thread may change meanwhile, or a tuple
    /// names     a tuple of the messages' names in error texts, or None: they are numbered
    template <class... Arguments>
    Messages(nb::handle messages, nb::handle names, const Settings& settings, Arguments... arguments)
        : objects_(checked<nb::tuple>(PySequence_Tuple(messages.ptr()))), places_(objects_.size(), arguments...) {
        for (std::size_t i = 0; i < objects_.size(); i++) {
            try {
                add(objects_[i], "a message", settings);
            } catch (...) {  // imports it again, with its name in the error
                const std::string name = names.is_none() ? std::to_string(i) : shown(names[i]);
                add(objects_[i], ("message " + name).c_str(), settings);
                throw;
            }
            places_.found(i + 1);
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
            if (seen->device().type != dlpack::cuda)
                return places_.add(std::span<const std::byte>(seen->first, seen->bytes));
            if (known_ == nullptr || seen->device().id != number_) {
                require_device(argument, "cuda:" + std::to_string(seen->device().id), settings.device);
                known_ = &cuda_device(seen->device().id);
                number_ = seen->device().id;
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

// Whether a call asks for plain digests of all messages and for nothing else.
bool is_plain(nb::handle key, nb::handle context, nb::handle length, nb::handle seek, const Settings& settings) {
    const auto is = [](nb::handle value, long number) {
        int is_large = 0;
        return PyLong_CheckExact(value.ptr()) != 0 && PyLong_AsLongAndOverflow(value.ptr(), &is_large) == number &&
               is_large == 0;
    };
    return key.is_none() && context.is_none() && is(length, Digest::size) && is(seek, 0) && !settings.stream &&
           settings.progress.is_none() && settings.timings.is_none();
}

void hash_each(nb::handle messages, nb::handle names, nb::handle out, nb::handle key, nb::handle context,
               nb::handle length, nb::handle seek, const Settings& settings) {
    Messages<Groups> given(messages, names, settings,
                           is_plain(key, context, length, seek, settings) ? &settings : nullptr);
    const Mode mode = to_mode(key, context);
    const std::uint64_t bytes = to_u64(length, "length"), first = to_u64(seek, "seek");
    const OutputBytes output(out);
    const RunOptions options = given.options(settings);
    // `out` is an array that the package has just made, so no message overlaps it.
    Run::without_gil([&] {
        const PublicCall entry("hash_each");
        runtime::require_outputs(given.size(), output.span().size(), bytes);
        given.places().hash(output.span(), {bytes, first, mode}, options);
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
    if (bytes != 0 ? all.span().size() / bytes < keys.size() : !all.span().empty())
        invalid_call("names", "must be at most as many as digests, got " + std::to_string(keys.size()));
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
           "key: object, context: str | None, length: int, seek: int, settings: Settings, /) -> None",
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
           "object, hash: str, key: object, length: int, settings: Settings, /) -> None",
           hash_message_each);
}

}  // namespace merklize::binding
