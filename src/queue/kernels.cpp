#include "queue/kernels.hpp"

#include <bit>
#include <string>

#include "merklize/error.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {
namespace {

void require_choices(const mkz_tuning& policy) {
    const auto invalid = [](const char* name, const char* rule, std::uint32_t got) {
        throw Error(ErrorCode::invalid_argument,
                    std::string("policy: ") + name + " must be " + rule + ", got " + std::to_string(got));
    };
    if (policy.group_size != 0 && (!std::has_single_bit(policy.group_size) || policy.group_size > 1024))
        invalid("group_size", "a power of two up to 1024", policy.group_size);
    if (policy.lanes != 0 && (!std::has_single_bit(policy.lanes) || policy.lanes > 16))
        invalid("merges_per_item or chunks_per_item", "1, 2, 4, 8 or 16", policy.lanes);
}

}  // namespace

mkz_tuning Kernels::wanted(mkz_kernel job, Hash hash, std::uint64_t n, const mkz_tuning& given) const {
    require_choices(given);
    return tuned_policy(device().backend(), device().index(), job, static_cast<std::uint32_t>(hash), n, given);
}

mkz_tuning Kernels::filled(mkz_kernel job, Hash hash, std::uint64_t n, mkz_tuning policy) const {
    device().backend().tune(device().index(), job, static_cast<std::uint32_t>(hash), n, threads_, &policy);
    return policy;
}

Variant Kernels::merge_variant(Hash hash, const Mode& mode, const mkz_tuning& policy) {
    Variant variant = variant_of(static_cast<std::uint32_t>(hash), policy);
    variant.keyed = mode.flags() != 0;
    return variant;
}

bool Kernels::is_aligned(const Range& range, std::uint64_t to) const {
    if (range.memory == nullptr) return true;  // no bytes at all
    // Kernels move at most 16 bytes at once; offsets count in larger units.
    return range.offset % to == 0 && device().driver().alignment(range.memory) % std::min<std::uint64_t>(to, 16) == 0;
}

Range Kernels::aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes) {
    if (is_aligned(range, to)) return range;
    const Range copy{timeline_.scratch(bytes)->memory(), 0};
    timeline_.copy_on_device(copy.place(), range.place(), bytes);
    return copy;
}

Range Kernels::aligned_out(const Range& range, std::uint64_t bytes) {
    return is_aligned(range, 32) ? range : Range{timeline_.scratch(bytes)->memory(), 0};
}

void Kernels::return_out(const Range& range, const Range& written, std::uint64_t bytes) {
    if (written.memory != range.memory) timeline_.copy_on_device(range.place(), written.place(), bytes);
}

void Kernels::require_node_alignment(const Range& nodes) const {
    if (is_aligned(nodes, 32)) return;
    throw Error(ErrorCode::invalid_argument, "tree: nodes on " + device().id() +
                                                 " must begin on a multiple of 32 bytes, got offset " +
                                                 std::to_string(nodes.offset));
}

}  // namespace merklize::runtime
