// calibrate() measures what jobs cost on each device. calls/calibration.cpp keeps the costs, and "auto" chooses by
// them.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calls/calibration.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {
namespace {

constexpr std::uint64_t small_bytes = 2 << 10, most_bytes = small_bytes << 16;  // in steps of 4
constexpr std::uint64_t sample_bytes = small_bytes << 4;
constexpr std::uint64_t memory_bytes = 3 * most_bytes;  // of data, and of output, which has twice the size
constexpr double long_enough = 0.03;                    // seconds

// A job that is measured at sizes from `first` to `last` bytes.
struct Measurement {
    Job job;
    Hash hash;
    std::uint64_t first = small_bytes, last = most_bytes;
};

// On each device.
std::vector<Measurement> whole_jobs() {
    std::vector<Measurement> jobs = {{Job::digest, Hash::blake3, small_bytes, memory_bytes}};
    for (const Hash hash : runtime::measured_hashes)
        for (const Job job : {Job::tree, Job::nodes, Job::root, Job::rows}) jobs.push_back({job, hash});
    return jobs;
}

// On the CPU, of the other hashes.
std::vector<Measurement> samples() {
    std::vector<Measurement> jobs;
    for (const HashTraits& t : hashes()) {
        if (std::ranges::count(runtime::measured_hashes, t.hash) != 0) continue;
        for (const Job job : {Job::root, Job::rows}) jobs.push_back({job, t.hash, sample_bytes, sample_bytes});
    }
    return jobs;
}

// Runs a job on the host's memory.
// out  at least twice as many digests as `data`
void run_job(const Measurement& what, std::span<const Digest> data, std::span<Digest> out, const RunOptions& options) {
    constexpr std::uint64_t row_digests = 8;  // 256 bytes
    switch (what.job) {
        case Job::digest: merklize::hash(std::as_bytes(data), {}, options); return;
        case Job::tree: MerkleTree(data, what.hash, options); return;
        case Job::nodes: build_tree(out.first(2 * data.size()), what.hash, options); return;
        case Job::root: merkle_root(data, what.hash, options); return;
        case Job::rows:
            hash_leaves(std::as_bytes(data), row_digests * Digest::size, out.first(data.size() / row_digests),
                        what.hash, {}, options);
    }
}

// What is measured: each device alone; the CPU beside each device that is no processor itself; and, of a backend that
// has several such devices, all of them, without the CPU and with it.
std::vector<DeviceInfo> measured() {
    std::vector<DeviceInfo> found = devices();
    std::map<std::string, unsigned> count;
    std::vector<std::string> together;
    for (const DeviceInfo& info : found) {
        if (runtime::state_of(Device(info.id)).is_processor()) continue;
        together.push_back("cpu," + info.id);
        count[info.backend]++;
    }
    for (const auto& [backend, n] : count) {
        if (n > 1) together.insert(together.end(), {backend + ":all", "cpu," + backend + ":all"});
    }
    for (const std::string& id : together) found.push_back(Device(id).info());
    return found;
}

// The data of all jobs, and behind it their output. A digest may read both, because its rate still changes where the
// data no longer fits in a processor's caches.
struct Memory {
    explicit Memory(Digest* first)
        : all(first, memory_bytes / Digest::size),
          data(all.first(most_bytes / Digest::size)),
          out(all.subspan(data.size())) {}

    std::span<Digest> all, data, out;
};

// The shortest of a few runs. A first run, which may compile, does not count.
double measure(const Device& device, const Measurement& what, std::span<const Digest> data, std::span<Digest> out) {
    if (what.job == Job::nodes) std::ranges::copy(data, out.begin() + static_cast<std::ptrdiff_t>(data.size()));
    const RunOptions options{.device = device};
    double least = 0, all = 0;
    for (int i = 0; i < 6 && all < long_enough; i++) {
        const auto start = std::chrono::steady_clock::now();
        run_job(what, data, out, options);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i == 0) continue;
        if (i == 1 || seconds < least) least = seconds;
        all += seconds;
    }
    return least;
}

// The cost of a job on a device, at sizes that grow until the job takes long enough.
runtime::KnownCost cost_of(const DeviceInfo& info, const Measurement& what, const Memory& memory, bool is_pinned) {
    const Device device(info.id);
    runtime::KnownCost known{info.id, info.name, info.driver, what.job, what.hash, {}, is_pinned};
    for (std::uint64_t bytes = what.first;; bytes = std::min(4 * bytes, what.last)) {
        known.points.push_back({bytes, measure(device, what, memory.all.first(bytes / Digest::size), memory.out)});
        if (bytes == what.last || known.points.back().seconds > long_enough) break;
    }
    return known;
}

// Memory that is pinned for the device, or null: the device makes no difference, or there is no such memory.
std::shared_ptr<std::byte> pinned_memory(const DeviceInfo& info) {
    try {
        return runtime::pinned_memory(Device(info.id), memory_bytes);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

std::vector<Cost> calibrate(const std::function<bool(double done)>& progress) {
    std::vector<Digest> pageable(memory_bytes / Digest::size);
    const Memory memory(pageable.data());
    std::uint64_t word = 1;
    for (Digest& digest : memory.data) {
        std::array<std::uint64_t, 4> words;
        for (std::uint64_t& w : words) {
            word = word * 6364136223846793005u + 1442695040888963407u;
            w = word & 0x3fffffff3fffffff;  // elements of each field, of 64 bits and of 32
        }
        digest = Digest::from_words(words);
    }
    std::vector<runtime::KnownCost> costs;
    const std::vector<DeviceInfo> found = measured();
    const std::vector<Measurement> jobs = whole_jobs(), others = samples();
    const auto n_steps = static_cast<double>(2 * jobs.size() * found.size() + others.size());
    std::size_t n_done = 0;
    const auto measure_all = [&](const DeviceInfo& info, const std::vector<Measurement>& all, const Memory& here,
                                 bool is_pinned) {
        for (const Measurement& what : all) {
            if (progress && !progress(static_cast<double>(n_done++) / n_steps))
                throw Error(ErrorCode::cancelled, "calibrate: cancelled by the caller's progress function");
            try {
                costs.push_back(cost_of(info, what, here, is_pinned));
            } catch (const Error&) {}  // a device that cannot do a job is never chosen for it
        }
    };
    for (const DeviceInfo& info : found) {
        measure_all(info, jobs, memory, false);
        if (const std::shared_ptr<std::byte> pinned = pinned_memory(info)) {
            const Memory here(reinterpret_cast<Digest*>(pinned.get()));
            std::ranges::copy(memory.data, here.data.begin());
            measure_all(info, jobs, here, true);
        } else {
            n_done += jobs.size();
        }
    }
    measure_all(Device("cpu").info(), others, memory, false);
    runtime::store_costs(costs);
    return runtime::costs_of(costs);
}

}  // namespace merklize::inline v0
