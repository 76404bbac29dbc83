// The limit of a device's memory, which every driver counts its blocks against in the same way.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "backends/checks.hpp"

namespace merklize::backends {

/// The bytes that the blocks of a device take together, and how many they may.
class MemoryLimit {
public:
    struct GiveBack {
        std::uint64_t bytes = 0;
        void operator()(MemoryLimit* limit) const noexcept { limit->give_back(bytes); }
    };
    /// Counted bytes, given back when it goes; null: none.
    using Counted = std::unique_ptr<MemoryLimit, GiveBack>;

    /// 0: no limit. What is counted already stays.
    void set(std::uint64_t bytes) noexcept {
        const std::lock_guard lock(mutex_);
        limit_ = bytes;
    }
    /// Counts a block that is about to be allocated; null if that would exceed the limit.
    Counted try_take(std::uint64_t bytes) noexcept {
        const std::lock_guard lock(mutex_);
        if (limit_ != 0 && (bytes > limit_ || taken_ > limit_ - bytes)) return {};
        taken_ += bytes;
        return {this, {bytes}};
    }
    /// The same, but throws a Failure that names the limit.
    /// device  the beginning of its text
    Counted take(const std::string& device, std::uint64_t bytes) {
        if (Counted counted = try_take(bytes)) return counted;
        const std::lock_guard lock(mutex_);
        refuse(MKZ_OUT_OF_MEMORY, device,
               allocating(bytes) + ": the device's memory limit is " + std::to_string(limit_) + " bytes, of which " +
                   std::to_string(taken_) + " are in use; raise the limit, or free trees and buffers");
    }
    void give_back(std::uint64_t bytes) noexcept {
        const std::lock_guard lock(mutex_);
        taken_ -= bytes;
    }
    std::uint64_t taken() const noexcept {
        const std::lock_guard lock(mutex_);
        return taken_;
    }
    /// Whether more is counted than the limit, which was set later, allows.
    bool is_exceeded() const noexcept {
        const std::lock_guard lock(mutex_);
        return limit_ != 0 && taken_ > limit_;
    }

private:
    mutable std::mutex mutex_;
    std::uint64_t limit_ = 0;  // guarded by mutex_
    std::uint64_t taken_ = 0;  // guarded by mutex_
};

}  // namespace merklize::backends
