// Machine code of CUDA devices in the library (MERKLIZE_CUDA_FATBINS): its programs and their names. The CMake test
// fatbins.cuda runs it on a GPU without NVRTC.

#include <algorithm>
#include <cstring>
#include <set>

#include "backends/tuning.hpp"
#include "programs/fatbins.hpp"
#include "programs/tuned_variants.hpp"
#include "support.hpp"

using namespace merklize::runtime;

namespace {

// As src/cmake/write_fatbin_programs.cpp has it.
std::vector<Variant> of_the_table() {
    return tuned_variants([](mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, mkz_policy& policy) {
        merklize::backends::tune(merklize::backends::DeviceClass::nvidia_gpu, kernel, hash, n, 0, &policy);
    });
}

}  // namespace

TEST("fatbins: each program that the table asks for has a name of its own") {
    const std::vector<Variant> variants = of_the_table();
    std::set<std::string> names;
    for (const Variant& variant : variants) CHECK(names.insert(fatbin_name(variant)).second);
    for (const merklize::HashTraits& t : merklize::hashes()) {
        const auto has = [&](const Body& body, std::uint32_t keyed) {
            return std::ranges::any_of(variants, [&](const Variant& variant) {
                return variant.hash == static_cast<std::uint32_t>(t.hash) && variant.only == body.only &&
                       variant.keyed == keyed;
            });
        };
        const bool is_keyed = t.hash == merklize::Hash::blake3 || t.hash == merklize::Hash::blake2s;
        for (const Body& body : {bodies::merge_level, bodies::merge_subtree, bodies::merge_pairs, bodies::merge_at}) {
            CHECK(has(body, 0));
            CHECK_EQ(has(body, 1), is_keyed);
        }
        const bool has_chunks = t.hash == merklize::Hash::blake3 || t.hash == merklize::Hash::blake3_parent;
        CHECK(has(has_chunks ? bodies::hash_chunks : bodies::hash_rows, 0));
        CHECK_EQ(has(bodies::hash_rows, 1), t.hash == merklize::Hash::blake2s);
    }
}

TEST("fatbins: those in the library are found by their programs, whole") {
    CHECK(std::ranges::is_sorted(fatbins(), {}, &Fatbin::name));
    std::size_t found = 0;
    for (const Variant& variant : of_the_table()) {
        const auto image = find_fatbin(variant);
        if (image.empty()) continue;
        found++;
        const std::uint32_t magic = 0xba55ed50;  // CUDA's fatbinary_section.h
        CHECK(image.size() > 64 && std::memcmp(image.data(), &magic, 4) == 0);
        Variant other = variant;
        other.policy.group_size = 7;
        CHECK(find_fatbin(other).empty());
    }
    CHECK_EQ(found, fatbins().size());
    std::cout << "  " << found << " in this build\n";
#ifdef MERKLIZE_HAS_FATBINS
    CHECK(found > 0);
#endif
}
