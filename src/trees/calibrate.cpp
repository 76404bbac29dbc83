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
#include "merklize/tree.hpp"

namespace merklize::inline v0 {
namespace {

constexpr std::uint64_t small_bytes = 2 << 10, most_bytes = small_bytes << 16;  // in steps of 4
constexpr double long_enough = 0.05;                                            // seconds

constexpr unsigned n_jobs = static_cast<unsigned>(Job::elements_rows) + 1;

// Runs a job on the host's memory.
// out  at least twice as many digests as `data`
void run_job(Job job, std::span<const Digest> data, std::span<Digest> out, const RunOptions& options) {
    const Hash hash = job < Job::elements_tree ? Hash::blake3 : Hash::poseidon2_goldilocks_8;
    constexpr std::uint64_t row_digests = 8;  // 256 bytes
    switch (job) {
        case Job::digest: merklize::hash(std::as_bytes(data), {}, options); return;
        case Job::bytes_tree:
        case Job::elements_tree: MerkleTree(data, hash, options); return;
        case Job::bytes_nodes:
        case Job::elements_nodes: build_tree(out.first(2 * data.size()), hash, options); return;
        case Job::bytes_root:
        case Job::elements_root: merkle_root(data, hash, options); return;
        case Job::bytes_rows:
        case Job::elements_rows:
            hash_leaves(std::as_bytes(data), row_digests * Digest::size, out.first(data.size() / row_digests), hash, {},
                        options);
    }
}

// What is measured: each device alone; the CPU beside each device that is no processor itself; and, of a backend that has several
// such devices, all of them, without the CPU and with it.
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

// The data of all jobs and their output, which has twice the size of the data.
struct Memory {
    explicit Memory(Digest* first)
        : data(first, most_bytes / Digest::size), out(first + data.size(), 2 * data.size()) {}

    std::span<Digest> data, out;
};
constexpr std::uint64_t memory_bytes = 3 * most_bytes;

// The shortest of a few runs. A first run, which may compile, does not count.
double measure(const Device& device, Job job, std::span<const Digest> data, std::span<Digest> out) {
    if (job == Job::bytes_nodes || job == Job::elements_nodes)
        std::ranges::copy(data, out.begin() + static_cast<std::ptrdiff_t>(data.size()));
    const RunOptions options{.device = device};
    double least = 0;
    for (int i = 0; i < 6; i++) {
        const auto start = std::chrono::steady_clock::now();
        run_job(job, data, out, options);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i == 1 || (i > 1 && seconds < least)) least = seconds;
        if (i > 1 && seconds > long_enough) break;
    }
    return least;
}

// The cost of a job on a device, at sizes that grow until the job takes long enough.
runtime::KnownCost cost_of(const DeviceInfo& info, Job job, const Memory& memory, bool is_pinned) {
    const Device device(info.id);
    runtime::KnownCost known{info.id, info.name, info.driver, job, {}, is_pinned};
    for (std::uint64_t bytes = small_bytes; bytes <= most_bytes; bytes *= 4) {
        known.points.push_back({bytes, measure(device, job, memory.data.first(bytes / Digest::size), memory.out)});
        if (known.points.back().seconds > long_enough) break;
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
    // Words below 2^63 are field elements, too.
    std::vector<Digest> pageable(memory_bytes / Digest::size);
    const Memory memory(pageable.data());
    std::uint64_t word = 1;
    for (Digest& digest : memory.data) {
        std::array<std::uint64_t, 4> words;
        for (std::uint64_t& w : words) w = (word = word * 6364136223846793005u + 1442695040888963407u) >> 1;
        digest = Digest::from_words(words);
    }
    std::vector<runtime::KnownCost> costs;
    const std::vector<DeviceInfo> found = measured();
    const double share = 1 / static_cast<double>(2 * n_jobs * found.size());  // of one job in one kind of memory
    for (std::size_t i = 0; i < found.size(); i++) {
        const auto measure_in = [&](const Memory& here, bool is_pinned) {
            for (unsigned job = 0; job < n_jobs; job++) {
                const std::size_t n_done = (2 * i + (is_pinned ? 1 : 0)) * n_jobs + job;
                if (progress && !progress(share * static_cast<double>(n_done)))
                    throw Error(ErrorCode::cancelled, "calibrate: cancelled by the caller's progress function");
                try {
                    costs.push_back(cost_of(found[i], static_cast<Job>(job), here, is_pinned));
                } catch (const Error&) {}  // a device that cannot do a job is never chosen for it
            }
        };
        measure_in(memory, false);
        if (const std::shared_ptr<std::byte> pinned = pinned_memory(found[i])) {
            const Memory here(reinterpret_cast<Digest*>(pinned.get()));
            std::ranges::copy(memory.data, here.data.begin());
            measure_in(here, true);
        }
    }
    runtime::store_costs(costs);
    return runtime::costs_of(costs);
}

}  // namespace merklize::inline v0
