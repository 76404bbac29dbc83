#include "run.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <utility>

#include "arguments.hpp"
#include "host/made_once.hpp"
#include "jobs/cpu_device.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"

namespace merklize::binding {

bool is_cpu(std::string_view name) {
    if (name != "auto") return name == "cpu";
    // "auto" may be any device, by MERKLIZE_DEVICE or by the costs that calibrate() stored.
    const char* named = std::getenv("MERKLIZE_DEVICE");
    if (named != nullptr && *named != '\0') return false;
    static const Device& automatic = *new Device("auto");  // never destroyed, because threads may compute at the end
    return runtime::state_of(automatic).costs.empty();
}

void prepare_libraries(std::string_view device) {
    if (is_cpu(device)) return;
    static std::atomic<bool> is_prepared{false};  // if two threads do it at once, that does no harm
    if (!is_prepared) nb::module_::import_("merklize._libraries").attr("prepare")();
    is_prepared = true;
}

Device to_device(std::string_view name) {
    prepare_libraries(name);
    return Device(name);
}

const CudaDevice& cuda_device(std::int32_t number) {
    static auto& known = *new std::map<std::int32_t, CudaDevice>;  // never destroyed, because drivers may be gone
    const auto found = known.find(number);
    if (found != known.end()) return found->second;
    const Device device = to_device("cuda:" + std::to_string(number));
    RunOptions options{.device = device};
    options.stream = shared_stream(device, cuda_stream_handle({}));
    RunOptions by_one_thread = options;
    by_one_thread.threads = 1;
    return known.try_emplace(number, CudaDevice{device, runtime::Internals::all_memory(device), options, by_one_thread})
        .first->second;
}

const RunOptions& on_this_thread() {
    static const RunOptions& options = *new RunOptions(runtime::on_this_thread());  // never destroyed, as above
    return options;
}

void require_device(const char* argument, std::string_view device, std::string_view wanted) {
    if (wanted == "auto" || wanted == device) return;
    // A tensor on "cuda" does not say which one, so it fits every CUDA device that the caller may have named.
    if (device == "cuda" && wanted.substr(0, wanted.find(':')) == "cuda") return;
    if (wanted.find(':') == wanted.npos && device == std::string(wanted) + ":0") return;
    throw Error(ErrorCode::invalid_argument, std::string(argument) + ": the tensor is on " + std::string(device) +
                                                 ", device= says " + std::string(wanted));
}

std::uint64_t cuda_stream_handle(const std::optional<std::uint64_t>& stream) {
    constexpr std::uint64_t default_stream = 1;
    return stream.value_or(0) == 0 ? default_stream : *stream;
}

Stream to_stream(const Device& device, std::uint64_t handle) {
    return Stream::wrap(device, reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle)));
}

Stream shared_stream(const Device& device, std::uint64_t handle) {
    constexpr std::uint64_t last_default = 2;  // CUDA's: 1, and 2 for each thread's own
    if (handle > last_default) return to_stream(device, handle);
    static runtime::MadeOnce<std::pair<Device, std::uint64_t>, Stream> known;
    return known.get({device, handle}, [&] { return handle == 0 ? Stream(device) : to_stream(device, handle); });
}

void check_signals() { checked(PyErr_CheckSignals()); }

thread_local std::exception_ptr Run::raised_;

Run::Run(const Settings& settings, const DeviceArray* data) {
    if (data != nullptr) require_device("device", data->device().id, settings.device);
    options_.device = data != nullptr ? data->buffer.device() : to_device(settings.device);
    options_.threads = settings.threads;
    options_.policy = settings.policy;
    PyObject* callable = settings.progress.is_none() ? nullptr : settings.progress.ptr();
    options_.progress = [callable](double done) { return call_progress(callable, done); };
    if (!settings.timings.is_none()) {
        options_.timings = &bound<Timings>(settings.timings);
        *options_.timings = Timings{};  // also for calls that have nothing to do and so no times
    }
    const bool is_cuda = options_.device.info().backend == "cuda";
    if (settings.stream) {
        if (on_host()) {
            throw Error(ErrorCode::invalid_argument, "stream: " + options_.device.info().id +
                                                         " has no queues; the data is on the host and device= names "
                                                         "no other device");
        }
        options_.stream =
            shared_stream(options_.device, is_cuda ? cuda_stream_handle(settings.stream) : *settings.stream);
    } else if (data != nullptr && is_cuda) {
        options_.stream = shared_stream(options_.device, cuda_stream_handle({}));
    }
    hand_over_log();  // also of calls that keep the GIL
}

bool Run::call_progress(PyObject* progress, double done) {
    const GilReleased::Interrupted taken_back;
    try {
        check_signals();
        if (progress == nullptr) return true;
        const nb::float_ share(done);
        const nb::object answer = checked(call_or_sleep(progress, share.ptr()));
        return !cancels(answer);
    } catch (...) {
        raised_ = std::current_exception();
        return false;
    }
}

}  // namespace merklize::binding
