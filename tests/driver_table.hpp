#pragma once

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
#include "seams/backend.h"

// A backend's C tables for its tests: what owns handles, and what turns a status into a test's failure. They run on one device:
// the first, or number $MERKLIZE_TEST_DEVICE.
namespace table {

// What each backend's own table.hpp defines:
/// Which backend.
inline const mkz_backend& backend();
/// The kernels that its tests launch.
inline const char* kernels();
/// The variable that is 1 where a machine without the backend is a failure and no reason to skip.
inline const char* required_by();

inline std::uint32_t device() {
    const char* number = std::getenv("MERKLIZE_TEST_DEVICE");
    return number == nullptr ? 0 : static_cast<std::uint32_t>(std::strtoul(number, nullptr, 10));
}

/// The table, in a process that has a device. Without one the run is skipped, or fails as required_by() says.
inline const mkz_driver& driver() {
    static const mkz_driver* const found = [] {
        if (const char* why = backend().why_unavailable()) {
            const char* required = std::getenv(required_by());
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

// Functions with names, since the type of a lambda is another one in each source file, and with it all that is made of it.
inline void give_back(mkz_memory* memory) { driver().release(device(), memory); }
inline void give_back(mkz_stream* stream) { driver().stream_close(stream); }
inline void give_back(mkz_event* event) { driver().event_release(event); }
inline void give_back(mkz_program* program) { driver().program_release(program); }

/// A handle of the table that is given back in the end.
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

/// Of kernels(). Never given back: when the process ends the driver may be gone.
inline mkz_program* program() {
    static const auto& built = *new Program(build());
    return built;
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

}  // namespace table
