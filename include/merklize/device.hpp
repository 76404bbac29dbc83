#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/policy.hpp>

namespace merklize {

namespace runtime {
struct DeviceState;
class StreamState;
}  // namespace runtime

/// What a device is. `id` is the name to ask for it by.
struct DeviceInfo {
    std::string id;       ///< "cpu", "cuda:0", "opencl:0", ...; several devices: as asked for
    std::string backend;  ///< "cpu", "cuda", "opencl", ...
    std::string name;     ///< as the vendor calls it
    std::string vendor;
    std::string driver;  ///< version of the driver or runtime; empty for the CPU
    std::string
        isa;  ///< instruction set or architecture in use: "scalar", "avx2", "avx512", "neon", "sm_90", "OpenCL C 1.2"
    unsigned units = 0;  ///< CPU threads that this process may use, or compute units
    std::uint64_t memory_bytes = 0;
};

/// Every usable device, best first. Never throws: a backend that cannot work is missing here, and why_unavailable() says why.
std::vector<DeviceInfo> devices();

/// Why `name` ("cuda", "opencl:0", ...) cannot be used, or an empty string if it can.
std::string why_unavailable(std::string_view name);

/// An opened device: a cheap handle, freely copied. Safe to use from several threads at once.
///
/// Or several devices as one, for jobs on host memory: each gets an equal share, by a host thread of its own, and the CPU merges
/// what comes back. Such a device has no Buffer and no Stream, and a MerkleTree of it has its nodes on the host; what lies on
/// several devices is for hash_parts() and merkle_root_parts(). Times are those of the slowest.
class Device {
public:
    /// "auto": what MERKLIZE_DEVICE in the environment names; else, once calibrate() has measured this machine, the device that
    /// is fastest for a call's job and size (results say which one it was); else the CPU. info() is the CPU's then.
    Device();
    /// `name`: "auto", or an id as in devices() ("cpu"); several: "cuda:all" or "cuda:0,opencl:1", each once, without the CPU.
    /// errors  invalid_argument (no such name; a device twice, the CPU among several), unavailable (known, but not usable here: the text says why)
    explicit Device(std::string_view name);

    const DeviceInfo& info() const noexcept;
    const runtime::DeviceState& state() const noexcept { return *state_; }

private:
    std::shared_ptr<const runtime::DeviceState> state_;
};

/// Jobs for which "auto" chooses the device: hash() of host memory; build_tree(), merkle_root() and MerkleTree of host memory, by
/// a hash of bytes or by a hash of field elements. All others are the CPU's.
enum class Job : std::uint8_t { digest, bytes_tree, elements_tree };

/// "digest", "tree of a byte hash", "tree of a field hash".
const char* name_of(Job job) noexcept;

/// What a job on host memory costs on a device: about latency + bytes / rate.
struct Cost {
    std::string device;  ///< its id
    Job job{};
    double latency = 0;  ///< seconds
    double rate = 0;     ///< bytes of input a second
};

/// Measures each job on each usable device, and keeps the figures for "auto" of processes that start from now on: for this
/// processor, these devices, their drivers and this version of the library, in the cache folder (docs/cli.md).
/// progress  called between measurements with the share done; returning false cancels
/// errors    io (they cannot be kept), out_of_memory, cancelled
/// cost      some seconds a device, more the first time: kernels are compiled
std::vector<Cost> calibrate(const std::function<bool(double done)>& progress = {});

/// The figures that are kept, of devices that are still as they were measured; empty if there are none.
std::vector<Cost> calibration();

/// A queue of a device, which runs its commands in order. A cheap handle; the queue lives as long as one of them. Calls that get
/// one begin after everything enqueued on it before; they are complete when they return.
class Stream {
public:
    /// A queue of our own.  errors  unavailable (a device without queues: the CPU)
    explicit Stream(const Device& device);
    /// The caller's CUstream (1 is CUDA's default stream), cl_command_queue or sycl::queue*; not owned.
    static Stream wrap(const Device& device, void* native);

    const Device& device() const noexcept;
    /// Waits for all of it.
    void synchronize() const;
    const runtime::StreamState& state() const noexcept { return *state_; }

private:
    explicit Stream(std::shared_ptr<runtime::StreamState> state) : state_(std::move(state)) {}
    std::shared_ptr<runtime::StreamState> state_;
};

/// Seconds of a call by the device's own clock. `available` is false on the CPU and on a caller's queue without profiling.
struct Timings {
    bool available = false;
    double kernel = 0;  ///< from the start of the first kernel to the end of the last, of each stretch without a copy
    double to_device = 0;  ///< copies from the host
    double to_host = 0;    ///< copies to the host
};

/// How one call runs. Every function that computes takes one; the default is right for most.
struct RunOptions {
    Device device{};
    /// CPU threads to use, the caller's included; 0 = all that the process may use.
    unsigned threads = 0;
    /// Called about every 50 ms from the calling thread with the share of the work that is done, 0 to 1; returning false cancels
    /// the work with Error(cancelled).
    std::function<bool(double done)> progress{};
    /// The queue to run on; nothing = one of our own. Must be of `device`.
    std::optional<Stream> stream{};
    /// Tuning values: how the job runs on the device. No choice changes a byte.
    Policy policy{};
    /// Where to put the times, or null: measuring them costs a few microseconds.
    Timings* timings = nullptr;
};

}  // namespace merklize
