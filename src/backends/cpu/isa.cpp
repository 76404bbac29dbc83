#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/lanes.hpp"
#include "hashes/sha256_instructions.hpp"
#include "host/features.hpp"
#include "merklize/error.hpp"

namespace merklize::cpu {

#define LANES_FAMILY(family) \
    extern const Lanes lanes_scalar_##family, lanes_avx2_##family, lanes_avx512_##family, lanes_neon_##family;
#include "lanes/families.inc"
#undef LANES_FAMILY

namespace {

// Joins two tables that have no function in common.
void join(Lanes& lanes, const Lanes& others) {
    const auto take = [](auto& function, auto other) {
        if (other != nullptr) function = other;
    };
    take(lanes.hash_chunks, others.hash_chunks);
    take(lanes.hash_tile_chunks, others.hash_tile_chunks);
    take(lanes.compress_pairs, others.compress_pairs);
    take(lanes.hash_short_rows, others.hash_short_rows);
    take(lanes.hash_chains, others.hash_chains);
    take(lanes.expand, others.expand);
    for (unsigned id = 0; id < n_ids; id++) take(lanes.merge[id], others.merge[id]);
    for (unsigned id = 0; id < n_ids; id++) take(lanes.hash_rows[id], others.hash_rows[id]);
    take(lanes.copy_past_caches, others.copy_past_caches);
    take(lanes.from_montgomery_32, others.from_montgomery_32);
    take(lanes.from_montgomery_64, others.from_montgomery_64);
    take(lanes.xmss_leaves, others.xmss_leaves);
    take(lanes.xmss_nodes, others.xmss_nodes);
    take(lanes.extend_32, others.extend_32);
    take(lanes.extend_64, others.extend_64);
    take(lanes.constraints_32, others.constraints_32);
    take(lanes.constraints_64, others.constraints_64);
}

// The instruction sets that this build has and this processor runs, widest first.
std::vector<Lanes> usable() {
    std::vector<Lanes> found;
    const auto add = [&](std::initializer_list<const Lanes*> families) {
        Lanes& set = found.emplace_back(Lanes{.isa = (*families.begin())->isa});
        for (const Lanes* family : families) join(set, *family);
    };
#ifdef LANES_HAVE_AVX512
#define LANES_FAMILY(family) &lanes_avx512_##family,
    if (runtime::cpu_features().avx512) {
        add({
#include "lanes/families.inc"
        });
    }
#undef LANES_FAMILY
#endif
#ifdef LANES_HAVE_AVX2
#define LANES_FAMILY(family) &lanes_avx2_##family,
    if (runtime::cpu_features().avx2) {
        add({
#include "lanes/families.inc"
        });
    }
#undef LANES_FAMILY
#endif
#ifdef LANES_HAVE_NEON
#define LANES_FAMILY(family) &lanes_neon_##family,
    add({
#include "lanes/families.inc"
    });
#undef LANES_FAMILY
#endif
#define LANES_FAMILY(family) &lanes_scalar_##family,
    add({
#include "lanes/families.inc"
    });
#undef LANES_FAMILY
    return found;
}

Lanes choose() {
    const std::vector<Lanes> sets = usable();
    const char* wanted = std::getenv("MERKLIZE_CPU_ISA");
    if (wanted == nullptr || *wanted == '\0') return sets.front();
    std::string names;
    for (const Lanes& set : sets) {
        if (std::string(wanted) == set.isa) return set;
        names += names.empty() ? set.isa : std::string(", ") + set.isa;
    }
    throw Error(ErrorCode::unavailable,
                std::string("cpu: MERKLIZE_CPU_ISA=") + wanted +
                    " is not an instruction set of this processor and build; usable here: " + names);
}

}  // namespace

const Lanes& lanes() {
    static const Lanes chosen = [] {
        Lanes set = choose();
        const std::string_view isa = set.isa;
#ifdef LANES_HAVE_AVX512
        if (isa == "avx512") set = with_few_items_avx512(set);
#endif
#ifdef LANES_HAVE_AVX2
        if (isa == "avx2") set = with_few_items_avx2(set);
#endif
        const bool has_sha = isa != "scalar" && runtime::sha256_instructions() != nullptr;
        return has_sha ? with_sha256_instructions(set) : set;
    }();  // after a throw the next call tries again
    return chosen;
}

}  // namespace merklize::cpu
