// The CPU as a backend: its facts and its policies.
#include "jobs/backend.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "backends/cpu/lanes.hpp"
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

// Subtrees of 2^12 leaves take 256 KiB, leaves and parents: they stay in a core's second-level cache. Small trees are cut finer,
// so that every thread has several. Field hashes compute too long to need the cache; smaller subtrees share out and stop sooner.
// 2^10 leaves of blake3 are merged before another thread is awake (12 us alone, 16 to 30 by two).
void tune(std::uint32_t, mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t threads,
          mkz_tuning* tuning) {
    tuning->group_size = 0;
    tuning->lanes = 0;
    tuning->constants = 0;
    if (kernel != MKZ_KERNEL_MERGE_SUBTREES || tuning->levels_per_launch != 0) return;
    constexpr unsigned subtrees_per_thread = 4;
    const unsigned most_levels = mkz_is_field(hash) ? 8 : 12;
    constexpr std::uint64_t least_shared = std::uint64_t{1} << 10;  // merges of blake3
    const bool alone = threads == 1 || (hash == MKZ_HASH_blake3 && n < least_shared);
    const unsigned spread = alone ? 0 : std::bit_width(subtrees_per_thread * threads - 1);
    const unsigned height = std::bit_width(n);  // n merges: 2^height - 1 of them
    tuning->levels_per_launch = std::min(most_levels, height > spread + 4 ? height - spread : height);
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
