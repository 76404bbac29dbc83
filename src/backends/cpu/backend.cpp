// The CPU as a backend: its facts.
#include "seams/backend.h"

#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>

#include "backends/cpu/lanes.hpp"
#include "backends/cpu/tuning.hpp"
#include "backends/driver_table.hpp"
#include "host/threads.hpp"

namespace merklize::cpu {
namespace {

thread_local std::string error_text;

mkz_status fail(mkz_status status, std::string text) {
    error_text = std::move(text);
    return status;
}

const char* why_unavailable() {
    thread_local std::string text;
    try {
        lanes();
        return nullptr;
    } catch (const std::exception& e) {
        text = e.what();
        return text.c_str();
    }
}

#if defined(__x86_64__)
// By the CPUID instruction (0x80000002 to 4, AMD64 manual, volume 3), because reading /proc/cpuinfo takes milliseconds
// on a large machine.
std::string brand_string() {
    unsigned words[12] = {};
    for (unsigned i = 0; i < 3; i++) {
        unsigned* out = words + std::size_t{4} * i;
        if (__get_cpuid(0x80000002 + i, out, out + 1, out + 2, out + 3) == 0) return {};
    }
    char text[sizeof words + 1] = {};
    std::memcpy(text, words, sizeof words);
    const std::string name(text);
    const std::size_t first = name.find_first_not_of(' ');
    return first == name.npos ? std::string() : name.substr(first, name.find_last_not_of(' ') - first + 1);
}
#else
std::string brand_string() { return {}; }
#endif

std::string processor_name() {
    if (std::string name = brand_string(); !name.empty()) return name;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
    }
    return "CPU";
}

mkz_status device_facts(std::uint32_t, mkz_device_facts* facts) {
    try {
        std::snprintf(facts->isa, sizeof facts->isa, "%s", lanes().isa);
        std::snprintf(facts->name, sizeof facts->name, "%s", processor_name().c_str());
        facts->units = runtime::default_threads();
        facts->memory_bytes = std::min(static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE),
                                       runtime::group_memory("/"));
        return MKZ_OK;
    } catch (const std::exception& e) {
        return fail(MKZ_INTERNAL, e.what());
    }
}

std::uint32_t device_count() noexcept { return 1; }

const char* last_error() noexcept { return error_text.c_str(); }

}  // namespace

extern const mkz_backend backend;
const mkz_backend backend = MKZ_BACKEND("cpu", nullptr, last_error);

}  // namespace merklize::cpu
