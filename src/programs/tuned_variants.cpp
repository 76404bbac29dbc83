#include "programs/tuned_variants.hpp"

#include <set>

#include "merklize/hash.hpp"

namespace merklize::runtime {
namespace {

constexpr Body with_hash[] = {bodies::merge_level, bodies::merge_pairs,  bodies::merge_subtree, bodies::hash_rows,
                              bodies::hash_chunks, bodies::hash_parents, bodies::merge_at};

struct Job {
    mkz_kernel kernel;
    std::vector<Body> bodies;
    bool for_blake3, for_sha256, for_fields;
};

}  // namespace

std::vector<Variant> tuned_variants(const Tune& tune) {
    const Job jobs[] = {
        {MKZ_KERNEL_HASH_CHUNKS, {bodies::hash_chunks}, true, false, false},
        {MKZ_KERNEL_HASH_ROWS, {bodies::hash_chunks}, true, false, false},
        {MKZ_KERNEL_HASH_ROWS, {bodies::hash_rows}, false, true, false},
        {MKZ_KERNEL_HASH_ELEMENTS, {bodies::hash_rows}, false, false, true},
        {MKZ_KERNEL_MERGE_PAIRS, {bodies::merge_pairs}, true, true, true},
        {MKZ_KERNEL_MERGE_SUBTREES, {bodies::merge_level, bodies::merge_subtree}, true, true, true},
        {MKZ_KERNEL_MERGE_AT, {bodies::merge_at}, true, true, true},
    };
    std::set<Variant> seen;
    std::vector<Variant> found;
    const auto add = [&](Variant variant, const Body& body) {
        variant.only = body.only;
        if (seen.insert(variant).second) found.push_back(variant);
    };
    add({.group_size = 256}, bodies::check_words64);  // and the others without a hash
    add({.hash = MKZ_HASH_blake3, .group_size = 256}, bodies::hash_parents);
    for (const HashTraits& t : hashes()) {
        const auto hash = static_cast<std::uint32_t>(t.hash);
        for (const Job& job : jobs) {
            const bool wanted = t.is_field ? job.for_fields : t.hash == Hash::sha256 ? job.for_sha256 : job.for_blake3;
            if (!wanted) continue;
            for (unsigned log2 = 0; log2 <= 30; log2++) {
                mkz_policy policy{};
                tune(job.kernel, hash, std::uint64_t{1} << log2, policy);
                for (const Body& body : job.bodies) {
                    if (job.kernel == MKZ_KERNEL_MERGE_AT) policy.lanes = 1;  // as Session::merge_at()
                    Variant variant = variant_of(hash, policy);
                    add(variant, body);
                    const bool is_of_bytes = job.kernel == MKZ_KERNEL_HASH_ROWS || job.kernel == MKZ_KERNEL_HASH_CHUNKS;
                    variant.align = is_of_bytes ? 1 : variant.align;
                    variant.keyed = !is_of_bytes && t.hash == Hash::blake3;
                    add(variant, body);
                }
            }
        }
    }
    return found;
}

std::string describe(const Variant& variant) {
    std::string name = "data";
    for (const Body& body : with_hash) {
        if (variant.only == body.only) name = body.name;
    }
    if (variant.hash != Variant::no_hash) name += "_" + std::string(traits(static_cast<Hash>(variant.hash)).name);
    name += " group_size=" + std::to_string(variant.group_size) + " lanes=" + std::to_string(variant.lanes);
    if (variant.constants != 0) name += " constants=" + std::to_string(variant.constants);
    if (variant.align != 16) name += " align=" + std::to_string(variant.align);
    if (variant.keyed != 0) name += " keyed";
    return name;
}

}  // namespace merklize::runtime
