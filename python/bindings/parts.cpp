#include <deque>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "module.hpp"
#include "run.hpp"

namespace merklize::binding {

namespace {

/// Arrays on devices, each where it is.
class Parts {
public:
    Parts(nb::handle objects, const Settings& settings) {
        std::size_t k = 0;
        for (nb::handle object : to_iterable(objects, "parts")) {
            const std::string name = "part " + std::to_string(k++);
            const Input& input = inputs_.emplace_back(object, name.c_str(), settings);
            if (input.on_device() == nullptr) {
                throw Error(ErrorCode::invalid_argument,
                            name +
                                " is on the host; parts lie on devices. For host data on several devices, name them: "
                                "device=\"cuda:all\"");
            }
            buffers_.push_back(input.buffer());
        }
    }

    /// Waits for the work that the parts' producers enqueued, because streams of several devices have no common order.
    void settle() const {
        for (const Input& input : inputs_) {
            const Device& device = input.buffer().device();
            if (device.info().backend == "cuda") to_stream(device, cuda_stream_handle({})).synchronize();
        }
    }

    std::span<const ConstBuffer> buffers() const noexcept { return buffers_; }

private:
    std::deque<Input> inputs_;
    std::vector<ConstBuffer> buffers_;
};

nb::bytes hash_parts(nb::handle parts, nb::handle key, nb::handle context, nb::handle length, nb::handle seek,
                     const Settings& settings) {
    const Parts given(parts, settings);
    const Mode mode = to_mode(key, context);
    const Run run(settings, nullptr);
    const Output out(length, seek);
    given.settle();
    run([&](const RunOptions& options) {
        merklize::hash_parts(given.buffers(), out.span(), out.seek(), mode, options);
    });
    return out.bytes();
}

nb::bytes merkle_root_parts(nb::handle parts, nb::handle hash, const Settings& settings) {
    const Parts given(parts, settings);
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const Run run(settings, nullptr);
    Digest root;
    given.settle();
    run([&](const RunOptions& options) { root = merklize::merkle_root_parts(given.buffers(), which, options); });
    return to_bytes(root.bytes);
}

}  // namespace

void bind_parts(nb::module_& m) {
    define(m,
           "def hash_parts(parts: collections.abc.Iterable[object], key: object, context: str | None, length: int, "
           "seek: int, "
           "settings: Settings, /) -> bytes",
           hash_parts);
    define(m,
           "def merkle_root_parts(parts: list[object], hash: str, settings: Settings, /) "
           "-> bytes",
           merkle_root_parts);
}

}  // namespace merklize::binding
