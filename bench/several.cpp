// merklize-several-bench: times one job on 1, 2, 4, ... devices of a backend. run_device.py beside it writes
// bench/results.
//
//   merklize-several-bench BACKEND [--only SUBSTRING] [--repeats R] [--counts N,...] [--bytes LOG2,...] [--host-bytes
//   LOG2,...]
//                          [--leaves LOG2,...] [--field-leaves LOG2,...] [--messages N]
//
// A size is the size of the whole job, whatever the number of devices. A job that does not fit is skipped. Jobs on host
// memory, pageable and pinned, are also timed with the CPU beside the devices ("cpu and N devices"), on the CPU alone,
// and, if `merklize devices --calibrate` has run, on "auto". Prints one JSON object a line: seconds of the whole call
// (median over R calls after a first call), seconds of the slowest device's kernels, and `linear`: the rate per device
// as a share of the same rate with the fewest devices, null where the CPU has a share. Every result is compared with
// the CPU's, except those of field hashes' trees on the host, which are compared with the first device's. A wrong
// result ends the program.

#include <algorithm>
#include <array>
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
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "pinned.hpp"
#include "queue/device.hpp"

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
    std::vector<unsigned> messages = {10000};
};

class Bench {
public:
    Bench(const std::string& backend, Options options) : options_(std::move(options)) {
        for (const DeviceInfo& info : devices()) {
            if (info.backend == backend) all_.emplace_back(info.id);
        }
        if (all_.empty())
            throw Error(ErrorCode::unavailable,
                        "no device of a backend '" + backend + "' (cuda, opencl, sycl): " + why_unavailable(backend));
    }

    const Options& options() const { return options_; }
    bool wanted(const std::string& job) const { return job.find(options_.only) != std::string::npos; }

    /// The first `count` devices, or none if there are fewer.
    std::vector<Device> first(unsigned count) const {
        if (count > all_.size()) return {};
        return {all_.begin(), all_.begin() + count};
    }

    /// make  prepares the job on these devices. It returns a function that runs the job once and returns a digest of
    ///       the result.
    /// cpu_too  the data is on the host, so the CPU can do the job alone and beside the devices
    void job(const std::string& name, Hash hash, std::uint64_t n, const char* unit, std::optional<Digest> expected,
             const std::function<std::function<Digest(const RunOptions&)>(const std::vector<Device>&)>& make,
             bool cpu_too = false) {
        double one_device = 0;  // rate per device with the fewest devices
        std::vector<std::pair<std::string, std::vector<Device>>> all;
        for (const unsigned count : options_.counts) {
            const std::vector<Device> used = first(count);
            if (used.empty()) continue;
            all.emplace_back(std::to_string(count) + (count == 1 ? " device" : " devices"), used);
        }
        if (cpu_too) {
            for (std::size_t i = all.size(); i-- > 0;) {
                std::vector<Device> used = all[i].second;
                used.insert(used.begin(), Device("cpu"));
                all.emplace_back("cpu and " + all[i].first, used);
            }
            all.emplace_back("cpu", std::vector{Device("cpu")});
            if (!calibration().empty()) all.emplace_back("auto", std::vector{Device("auto")});
        }
        for (const auto& [policy, used] : all) {
            const std::size_t count = used.size();
            const bool is_alone = used[0].info().backend != "cpu";
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
                        std::fprintf(stderr, "wrong result: %s on %s\n", name.c_str(), policy.c_str());
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
                if (one_device == 0) one_device = rate / static_cast<double>(count);
                row(name, hash, n, unit, policy, used.back().info(), count, wall, kernel[kernel.size() / 2], rate,
                    is_alone ? std::optional(rate / static_cast<double>(count) / one_device) : std::nullopt);
            } catch (const Error& error) {
                std::printf(
                    "{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%s\", \"n\": %llu, "
                    "\"skipped\": \"%s\"}\n",
                    name.c_str(), std::string(traits(hash).name).c_str(), policy.c_str(),
                    static_cast<unsigned long long>(n), error.what());
            }
            std::fflush(stdout);
        }
    }

private:
    void row(const std::string& job, Hash hash, std::uint64_t n, const char* unit, const std::string& policy,
             const DeviceInfo& info, std::size_t count, const std::vector<double>& wall, double kernel, double rate,
             std::optional<double> linear) const {
        std::printf(
            "{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%s\", \"devices\": %zu, \"n\": %llu, \"unit\": "
            "\"%s\", \"kernel\": %.9f, \"wall\": %.9f, \"wall_min\": %.9f, \"wall_max\": %.9f, \"rate\": %.6g, "
            "\"linear\": %s, \"repeats\": %u, \"device\": \"%s\", \"backend\": \"%s\", \"driver\": \"%s\", \"isa\": "
            "\"%s\", \"version\": \"%s\"}\n",
            job.c_str(), std::string(traits(hash).name).c_str(), policy.c_str(), count,
            static_cast<unsigned long long>(n), unit, kernel, wall[wall.size() / 2], wall.front(), wall.back(), rate,
            linear ? std::to_string(*linear).c_str() : "null", options_.repeats, info.name.c_str(),
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
    if (devices.size() == 1) return devices[0];
    for (const Device& device : devices) names += (names.empty() ? "" : ",") + device.info().id;
    return Device(names);
}

/// Gives each device an equal share of `bytes` bytes. The bytes repeat one block, so an input may be larger than the
/// host's memory.
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

/// The CPU's digest of a block that is repeated until there are `bytes` bytes.
Digest digest_of_repeats(std::span<const std::byte> block, std::uint64_t bytes) {
    Hasher hasher({}, on_cpu());
    for (std::uint64_t first = 0; first < bytes; first += block.size())
        hasher.update(block.first(std::min<std::uint64_t>(block.size(), bytes - first)));
    return hasher.digest();
}

/// The CPU's root of leaves that are repeated until there are n. Both counts are powers of two.
Digest root_of_repeats(std::span<const Digest> leaves, std::uint64_t n, Hash which) {
    Digest root = merkle_root(leaves, which, on_cpu());
    for (std::uint64_t count = leaves.size(); count < n; count *= 2) root = merge(root, root, which);
    return root;
}

/// Calls `job` with pageable and with pinned memory of so many bytes, each if the name for it is wanted.
void in_host_memory(const Bench& bench, const std::array<std::string, 2>& names, std::uint64_t bytes,
                    const std::function<void(const std::string& name, std::span<std::byte> memory)>& job) {
    if (bench.wanted(names[0])) {
        std::vector<std::byte> memory(bytes);
        job(names[0], memory);
    }
    if (bench.wanted(names[1])) {
        const ::bench::PinnedBytes memory(bench.first(1)[0], bytes);
        job(names[1], memory.bytes());
    }
}

std::span<Digest> digests_in(std::span<std::byte> memory) {
    return {reinterpret_cast<Digest*>(memory.data()), memory.size() / Digest::size};
}

void digests(Bench& bench) {
    for (const unsigned log2 : bench.options().bytes) {
        const std::string name = power("digest, resident, bytes", log2);
        if (!bench.wanted(name)) continue;
        const std::uint64_t bytes = std::uint64_t{1} << log2;
        const auto block = bench::random_values<std::byte>(std::min(bytes, block_bytes), "data");
        bench.job(name, Hash::blake3, bytes, "bytes", digest_of_repeats(block, bytes),
                  [&](const std::vector<Device>& devices) {
                      return [parts = spread(devices, block, bytes)](const RunOptions& run) {
                          return hash_parts(parts, {}, run);
                      };
                  });
    }
    for (const unsigned log2 : bench.options().host_bytes) {
        const std::uint64_t bytes = std::uint64_t{1} << log2;
        const auto block = bench::random_values<std::byte>(std::min(bytes, block_bytes), "data");
        const std::array names = {power("digest, host memory, bytes", log2),
                                  power("digest, pinned memory, bytes", log2)};
        in_host_memory(bench, names, bytes, [&](const std::string& name, std::span<std::byte> data) {
            for (std::uint64_t first = 0; first < bytes; first += block.size())
                std::ranges::copy(block, data.begin() + static_cast<std::ptrdiff_t>(first));
            bench.job(
                name, Hash::blake3, bytes, "bytes", digest_of_repeats(block, bytes),
                [&](const std::vector<Device>& devices) {
                    return [data, device = together(devices)](RunOptions run) {
                        run.device = device;
                        return hash(data, {}, run);
                    };
                },
                true);
        });
    }
}

/// Rows of 256 bytes.
void rows(Bench& bench, Hash which) {
    constexpr std::uint64_t row_bytes = 256;
    for (const unsigned log2 : bench.options().host_bytes) {
        if (log2 < 8 || log2 > (traits(which).is_field ? 28 : 32)) continue;
        const std::string of = std::string(traits(which).name) + ", bytes";
        const std::array names = {power("rows, host memory, " + of, log2), power("rows, pinned memory, " + of, log2)};
        const std::uint64_t bytes = std::uint64_t{1} << log2, n = bytes / row_bytes;
        in_host_memory(bench, names, bytes + n * Digest::size, [&](const std::string& name, std::span<std::byte> all) {
            const std::span<std::byte> data = all.first(bytes);
            const std::span<Digest> out = digests_in(all.subspan(bytes));
            std::ranges::copy(bench::random_leaves(bytes / Digest::size, which), digests_in(data).begin());
            bench.job(
                name, which, bytes, "bytes", {},
                [&](const std::vector<Device>& devices) {
                    return [=, device = together(devices)](RunOptions run) {
                        run.device = device;
                        hash_leaves(data, row_bytes, out, which, {}, run);
                        return out[n / 2];
                    };
                },
                true);
        });
    }
}

/// Tensors of 0.5 to 1.5 MiB that lie on the devices in turn, in one call.
void messages(Bench& bench) {
    for (const unsigned n : bench.options().messages) {
        const std::string name = "hash_each, resident, messages " + std::to_string(n);
        if (!bench.wanted(name)) continue;
        const auto block = bench::random_values<std::byte>(block_bytes, "data");
        std::vector<std::span<const std::byte>> given;
        std::uint64_t total = 0;
        for (unsigned k = 0; k < n; k++) {
            const std::uint64_t size = (512 << 10) + std::uint64_t{k} * 2654435761 % (1 << 20);
            given.push_back(std::span(block).subspan(std::uint64_t{k} * 7919 % (block.size() - size), size));
            total += size;
        }
        const auto digest = [](const std::vector<Digest>& all) {
            return hash(std::as_bytes(std::span(all)), {}, on_cpu());
        };
        bench.job(name, Hash::blake3, total, "bytes", digest(hash_each(given, {}, on_cpu())),
                  [&](const std::vector<Device>& devices) {
                      std::vector<Buffer> blocks;
                      for (const Device& device : devices) blocks.push_back(Buffer::copy_of(block, device));
                      std::vector<MessageView> views;
                      for (std::size_t k = 0; k < given.size(); k++) {
                          const auto offset = static_cast<std::uint64_t>(given[k].data() - block.data());
                          views.emplace_back(blocks[k % blocks.size()].slice(offset, given[k].size()));
                      }
                      return [views, digest](const RunOptions& run) { return digest(hash_each(views, {}, run)); };
                  });
    }
}

void trees(Bench& bench, Hash which, const std::vector<unsigned>& sizes) {
    for (const unsigned log2 : sizes) {
        const std::uint64_t n = std::uint64_t{1} << log2;
        const std::string of = std::string(traits(which).name) + ", leaves";
        const std::string resident = power("root, resident, " + of, log2);
        if (bench.wanted(resident)) {
            const auto block = bench::random_leaves(std::min(n, block_bytes / Digest::size), which);
            bench.job(resident, which, n - 1, "merges", root_of_repeats(block, n, which),
                      [&](const std::vector<Device>& devices) {
                          return [which, parts = spread(devices, std::as_bytes(std::span(block)), Digest::size * n)](
                                     const RunOptions& run) { return merkle_root_parts(parts, which, run); };
                      });
        }
        const std::array root_names = {power("root, host memory, " + of, log2),
                                       power("root, pinned memory, " + of, log2)};
        const std::array tree_names = {power("tree, host to host, " + of, log2),
                                       power("tree, pinned to pinned, " + of, log2)};
        const auto wanted = [&](const std::string& name) { return bench.wanted(name); };
        // Making the largest trees on the host takes too long.
        const bool is_wanted = std::ranges::any_of(root_names, wanted) || std::ranges::any_of(tree_names, wanted);
        if (!is_wanted || log2 > (traits(which).is_field ? 24 : 27)) continue;
        std::vector<Digest> expected(n);
        const std::vector<Digest> leaves = bench::random_leaves(n, which);
        expected.insert(expected.end(), leaves.begin(), leaves.end());
        RunOptions first;
        first.device = bench.first(1)[0];
        build_tree(expected, which, traits(which).is_field ? first : on_cpu());
        in_host_memory(bench, root_names, n * Digest::size, [&](const std::string& name, std::span<std::byte> memory) {
            const std::span<Digest> given = digests_in(memory);
            std::ranges::copy(leaves, given.begin());
            bench.job(
                name, which, n - 1, "merges", expected[1],
                [&](const std::vector<Device>& devices) {
                    return [=, device = together(devices)](RunOptions run) {
                        run.device = device;
                        return merkle_root(given, which, run);
                    };
                },
                true);
        });
        in_host_memory(bench, tree_names, 2 * n * Digest::size,
                       [&](const std::string& name, std::span<std::byte> memory) {
                           const std::span<Digest> given = digests_in(memory);
                           std::ranges::fill(given.first(n), Digest{});
                           std::ranges::copy(leaves, given.last(n).begin());
                           bench.job(
                               name, which, n - 1, "merges", expected[1],
                               [&](const std::vector<Device>& devices) {
                                   return [=, device = together(devices)](RunOptions run) {
                                       run.device = device;
                                       build_tree(given, which, run);
                                       return given[1];
                                   };
                               },
                               true);
                           if (!std::ranges::equal(given, expected)) {
                               std::fprintf(stderr, "wrong nodes: %s\n", name.c_str());
                               std::exit(1);
                           }
                       });
    }
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    const std::map<std::string, std::vector<unsigned>*> lists = {{"--counts", &options.counts},
                                                                 {"--bytes", &options.bytes},
                                                                 {"--host-bytes", &options.host_bytes},
                                                                 {"--leaves", &options.leaves},
                                                                 {"--field-leaves", &options.field_leaves},
                                                                 {"--messages", &options.messages}};
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
    messages(bench);
    rows(bench, Hash::blake3);
    rows(bench, Hash::poseidon2_goldilocks_8);
    trees(bench, Hash::blake3, options.leaves);
    trees(bench, Hash::rp64_256_v3, options.field_leaves);
    trees(bench, Hash::poseidon2_koalabear_16, options.field_leaves);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-several-bench: %s\n", error.what());
    return 1;
}
