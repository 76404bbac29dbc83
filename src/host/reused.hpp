#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace merklize::runtime {

/// Buffers that the threads of a call take and give back, so that there is one for each working thread. A buffer for
/// each piece would cost more, because the allocator returns memory of such sizes to the system, which zeroes each page
/// before it gives it out again.
template <class Buffers>
class Reused {
public:
    /// Calls use(buffers). The buffers have the content of an earlier use. If `use` throws, they are dropped.
    template <class Use>
    void with(const Use& use) {
        Buffers buffers = take();
        use(buffers);
        const std::lock_guard lock(mutex_);
        free_.push_back(std::move(buffers));
    }

private:
    Buffers take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) return {};
        Buffers buffers = std::move(free_.back());
        free_.pop_back();
        return buffers;
    }

    std::mutex mutex_{};
    std::vector<Buffers> free_{};
};

}  // namespace merklize::runtime
