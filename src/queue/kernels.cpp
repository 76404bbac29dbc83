#include "queue/kernels.hpp"

#include <string>

#include "host/invalid.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::runtime {

mkz_policy Kernels::wanted(mkz_kernel job, Hash hash, std::uint64_t n) const {
    return tuned_policy(device().backend(), device().index(), job, UnitOf(hash).unit, n, policy_);
}

mkz_policy Kernels::filled(mkz_kernel job, Hash hash, std::uint64_t n, mkz_policy policy) const {
    device().backend().tune(device().index(), job, UnitOf(hash).unit, n, threads_, &policy);
    return policy;
}

Variant Kernels::keyed_variant(Hash hash, const Mode& mode, const mkz_policy& policy) {
    Variant variant = variant_of(UnitOf(hash).unit, policy);
    variant.keyed = mode.flags() != 0;
    return variant;
}

bool Kernels::is_aligned(const Range& range, std::uint64_t to) const {
    if (range.memory == nullptr) return true;  // an empty range
    // Kernels access at most 16 bytes at once, so blocks need no larger alignment; offsets do, where they count in
    // larger units.
    return range.offset % to == 0 && device().driver().alignment(range.memory) % std::min<std::uint64_t>(to, 16) == 0;
}

Lease Kernels::aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes) {
    if (is_aligned(range, to)) return Lease(range.place());
    Lease copy = scratch(bytes);
    copy_on_device(copy.place(), range.place(), bytes);
    return copy;
}

Lease Kernels::aligned_out(const Range& range, std::uint64_t bytes) {
    return is_aligned(range, 32) ? Lease(range.place()) : scratch(bytes);
}

void Kernels::return_out(const Range& range, const Range& written, std::uint64_t bytes) {
    if (written.memory != range.memory) copy_on_device(range.place(), written.place(), bytes);
}

void Kernels::require_node_alignment(const Range& nodes) const {
    if (is_aligned(nodes, 32)) return;
    invalid_call("nodes on " + device().id() + " must begin on a multiple of 32 bytes, got offset " +
                 std::to_string(nodes.offset));
}

}  // namespace merklize::runtime
