#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"
#include "seams/backend.h"

// A backend's C tables for its tests: owners of handles, and functions that turn a status into a failure. The tests run
// on one device: the first, or number $MERKLIZE_TEST_DEVICE.
namespace table {

/// The facts of a backend that its tables do not have. A backend's fixture sets those that differ from the values here.
struct Fixture {
    mkz_language language;
    const char* isa;                // beginning of the device's isa
    const char* harmless_option;    // an option that does not change a program
    const char* prelude;            // defines KERNEL, GLOBAL, SHARED, INDEX, LOCAL_INDEX, BARRIER, u32, u64
    const char* more_kernels = "";  // for tests of this backend alone
    const char* options_of_42 = " -DFIRST=40  -DSECOND=2 ";  // these define FIRST and SECOND, whose sum is 42
    const char* required_by = "MERKLIZE_REQUIRE_RUNTIMES";   // if it is 1, a machine without the backend fails
    const char* compiler = " #";                             // a part of the compiler's name
    bool has_names_in_labels = true;  // errors begin with "opencl:0 (NAME)", not only with "cuda:0"
    bool may_be_unified = true;
    bool wraps_null = false;        // as all memory from address 0 on
    bool native_is_address = true;  // native() gives the address that kernels see
    bool notices_missing_arguments = true;
    bool checks_argument_sizes = true;
};

// Each backend's own fixture.hpp defines these:
inline const mkz_backend& backend();
inline const Fixture& fixture();

/// The kernels that the tests launch.
inline const char* kernels() {
    static const std::string all = std::string(fixture().prelude) + R"(
typedef struct Key { u64 a; u32 b[6]; } Key;
KERNEL fill(GLOBAL u32* out, u32 first, u64 n) { if (INDEX < n) out[INDEX] = first + (u32)INDEX; }
KERNEL add(GLOBAL u32* x, u32 by, u64 n) { if (INDEX < n) x[INDEX] += by; }
KERNEL slow(GLOBAL u32* x, u32 rounds) {
    u32 s = (u32)INDEX;
    for (u32 i = 0; i < rounds; i++) s = s * 1664525u + 1013904223u;
    x[INDEX] = s | 1;
}
KERNEL kinds(GLOBAL u64* out, u32 a, u64 b, Key key, GLOBAL const u32* in, u32 never) {
    if (INDEX != 0) return;
    out[0] = a;
    out[1] = b;
    out[2] = key.a;
    for (int i = 0; i < 6; i++) out[3 + i] = key.b[i];
    out[9] = in == 0 ? 0 : in[1];
    out[10] = (u64)in;
}
KERNEL turn(GLOBAL u32* x) {
    SHARED(u32, held, 64);
    held[LOCAL_INDEX] = x[INDEX];
    BARRIER;
    x[INDEX] = held[63 - LOCAL_INDEX];
}
KERNEL last(GLOBAL u64* out, u64 n) { if (INDEX == n - 1) out[0] = INDEX; }
)" + fixture().more_kernels;
    return all.c_str();
}

/// A kernel of its own: `body` may write to out[0].
inline std::string kernel_text(const std::string& name, const std::string& body) {
    return std::string(fixture().prelude) + "KERNEL " + name + "(GLOBAL u32* out) { " + body + " }\n";
}

inline std::uint32_t device() {
    const char* number = std::getenv("MERKLIZE_TEST_DEVICE");
    return number == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

/// The table of the functions. Without a device the run is skipped, or fails if the fixture's variable is set.
inline const mkz_driver& driver() {
    static const mkz_driver* const found = [] {
        if (const char* why = backend().why_unavailable()) {
            const char* required = std::getenv(fixture().required_by);
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

/// The call must have failed with the status `wanted`, and its text must contain `part`.
inline void refused(const char* file, int line, mkz_status wanted, std::string_view part, mkz_status status) {
    const std::string text = status == MKZ_OK ? "" : backend().last_error();
    if (status == wanted && text.find(part) != text.npos) return;
    check::fail(file, line,
                "status " + std::to_string(status) + " \"" + text + "\", not " + std::to_string(wanted) + " with \"" +
                    std::string(part) + '"');
}
#define CHECK_REFUSED(status, part, ...) table::refused(__FILE__, __LINE__, status, part, __VA_ARGS__)

// Functions with names, because the type of a lambda, and of all templates on it, differs between source files.
inline void give_back(mkz_memory* memory) { driver().release(device(), memory); }
inline void give_back(mkz_stream* stream) { driver().stream_close(stream); }
inline void give_back(mkz_event* event) { driver().event_release(event); }
inline void give_back(mkz_program* program) { driver().program_release(program); }

/// Owns a handle of the table.
template <class Handle>
class Owned {
public:
    Owned() = default;
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

inline mkz_device_facts device_facts() {
    mkz_device_facts facts{};
    driver();
    need(backend().device_facts(device(), &facts));
    return facts;
}

/// The beginning of error texts.
inline std::string label() {
    const std::string number = std::string(backend().name) + ":" + std::to_string(device());
    return fixture().has_names_in_labels ? number + " (" + device_facts().name + ")" : number + ":";
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

template <class Value>
void write(mkz_stream* stream, mkz_memory* memory, const std::vector<Value>& values, std::uint64_t offset = 0) {
    need(driver().copy_to_device(stream, memory, offset, values.data(), values.size() * sizeof(Value), nullptr));
    need(driver().stream_synchronize(stream));
}

template <class Value = std::uint32_t>
std::vector<Value> read(mkz_stream* stream, mkz_memory* memory, std::size_t n, std::uint64_t offset = 0) {
    std::vector<Value> values(n);
    need(driver().copy_to_host(stream, values.data(), memory, offset, n * sizeof(Value), nullptr));
    need(driver().stream_synchronize(stream));
    return values;
}

inline Memory upload(mkz_stream* stream, const Words& words) {
    Memory memory = allocate(words.size() * sizeof words[0]);
    write(stream, memory, words);
    return memory;
}

inline Program build(const char* of = kernels(), const char* options = nullptr) {
    Program program;
    need(driver().program_build(device(), of, options, program.slot()));
    return program;
}

/// The program of kernels(). It is never released, because the driver may be gone when the process ends.
inline mkz_program* program() {
    static const auto& built = *new Program(build());
    return built;
}

/// The bytes of a program's compiled form.
inline std::string binary_of(mkz_program* program) {
    std::vector<std::string> given;
    need(driver().program_binary(
        program,
        [](void* context, const void* bytes, std::uint64_t size) {
            static_cast<std::vector<std::string>*>(context)->emplace_back(static_cast<const char*>(bytes), size);
        },
        &given));
    CHECK_EQ(given.size(), 1u);
    return given.at(0);
}

inline mkz_status load(const std::string& binary, Program& program) {
    return driver().program_load(device(), binary.data(), binary.size(), program.slot());
}

struct Kernel {
    operator mkz_function*() const { return function; }  // NOLINT: as the table takes it

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
mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  mkz_event** event, const Arguments&... arguments) {
    const mkz_argument list[] = {argument(arguments)...};
    return driver().launch(stream, function, groups, group_size, sizeof...(arguments), list, event);
}

/// Launches the kernel `slow`, which takes so long that the host can see it run.
/// memory  of slow_words words
inline void start_slow(mkz_stream* stream, const Memory& memory, std::uint32_t rounds, mkz_event** event = nullptr) {
    need(launch(stream, kernel(program(), "slow"), 4, 64, event, memory, rounds));
}
inline constexpr std::size_t slow_words = 256;
inline constexpr std::uint32_t slow_rounds = 3'000'000;

/// The words that `slow` writes.
inline Words slow_result(std::uint32_t rounds) {
    // The generator's steps compose: x -> a x + c.
    std::uint32_t a = 1, c = 0;
    for (std::uint32_t i = 0; i < rounds; i++) {
        a *= 1664525;
        c = c * 1664525 + 1013904223;
    }
    Words all(slow_words);
    for (std::uint32_t i = 0; i < slow_words; i++) all[i] = (a * i + c) | 1;
    return all;
}

/// Runs `body(number)` in n new threads. An exception fails the test.
template <class Body>
void in_threads(std::uint32_t n, Body body) {
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < n; t++) {
        threads.emplace_back([&body, t] {
            try {
                body(t);
            } catch (const std::exception& e) {
                check::fail(__FILE__, __LINE__, e.what());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace table
