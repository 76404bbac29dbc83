#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/device.hpp"

/// The default device with a bound on its memory: what calls do where a job does not fit.
namespace little {

inline std::atomic<std::uint64_t> most_bytes{0};
inline std::mutex mutex;
inline std::map<const void*, std::uint64_t> live;  // bytes of each block; guarded by mutex
inline std::uint64_t bytes = 0;                    // of all blocks; guarded by mutex
inline thread_local bool refused = false;          // whether the last failure was this device's

inline const mkz_backend& real() { return *merklize::runtime::state_of(merklize::Device()).backend; }

inline mkz_status allocate(std::uint32_t index, std::uint64_t wanted, mkz_memory** memory) {
    const std::lock_guard lock(mutex);
    refused = bytes + wanted > most_bytes;
    if (refused) return MKZ_OUT_OF_MEMORY;
    const mkz_status status = real().driver->allocate(index, wanted, memory);
    if (status == MKZ_OK) {
        live.emplace(*memory, wanted);
        bytes += wanted;
    }
    return status;
}
inline void release(std::uint32_t index, mkz_memory* memory) {
    {
        const std::lock_guard lock(mutex);
        if (const auto block = live.extract(memory)) bytes -= block.mapped();
    }
    real().driver->release(index, memory);
}

/// Bytes of all blocks.
inline std::uint64_t used() {
    const std::lock_guard lock(mutex);
    return bytes;
}

/// The default device must have memory of its own.
inline const merklize::Device& device() {
    static const mkz_driver driver = [] {
        mkz_driver limited = *real().driver;
        limited.allocate = allocate;
        limited.release = release;
        return limited;
    }();
    static const mkz_backend backend = [] {
        mkz_backend limited = real();
        limited.driver = &driver;
        limited.last_error = [] { return refused ? "the test's bound on memory" : real().last_error(); };
        return limited;
    }();
    static const auto& one =
        *new merklize::Device(merklize::runtime::Internals::device(std::make_shared<merklize::runtime::DeviceState>(
            &backend, merklize::runtime::state_of(merklize::Device()).index, merklize::Device().info())));
    return one;
}

}  // namespace little
