// The CPU as a backend: its facts.
#include "seams/backend.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "backends/cpu/lanes.hpp"
#include "backends/cpu/tuning.hpp"
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

std::string processor_name() {
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
        facts->memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
        return MKZ_OK;
    } catch (const std::exception& e) {
        return fail(MKZ_INTERNAL, e.what());
    }
}

}  // namespace

extern const mkz_backend backend;
const mkz_backend backend = {
    .abi = MKZ_BACKEND_ABI,
    .name = "cpu",
    .why_unavailable = why_unavailable,
    .device_count = [] { return 1u; },
    .device_facts = device_facts,
    .tune = tune,
    .driver = nullptr,
    .last_error = [] { return error_text.c_str(); },
};

}  // namespace merklize::cpu
