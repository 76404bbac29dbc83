// calibrate() measures what jobs cost on each device. calls/calibration.cpp keeps the costs, and "auto" chooses by
// them.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
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

// The hash that a tree job is measured with: the first byte hash or the last field hash.
Hash representative(Job job) {
    Hash found{};
    for (const HashTraits& t : hashes()) {
        if (t.is_field != (job == Job::elements_tree)) continue;
        found = t.hash;
        if (!t.is_field) break;
    }
    return found;
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

// The shortest of a few runs. A first run, which may compile, does not count.
double measure(const Device& device, Job job, std::span<const Digest> data) {
    const RunOptions options{.device = device};
    double least = 0;
    for (int i = 0; i < 6; i++) {
        const auto start = std::chrono::steady_clock::now();
        if (job == Job::digest) {
            hash(std::as_bytes(data), {}, options);
        } else {
            const MerkleTree tree(data, representative(job), options);
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i == 1 || (i > 1 && seconds < least)) least = seconds;
        if (i > 1 && seconds > long_enough) break;
    }
    return least;
}

}  // namespace

std::vector<Cost> calibrate(const std::function<bool(double done)>& progress) {
    // Words below 2^63 are field elements, too.
    std::vector<Digest> data(most_bytes / Digest::size);
    for (std::uint64_t i = 0, word = 1; i < data.size(); i++) {
        std::array<std::uint64_t, 4> words;
        for (std::uint64_t& w : words) w = (word = word * 6364136223846793005u + 1442695040888963407u) >> 1;
        data[i] = Digest::from_words(words);
    }
    std::vector<runtime::KnownCost> costs;
    const std::vector<DeviceInfo> found = measured();
    std::size_t n_done = 0;
    for (const DeviceInfo& info : found) {
        for (const Job job : {Job::digest, Job::bytes_tree, Job::elements_tree}) {
            const double done = static_cast<double>(n_done++) / static_cast<double>(3 * found.size());
            if (progress && !progress(done))
                throw Error(ErrorCode::cancelled, "calibrate: cancelled by the caller's progress function");
            try {
                const Device device(info.id);
                const auto seconds_of = [&](std::uint64_t bytes) {
                    return measure(device, job, std::span(data).first(bytes / Digest::size));
                };
                const double small = seconds_of(small_bytes);
                double large = 0;
                std::uint64_t bytes = small_bytes;
                do {
                    bytes *= 4;
                    large = seconds_of(bytes);
                } while (bytes < most_bytes && large < long_enough);
                // A line through two points. Noise must not make it fall.
                const double a_byte = std::max((large - small) / static_cast<double>(bytes - small_bytes), 1e-15);
                const double latency = std::max(0.0, small - a_byte * static_cast<double>(small_bytes));
                costs.push_back({{info.id, job, latency, 1 / a_byte}, info.name, info.driver});
            } catch (const Error&) {}  // a device that cannot do a job is never chosen for it
        }
    }
    runtime::store_costs(costs);
    std::vector<Cost> measured;
    for (const runtime::KnownCost& known : costs) measured.push_back(known.cost);
    return measured;
}

}  // namespace merklize::inline v0
