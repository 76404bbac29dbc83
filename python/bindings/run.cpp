#include "run.hpp"

#include <cstdlib>

#include "arguments.hpp"
#include "jobs/registry.hpp"

namespace merklize::binding {

void prepare_libraries() {
    static bool is_prepared = false;  // only touched with the GIL
    if (!is_prepared) nb::module_::import_("merklize._libraries").attr("prepare")();
    is_prepared = true;
}

Device to_device(std::string_view name) {
    // "auto" may be any device, by MERKLIZE_DEVICE or by what calibrate() has kept.
    const auto may_be_other = [] {
        const char* automatic = std::getenv("MERKLIZE_DEVICE");
        return (automatic != nullptr && *automatic != '\0') || Device("auto").state().chooses();
    };
    if (name == "auto" ? may_be_other() : name != "cpu") prepare_libraries();
    return Device(name);
}

void require_device(const char* what, std::string_view device, std::string_view wanted) {
    if (wanted == "auto" || wanted == device) return;
    // "cuda" is "cuda:0" where somebody asks for it, and any of them where a tensor does not say.
    if (device == "cuda" && wanted.substr(0, wanted.find(':')) == "cuda") return;
    if (wanted.find(':') == wanted.npos && device == std::string(wanted) + ":0") return;
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": the tensor is on " + std::string(device) +
                                                 ", device= says " + std::string(wanted));
}

std::uint64_t to_stream_handle(nb::handle stream) {
    constexpr std::uint64_t default_stream = 1;
    if (stream.is_none()) return default_stream;
    const std::uint64_t handle = to_u64(stream, "stream");
    return handle == 0 ? default_stream : handle;
}

Stream to_stream(const Device& device, std::uint64_t handle) {
    return Stream::wrap(device, reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle)));
}

thread_local std::exception_ptr Run::raised_;

Run::Run(nb::handle settings, const DeviceArray* data, const Policy& policy) {
    PyObject* parts[5];
    if (!PyArg_ParseTuple(settings.ptr(), "OOOOO", &parts[0], &parts[1], &parts[2], &parts[3], &parts[4])) {
        nb::raise_python_error();
    }
    const nb::handle device = parts[0], threads = parts[1], progress = parts[2], stream = parts[3], timings = parts[4];
    const std::string_view name = to_text(device, "device");
    if (data != nullptr) require_device("device", data->device().id, name);
    options_.device = data != nullptr ? data->buffer.device() : to_device(name);
    options_.threads = to_threads(threads);
    options_.policy = policy;
    PyObject* callable = progress.is_none() ? nullptr : progress.ptr();
    if (callable && !PyCallable_Check(callable)) wrong_type("progress", "callable", progress);
    options_.progress = [callable](double done) { return call_progress(callable, done); };
    if (!timings.is_none()) {
        if (!nb::isinstance<Timings>(timings)) wrong_type("timings", "a Timings object or None", timings);
        options_.timings = nb::inst_ptr<Timings>(timings);
        *options_.timings = Timings{};  // also where there is nothing to do, and so nothing to time
    }
    const bool is_cuda = options_.device.info().backend == "cuda";
    if (!stream.is_none()) {
        if (on_host()) {
            throw Error(ErrorCode::invalid_argument, "stream: " + options_.device.info().id +
                                                         " has no queues; the data "
                                                         "is on the host and device= names no other device");
        }
        options_.stream = to_stream(options_.device, is_cuda ? to_stream_handle(stream) : to_u64(stream, "stream"));
    } else if (data != nullptr && is_cuda) {
        options_.stream = to_stream(options_.device, to_stream_handle(stream));
    }
}

bool Run::call_progress(PyObject* progress, double done) {
    nb::gil_scoped_acquire acquired;
    try {
        if (PyErr_CheckSignals() != 0) nb::raise_python_error();
        return !progress || !nb::handle(progress)(done).is(Py_False);
    } catch (...) {
        raised_ = std::current_exception();
        return false;
    }
}

}  // namespace merklize::binding
