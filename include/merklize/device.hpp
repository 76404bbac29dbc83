#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <merklize/cxx20.h>
#include <merklize/export.h>
#include <merklize/hashes.hpp>
#include <merklize/policy.hpp>

namespace merklize::runtime {
struct DeviceState;
class StreamState;
class EventState;
struct Internals;  // the library's own way to what handles refer to
}  // namespace merklize::runtime

namespace merklize::inline v0 {

/// Describes a device.
struct DeviceInfo {
    std::string id;       ///< the name that opens it: "cpu", "cuda:0", ...; for several devices: the caller's text
    std::string backend;  ///< "cpu", "cuda", "opencl", ...
    std::string name;     ///< the vendor's name of the device
    std::string vendor;
    std::string driver;  ///< version of the driver or runtime; empty on the CPU
    std::string
        isa;  ///< instruction set or architecture in use: "scalar", "avx2", "avx512", "neon", "sm_90", "OpenCL C 1.2"
    unsigned units = 0;  ///< CPU threads that this process may use, or compute units
    std::uint64_t memory_bytes = 0;
};

/// Every usable device, best first. Never throws: a backend that cannot work is left out, and why_unavailable() gives
/// the reason.
MERKLIZE_API std::vector<DeviceInfo> devices();

/// Why `name` ("cuda", "opencl:0", ...) cannot be used, or an empty string if it can.
MERKLIZE_API std::string why_unavailable(std::string_view name);

/// An opened device: a cheap handle that may be copied freely and used from several threads at once.
///
/// A Device can also be several devices that act as one, for jobs on host memory. Each device gets an equal share and
/// its own host thread; the CPU merges the results. Such a Device has no Buffer and no Stream, and the nodes of its
/// MerkleTree are on the host. Data that already lies on several devices goes to hash_parts() and merkle_root_parts().
/// Timings show the slowest device.
class MERKLIZE_API Device {
public:
    /// "auto", which chooses in this order:
    ///   1. the device that the environment variable MERKLIZE_DEVICE names
    ///   2. if calibrate() has measured this machine: the device that is fastest for the job and size of each call.
    ///      Results say which one it was; info() describes the CPU.
    ///   3. the CPU
    Device();
    /// name    "auto", or an id that devices() gives, such as "cpu". Several devices: "cuda:all" or "cuda:0,opencl:1",
    ///         also with the CPU: "cpu,cuda:0". Each may be named once.
    /// errors  invalid_argument (an unknown name; a device named twice), unavailable (a known device that
    ///         cannot be used here: the text says why)
    explicit Device(std::string_view name);

    const DeviceInfo& info() const noexcept;
    /// Bounds the memory of the device that this process takes through the library: what calls, trees and commitments
    /// use, the caller's Buffers, and what is kept for later calls, which is freed first. Not counted are memory that
    /// the caller wraps, page-locked host memory, and the driver's own (its context, compiled kernels). The limit holds
    /// for all handles to the device, from any thread.
    ///
    /// A call that would need more does what it does on a device that is full: it works in pieces or on the host where
    /// it can (docs/provers.md), and else throws out_of_memory with the limit and what is in use. What is in use stays
    /// when a limit is set.
    /// bytes   0: no limit
    /// errors  unavailable (the CPU; several devices as one: set the limit of each)
    /// cost    opens the device; frees what is kept for later calls
    ///
    ///     const merklize::Device gpu("cuda:0");
    ///     gpu.set_memory_limit(std::uint64_t{8} << 30);
    void set_memory_limit(std::uint64_t bytes) const;
    /// The limit in bytes; 0: none.
    std::uint64_t memory_limit() const;
    /// Whether both are handles to the same device.
    friend bool operator==(const Device& a, const Device& b) noexcept { return a.state_ == b.state_; }

private:
    friend struct runtime::Internals;
    explicit Device(std::shared_ptr<const runtime::DeviceState> state) : state_(std::move(state)) {}

    std::shared_ptr<const runtime::DeviceState> state_;
};

/// Jobs for which "auto" chooses the device, all on host memory. All other jobs run on the CPU.
enum class Job : std::uint8_t {
    digest,
    tree,   ///< MerkleTree
    nodes,  ///< build_tree() in place
    root,   ///< merkle_root()
    rows,   ///< hash_leaves(), hash_rows() and MatrixCommitment
};

/// "digest", "tree", "nodes", "root", "rows"
MERKLIZE_API const char* name_of(Job job) noexcept;

/// What calibrate() has measured: one size of a job by a hash on a device. The time of other sizes is on the lines
/// between these points. Four hashes are measured on each device: blake3, sha256, poseidon2_goldilocks_8 and
/// rp64_256_v3. Any other hash has one size of its roots and rows on the CPU, which says between which two of the four
/// its costs lie.
struct Cost {
    std::string device;  ///< the device's id
    Job job{};
    Hash hash{};
    std::uint64_t bytes = 0;  ///< of leaves, rows or data
    double seconds = 0;       ///< the shortest of up to five calls
    bool is_pinned = false;   ///< whether the data was in pinned memory, which is copied at the link's speed
};

/// Measures each job on each usable device, on GPUs with data in pageable and in pinned memory, and stores the figures
/// in the cache folder (docs/cli.md). Processes that start later use them for "auto", as long as the processor, the
/// devices, their drivers and the version of the library are the same.
/// progress  called between measurements with the share done; returning false cancels
/// errors    io (the figures cannot be stored), out_of_memory, cancelled
/// cost      some seconds a device; the first time longer, because kernels are compiled
MERKLIZE_API std::vector<Cost> calibrate(const std::function<bool(double done)>& progress = {});

/// The stored figures of the devices that have not changed since they were measured; empty if there are none.
MERKLIZE_API std::vector<Cost> calibration();

/// A point in the order of a stream: it is reached when everything that was enqueued on the stream before it has ended.
/// A cheap handle that may be copied freely and used from several threads at once. It outlives its stream.
///
/// Calls that enqueue (merklize/async.hpp) return one. Waiting for it is optional, because later commands of the same
/// stream run after the call in any case.
class MERKLIZE_API Event {
public:
    const Device& device() const noexcept;
    /// Waits until the point is reached.
    /// errors  that of a command that failed; invalid_argument: a word of the call's input is not below the modulus of
    ///         a field hash (the results are then undefined), or the event was captured into a graph, where it is never
    ///         reached by itself
    void wait() const;
    /// Whether the point is reached. If so, it throws what wait() would throw.
    bool query() const;
    /// Throws invalid_argument if the call found a word that is not below the modulus of a field hash. wait() does so,
    /// too. check() is for captured calls: it reports what the replays of the graph that have ended have found since
    /// the last check().
    void check() const;
    /// Whether its stream was being captured into a graph when the event was made. Such an event can make another
    /// stream wait in the same capture, and has no native() that may be waited for.
    bool is_captured() const noexcept;
    /// A CUevent, a cl_event or a sycl::event*, which lives as long as this handle.
    void* native() const;

private:
    friend struct runtime::Internals;
    explicit Event(std::shared_ptr<runtime::EventState> state) : state_(std::move(state)) {}
    std::shared_ptr<runtime::EventState> state_;
};

/// A queue of a device, which runs its commands in order. A cheap handle; the queue lives as long as any handle to it.
/// A call that is given a Stream begins after everything that was enqueued on it before. With RunOptions::stream it is
/// complete when it returns; the calls of merklize/async.hpp return at once.
class MERKLIZE_API Stream {
public:
    /// A new queue.
    /// errors  unavailable (a device without queues: the CPU)
    explicit Stream(const Device& device);
    /// The caller's queue, not owned. It must stay until the last handle is gone; what is enqueued on it may still run
    /// then.
    /// native  a CUstream (1 is CUDA's default stream), a cl_command_queue or a sycl::queue*
    static Stream wrap(const Device& device, void* native);

    const Device& device() const noexcept;
    /// Waits for everything that was enqueued.
    void synchronize() const;
    /// The point after everything that is enqueued so far.
    Event record() const;
    /// What is enqueued from now on begins after the event. The host does not wait.
    /// errors  invalid_argument (an event of another device)
    void wait(const Event& event) const;
    /// Whether the stream is being captured into a graph (CUDA): what is enqueued does not run, but becomes a part of
    /// the graph.
    bool is_capturing() const;

private:
    friend struct runtime::Internals;
    explicit Stream(std::shared_ptr<runtime::StreamState> state) : state_(std::move(state)) {}
    std::shared_ptr<runtime::StreamState> state_;
};

/// Seconds of a call, by the device's own clock. `available` is false on the CPU and on a caller's queue without
/// profiling.
struct Timings {
    bool available = false;
    /// Kernels: from the start of the first to the end of the last. If copies come between, the sum of such stretches.
    double kernel = 0;
    double to_device = 0;  ///< copies from the host
    double to_host = 0;    ///< copies to the host
};

/// How one call runs. Every function that computes takes one; the default is right for most.
struct RunOptions {
    Device device{};
    /// CPU threads to use, including the caller's; 0: all that the process may use.
    unsigned threads = 0;
    /// Called about every 50 ms on the calling thread, with the share of the work that is done, 0 to 1. Returning false
    /// cancels the work with Error(cancelled).
    std::function<bool(double done)> progress{};
    /// The queue to run on, which must belong to `device`. None: the library uses its own.
    std::optional<Stream> stream{};
    /// Tuning values: how the job runs on the device. No choice changes a byte.
    Policy policy{};
    /// Where to put the times, or null. Measuring them costs a few microseconds.
    Timings* timings = nullptr;
};

}  // namespace merklize::inline v0
