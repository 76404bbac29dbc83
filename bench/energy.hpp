#pragma once

#include <dlfcn.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <merklize/device.hpp>

// The energy that an NVIDIA GPU takes, by the counter of its driver (NVML).
namespace bench {

class EnergyCounter {
public:
    /// How long a job is repeated: the counter moves every 20 to 100 ms.
    static constexpr std::chrono::seconds enough{2};

    /// None if the device is no GPU of CUDA, or its driver has no counter. With CUDA_VISIBLE_DEVICES there is none
    /// either, because CUDA then numbers the GPUs in another way than NVML.
    static std::optional<EnergyCounter> of(const merklize::DeviceInfo& info) {
        const std::size_t colon = info.id.find(':');
        if (info.backend != "cuda" || colon == info.id.npos || std::getenv("CUDA_VISIBLE_DEVICES") != nullptr)
            return {};
        unsigned index = 0;
        std::from_chars(info.id.data() + colon + 1, info.id.data() + info.id.size(), index);
        EnergyCounter counter;
        counter.library_.reset(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL), [](void* handle) {
            if (handle != nullptr) ::dlclose(handle);
        });
        const auto init = counter.find<int()>("nvmlInit_v2");
        const auto by_index = counter.find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
        counter.total_ = counter.find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
        if (init == nullptr || by_index == nullptr || counter.total_ == nullptr || init() != 0 ||
            by_index(index, &counter.gpu_) != 0 || !counter.joules()) {
            return {};
        }
        return counter;
    }

    struct Energy {
        double joules;  ///< of one call
        double watts;
    };

    /// Repeats a call, which must end with its work done, for at least `enough`. None if the counter fails.
    std::optional<Energy> of_calls(const std::function<void()>& call) const {
        const auto before = joules();
        const auto start = std::chrono::steady_clock::now();
        double seconds = 0;
        unsigned calls = 0;
        for (; seconds < std::chrono::duration<double>(enough).count(); calls++) {
            call();
            seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }
        const auto after = joules();
        if (!before || !after) return {};
        return Energy{(*after - *before) / calls, (*after - *before) / seconds};
    }

    /// Watts of the idle GPU. It has been idle for a second before, as its clocks go down late.
    std::optional<double> idle_watts() const {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const auto idle = of_calls([] { std::this_thread::sleep_for(enough); });
        return idle ? std::optional(idle->watts) : std::nullopt;
    }

private:
    template <class Function>
    Function* find(const char* name) const {
        return library_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library_.get(), name));
    }
    std::optional<double> joules() const {
        unsigned long long millijoules = 0;
        if (total_(gpu_, &millijoules) != 0) return {};
        return 1e-3 * static_cast<double>(millijoules);
    }

    std::shared_ptr<void> library_{};
    void* gpu_ = nullptr;
    int (*total_)(void*, unsigned long long*) = nullptr;
};

}  // namespace bench
