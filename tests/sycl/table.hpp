#pragma once

#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "runtime/plugins.hpp"

// The C table of the SYCL plug-in for its tests, on its first device.
namespace table {

/// Without the plug-in or a device the run is skipped, or fails with MERKLIZE_REQUIRE_RUNTIMES=1.
inline const mkz_backend& backend() {
    static const mkz_backend& found = [&]() -> const mkz_backend& {
        const merklize::runtime::Plugin& plugin = merklize::runtime::plugin("sycl");
        std::string why = plugin.why;
        if (plugin.backend != nullptr) {
            const char* reason = plugin.backend->why_unavailable();
            if (reason == nullptr) return *plugin.backend;
            why = reason;
        }
        const char* required = std::getenv("MERKLIZE_REQUIRE_RUNTIMES");
        const bool fails = required != nullptr && std::string_view(required) == "1";
        std::cout << (fails ? "FAILED: " : "skipped: ") << why << std::endl;
        std::exit(fails ? 1 : 77);
    }();
    return found;
}
inline const mkz_driver& driver() { return *backend().driver; }

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

inline void give_back(mkz_memory* memory) { driver().release(0, memory); }
inline void give_back(mkz_stream* stream) { driver().stream_close(stream); }
inline void give_back(mkz_event* event) { driver().event_release(event); }
inline void give_back(mkz_program* program) { driver().program_release(program); }

/// A handle of the table that is given back in the end.
template <class Handle>
class Owned {
public:
    Owned() = default;
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&&) = delete;
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
    need(driver().facts(0, &facts));
    return facts;
}

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
#define KERNEL extern "C" SYCL_EXTERNAL \
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void
typedef unsigned uint;
typedef unsigned long ulong;
struct key_type { uint w[8]; };
static ulong index() { return sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0); }
KERNEL fill(uint *out, uint first, ulong n) { if (index() < n) out[index()] = first + (uint)index(); }
KERNEL add(uint *x, uint by, ulong n) { if (index() < n) x[index()] += by; }
KERNEL slow(uint *x, uint rounds) {
    uint s = index();
    for (uint i = 0; i < rounds; i++) s = s * 1664525u + 1013904223u;
    x[index()] = s | 1;
}
KERNEL kinds(ulong *out, uint a, ulong b, key_type key, const uint *in, uint never) {
    if (index() != 0) return;
    out[0] = a;
    out[1] = b;
    for (int i = 0; i < 8; i++) out[2 + i] = key.w[i];
    out[10] = in == nullptr ? 0 : in[1];
}
KERNEL turn(uint *x) {
    static sycl::ext::oneapi::experimental::work_group_static<uint[64]> shared;
    uint(&held)[64] = shared;
    auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    held[item.get_local_id(0)] = x[index()];
    sycl::group_barrier(item.get_group());
    x[index()] = held[63 - item.get_local_id(0)];
}
)";

inline mkz_program* program() {
    static const Program built = [] {
        Program program;
        need(driver().program_build(0, text, nullptr, program.slot()));
        return program;
    }();
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
    const mkz_argument all[] = {argument(arguments)...};
    return driver().launch(stream, function, groups, group_size, sizeof...(arguments), all, event);
}

}  // namespace table
