#include "programs/tuned_variants.hpp"

#include <set>

#include "hashes/hash_info.hpp"

namespace merklize::runtime {
namespace {

constexpr Body with_hash[] = {bodies::merge_level, bodies::merge_pairs,  bodies::merge_subtree, bodies::hash_rows,
                              bodies::hash_chunks, bodies::hash_parents, bodies::merge_at,      bodies::merge_edge,
                              bodies::hash_each,   bodies::merge_keep,   bodies::hash_tiles,    bodies::xmss_leaves};

constexpr auto tiles_hash = static_cast<std::uint32_t>(Hash::blake3);
constexpr auto xmss_hash = static_cast<std::uint32_t>(Hash::blake2s);

// The bodies that run a job with this hash.
std::vector<Body> bodies_of(mkz_kernel kernel, const mkz_hash_info& hash) {
    switch (kernel) {
        case MKZ_KERNEL_HASH_CHUNKS:
            if (hash.id == tiles_hash) return {bodies::hash_chunks, bodies::hash_each, bodies::hash_tiles};
            if (hash.has_chunk_tree) return {bodies::hash_chunks, bodies::hash_each};
            return {};
        case MKZ_KERNEL_HASH_ROWS:
            if (is_field(hash)) return {};
            if (hash.id == xmss_hash) return {bodies::hash_rows, bodies::xmss_leaves};
            return {hash.has_chunk_tree ? bodies::hash_chunks : bodies::hash_rows};
        case MKZ_KERNEL_HASH_ELEMENTS:
            if (is_field(hash)) return {bodies::hash_rows};
            return {};
        case MKZ_KERNEL_MERGE_PAIRS: return {bodies::merge_pairs};
        case MKZ_KERNEL_MERGE_SUBTREES: return {bodies::merge_level, bodies::merge_keep, bodies::merge_subtree};
        case MKZ_KERNEL_MERGE_AT: return {bodies::merge_at, bodies::merge_edge};
    }
    return {};
}

}  // namespace

std::vector<Variant> tuned_variants(const Tune& tune) {
    constexpr mkz_kernel jobs[] = {MKZ_KERNEL_HASH_CHUNKS, MKZ_KERNEL_HASH_ROWS,      MKZ_KERNEL_HASH_ELEMENTS,
                                   MKZ_KERNEL_MERGE_PAIRS, MKZ_KERNEL_MERGE_SUBTREES, MKZ_KERNEL_MERGE_AT};
    std::set<Variant> seen;
    std::vector<Variant> found;
    const auto add = [&](Variant variant, const Body& body) {
        variant.only = body.only;
        variant.policy.group_size = body.group_of(variant.policy.group_size);
        if (seen.insert(variant).second) found.push_back(variant);
    };
    add(data_variant(), bodies::check_words64);    // this program has all bodies of kernels/data.h
    add(data_variant(), bodies::extend64);         // this one both widths
    add(data_variant(), bodies::weighted_sums64);  // and this one
    for (const std::uint32_t slots : {16u, 32u, 64u}) add(constraint_variant(slots), bodies::constraints64);
    for (const HashTraits& t : hashes()) {
        const mkz_hash_info& hash = info(t.hash);
        if (hash.has_chunk_tree) add({.hash = hash.id, .policy = group_of(256)}, bodies::hash_parents);
        for (const mkz_kernel job : jobs) {
            const bool is_of_bytes = job == MKZ_KERNEL_HASH_ROWS || job == MKZ_KERNEL_HASH_CHUNKS;
            for (unsigned log2 = 0; log2 <= 30; log2++) {
                mkz_policy policy{};
                tune(job, hash.id, std::uint64_t{1} << log2, policy);
                for (const Body& body : bodies_of(job, hash)) {
                    if (job == MKZ_KERNEL_MERGE_AT) policy.lanes = 1;  // as queue/launches/paths.cpp launches it
                    Variant variant = variant_of(hash.id, policy);
                    add(variant, body);
                    if (body.only == MKZ_ONLY_XMSS) continue;
                    if (is_of_bytes) variant.align = 1;
                    variant.keyed = hash.is_keyed && !(is_of_bytes && hash.has_chunk_tree);
                    add(variant, body);
                }
            }
        }
    }
    return found;
}

std::string describe(const Variant& variant) {
    std::string name = variant.only == MKZ_ONLY_EXTEND        ? "mkz_extend"
                       : variant.only == MKZ_ONLY_SUMS        ? "mkz_weighted_sums"
                       : variant.only == MKZ_ONLY_CONSTRAINTS ? "mkz_constraints"
                                                              : "data";
    for (const Body& body : with_hash) {
        if (variant.only == body.only) name = body.name;
    }
    if (variant.hash != Variant::no_hash) name += "_" + std::string(traits(static_cast<Hash>(variant.hash)).name);
    const auto add = [&](const char* field, std::uint32_t value) {
        if (value != 0) name.append(" ").append(field).append("=").append(std::to_string(value));
    };
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) add(#field, variant.policy.field);
#include "merklize/policy.def"
    if (variant.align != 16) add("align", variant.align);
    if (variant.keyed != 0) name += " keyed";
    return name;
}

}  // namespace merklize::runtime
