#include <cstdlib>
#include <string>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "hashes/sha256_instructions.hpp"
#include "host/features.hpp"
#include "merklize/error.hpp"

namespace merklize::cpu {
namespace {

// The instruction sets that this build has and this processor runs, widest first.
std::vector<const Lanes*> usable() {
    std::vector<const Lanes*> found;
#if defined(__x86_64__)
    const runtime::Features features = runtime::cpu_features();
    if (features.avx512) found.push_back(&lanes_avx512);
    if (features.avx2) found.push_back(&lanes_avx2);
#elif defined(__aarch64__)
    found.push_back(&lanes_neon);
#endif
    found.push_back(&lanes_scalar);
    return found;
}

const Lanes& choose() {
    const std::vector<const Lanes*> sets = usable();
    const char* wanted = std::getenv("MERKLIZE_CPU_ISA");
    if (wanted == nullptr || *wanted == '\0') return *sets.front();
    std::string names;
    for (const Lanes* set : sets) {
        if (std::string(wanted) == set->isa) return *set;
        names += names.empty() ? set->isa : std::string(", ") + set->isa;
    }
    throw Error(ErrorCode::unavailable,
                std::string("cpu: MERKLIZE_CPU_ISA=") + wanted +
                    " is not an instruction set of this processor and build; usable here: " + names);
}

}  // namespace

const Lanes& lanes() {
    static const Lanes chosen = [] {
        const Lanes& set = choose();
#if defined(__x86_64__)
        const Lanes here = &set == &lanes_avx512 ? with_few_items(set) : set;
#else
        const Lanes& here = set;
#endif
        const bool has_sha = &set != &lanes_scalar && runtime::sha256_instructions() != nullptr;
        return has_sha ? with_sha256_instructions(here) : here;
    }();  // after a throw the next call tries again
    return chosen;
}

}  // namespace merklize::cpu
