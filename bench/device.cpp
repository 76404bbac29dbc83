// merklize-device-bench: times jobs on a device by the device's own clock. run_device.py beside it writes
// bench/results.
//
//   merklize-device-bench DEVICE [--only SUBSTRING]... [--repeats R] [--bytes LOG2,...] [--leaves LOG2,...]
//                         [--field-leaves LOG2,...] [--merges LOG2,...] [--hashes NAME,...] [--tuned] [--energy]
//
// Prints one JSON object a line for each job and policy: seconds of the kernels, of copies to and from the device, and
// of the whole call. They are medians over R timed calls. The first call compiles and is timed separately. Each result
// is compared with the CPU's result in the same run; a wrong result ends the program. The row also has the CPU's time
// for the same job on host memory. --tuned leaves out the policies of the original programs. --hashes: merges of pairs
// and trees by these hashes alone, of 2^22 merges and 2^20 and 2^24 leaves if the sizes are not given. --energy: rows
// of the tuned policy also have the joules of one call, its watts and those of the idle device, by the driver's
// counter; null if the driver has none. Each of these jobs is repeated for two more seconds.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <merklize/merklize.hpp>

#include "calls/run.hpp"
#include "energy.hpp"
#include "jobs.hpp"
#include "jobs/registry.hpp"
#include "pinned.hpp"
#include "queue/device.hpp"

using namespace merklize;
using Clock = std::chrono::steady_clock;

namespace {

struct Options {
    std::vector<std::string> only;
    unsigned repeats = 11;
    bool tuned = false;
    bool energy = false;
    std::vector<unsigned> bytes = {26, 30};
    std::vector<unsigned> leaves = {20, 25};
    std::vector<unsigned> field_leaves = {20};
    std::vector<unsigned> merges = {22};
    std::vector<std::string> hashes;
};

struct Spread {
    double median, least, most;
};

Spread spread(std::vector<double> values) {
    std::ranges::sort(values);
    return {values[values.size() / 2], values.front(), values.back()};
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Bench {
public:
    Bench(const Device& device, Options options) : device_(device), options_(std::move(options)) {
        if (!options_.energy) return;
        counter_ = bench::EnergyCounter::of(device_.info());
        if (counter_) idle_watts_ = counter_->idle_watts();
    }

    bool wanted(const std::string& job) const {
        const auto is_in = [&](const std::string& only) { return job.find(only) != std::string::npos; };
        return options_.only.empty() || std::ranges::any_of(options_.only, is_in);
    }
    const Options& options() const { return options_; }
    const Device& device() const { return device_; }

    /// The same job on the CPU backend, on all threads.
    struct OnCpu {
        std::function<void(const RunOptions&)> call;
        double median = 0;  // seconds, of the latest measurement
    };

    /// cpu   timed for the tuned policy. If the device is the same processor, the calls of both alternate, so that
    ///       other load on the machine slows both.
    /// call  runs the job once with these options and returns a digest of its result, which must be `expected`
    void row(const std::string& job, Hash hash, const std::string& policy, std::uint64_t n, const char* unit,
             const Digest& expected, OnCpu& cpu, const std::function<Digest(const RunOptions&)>& call,
             const Policy& choice = {}) {
        Timings timings;
        RunOptions run;
        run.device = device_;
        run.timings = &timings;
        run.policy = choice;
        auto start = Clock::now();
        try {
            require(call(run), expected, job, policy);
        } catch (const Error& error) {
            std::printf("{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%s\", \"n\": %llu, \"skipped\": \"%s\"}\n",
                        job.c_str(), std::string(traits(hash).name).c_str(), policy.c_str(),
                        static_cast<unsigned long long>(n), error.what());
            return;
        }
        const double first = seconds_since(start);
        const bool is_processor = runtime::state_of(device_).opened()->facts().is_cpu != 0;
        std::vector<double> wall, kernel, up, down, cpu_wall;
        const auto time_cpu = [&](unsigned times) {
            if (policy != "tuned") return;
            constexpr double enough = 2;  // seconds that a reference is timed for at most
            for (double spent = 0; times > 0 && spent < enough; times--, spent += cpu_wall.back()) {
                start = Clock::now();
                cpu.call(bench::on_cpu());
                cpu_wall.push_back(seconds_since(start));
            }
        };
        time_cpu(1);
        cpu_wall.clear();
        if (!is_processor) time_cpu(options_.repeats);
        for (unsigned i = 0; i < options_.repeats; i++) {
            if (is_processor) time_cpu(1);
            start = Clock::now();
            const Digest result = call(run);
            wall.push_back(seconds_since(start));
            require(result, expected, job, policy);
            kernel.push_back(timings.kernel);
            up.push_back(timings.to_device);
            down.push_back(timings.to_host);
        }
        if (!cpu_wall.empty()) cpu.median = spread(cpu_wall).median;
        std::string energy;
        if (options_.energy && policy == "tuned") {
            const auto used = counter_ ? counter_->of_calls([&] { call(run); }) : std::nullopt;
            const auto number = [](std::optional<double> value) { return value ? std::to_string(*value) : "null"; };
            energy = "\"joules\": " + number(used ? std::optional(used->joules) : std::nullopt) +
                     ", \"watts\": " + number(used ? std::optional(used->watts) : std::nullopt) +
                     ", \"idle_watts\": " + number(idle_watts_) + ", ";
        }
        const Spread k = spread(kernel), w = spread(wall);
        const DeviceInfo& info = device_.info();
        std::printf(
            "{\"job\": \"%s\", \"hash\": \"%s\", \"policy\": \"%s\", \"n\": %llu, \"unit\": \"%s\", \"kernel\": %.9f, "
            "\"kernel_min\": %.9f, \"kernel_max\": %.9f, \"to_device\": %.9f, \"to_host\": %.9f, \"wall\": %.9f, "
            "\"wall_min\": %.9f, \"first_call\": %.6f, \"rate\": %.6g, \"repeats\": %u, \"cpu\": %.9f, "
            "%s\"cpu_isa\": \"%s\", \"device\": \"%s\", \"backend\": \"%s\", \"driver\": \"%s\", \"isa\": \"%s\", "
            "\"version\": \"%s\"}\n",
            job.c_str(), std::string(traits(hash).name).c_str(), policy.c_str(), static_cast<unsigned long long>(n),
            unit, k.median, k.least, k.most, spread(up).median, spread(down).median, w.median, w.least, first,
            static_cast<double>(n) / (k.median > 0 ? k.median : w.median), options_.repeats, cpu.median, energy.c_str(),
            Device("cpu").info().isa.c_str(), info.name.c_str(), info.backend.c_str(), info.driver.c_str(),
            info.isa.c_str(), version());
        std::fflush(stdout);
    }

private:
    static void require(const Digest& result, const Digest& expected, const std::string& job,
                        const std::string& policy) {
        if (result == expected) return;
        std::fprintf(stderr, "wrong result: %s, %s\n", job.c_str(), policy.c_str());
        std::exit(1);
    }

    Device device_;
    Options options_;
    std::optional<bench::EnergyCounter> counter_;  // with --energy, if the driver has one
    std::optional<double> idle_watts_;
};

std::string power(const char* job, unsigned log2) { return std::string(job) + " 2^" + std::to_string(log2); }

void digests(Bench& bench) {
    for (const unsigned log2 : bench.options().bytes) {
        const std::uint64_t bytes = std::uint64_t{1} << log2;
        const std::string resident = power("digest, resident, bytes", log2),
                          host = power("digest, host memory, bytes", log2);
        if (!bench.wanted(resident) && !bench.wanted(host)) continue;
        const auto data = bench::random_values<std::byte>(bytes, "data");
        const Digest expected = hash(data, {}, bench::on_cpu());
        Bench::OnCpu cpu{[&](const RunOptions& run) { hash(data, {}, run); }};
        struct Choice {
            std::string name;
            Policy policy;
        };
        std::vector<Choice> choices = {{"tuned", {}}};
        if (!bench.options().tuned) {
            // As in the originals: one chunk an item, or 2 to 16 chunks as lanes of a vector.
            for (const std::uint32_t lanes : {1, 2, 4, 8, 16})
                choices.push_back({"lanes=" + std::to_string(lanes), {.lanes = lanes}});
        }
        if (bench.wanted(resident)) {
            // The calls take several copies in turn, so that no call finds its input in a cache.
            std::vector<ConstBuffer> copies;
            for (std::uint64_t total = 0; copies.empty() || (total += bytes) < (std::uint64_t{512} << 20);)
                copies.push_back(Buffer::copy_of(data, bench.device()));
            for (const Choice& choice : choices) {
                std::size_t turn = 0;
                bench.row(
                    resident, Hash::blake3, choice.name, bytes, "bytes", expected, cpu,
                    [&](const RunOptions& run) { return hash(copies[turn++ % copies.size()], {}, run); },
                    choice.policy);
            }
        }
        if (bench.wanted(host)) {
            bench.row(host, Hash::blake3, "tuned", bytes, "bytes", expected, cpu,
                      [&](const RunOptions& run) { return hash(data, {}, run); });
        }
    }
}

void trees(Bench& bench, Hash which, const std::vector<unsigned>& sizes) {
    struct Choice {
        std::string name;
        Policy policy;
    };
    std::vector<Choice> choices = {{"tuned", {}}};
    if (!bench.options().tuned && traits(which).is_field) {
        choices.push_back({"approach 1: levels_per_launch=1,constants=global",
                           {.levels_per_launch = 1, .constants = Constants::global}});
        choices.push_back({"approach 2: levels_per_launch=8,constants=global",
                           {.levels_per_launch = 8, .group_size = 128, .constants = Constants::global}});
        choices.push_back({"approach 3: levels_per_launch=1,constants=local",
                           {.levels_per_launch = 1, .constants = Constants::local}});
    } else if (!bench.options().tuned) {
        choices.push_back({"levels_per_launch=1", {.levels_per_launch = 1}});
    }
    for (const unsigned log2 : sizes) {
        const std::uint64_t n = std::uint64_t{1} << log2;
        const std::string name(traits(which).name);
        const std::string resident = power(("tree, resident, " + name + ", leaves").c_str(), log2);
        const std::string there = power(("tree, leaves from the host, " + name + ", leaves").c_str(), log2);
        const std::string round = power(("tree, host to host, " + name + ", leaves").c_str(), log2);
        const std::string pinned = power(("tree, pinned host to host, " + name + ", leaves").c_str(), log2);
        if (!bench.wanted(resident) && !bench.wanted(there) && !bench.wanted(round) && !bench.wanted(pinned)) continue;
        std::vector<Digest> nodes(n);
        const std::vector<Digest> leaves = bench::random_leaves(n, which);
        nodes.insert(nodes.end(), leaves.begin(), leaves.end());
        std::vector<Digest> expected = nodes;
        build_tree(expected, which, bench::on_cpu());
        Bench::OnCpu cpu{[&](const RunOptions& run) { build_tree(expected, which, run); }};
        // All nodes are compared, not only the root.
        const Digest all = hash(std::as_bytes(std::span(expected)), {}, bench::on_cpu());
        if (bench.wanted(resident)) {
            const Buffer buffer = Buffer::copy_of(std::as_bytes(std::span(nodes)), bench.device());
            for (const Choice& choice : choices) {
                Digest got;
                bench.row(
                    resident, which, choice.name, n - 1, "merges", expected[1], cpu,
                    [&](const RunOptions& run) {
                        build_tree(buffer, which, run);
                        buffer.slice(Digest::size, Digest::size).copy_to(got.bytes);
                        return got;
                    },
                    choice.policy);
                if (hash(buffer) != all) {
                    std::fprintf(stderr, "wrong nodes: %s, %s\n", resident.c_str(), choice.name.c_str());
                    std::exit(1);
                }
            }
        }
        if (bench.wanted(there)) {
            bench.row(there, which, "tuned", n - 1, "merges", expected[1], cpu,
                      [&](const RunOptions& run) { return MerkleTree(leaves, which, run).root(); });
        }
        const auto host_to_host = [&](const std::string& job, std::span<Digest> memory) {
            bench.row(job, which, "tuned", n - 1, "merges", expected[1], cpu, [&](const RunOptions& run) {
                build_tree(memory, which, run);
                return memory[1];
            });
            if (hash(std::as_bytes(memory), {}, bench::on_cpu()) != all) {
                std::fprintf(stderr, "wrong nodes: %s\n", job.c_str());
                std::exit(1);
            }
        };
        if (bench.wanted(round)) host_to_host(round, nodes);
        if (bench.wanted(pinned)) {
            runtime::QueueDevice& queue = *runtime::state_of(bench.device()).opened();
            const runtime::Pinned block = queue.borrow_pinned(2 * n * Digest::size);
            const std::span<Digest> memory(static_cast<Digest*>(block.bytes), 2 * n);
            std::ranges::fill(memory.first(n), Digest{});
            std::ranges::copy(leaves, memory.begin() + static_cast<std::ptrdiff_t>(n));
            host_to_host(pinned, memory);
            queue.driver().release_host(queue.index(), block.bytes);
        }
    }
}

// Only on demand: --only "host time". Microseconds of the host from call to return, of calls that enqueue, and the time
// of a small call that waits.
void host_times(Bench& bench) {
    const auto asks = [](const std::string& only) { return only.starts_with("host"); };
    if (std::ranges::none_of(bench.options().only, asks)) return;
    const Stream stream(bench.device());
    const Buffer data(bench.device(), 1 << 20), out(bench.device(), Digest::size), nodes(bench.device(), 64 << 10);
    const auto row = [&](const char* job, const std::function<void()>& enqueue, const std::function<void()>& wait) {
        if (!bench.wanted(std::string("host time, ") + job)) return;
        std::vector<double> enqueued, waited;
        enqueue();
        wait();
        stream.synchronize();
        for (unsigned i = 0; i < 20 * bench.options().repeats; i++) {
            constexpr unsigned calls = 20;
            auto start = Clock::now();
            for (unsigned k = 0; k < calls; k++) enqueue();
            enqueued.push_back(seconds_since(start) / calls);
            stream.synchronize();
            start = Clock::now();
            wait();
            waited.push_back(seconds_since(start));
        }
        std::printf(
            "{\"job\": \"host time, %s\", \"enqueue_us\": %.2f, \"enqueue_min_us\": %.2f, \"wait_us\": %.2f, "
            "\"wait_min_us\": %.2f, \"device\": \"%s\", \"version\": \"%s\"}\n",
            job, 1e6 * spread(enqueued).median, 1e6 * spread(enqueued).least, 1e6 * spread(waited).median,
            1e6 * spread(waited).least, bench.device().info().name.c_str(), version());
        std::fflush(stdout);
    };
    const RunOptions waits{.device = bench.device(), .stream = stream};
    for (const unsigned log2 : {6, 16, 20}) {
        const ConstBuffer part = data.slice(0, std::uint64_t{1} << log2);
        row(
            power("digest, bytes", log2).c_str(), [&] { hash(stream, {.data = part, .out = out}); },
            [&] { hash(part, {}, waits); });
    }
    row(
        "tree, blake3, leaves 2^10", [&] { build_tree(stream, {.nodes = nodes}); },
        [&] { build_tree(nodes, {}, waits); });
    row(
        "root, blake3, leaves 2^10", [&] { merkle_root(stream, {.leaves = nodes.slice(0, 32 << 10), .out = out}); },
        [&] { merkle_root(nodes.slice(0, 32 << 10), {}, waits); });
    row(
        "merge, blake3, pairs 2^8",
        [&] {
            merge(stream, {.left = nodes.slice(0, 8192), .right = nodes.slice(8192, 8192), .out = data.slice(0, 8192)});
        },
        [&] { merge(nodes.slice(0, 8192), nodes.slice(8192, 8192), data.slice(0, 8192), Hash::blake3, {}, waits); });
}

// One level of 2^22 merges and 2^18 rows of 256 words (2048 bytes of hashes of bytes), without the checks of the words.
void wide_jobs(Bench& bench, Hash which) {
    const std::string name(traits(which).name);
    const std::string level = power(("level, resident, " + name + ", merges").c_str(), 22);
    const std::string matrix = power(("rows of 256 words, resident, " + name + ", rows").c_str(), 18);
    const auto last_of = [](const Buffer& digests) {
        Digest got;
        digests.slice(digests.size() - Digest::size, Digest::size).copy_to(got.bytes);
        return got;
    };
    if (bench.wanted(level)) {
        const std::uint64_t n = std::uint64_t{1} << 22;
        const std::vector<Digest> left = bench::random_leaves(n, which);
        std::vector<Digest> right(left.rbegin(), left.rend()), expected(n);
        merge(left, right, expected, which, {}, bench::on_cpu());
        Bench::OnCpu cpu{[&](const RunOptions& run) { merge(left, right, expected, which, {}, run); }};
        const Buffer l = Buffer::copy_of(std::as_bytes(std::span(left)), bench.device()),
                     r = Buffer::copy_of(std::as_bytes(std::span(right)), bench.device()),
                     out(bench.device(), n * Digest::size);
        bench.row(level, which, "tuned", n, "merges", expected.back(), cpu, [&](const RunOptions& options) {
            runtime::Run run(options);
            run.launch(runtime::MergePairs{.hash = which,
                                           .left = runtime::place_of(l),
                                           .right = runtime::place_of(r),
                                           .n = n,
                                           .out = runtime::place_of(out)},
                       1);
            run.finish();
            return last_of(out);
        });
    }
    if (bench.wanted(matrix)) {
        const bool is_field = traits(which).is_field;
        const std::uint64_t n = std::uint64_t{1} << 18, word = traits(which).element_bits == 32 ? 4 : 8;
        auto rows = bench::random_values<std::byte>(n * 256 * word, "rows");
        bench::make_canonical(rows, which);
        std::vector<Digest> expected(n);
        hash_leaves(rows, 256 * word, expected, which, {}, bench::on_cpu());
        Bench::OnCpu cpu{[&](const RunOptions& run) { hash_leaves(rows, 256 * word, expected, which, {}, run); }};
        const Buffer in = Buffer::copy_of(rows, bench.device()), out(bench.device(), n * Digest::size);
        bench.row(matrix, which, "tuned", n, "rows", expected.back(), cpu, [&](const RunOptions& options) {
            runtime::Run run(options);
            run.launch(runtime::HashRows{.hash = which,
                                         .rows = runtime::place_of(in),
                                         .n = n,
                                         .length = is_field ? 256 : 256 * word,
                                         .out = runtime::place_of(out)},
                       1);
            run.finish();
            return last_of(out);
        });
    }
}

// The extension of keccak-air's trace, from memory of the device to memory of the device.
template <class Word>
void extensions(Bench& bench, Field field, const char* name, Hash of_words) {
    constexpr std::uint64_t rows = 1 << 16, columns = 2633, bytes = rows * columns * sizeof(Word);
    const std::string job = "extend, resident, " + std::string(name) + ", 2633 columns, rows 2^16 to 2^17";
    if (!bench.wanted(job)) return;
    auto words = bench::random_values<std::byte>(bytes, "trace");
    bench::make_canonical(words, of_words);
    const std::span given(reinterpret_cast<const Word*>(words.data()), rows * columns);
    const ExtendForm form{.field = field, .order = RowOrder::bit_reversed};
    std::vector<std::byte> expected(2 * bytes);
    Bench::OnCpu cpu{[&](const RunOptions& run) { extend(Matrix::of_rows(given, rows), expected, form, run); }};
    cpu.call(bench::on_cpu());
    const Buffer in = Buffer::copy_of(words, bench.device()), out(bench.device(), 2 * bytes);
    const Matrix there = Matrix::of_rows(in, rows, sizeof(Word));
    extend(there, out, form);
    if (hash(out) != hash(expected, {}, bench::on_cpu())) throw Error(ErrorCode::internal, job + ": wrong result");
    Digest wanted;
    std::ranges::copy(std::span(expected).last(Digest::size), wanted.bytes.begin());
    bench.row(job, of_words, "tuned", 2 * rows * columns, "words", wanted, cpu, [&](const RunOptions& run) {
        extend(there, out, form, run);
        Digest got;
        out.slice(out.size() - Digest::size, Digest::size).copy_to(got.bytes);
        return got;
    });
}

// The commitment to the extension of keccak-air's trace, which comes to the host as well.
template <class Word>
void commitments(Bench& bench, Field field, const char* name, Hash hash_of_rows) {
    constexpr std::uint64_t rows = 1 << 16, columns = 2633, bytes = rows * columns * sizeof(Word);
    const auto job = [&](const char* where) {
        return "commit_extended, " + std::string(where) + ", " + name + ", 2633 columns, rows 2^16 to 2^17";
    };
    const char* const wheres[] = {"pinned to pinned", "pageable to memory in use", "pageable to fresh memory",
                                  "pinned, without a way back"};
    if (std::ranges::none_of(wheres, [&](const char* where) { return bench.wanted(job(where)); })) return;
    auto words = bench::random_values<std::byte>(bytes, "trace");
    bench::make_canonical(words, hash_of_rows);
    const CommitmentForm of_rows(hash_of_rows);
    const auto committed = [&](std::span<const std::byte> from, std::span<std::byte> to, const RunOptions& run) {
        const std::span given(reinterpret_cast<const Word*>(from.data()), rows * columns);
        const ExtendedMatrix one{.matrix = Matrix::of_rows(given, rows),
                                 .form = {.field = field, .order = RowOrder::bit_reversed},
                                 .out = to};
        return commit_extended({&one, 1}, of_rows, run).cap()[0];
    };
    std::vector<std::byte> used(2 * bytes), expected(2 * bytes);
    Bench::OnCpu cpu{[&](const RunOptions& run) { committed(words, expected, run); }};
    const Digest wanted = committed(words, expected, bench::on_cpu());
    const bench::PinnedBytes in(bench.device(), bytes), out(bench.device(), 2 * bytes);
    std::ranges::copy(words, in.bytes().begin());
    if (committed(in.bytes(), out.bytes(), {.device = bench.device()}) != wanted ||
        !std::ranges::equal(out.bytes(), expected))
        throw Error(ErrorCode::internal, "commit_extended: wrong result");
    for (const char* where : wheres) {
        if (!bench.wanted(job(where))) continue;
        bench.row(job(where), hash_of_rows, "tuned", 2 * rows * columns, "words", wanted, cpu,
                  [&](const RunOptions& run) {
                      if (where == wheres[0]) return committed(in.bytes(), out.bytes(), run);
                      if (where == wheres[1]) return committed(words, used, run);
                      if (where == wheres[3]) return committed(in.bytes(), {}, run);
                      void* const fresh =
                          mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                      if (fresh == MAP_FAILED) throw std::bad_alloc();
                      const Digest cap = committed(words, {static_cast<std::byte*>(fresh), 2 * bytes}, run);
                      munmap(fresh, 2 * bytes);
                      return cap;
                  });
    }
}

// Merges of pairs, as wide as a level of a tree.
void merges(Bench& bench, Hash which, const std::vector<unsigned>& sizes) {
    for (const unsigned log2 : sizes) {
        const std::uint64_t n = std::uint64_t{1} << log2;
        const std::string job =
            power(("merges, resident, " + std::string(traits(which).name) + ", pairs").c_str(), log2);
        if (!bench.wanted(job)) continue;
        const std::vector<Digest> nodes = bench::random_leaves(2 * n, which);
        const std::span<const Digest> left = std::span(nodes).first(n), right = std::span(nodes).subspan(n);
        std::vector<Digest> expected(n);
        Bench::OnCpu cpu{[&](const RunOptions& run) { merge(left, right, expected, which, {}, run); }};
        merge(left, right, expected, which, {}, bench::on_cpu());
        const Buffer l = Buffer::copy_of(std::as_bytes(left), bench.device());
        const Buffer r = Buffer::copy_of(std::as_bytes(right), bench.device());
        const Buffer out = Buffer::copy_of(std::as_bytes(left), bench.device());
        bench.row(job, which, "tuned", n, "merges", hash(std::as_bytes(std::span(expected)), {}, bench::on_cpu()), cpu,
                  [&](const RunOptions& run) {
                      merge(l, r, out, which, {}, run);
                      return hash(out);
                  });
    }
}

std::vector<std::string> names(const std::string& text) {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) try {
    Options options;
    if (argc < 2) {
        std::fprintf(stderr,
                     "usage: merklize-device-bench DEVICE [--FLAG VALUE ...]; see the head of bench/device.cpp\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        const std::string flag = argv[i];
        if (flag == "--tuned" || flag == "--energy") {
            (flag == "--tuned" ? options.tuned : options.energy) = true;
            continue;
        }
        const char* value = ++i < argc ? argv[i] : "";
        if (flag == "--only") {
            options.only.emplace_back(value);
        } else if (flag == "--repeats") {
            options.repeats = std::max(1u, static_cast<unsigned>(std::atoi(value)));
        } else if (flag == "--bytes") {
            options.bytes = bench::numbers(value);
        } else if (flag == "--leaves") {
            options.leaves = bench::numbers(value);
        } else if (flag == "--merges") {
            options.merges = bench::numbers(value);
        } else if (flag == "--hashes") {
            options.hashes = names(value);
            options.leaves = {20, 24};
        } else if (flag == "--field-leaves") {
            options.field_leaves = bench::numbers(value);
        } else {
            std::fprintf(stderr, "merklize-device-bench: bad flag '%s'\n", flag.c_str());
            return 2;
        }
    }
    Bench bench(Device(argv[1]), options);
    host_times(bench);
    for (const std::string& name : options.hashes) {
        merges(bench, hash_from_name(name), options.merges);
        trees(bench, hash_from_name(name), options.leaves);
    }
    if (!options.hashes.empty()) return 0;
    digests(bench);
    trees(bench, Hash::blake3, options.leaves);
    trees(bench, Hash::rp64_256_v3, options.field_leaves);
    trees(bench, Hash::rp64_256_v1, options.field_leaves);
    for (const HashTraits& t : hashes()) {
        if (t.hash != Hash::blake3 && t.hash != Hash::rp64_256_v3 && t.hash != Hash::rp64_256_v1)
            trees(bench, t.hash, options.field_leaves);
    }
    for (const HashTraits& t : hashes()) wide_jobs(bench, t.hash);
    extensions<std::uint64_t>(bench, Field::goldilocks, "goldilocks", Hash::poseidon2_goldilocks_8);
    extensions<std::uint32_t>(bench, Field::koalabear, "koalabear", Hash::poseidon2_koalabear_16);
    commitments<std::uint64_t>(bench, Field::goldilocks, "goldilocks", Hash::poseidon2_goldilocks_8);
    commitments<std::uint32_t>(bench, Field::koalabear, "koalabear", Hash::poseidon2_koalabear_16);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "merklize-device-bench: %s\n", error.what());
    return 1;
}
