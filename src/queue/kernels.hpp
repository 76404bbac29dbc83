#pragma once

#include <algorithm>
#include <cstdint>

#include "queue/timeline.hpp"
#include "tuning/policy.hpp"

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

inline std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

/// Groups that a kernel needs for n things, at `lanes` things an item.
inline std::uint64_t groups_of(std::uint64_t n, const mkz_policy& policy, const Kernel& kernel) {
    return divide_up(n, std::uint64_t{policy.lanes} * kernel.group_size);
}

/// The part of a DeviceCall that chooses the kernel and the policy of a job, and aligns operands as kernels need them.
class Kernels : public Timeline {
public:
    /// options  as for Timeline; also the policy
    /// threads  of the host: for copies, for policies, and for merges on the host
    Kernels(std::shared_ptr<QueueDevice> device, const RunOptions& options, unsigned threads,
            Ending ending = Ending::waits)
        : Timeline(std::move(device), options, ending), policy_(to_seam(options.policy)), threads_(threads) {}

    /// Threads of the host.
    unsigned threads() const noexcept { return threads_; }

    /// The caller's policy, or the one that was tuned for the whole job (tuned_policies.hpp).
    mkz_policy wanted(mkz_kernel job, Hash hash, std::uint64_t n) const;
    /// A policy whose open fields are filled from the backend's table for n.
    mkz_policy filled(mkz_kernel job, Hash hash, std::uint64_t n, mkz_policy policy) const;
    mkz_policy chosen(mkz_kernel job, Hash hash, std::uint64_t n) const {
        return filled(job, hash, n, wanted(job, hash, n));
    }

    /// The kernel of a job with a policy. An error if the kernel does not fit the group size that the caller asked for.
    Kernel kernel(const Variant& variant, const Body& body) const {
        return device().programs().find(variant, body, policy_.group_size == 0);
    }
    /// The same where no caller chooses the group size: it is halved until the kernel fits.
    Kernel free_kernel(const Variant& variant, const Body& body) const {
        return device().programs().find(variant, body, true);
    }
    /// The variant of kernels of merges or rows in this mode.
    static Variant keyed_variant(Hash hash, const Mode& mode, const mkz_policy& policy);

    bool is_aligned(const Range& range, std::uint64_t to) const;
    /// The bytes of a range aligned to `to` bytes: at their own place if that is aligned, else a copy.
    Lease aligned_to(const Range& range, std::uint64_t to, std::uint64_t bytes);
    /// A place aligned to 32 bytes for nodes that belong to `range`; return_out() copies them to the range if it is
    /// another place.
    Lease aligned_out(const Range& range, std::uint64_t bytes);
    void return_out(const Range& range, const Range& written, std::uint64_t bytes);
    /// Throws invalid_argument if nodes of a tree are not aligned to 32 bytes.
    void require_node_alignment(const Range& nodes) const;

private:
    const mkz_policy policy_;
    const unsigned threads_;
};

}  // namespace merklize::runtime
