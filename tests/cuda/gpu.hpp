#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "runtime/backend.h"

namespace merklize::cuda {
extern const mkz_backend backend;
}

// The C table of the CUDA backend for its tests: what owns handles, and what turns a status into a test's failure.
namespace gpu {

inline const mkz_backend& backend() { return merklize::cuda::backend; }

/// The table, in a process that has a device. Without one the run is skipped, or fails with MERKLIZE_REQUIRE_CUDA=1.
inline const mkz_driver& driver() {
    static const mkz_driver* const table = [] {
        if (const char* why = backend().why_unavailable()) {
            const char* required = std::getenv("MERKLIZE_REQUIRE_CUDA");
            const bool fails = required != nullptr && std::string_view(required) == "1";
            std::cout << (fails ? "FAILED: " : "skipped: ") << why << std::endl;
            std::exit(fails ? 1 : 77);
        }
        return backend().driver;
    }();
    return *table;
}

/// The call must succeed; the test ends if it does not.
inline void need(mkz_status status) {
    if (status != MKZ_OK) throw std::runtime_error(std::to_string(status) + ": " + backend().last_error());
}

/// The call must have failed so, with a text that holds `part`.
inline void refused(const char* file, int line, mkz_status status, mkz_status wanted, std::string_view part) {
    const std::string text = backend().last_error();
    if (status == wanted && text.find(part) != text.npos) return;
    check::fail(file, line,
                "status " + std::to_string(status) + " \"" + (status == MKZ_OK ? "" : text) + "\", not " +
                    std::to_string(wanted) + " with \"" + std::string(part) + '"');
}
#define CHECK_REFUSED(status, part, ...) gpu::refused(__FILE__, __LINE__, __VA_ARGS__, status, part)

/// A handle of the table that is given back in the end.
template <class Handle, auto give_back>
class Owned {
public:
    Owned() = default;
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { reset(); }

    void reset() { give_back(std::exchange(handle_, nullptr)); }
    Handle** slot() { return &handle_; }
    operator Handle*() const { return handle_; }

private:
    Handle* handle_ = nullptr;
};

using Memory = Owned<mkz_memory, [](mkz_memory* memory) { driver().release(0, memory); }>;
using Stream = Owned<mkz_stream, [](mkz_stream* stream) { driver().stream_close(stream); }>;
using Event = Owned<mkz_event, [](mkz_event* event) { driver().event_release(event); }>;
using Program = Owned<mkz_program, [](mkz_program* program) { driver().program_release(program); }>;

inline Memory allocate(std::uint64_t bytes) {
    Memory memory;
    need(driver().allocate(0, bytes, memory.slot()));
    return memory;
}

inline Stream open_stream(bool timed = false, void* native = nullptr) {
    Stream stream;
    need(driver().stream_open(0, native, timed ? 1 : 0, stream.slot()));
    return stream;
}

inline Program build(const char* text, const char* options = nullptr) {
    Program program;
    need(driver().program_build(0, text, options, program.slot()));
    return program;
}

struct Kernel {
    mkz_function* function = nullptr;
    std::uint32_t max_group_size = 0;
};

inline Kernel kernel(mkz_program* program, const char* name) {
    Kernel found;
    need(driver().program_function(program, name, &found.function, &found.max_group_size));
    return found;
}

template <class Value>
mkz_argument argument(const Value& value) {
    return {&value, sizeof value};
}
inline mkz_argument argument(const Memory& memory) { return {static_cast<mkz_memory*>(memory), 0}; }
inline mkz_argument argument(std::nullptr_t) { return {nullptr, 0}; }

/// Arguments: values, a Memory, or nullptr for no memory.
template <class... Arguments>
mkz_status launch(mkz_stream* stream, const Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                  mkz_event** event, const Arguments&... arguments) {
    const mkz_argument list[] = {argument(arguments)...};
    return driver().launch(stream, kernel.function, groups, group_size, sizeof...(arguments), list, event);
}

template <class Value>
std::vector<Value> read(mkz_stream* stream, mkz_memory* memory, std::size_t n, std::uint64_t offset = 0) {
    std::vector<Value> values(n);
    need(driver().copy_to_host(stream, values.data(), memory, offset, n * sizeof(Value), nullptr));
    need(driver().stream_synchronize(stream));
    return values;
}

template <class Value>
void write(mkz_stream* stream, mkz_memory* memory, const std::vector<Value>& values, std::uint64_t offset = 0) {
    need(driver().copy_to_device(stream, memory, offset, values.data(), values.size() * sizeof(Value), nullptr));
    need(driver().stream_synchronize(stream));
}

// The tests' own kernels. `late` writes when some nanoseconds have passed.
inline constexpr const char* kernels = R"(
typedef unsigned int u32;
typedef unsigned long long u64;
struct Pair { u64 a; u32 b[6]; };

extern "C" __global__ void fill(u32* out, u32 value, u64 n) {
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

extern "C" __global__ void increase(u32* data, u64 n) {
    u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x;
    if (i < n) data[i] += 1;
}

extern "C" __global__ void late(u32* out, u32 value, u64 nanoseconds) {
    u64 start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < nanoseconds);
    *out = value;
}

extern "C" __global__ void kinds(u64* out, u32 small, u64 large, Pair pair, const u32* nothing) {
    out[0] = small;
    out[1] = large;
    out[2] = pair.a;
    for (int i = 0; i < 6; i++) out[3 + i] = pair.b[i];
    out[9] = (u64)nothing;
}

extern "C" __global__ void wild(u32* out) { *(volatile u32*)(out + (1ull << 44)) = 1; }
)";

inline mkz_program* program() {
    static const auto& all = *new Program(build(kernels));
    return all;
}

}  // namespace gpu
