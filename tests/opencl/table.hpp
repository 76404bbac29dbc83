#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "runtime/backend.h"

namespace merklize::opencl {
extern const mkz_backend backend;
}

// The C table of the OpenCL backend for its tests. They run on one device: the first, or number $MERKLIZE_TEST_DEVICE.
namespace table {

inline const mkz_backend& backend() { return merklize::opencl::backend; }

inline std::uint32_t device() {
    const char* number = std::getenv("MERKLIZE_TEST_DEVICE");
    return number == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

/// The table, in a process that has a device. Without one the run is skipped, or fails with MERKLIZE_REQUIRE_RUNTIMES=1.
inline const mkz_driver& driver() {
    static const mkz_driver* const found = [] {
        if (const char* why = backend().why_unavailable()) {
            const char* required = std::getenv("MERKLIZE_REQUIRE_RUNTIMES");
            const bool fails = required != nullptr && std::string_view(required) == "1";
            std::cout << (fails ? "FAILED: " : "skipped: ") << why << std::endl;
            std::exit(fails ? 1 : 77);
        }
        return backend().driver;
    }();
    return *found;
}

/// The call must succeed; the test ends if it does not.
inline void need(mkz_status status) {
    if (status != MKZ_OK) throw std::runtime_error(std::to_string(status) + ": " + backend().last_error());
}

/// The call must have failed so, with a text that holds `part`.
inline void refused(const char* file, int line, mkz_status wanted, std::string_view part, mkz_status status) {
    const std::string text = status == MKZ_OK ? "" : backend().last_error();
    if (status == wanted && text.find(part) != text.npos) return;
    check::fail(file, line,
                "status " + std::to_string(status) + " \"" + text + "\", not " + std::to_string(wanted) + " with \"" +
                    std::string(part) + '"');
}
#define CHECK_REFUSED(status, part, ...) table::refused(__FILE__, __LINE__, status, part, __VA_ARGS__)

inline void give_back(mkz_memory* memory) { driver().release(device(), memory); }
inline void give_back(mkz_stream* stream) { driver().stream_close(stream); }
inline void give_back(mkz_event* event) { driver().event_release(event); }
inline void give_back(mkz_program* program) { driver().program_release(program); }

/// A handle of the table that is given back in the end.
template <class Handle>
class Owned {
public:
    Owned() = default;
    explicit Owned(Handle* handle) : handle_(handle) {}
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owned() { reset(); }

    void reset() {
        if (handle_ != nullptr) give_back(std::exchange(handle_, nullptr));
    }
    /// Where a function of the table puts a new one.
    Handle** slot() {
        reset();
        return &handle_;
    }
    operator Handle*() const { return handle_; }  // NOLINT: as the table takes it

private:
    Handle* handle_ = nullptr;
};

using Memory = Owned<mkz_memory>;
using Stream = Owned<mkz_stream>;
using Event = Owned<mkz_event>;
using Program = Owned<mkz_program>;
using Words = std::vector<std::uint32_t>;

inline mkz_driver_facts facts() {
    mkz_driver_facts facts;
    need(driver().facts(device(), &facts));
    return facts;
}

inline std::string label() {
    mkz_device_facts facts{};
    need(backend().device_facts(device(), &facts));
    return "opencl:" + std::to_string(device()) + " (" + facts.name + ")";
}

inline Memory allocate(std::uint64_t bytes) {
    Memory memory;
    need(driver().allocate(device(), bytes, memory.slot()));
    return memory;
}

inline Stream open_stream(bool timed = false, void* native = nullptr) {
    Stream stream;
    need(driver().stream_open(device(), native, timed ? 1 : 0, stream.slot()));
    return stream;
}

inline Words iota(std::size_t n, std::uint32_t first = 0) {
    Words words(n);
    std::iota(words.begin(), words.end(), first);
    return words;
}

inline Memory upload(mkz_stream* stream, const Words& words) {
    Memory memory = allocate(4 * words.size());
    need(driver().copy_to_device(stream, memory, 0, words.data(), 4 * words.size(), nullptr));
    need(driver().stream_synchronize(stream));
    return memory;
}

inline Words download(mkz_stream* stream, mkz_memory* memory, std::size_t n, std::uint64_t offset = 0) {
    Words words(n);
    need(driver().copy_to_host(stream, words.data(), memory, offset, 4 * n, nullptr));
    need(driver().stream_synchronize(stream));
    return words;
}

/// What the tests launch.
inline constexpr const char* text = R"(
typedef struct { uint w[8]; } key_type;
kernel void fill(global uint *out, uint first, ulong n) {
    ulong i = get_global_id(0);
    if (i < n) out[i] = first + (uint)i;
}
kernel void add(global uint *x, uint by, ulong n) {
    ulong i = get_global_id(0);
    if (i < n) x[i] += by;
}
kernel void slow(global uint *x, uint rounds) {
    uint s = get_global_id(0);
    for (uint i = 0; i < rounds; i++) s = s * 1664525u + 1013904223u;
    x[get_global_id(0)] = s | 1;
}
kernel void kinds(global ulong *out, uint a, ulong b, key_type key, global const uint *in) {
    out[0] = a;
    out[1] = b;
    for (int i = 0; i < 8; i++) out[2 + i] = key.w[i];
    out[10] = in == 0 ? 0 : in[1];
}
kernel void last(global ulong *out, ulong n) {
    if (get_global_id(0) == n - 1) out[0] = get_global_id(0);
}
)";

inline Program build(const char* of = text, const char* options = nullptr) {
    Program program;
    need(driver().program_build(device(), of, options, program.slot()));
    return program;
}

inline mkz_program* program() {
    static const Program built = build();
    return built;
}

inline mkz_function* kernel(mkz_program* of, const char* name) {
    mkz_function* function = nullptr;
    need(driver().program_function(of, name, &function, nullptr));
    return function;
}

inline mkz_argument argument(const Memory& memory) { return {static_cast<mkz_memory*>(memory), 0}; }
template <class T>
mkz_argument argument(const T& value) {
    return {&value, sizeof value};
}

template <class... Arguments>
mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  mkz_event** event, const Arguments&... arguments) {
    const std::array<mkz_argument, sizeof...(Arguments)> all = {argument(arguments)...};
    return driver().launch(stream, function, groups, group_size, all.size(), all.data(), event);
}

}  // namespace table
