#include "check.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "processor.hpp"

namespace check {
namespace {

struct Test {
    const char* name;
    Function function;
};

std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

std::atomic<int> failures = 0;

constexpr int skipped = 77;  // SKIP_RETURN_CODE of the CMake tests

/// Checks the device of a run that is not on the CPU. MERKLIZE_DEVICE makes it the default of every call.
int require_device(const char* device) {
    std::string why = merklize::why_unavailable(device);
    const bool wants_several = std::string_view(device).ends_with(":all");
    if (why.empty() && wants_several && merklize::Device().info().id != device)
        why = std::string(device) + ": only " + merklize::Device().info().id;
    if (why.empty()) {
        const merklize::DeviceInfo info = merklize::Device().info();
        std::cout << "device: " << info.id << ", " << info.name << ", driver " << info.driver << ", " << info.isa
                  << '\n';
        return info.id == device ? 0 : 1;
    }
    const char* value = std::getenv("MERKLIZE_REQUIRE_RUNTIMES");
    const bool required = value != nullptr && *value != '\0';
    std::cout << (required ? "FAILED: " : "skipped: ") << why << '\n';
    return required ? 1 : skipped;
}

/// A run must test the instruction set that was asked for, so a run with any other one ends here.
/// returns  0 to go on, or the exit status
int require_isa() {
    const char* wanted = std::getenv("MERKLIZE_CPU_ISA");
    try {
        const std::string isa = merklize::Device("cpu").info().isa;
        std::cout << "instruction set: " << isa << '\n';
        if (const char* device = std::getenv("MERKLIZE_DEVICE"); device != nullptr && *device != 0)
            return require_device(device);
        if (isa == (wanted != nullptr ? wanted : processor::widest())) return 0;
        std::cout << "FAILED: expected " << (wanted != nullptr ? wanted : processor::widest()) << '\n';
        return 1;
    } catch (const merklize::Error& e) {
        std::cout << e.what() << '\n';
        if (wanted == nullptr || processor::has(wanted)) return 1;
        std::cout << "skipped: this processor has no " << wanted << '\n';
        return skipped;
    }
}

}  // namespace

bool add(const char* name, Function function) noexcept {
    tests().push_back({name, function});
    return true;
}

void fail(const char* file, int line, std::string_view what) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    constexpr int shown = 20;  // one fault can fail thousands of checks
    if (++failures <= shown) std::cout << file << ':' << line << ": " << what << std::endl;
    if (failures == shown + 1) std::cout << "(further failures are only counted)" << std::endl;
}

std::string excerpt(std::string_view text, std::size_t first) {
    constexpr std::size_t most = 40;
    std::string quoted = first == 0 ? "\"" : "\"...";
    for (const char c : text.substr(std::min(first, text.size()), most)) {
        constexpr const char* digits = "0123456789abcdef";
        const auto code = static_cast<unsigned char>(c);
        if (code >= ' ' && code < 127) {
            quoted += c;
        } else {
            quoted += {'\\', 'x', digits[code >> 4], digits[code & 15]};
        }
    }
    return quoted + (text.size() > first && text.size() - first > most ? "...\"" : "\"");
}

/// argv  prefixes of the names of the tests that run; without any, all tests run
int run(int argc, char** argv) {
    const std::vector<std::string> only(argv + 1, argv + argc);
    int n_run = 0;
    for (const Test& test : tests()) {
        bool chosen = only.empty();
        for (const std::string& start : only) chosen = chosen || std::string_view(test.name).starts_with(start + ":");
        if (!chosen) continue;
        const int before = failures;
        const auto start = std::chrono::steady_clock::now();
        try {
            test.function();
        } catch (const std::exception& e) {
            fail(test.name, 0, std::string("exception: ") + e.what());
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        std::cout << (failures == before ? "ok      " : "FAILED  ") << test.name;
        if (took.count() > 1) std::cout << " (" << std::lround(took.count()) << " s)";
        std::cout << std::endl;
        ++n_run;
    }
    if (n_run == 0) fail(argv[0], 0, "no test has such a name");
    std::cout << n_run << " tests, " << failures << " failures" << std::endl;
    return failures == 0 ? 0 : 1;
}

/// Whether each suite is one of argv, or runs in a process of its own, in which case its name ends in _child.
int no_others_than(int argc, char** argv) {
    const std::vector<std::string_view> known(argv, argv + argc);
    for (const Test& test : tests()) {
        const std::string_view name = test.name, suite = name.substr(0, name.find(':'));
        if (suite.ends_with("_child") || std::ranges::find(known, suite) != known.end()) continue;
        fail(test.name, 0, "no test of CMake runs this suite");
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace check

int main(int argc, char** argv) {
    if (argc > 1 && argv[1] == std::string_view("--no-others-than")) return check::no_others_than(argc - 2, argv + 2);
    const int status = check::require_isa();
    return status == 0 ? check::run(argc, argv) : status;
}
