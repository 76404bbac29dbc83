#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/driver_table.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/device.hpp"

/// A device whose memory is the host's, and whose driver counts calls. Commands run at once, events are reached only
/// when a test says so, streams can be captured, and a command on released memory is refused. Only the kernel that
/// checks words does anything.
namespace fake {

struct Memory {
    std::vector<std::byte> bytes;
};
struct Count {
    std::atomic<int> waits{0}, queries{0}, allocations{0}, streams{0}, to_host{0}, orders{0}, launches{0}, programs{0};

    void clear() { waits = queries = allocations = streams = to_host = orders = launches = programs = 0; }
};
inline Count count;
inline std::atomic<bool> reached{true}, capturing{false}, has_times{true};
inline std::mutex running;  // held by each command, of any stream

inline Memory& of(mkz_memory* memory) { return *reinterpret_cast<Memory*>(memory); }

/// Device memory and pinned memory that was not released, and the most bytes at once.
struct Blocks {
    void add(const void* memory, std::uint64_t size) {
        const std::lock_guard lock(mutex);
        live.emplace(memory, size);
        bytes += size;
        most_bytes = std::max(most_bytes, bytes);
    }
    void remove(const void* memory) {
        const std::lock_guard lock(mutex);
        bytes -= live.extract(memory).mapped();
    }
    bool has(const void* memory) {
        const std::lock_guard lock(mutex);
        return live.contains(memory);
    }

    std::mutex mutex{};
    std::map<const void*, std::uint64_t> live{};
    std::uint64_t bytes = 0, most_bytes = 0;
};
inline Blocks blocks;

inline mkz_status need_live(std::initializer_list<const void*> memories) {
    for (const void* memory : memories)
        if (memory != nullptr && !blocks.has(memory)) return MKZ_INVALID_ARGUMENT;
    return MKZ_OK;
}

inline mkz_status put(mkz_event** event) {
    if (event != nullptr) *event = reinterpret_cast<mkz_event*>(new int(0));
    return MKZ_OK;
}

inline mkz_status facts(std::uint32_t, mkz_driver_facts* f) {
    *f = {MKZ_LANGUAGE_OPENCL, 0, 0, 1024, 48 << 10, std::uint64_t{1} << 40, "fake"};
    return MKZ_OK;
}
inline mkz_status allocate(std::uint32_t, std::uint64_t bytes, mkz_memory** memory) {
    count.allocations++;
    *memory = reinterpret_cast<mkz_memory*>(new Memory{std::vector<std::byte>(bytes, std::byte{0x55})});
    blocks.add(*memory, bytes);
    return MKZ_OK;
}
inline mkz_status allocate_host(std::uint32_t, std::uint64_t bytes, void** host) {
    count.allocations++;
    *host = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    blocks.add(*host, bytes);
    return MKZ_OK;
}
inline void release_host(std::uint32_t, void* host) {
    blocks.remove(host);
    std::free(host);
}
inline mkz_status wrap(std::uint32_t, void*, std::uint64_t, mkz_memory**) { return MKZ_UNAVAILABLE; }
inline mkz_status wrap_host(std::uint32_t, void*, std::uint64_t, mkz_memory**) { return MKZ_UNAVAILABLE; }
inline void* native(mkz_memory* memory) { return memory; }
inline std::uint32_t alignment(mkz_memory*) { return 256; }
inline void release(std::uint32_t, mkz_memory* memory) {
    blocks.remove(memory);
    delete reinterpret_cast<Memory*>(memory);
}
inline mkz_status limit_memory(std::uint32_t, std::uint64_t) { return MKZ_UNAVAILABLE; }
inline std::uint64_t memory_in_use(std::uint32_t) { return 0; }
inline mkz_status stream_open(std::uint32_t, void*, std::uint32_t, mkz_stream** stream) {
    count.streams++;
    *stream = reinterpret_cast<mkz_stream*>(new int(0));
    return MKZ_OK;
}
inline void stream_close(mkz_stream* stream) { delete reinterpret_cast<int*>(stream); }
inline mkz_status stream_synchronize(mkz_stream*) {
    count.waits++;
    return MKZ_OK;
}
inline mkz_status stream_wait(mkz_stream*, mkz_event*) {
    count.orders++;
    return MKZ_OK;
}
inline mkz_status stream_capturing(mkz_stream*, std::uint32_t* is) {
    *is = capturing ? 1 : 0;
    return MKZ_OK;
}
inline mkz_status copy_to_device(mkz_stream*, mkz_memory* to, std::uint64_t offset, const void* from,
                                 std::uint64_t bytes, mkz_event** event) {
    if (need_live({to}) != MKZ_OK) return MKZ_INVALID_ARGUMENT;
    const std::lock_guard lock(running);
    if (bytes != 0) std::memcpy(of(to).bytes.data() + offset, from, bytes);
    return put(event);
}
inline mkz_status copy_to_host(mkz_stream*, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                               mkz_event** event) {
    if (need_live({from}) != MKZ_OK) return MKZ_INVALID_ARGUMENT;
    const std::lock_guard lock(running);
    count.to_host++;
    // As a device writes pinned memory that the host looks at meanwhile.
    if (bytes == 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, of(from).bytes.data() + offset, 4);
        std::atomic_ref(*static_cast<std::uint32_t*>(to)) = word;
    } else if (bytes != 0) {
        std::memcpy(to, of(from).bytes.data() + offset, bytes);
    }
    return put(event);
}
inline mkz_status copy_on_device(mkz_stream*, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                                 std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) {
    if (need_live({to, from}) != MKZ_OK) return MKZ_INVALID_ARGUMENT;
    const std::lock_guard lock(running);
    std::memmove(of(to).bytes.data() + to_offset, of(from).bytes.data() + from_offset, bytes);
    return put(event);
}
inline mkz_status event_record(mkz_stream*, mkz_event** event) { return put(event); }
inline mkz_status event_wait(mkz_event*) {
    count.waits++;
    return MKZ_OK;
}
inline mkz_status event_query(mkz_event*, std::uint32_t* done) {
    count.queries++;
    *done = reached ? 1 : 0;
    return MKZ_OK;
}
inline mkz_status event_span(mkz_event*, mkz_event*, double* seconds) {
    *seconds = has_times ? 1e-6 : -1;
    return MKZ_OK;
}
inline void* event_native(mkz_event* event) { return event; }
inline void event_release(mkz_event* event) { delete reinterpret_cast<int*>(event); }
inline mkz_status program_build(std::uint32_t, const char*, const char*, mkz_program** program) {
    count.programs++;
    *program = reinterpret_cast<mkz_program*>(new int(0));
    return MKZ_OK;
}
inline mkz_status program_binary(mkz_program*, void (*)(void*, const void*, std::uint64_t), void*) {
    return MKZ_UNAVAILABLE;
}
inline mkz_status program_load(std::uint32_t, const void*, std::uint64_t, mkz_program**) {
    return MKZ_INVALID_ARGUMENT;
}
inline void program_release(mkz_program* program) { delete reinterpret_cast<int*>(program); }
inline mkz_status program_function(mkz_program*, const char* name, mkz_function** function,
                                   std::uint32_t* max_group_size) {
    *function = reinterpret_cast<mkz_function*>(new std::string(name));
    *max_group_size = 1024;
    return MKZ_OK;
}
// Only the kernel that checks words does anything.
inline mkz_status launch(mkz_stream*, mkz_function* function, std::uint64_t, std::uint32_t, std::uint32_t n_arguments,
                         const mkz_argument* arguments, mkz_event** event) {
    for (std::uint32_t i = 0; i < n_arguments; i++) {
        if (arguments[i].bytes == 0 && need_live({arguments[i].value}) != MKZ_OK) return MKZ_INVALID_ARGUMENT;
    }
    const std::lock_guard lock(running);
    count.launches++;
    if (*reinterpret_cast<std::string*>(function) == "mkz_check_words64") {
        const auto memory = [&](int i) -> Memory& {
            return *static_cast<Memory*>(const_cast<void*>(arguments[i].value));
        };
        const auto word = [&](int i) {
            std::uint64_t value = 0;
            std::memcpy(&value, arguments[i].value, sizeof value);
            return value;
        };
        for (std::uint64_t i = 0; i < word(2); i++) {
            std::uint64_t value = 0;
            std::memcpy(&value, memory(0).bytes.data() + 8 * (word(1) + i), sizeof value);
            if (value >= word(3)) memory(4).bytes[0] = std::byte{1};
        }
    }
    return put(event);
}

constexpr decltype(mkz_driver::is_pinned) is_pinned = nullptr;
inline constexpr mkz_driver driver = {
    MKZ_DRIVER_FUNCTIONS(MKZ_FILL_DRIVER_FUNCTION).stream_capturing = stream_capturing, .copy_rows_to_device = nullptr};

inline void tune(std::uint32_t, mkz_kernel, std::uint32_t, std::uint64_t, std::uint32_t, mkz_policy* policy) {
    if (policy->levels_per_launch == 0) policy->levels_per_launch = 6;
    if (policy->group_size == 0) policy->group_size = 128;
    if (policy->lanes == 0) policy->lanes = 1;
    if (policy->constants == 0) policy->constants = MKZ_CONSTANTS_literal;
}

inline mkz_status device_facts(std::uint32_t, mkz_device_facts* f) {
    *f = {"fake", "", "", "", 1, std::uint64_t{1} << 40};
    return MKZ_OK;
}

inline const mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "fake",
    .why_unavailable = []() -> const char* { return nullptr; },
    .device_count = [] { return std::uint32_t{1}; },
    .device_facts = device_facts,
    .tune = tune,
    .driver = &driver,
    .last_error = [] { return "memory that was released"; },
};

inline const merklize::Device& device() {
    static const auto& one =
        *new merklize::Device(merklize::runtime::Internals::device(std::make_shared<merklize::runtime::DeviceState>(
            &backend, 0, merklize::DeviceInfo{"fake:0", "fake", "fake", "", "", ""})));
    return one;
}

}  // namespace fake
