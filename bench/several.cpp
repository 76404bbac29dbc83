// merklize-several-bench: times one job on 1, 2, 4, ... devices of a backend. run_device.py beside it writes bench/results.
//
//   merklize-several-bench BACKEND [--only SUBSTRING] [--repeats R] [--counts N,...] [--bytes LOG2,...] [--host-bytes LOG2,...]
//                          [--leaves LOG2,...] [--field-leaves LOG2,...]
//
// A size is the size of the whole job, whatever the number of devices. A job that does not fit is skipped. Prints one JSON object a
// line: seconds of the whole call (median over R calls after a first call), seconds of the slowest device's kernels, and `linear`: the
// rate per device as a share of the same rate with the fewest devices. Results for all numbers of devices are compared with
// each other, and with the CPU's result if the data fits on the host. A wrong result ends the program.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "jobs.hpp"

using namespace merklize;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
    std::string only;
    unsigned repeats = 7;
    std::vector<unsigned> counts = {1, 2, 4, 8};
    std::vector<unsigned> bytes = {33, 36};
    std::vector<unsigned> host_bytes = {33};
    std::vector<unsigned> leaves = {25, 28};
    std::vector<unsigned> field_leaves = {24, 26};
};

class Bench {
public:
    Bench(const std::string& backend, Options options) : options_(std::move(options)) {
        for (const DeviceInfo& info : devices()) {
            if (info.backend == backend) all_.emplace_back(info.id);
        }
        if (all_.empty()) throw Error(ErrorCode::unavailable, why_unavailable(backend));
    }

    const Options& options() const { return options_; }
    bool wanted(const std::string& job) const { return job.find(options_.only) != std::string::npos; }

    /// The first `count` devices, or none if there are fewer.
    std::vector<Device> first(unsigned count) const {
        if (count > all_.size()) return {};
        return {all_.begin(), all_.begin() + count};
    }

    /// make  prepares the job on these devices. It returns a function that runs the job once and returns a digest of the result.
    void job(const std::string& name, Hash hash, std::uint64_t n, const char* unit, std::optional<Digest> expected,
             const std::function<std::function<Digest(const RunOptions&)>(const std::vector<Device>&)>& make) {
        double one_device = 0;  // rate per device with the fewest devices
        for (const unsigned count : options_.counts) {
            const std::vector<Device> used = first(count);
            if (used.empty()) continue;
            try {
                const auto call = make(used);
                Timings timings;
                RunOptions timed;
                timed.timings = &timings;
                std::vector<double> wall, kernel;
                for (unsigned i = 0; i <= options_.repeats; i++) {
                    const auto start = Clock::now();
                    const Digest result = call({});  // as users call it: times of the kernels cost time
                    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
                    if (call(timed) != result || (expected && result != *expected)) {
                        std::fprintf(stderr, "wrong result: %s on %u devices\n", name.c_str(), count);
                        std::exit(1);
                    }
                    expected = result;
                    if (i == 0) continue;  // the first call compiles
                    wall.push_back(seconds);
                    kernel.push_back(timings.kernel);
                }
                std::ranges::sort(wall);
                std::ranges::sort(kernel);
                const double rate = static_cast<double>(n) / wall[wall.size() / 2];
                if (one_device == 0) one_device = rate / count;
                row(name, hash, n, unit, used[0].info(), count, wall, kernel[kernel.size() / 2], rate,
                    rate / count / one_device);
            } catch (const Error& error) {
                std::printf(
                    "{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%u devices\", \"n\": %llu, "
                    "\"skipped\": \"%s\"}\n",
                    name.c_str(), std::string(traits(hash).name).c_str(), count, static_cast<unsigned long long>(n),
                    error.what());
            }
            std::fflush(stdout);
        }
    }

private:
    void row(const std::string& job, Hash hash, std::uint64_t n, const char* unit, const DeviceInfo& info,
             unsigned count, const std::vector<double>& wall, double kernel, double rate, double linear) const {
        std::printf(
            "{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%u devices\", \"devices\": %u, \"n\": %llu, \"unit\": "
            "\"%s\", \"kernel\": %.9f, \"wall\": %.9f, \"wall_min\": %.9f, \"wall_max\": %.9f, \"rate\": %.6g, "
            "\"linear\": %.4f, \"repeats\": %u, \"device\": \"%s\", \"backend\": \"%s\", \"driver\": \"%s\", \"isa\": "
            "\"%s\", \"version\": \"%s\"}\n",
            job.c_str(), std::string(traits(hash).name).c_str(), count, count, static_cast<unsigned long long>(n), unit,
            kernel, wall[wall.size() / 2], wall.front(), wall.back(), rate, linear, options_.repeats, info.name.c_str(),
            info.backend.c_str(), info.driver.c_str(), info.isa.c_str(), version());
    }

    Options options_;
    std::vector<Device> all_;
};

std::string power(const std::string& job, unsigned log2) { return job + " 2^" + std::to_string(log2); }

RunOptions on_cpu() {
    RunOptions options;
    options.device = Device("cpu");
    return options;
}

/// All devices as one Device.
Device together(const std::vector<Device>& devices) {
    std::string names;
    for (const Device& device : devices) names += (names.empty() ? "" : ",") + device.info().id;
    return Device(names);
}

/// Gives each device an equal share of `bytes` bytes. The bytes repeat one block, so an input may be larger than the host's memory.
std::vector<ConstBuffer> spread(const std::vector<Device>& devices, std::span<const std::byte> block,
                                std::uint64_t bytes) {
    std::vector<ConstBuffer> parts;
    std::uint64_t at = 0;  // position in the whole input
    for (const Device& device : devices) {
        Buffer part(device, bytes / devices.size());
        for (std::uint64_t first = 0, count = 0; first < part.size(); first += count, at += count) {
            const auto rest = block.subspan(at % block.size());
            count = std::min<std::uint64_t>(rest.size(), part.size() - first);
            part.slice(first, count).copy_from(rest.first(count));
        }
        parts.push_back(part);
    }
    return parts;
}

constexpr std::uint64_t block_bytes = std::uint64_t{1} << 26;

void digests(Bench& bench) {
    for (const unsigned log2 : bench.options().bytes) {
        const std::string name = power("digest, resident, bytes", log2);
        if (!bench.wanted(name)) continue;
        const std::uint64_t bytes = std::uint64_t{1} << log2;
        const auto block = bench::random_values<std::byte>(std::min(bytes, block_bytes), "data");
        bench.job(name, Hash::blake3, bytes, "bytes", {}, [&](const std::vector<Device>& devices) {
            return
                [parts = spread(devices, block, bytes)](const RunOptions& run) { return hash_parts(parts, {}, run); };
        });
    }
    for (const unsigned log2 : bench.options().host_bytes) {
        const std::string name = power("digest, host memory, bytes", log2);
        if (!bench.wanted(name)) continue;
        const auto data = bench::random_values<std::byte>(std::uint64_t{1} << log2, "data");
        bench.job(name, Hash::blake3, data.size(), "bytes", hash(data, {}, on_cpu()),
                  [&](const std::vector<Device>& devices) {
                      return [&data, device = together(devices)](RunOptions run) {
                          run.device = device;
                          return hash(data, {}, run);
                      };
                  });
    }
}

void trees(Bench& bench, Hash which, const std::vector<unsigned>& sizes) {
    for (const unsigned log2 : sizes) {
        const std::uint64_t n = std::uint64_t{1} << log2;
        const std::string field(traits(which).name);
        const std::string resident = power("root, resident, " + field + ", leaves", log2);
        if (bench.wanted(resident)) {
            const auto block = bench::random_leaves(std::min(n, block_bytes / Digest::size), which);
            bench.job(resident, which, n - 1, "merges", {}, [&](const std::vector<Device>& devices) {
                return [which, parts = spread(devices, std::as_bytes(std::span(block)), Digest::size * n)](
                           const RunOptions& run) { return merkle_root_parts(parts, which, run); };
            });
        }
        const std::string root = power("root, host memory, " + field + ", leaves", log2);
        const std::string nodes = power("tree, host to host, " + field + ", leaves", log2);
        // Making the largest trees on the host takes too long.
        if ((!bench.wanted(root) && !bench.wanted(nodes)) || log2 > (traits(which).is_field ? 24 : 27)) continue;
        std::vector<Digest> given(n);
        const std::vector<Digest> leaves = bench::random_leaves(n, which);
        given.insert(given.end(), leaves.begin(), leaves.end());
        std::vector<Digest> expected = given;
        RunOptions first;
        first.device = bench.first(1)[0];
        build_tree(expected, which, traits(which).is_field ? first : on_cpu());
        if (bench.wanted(root)) {
            bench.job(root, which, n - 1, "merges", expected[1], [&](const std::vector<Device>& devices) {
                return [&leaves, which, device = together(devices)](RunOptions run) {
                    run.device = device;
                    return merkle_root(leaves, which, run);
                };
            });
        }
        if (bench.wanted(nodes)) {
            bench.job(nodes, which, n - 1, "merges", expected[1], [&](const std::vector<Device>& devices) {
                return [&given, which, device = together(devices)](RunOptions run) {
                    run.device = device;
                    build_tree(given, which, run);
                    return given[1];
                };
            });
            if (given != expected) {
                std::fprintf(stderr, "wrong nodes: %s\n", nodes.c_str());
                std::exit(1);
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    const std::map<std::string, std::vector<unsigned>*> lists = {{"--counts", &options.counts},
                                                                 {"--bytes", &options.bytes},
                                                                 {"--host-bytes", &options.host_bytes},
                                                                 {"--leaves", &options.leaves},
                                                                 {"--field-leaves", &options.field_leaves}};
    if (argc < 2) {
        std::fprintf(stderr,
                     "usage: merklize-several-bench BACKEND [--FLAG VALUE ...]; see the head of bench/several.cpp\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        const std::string flag = argv[i];
        const char* value = ++i < argc ? argv[i] : "";
        if (const auto list = lists.find(flag); list != lists.end()) {
            *list->second = bench::numbers(value);
        } else if (flag == "--only") {
            options.only = value;
        } else if (flag == "--repeats") {
            options.repeats = std::max(1u, bench::numbers(value).at(0));
        } else {
            std::fprintf(stderr, "merklize-several-bench: bad flag '%s'\n", flag.c_str());
            return 2;
        }
    }
    Bench bench(argv[1], options);
    digests(bench);
    trees(bench, Hash::blake3, options.leaves);
    trees(bench, Hash::rp64_256_v3, options.field_leaves);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-several-bench: %s\n", error.what());
    return 1;
}
