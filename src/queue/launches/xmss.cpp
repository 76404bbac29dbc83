// Subtrees of XMSS keys: as many at a time as the device makes in a moment, level after level in its memory.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "hashes/wipe.hpp"
#include "jobs/host_executor.hpp"
#include "merklize/error.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

constexpr std::uint64_t node_bytes = 16;
// Enough to keep a large GPU busy, and what has room on any device.
constexpr std::uint64_t first_slots = 1 << 18, first_slots_of_cpu = 1 << 12, most_slots = 1 << 22;
// Between two questions whether to go on.
constexpr double wanted_seconds = 0.025;

// The kernels' argument mkz_xmss_subtrees (core/kernels/xmss.h).
struct Subtrees {
    std::uint64_t begin, count, per_key;
    std::uint32_t first, last, levels, level;
};

// Pinned memory for secrets, which is wiped when no copy reads it any more.
class PinnedSecrets {
public:
    explicit PinnedSecrets(DeviceCall& call) : call_(call), pinned_(call.device().borrow_pinned(Staging::small_copy)) {}
    ~PinnedSecrets() {
        call_.drain();
        wipe(pinned_.bytes, pinned_.size);
        call_.device().give_back(pinned_);
    }
    PinnedSecrets(const PinnedSecrets&) = delete;
    PinnedSecrets& operator=(const PinnedSecrets&) = delete;

    void send(const Place& to, std::span<const std::byte> secrets) {
        for (std::uint64_t done = 0, here = 0; done < secrets.size(); done += here) {
            here = std::min<std::uint64_t>(pinned_.size, secrets.size() - done);
            std::memcpy(pinned_.bytes, &secrets[done], here);
            call_.copy_to_device(moved(to, done), pinned_.bytes, here);
            call_.synchronize_main();
        }
    }

private:
    DeviceCall& call_;
    const Pinned pinned_;
};

// The secrets on the device, which are overwritten by zeros in the end.
class SentSecrets {
public:
    SentSecrets(DeviceCall& call, std::span<const XmssSecret> keys)
        : call_(call), bytes_(keys.size_bytes()), there_(call.scratch(bytes_)) {
        PinnedSecrets(call).send(there_.place(), std::as_bytes(keys));
    }
    ~SentSecrets() {
        try {
            call_.clear_nodes(there_.place(), bytes_ / Digest::size);
            call_.synchronize_main();
        } catch (const Error&) {  // a device that takes no commands any more
        }
    }
    SentSecrets(const SentSecrets&) = delete;
    SentSecrets& operator=(const SentSecrets&) = delete;

    mkz_memory* memory() const { return range_of(there_).memory; }

private:
    DeviceCall& call_;
    std::uint64_t bytes_;
    Lease there_;
};

struct XmssKernels {
    Kernel leaves, level;
    mkz_policy policy;
};

// A group of 32 items: a path's few leaves go to many units, and registers, not groups, limit what is resident.
XmssKernels kernels_of(DeviceCall& call, std::uint64_t n) {
    mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_ROWS, MakeXmss::hash, n);
    policy.group_size = 32;
    const Variant variant = variant_of(info(MakeXmss::hash).id, policy);
    return {call.free_kernel(variant, bodies::xmss_leaves), call.free_kernel(variant, bodies::xmss_level), policy};
}

bool make_on_device(DeviceCall& call, const MakeXmss& a, const Tick& tick) {
    using Clock = std::chrono::steady_clock;
    const std::uint64_t least = std::uint64_t{1} << a.levels, all = a.n << a.levels;
    const XmssKernels kernels = kernels_of(call, all);
    const SentSecrets keys(call, a.keys);
    const bool is_cpu = call.facts().unified != 0;
    std::uint64_t slots = std::max(least, is_cpu ? first_slots_of_cpu : first_slots);
    Lease nodes, above;
    std::uint64_t room = 0;
    for (std::uint64_t done = 0; done < a.n;) {
        const auto start = Clock::now();
        const std::uint64_t n = std::min(slots >> a.levels, a.n - done);
        if (n > room) {
            nodes = Lease();
            above = Lease();
            nodes = call.scratch(node_bytes * n << a.levels);
            above = call.scratch(node_bytes * std::max<std::uint64_t>(n, n << a.levels >> 1));
            room = n;
        }
        Subtrees trees{a.begin + done, n, a.per_key(), a.first, a.last, a.levels, 0};
        call.enqueue(kernels.leaves, groups_of(n << a.levels, kernels.policy, kernels.leaves),
                     {keys.memory(), trees, range_of(nodes).memory});
        const Lease *from = &nodes, *to = &above;
        for (trees.level = 1; trees.level <= a.levels; trees.level++, std::swap(from, to)) {
            call.enqueue(kernels.level, groups_of(n << (a.levels - trees.level), kernels.policy, kernels.level),
                         {keys.memory(), trees, range_of(*from).memory, range_of(*to).memory});
        }
        call.download(a.out + node_bytes * done, from->place(), node_bytes * n);
        done += n;
        if (tick && !tick(static_cast<double>(done) / static_cast<double>(a.n))) return false;
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (seconds < wanted_seconds) slots = std::max(least, std::min(most_slots, 4 * slots));
    }
    return true;
}

}  // namespace

// If a device has no room, the processors hash.
bool DeviceCall::launch(const MakeXmss& a, const Tick& tick) {
    if (a.n == 0) return true;
    try {
        return make_on_device(*this, a, tick);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    return HostExecutor(threads()).launch(a, tick);
}

}  // namespace merklize::runtime
