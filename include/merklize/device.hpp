#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace merklize {

namespace runtime {
struct DeviceState;
}

/// What a device is. `id` is the name to ask for it by.
struct DeviceInfo {
    std::string id;       ///< "cpu", later "cuda:0", "opencl:0", ...
    std::string backend;  ///< "cpu", ...
    std::string name;     ///< as the vendor calls it
    std::string isa;      ///< instruction set or architecture in use: "scalar", "avx2", "avx512", "neon"
    unsigned units = 0;   ///< CPU threads that this process may use, or compute units
    std::uint64_t memory_bytes = 0;
};

/// Every usable device, best first. Never throws: a backend that cannot work is missing here, and why_unavailable() says why.
std::vector<DeviceInfo> devices();

/// Why `name` ("cuda", "opencl:0", ...) cannot be used, or an empty string if it can.
std::string why_unavailable(std::string_view name);

/// An opened device: a cheap handle, freely copied. Safe to use from several threads at once.
class Device {
public:
    /// The device that "auto" chooses.
    Device();
    /// `name`: "auto", or an id as in devices() ("cpu").
    /// errors  invalid_argument (no such name), unavailable (known, but not usable here: the text says why)
    explicit Device(std::string_view name);

    const DeviceInfo& info() const noexcept;
    const runtime::DeviceState& state() const noexcept { return *state_; }

private:
    std::shared_ptr<const runtime::DeviceState> state_;
};

/// How one call runs. Every function that computes takes one; the default is right for most.
struct RunOptions {
    Device device{};
    /// CPU threads to use, the caller's included; 0 = all that the process may use.
    unsigned threads = 0;
    /// Called about every 50 ms from the calling thread with the share of the work that is done, 0 to 1; returning false cancels
    /// the work with Error(cancelled).
    std::function<bool(double done)> progress{};
};

}  // namespace merklize
