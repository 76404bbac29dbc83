#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>
#include <merklize/merklize.hpp>

#include "device_array.hpp"
#include "gil.hpp"
#include "log.hpp"
#include "python_calls.hpp"
#include "settings.hpp"

namespace merklize::binding {

namespace nb = nanobind;

/// Whether a device's name means the CPU for every job: "cpu", or "auto" if nothing chooses another device.
bool is_cpu(std::string_view name);
/// Makes merklize._libraries look, at the first call, for the libraries that pip installed for devices. Takes some
/// milliseconds.
/// device  "": any; for the CPU nothing is done
void prepare_libraries(std::string_view device = {});
/// The device of this name.
Device to_device(std::string_view name);
/// A CUDA device, and what calls on tensors there need of it. Made once: a name takes a microsecond to look up.
struct CudaDevice {
    Device device;
    ConstBuffer memory;                 ///< all of it
    RunOptions options, by_one_thread;  ///< on the default stream, without progress
};
const CudaDevice& cuda_device(std::int32_t number);
/// Options of a call that runs on the CPU, in the calling thread and without progress.
const RunOptions& on_this_thread();
/// errors  InvalidArgument: data on `device` with another device asked for by name
void require_device(const char* argument, std::string_view device, std::string_view wanted);

/// CUDA's handle of a queue: none and 0 are the default stream, 1.
std::uint64_t cuda_stream_handle(const std::optional<std::uint64_t>& stream);
/// The caller's queue. `handle`: CUstream or cl_command_queue, as a number.
Stream to_stream(const Device& device, std::uint64_t handle);
/// The same, but queues that nobody can destroy are wrapped only once: CUDA's default streams, and 0, a queue of the
/// package's own.
Stream shared_stream(const Device& device, std::uint64_t handle);

/// Lets Python handle pending signals.  errors  whatever a handler raises: KeyboardInterrupt
void check_signals();

/// Runs library code without the GIL. Ctrl-C, or an exception of the caller's progress function, ends it and is raised.
class Run {
public:
    /// data  null, or data that is on a device already, where the call then runs
    explicit Run(const Settings& settings, const DeviceArray* data = nullptr);

    const RunOptions& options() const noexcept { return options_; }
    bool on_host() const { return options_.device.info().backend == "cpu"; }

    template <class Work>
    void operator()(Work&& work) const {
        without_gil([&] { work(options_); });
    }

    template <class Work>
    static void without_gil(Work&& work) {
        std::exception_ptr failure;
        {
            const GilReleased released;
            try {
                work();
            } catch (...) {
                failure = std::current_exception();
            }
        }
        // An exception of Python is the cause of the library's "cancelled", so it goes first.
        if (auto raised = std::exchange(raised_, nullptr)) std::rethrow_exception(raised);
        try {
            hand_over_log();
        } catch (const nb::python_error& error) {
            if (!failure) throw;  // the call's own error goes first
            pass_interrupt(error);
        }
        if (failure) std::rethrow_exception(failure);
    }

private:
    static bool call_progress(PyObject* progress, double done);

    // The library calls progress functions from the thread that called it, so one slot for each thread is enough, and
    // an options object that outlives its Run (a Hasher's) holds no pointer to it.
    static thread_local std::exception_ptr raised_;
    RunOptions options_{.device = Device("cpu")};  // until the device is known, because "auto" may need libraries first
};

}  // namespace merklize::binding
