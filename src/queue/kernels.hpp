#pragma once

#include <algorithm>
#include <cstdint>

#include "queue/timeline.hpp"

namespace merklize::runtime {

/// Bytes of a block that a kernel works on.
struct Range {
    mkz_memory* memory;
    std::uint64_t offset;  // bytes

    Place place() const noexcept { return {memory, offset, true}; }
};

/// The range of a place on the device.
inline Range range_of(const Place& place) { return {static_cast<mkz_memory*>(place.pointer), place.offset}; }

inline Range range_of(const Lease& lease) { return range_of(lease.place()); }
Range range_of(Lease&&) = delete;

/// The kernels' argument mkz_key (core/kernels.h).
struct KeyWords {
    std::uint32_t w[8];
};

inline KeyWords key_words(const Mode& mode) {
    KeyWords key;
    std::copy_n(mode.key_words(), 8, key.w);
    return key;
}

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Groups of a kernel whose items take `lanes` things each, for n things.
inline std::uint64_t groups_of(std::uint64_t n, const mkz_policy& policy, const Kernel& kernel) {
    return divide_up(n, std::uint64_t{policy.lanes} * kernel.group_size);
}

/// Which kernel a job runs and with which policy, and operands where kernels can take them. One call's; used by one thread.
class Kernels {
public:
    /// threads  of the host, as policies may depend on them
    Kernels(Timeline& timeline, unsigned threads) : timeline_(timeline), threads_(threads) {}

    QueueDevice& device() const noexcept { return *timeline_.device(); }

    /// The caller's policy, or what was found best for the whole job (tuned_policies.hpp).
    mkz_policy wanted(mkz_kernel job, Hash hash, std::uint64_t n, const mkz_policy& given) const;
    /// A policy with what the backend's table says for n where it leaves a choice.
    mkz_policy filled(mkz_kernel job, Hash hash, std::uint64_t n, mkz_policy policy) const;
    mkz_policy chosen(mkz_kernel job, Hash hash, std::uint64_t n, const mkz_policy& given) const {
        return filled(job, hash, n, wanted(job, hash, n, given));
    }

    /// is_free  whether the group may be made smaller to fit the kernel: the caller did not ask for it
    Kernel find(const Variant& variant, const Body& body, bool is_free) const {
        return device().programs().find(variant, body, is_free);
    }
    /// Enqueues a merge kernel of variant_of(): with a key it has two more arguments.
    template <class... Arguments>
    void launch_merges(const Mode& mode, const Kernel& kernel, std::uint64_t groups, const Arguments&... arguments) {
        if (mode.flags() == 0) return timeline_.launch(kernel, groups, arguments...);
        KeyWords key = key_words(mode);
        timeline_.launch(kernel, groups, arguments..., key, mode.flags());
        wipe(&key, sizeof key);
    }
    /// What a merge job's kernels are compiled for.
    static Variant merge_variant(Hash hash, const Mode& mode, const mkz_policy& policy);

    bool is_aligned(const Range& range, std::uint64_t to) const;
    /// The same bytes on a multiple of `to` bytes: where they are, or a copy of them.
    Lease aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes);
    /// Where to write nodes meant for `range`, on 32 bytes; return_out() then copies what is not yet there.
    Lease aligned_out(const Range& range, std::uint64_t bytes);
    void return_out(const Range& range, const Range& written, std::uint64_t bytes);
    /// Throws invalid_argument if nodes of a tree do not begin on 32 bytes.
    void require_node_alignment(const Range& nodes) const;

private:
    Timeline& timeline_;
    unsigned threads_;
};

}  // namespace merklize::runtime
