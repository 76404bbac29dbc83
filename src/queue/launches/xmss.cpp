// Subtrees of XMSS keys: as many at a time as have room on the device, level after level in its memory.
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
// Slots of the subtrees that are on the device at a time: 96 MiB of nodes, and fewer if the device has little memory.
constexpr std::uint64_t most_slots = 1 << 22, few_slots = 1 << 16;
// Leaves of the first launch, if the call can be cancelled: enough to keep a large GPU busy. Later launches have more,
// as long as a launch takes less than wanted_seconds. The caller is asked between launches.
constexpr std::uint64_t first_leaves = 1 << 18, first_leaves_of_cpu = 1 << 10;
constexpr double wanted_seconds = 0.025;

// The kernels' argument mkz_xmss_subtrees (core/kernels/xmss.h).
struct Subtrees {
    std::uint64_t begin, count, per_key, first_slot;
    std::uint32_t first, last, levels, level;
};

// Pinned memory for secrets. The destructor waits for the copies that read it, and wipes it.
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
        for (std::uint64_t done = 0, count = 0; done < secrets.size(); done += count) {
            count = std::min<std::uint64_t>(pinned_.size, secrets.size() - done);
            std::memcpy(pinned_.bytes, &secrets[done], count);
            call_.copy_to_device(moved(to, done), pinned_.bytes, count);
            call_.synchronize_main();
        }
    }

private:
    DeviceCall& call_;
    const Pinned pinned_;
};

// The secrets on the device. The destructor overwrites them with zeros.
class SentSecrets {
public:
    SentSecrets(DeviceCall& call, std::span<const XmssSecret> keys)
        : call_(call), bytes_(keys.size_bytes()), memory_(call.scratch(bytes_)) {
        PinnedSecrets(call).send(memory_.place(), std::as_bytes(keys));
    }
    ~SentSecrets() {
        try {
            call_.clear_nodes(memory_.place(), bytes_ / Digest::size);
            call_.synchronize_main();
        } catch (const Error&) {  // the device takes no commands after a failure
        }
    }
    SentSecrets(const SentSecrets&) = delete;
    SentSecrets& operator=(const SentSecrets&) = delete;

    mkz_memory* memory() const { return range_of(memory_).memory; }

private:
    DeviceCall& call_;
    std::uint64_t bytes_;
    Lease memory_;
};

struct XmssKernels {
    Kernel leaves, level;
    mkz_policy policy;
};

XmssKernels kernels_of(DeviceCall& call, std::uint64_t n) {
    mkz_policy policy = call.chosen(MKZ_KERNEL_HASH_ROWS, MakeXmss::hash, n);
    policy.group_size = bodies::xmss_leaves.group_of(policy.group_size);
    const Variant variant = variant_of(info(MakeXmss::hash).id, policy);
    return {call.free_kernel(variant, bodies::xmss_leaves), call.free_kernel(variant, bodies::xmss_level), policy};
}

class Maker {
public:
    Maker(DeviceCall& call, const MakeXmss& job, const Tick& tick)
        : call_(call),
          job_(job),
          tick_(tick),
          kernels_(kernels_of(call, job.n << job.levels)),
          keys_(call, job.keys),
          at_once_(call.facts().is_cpu != 0 ? first_leaves_of_cpu : first_leaves) {}

    // slots  how many are on the device at a time, of all subtrees there
    // returns  false if the caller cancelled
    bool make(std::uint64_t slots) {
        const std::uint64_t most = std::clamp<std::uint64_t>(slots >> job_.levels, 1, job_.n);
        const std::uint64_t bytes = node_bytes * most << job_.levels;
        const Lease nodes = call_.scratch(bytes), above = call_.scratch(std::max<std::uint64_t>(node_bytes, bytes / 2));
        for (std::uint64_t done = 0, n = 0; done < job_.n; done += n) {
            n = std::min(most, job_.n - done);
            Subtrees trees{job_.begin + done, n, job_.per_key(), 0, job_.first, job_.last, job_.levels, 0};
            if (!make_leaves(trees, done, range_of(nodes))) return false;
            const Lease *from = &nodes, *to = &above;
            for (trees.first_slot = 0, trees.level = 1; trees.level <= job_.levels;
                 trees.level++, std::swap(from, to)) {
                call_.enqueue(kernels_.level, groups(n << (job_.levels - trees.level)),
                              {keys_.memory(), trees, range_of(*from).memory, range_of(*to).memory});
            }
            call_.download(job_.out + node_bytes * done, from->place(), node_bytes * n);
        }
        return !tick_ || tick_(1);
    }

private:
    using Clock = std::chrono::steady_clock;

    std::uint64_t groups(std::uint64_t slots) const { return groups_of(slots, kernels_.policy, kernels_.leaves); }

    // done  how many subtrees of the job come before `trees`
    bool make_leaves(Subtrees& trees, std::uint64_t done, const Range& out) {
        const std::uint64_t slots = trees.count << job_.levels;
        for (trees.first_slot = 0; trees.first_slot < slots;) {
            const std::uint64_t left = slots - trees.first_slot, n = tick_ ? std::min(at_once_, left) : left;
            const auto start = Clock::now();
            call_.enqueue(kernels_.leaves, groups(n), {keys_.memory(), trees, out.memory});
            trees.first_slot += n;
            if (!tick_) continue;
            call_.synchronize_main();
            const double all = static_cast<double>(job_.n << job_.levels);
            if (!tick_(static_cast<double>((done << job_.levels) + trees.first_slot) / all)) return false;
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            if (seconds < wanted_seconds) at_once_ = std::min(most_slots, 4 * at_once_);
        }
        return true;
    }

    DeviceCall& call_;
    const MakeXmss& job_;
    const Tick& tick_;
    const XmssKernels kernels_;
    const SentSecrets keys_;
    std::uint64_t at_once_;  // leaves of a launch, a multiple of a group's items
};

}  // namespace

// If the device has little memory, it gets fewer subtrees at a time. If it has none, the processors hash.
bool DeviceCall::launch(const MakeXmss& a, const Tick& tick) {
    if (a.n == 0) return true;
    for (const std::uint64_t slots : {most_slots, few_slots}) {
        try {
            return Maker(*this, a, tick).make(slots);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        free_scratch();
    }
    return HostExecutor(threads()).launch(a, tick);
}

}  // namespace merklize::runtime
