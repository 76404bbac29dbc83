// "auto" chooses by a table of measured costs. A process reads the table once, so each table here has its own process:
// this program with the test "calibration_child", and the expected answer in the environment.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls/calibration.hpp"
#include "environment.hpp"
#include "files/kept_files.hpp"
#include "jobs/log.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"

using namespace support;
using merklize::Job;
using merklize::runtime::KnownCost;

namespace {

constexpr Job all_jobs[] = {Job::digest, Job::tree, Job::nodes, Job::root, Job::rows};

constexpr const char* expected_variable = "MERKLIZE_TEST_CHOSEN";

/// A device of this machine beside the CPU, or a device that it does not have.
merklize::DeviceInfo other_device() {
    if (merklize::why_unavailable("opencl:0").empty()) return merklize::Device("opencl:0").info();
    return {.id = "opencl:0", .backend = "opencl", .name = "none", .vendor = "", .driver = "", .isa = ""};
}

std::vector<KnownCost> table(const merklize::DeviceInfo& other) {
    const merklize::DeviceInfo cpu = merklize::Device("cpu").info();
    std::vector<KnownCost> costs;
    for (const Job job : all_jobs) {
        for (const Hash hash : merklize::runtime::measured_hashes) {
            if (job == Job::digest && hash != Hash::blake3) continue;
            // Both are equally fast at 100 kB. Larger rows by BLAKE3 and all larger jobs by SHA-256 are the CPU's.
            costs.push_back({"cpu", cpu.name, cpu.driver, job, hash, {{1000, 1e-6}, {2'000'000, 2e-3}}});
            const double last = hash == Hash::sha256 || (job == Job::rows && hash == Hash::blake3) ? 1 : 1.19e-4;
            costs.push_back(
                {other.id, other.name, other.driver, job, hash, {{1000, 1e-4}, {100'000, 1e-4}, {2'000'000, last}}});
        }
    }
    return costs;
}

/// expected  "32768=cpu 524288=opencl:0": bytes, and the device that "auto" must choose
int run_child(const std::string& expected) {
    const Environment environment{{expected_variable, expected}};
    std::string program = std::filesystem::read_symlink("/proc/self/exe").string(), test = "calibration_child";
    char* const arguments[] = {program.data(), test.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int status = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST("calibration: auto goes by the table, and without a good one is the CPU") {
    const TemporaryFolder folder;
    const Environment environment{{"MERKLIZE_CACHE_DIR", folder.path().string()}, {"MERKLIZE_DEVICE", ""}};
    const std::string all_cpu = "32768=cpu 524288=cpu";
    const merklize::DeviceInfo other = other_device();
    const bool is_there = merklize::why_unavailable(other.id).empty();
    const std::string by_size = is_there ? "32768=cpu 524288=" + other.id : all_cpu;
    CHECK(merklize::runtime::load_costs().empty());
    CHECK_EQ(run_child(all_cpu), 0);

    merklize::runtime::store_costs(table(other));
    CHECK_EQ(merklize::runtime::load_costs().size(), 34u);
    CHECK_EQ(merklize::calibration().size(), is_there ? 85u : 34u);
    CHECK_EQ(run_child(by_size), 0);
    CHECK(run_child("32768=abacus") != 0);  // the child does compare
    {
        const Environment cpu{{"MERKLIZE_DEVICE", "cpu"}};
        CHECK_EQ(run_child(all_cpu), 0);
    }
    // Figures of another driver, or of a device that is not here.
    merklize::DeviceInfo changed = other;
    changed.driver += ".1";
    merklize::runtime::store_costs(table(changed));
    CHECK_EQ(run_child(all_cpu), 0);
    CHECK_EQ(merklize::calibration().size(), 34u);
    changed = other;
    changed.id = "cuda:99";
    merklize::runtime::store_costs(table(changed));
    CHECK_EQ(run_child(all_cpu), 0);
    // Without figures of the CPU there is nothing to compare with.
    std::vector<KnownCost> costs = table(other);
    std::erase_if(costs, [](const KnownCost& known) { return known.device == "cpu"; });
    merklize::runtime::store_costs(costs);
    CHECK_EQ(run_child(all_cpu), 0);
    // An impossible figure.
    costs = table(other);
    costs[3].points[1].seconds = 0;
    merklize::runtime::store_costs(costs);
    CHECK(merklize::runtime::load_costs().empty());

    // Costs of pinned memory are kept, too, beside those of other memory.
    costs = table(other);
    costs.push_back(costs.back());
    costs.back().is_pinned = true;
    merklize::runtime::store_costs(costs);
    const std::vector<KnownCost> read = merklize::runtime::load_costs();
    CHECK_EQ(read.size(), 35u);
    CHECK_EQ(std::ranges::count(read, true, &KnownCost::is_pinned), 1);
    CHECK(read.back().is_pinned && read.back().job == Job::rows && read.back().hash == Hash::rp64_256_v3);
    CHECK_EQ(run_child(by_size), 0);

    std::filesystem::path file;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "calibration")) {
        if (entry.is_regular_file()) file = entry.path();
    }
    // A file whose lines name no hash, as they were before, is ignored as a whole.
    const merklize::runtime::KeptFiles store({file.parent_path(), {}});
    const auto keep = [&](const std::string& text) {
        CHECK_EQ(store.store(file.stem().string(), std::as_bytes(std::span(text))), "");
        return merklize::runtime::load_costs().size();
    };
    const std::string line = "cpu\tname\t\tdigest\tblake3\t1000\t100\t2000\t200\n";
    CHECK_EQ(keep(line), 1u);
    CHECK_EQ(keep(line + "cpu\tname\t\tdigest\t1000\t100\t2000\t200\n"), 0u);
    CHECK_EQ(keep(line + "cpu\tname\t\ttree of a byte hash\tblake3\t1000\t100\n"), 0u);
    CHECK_EQ(keep(line + "cpu\tname\t\tdigest\tsha256\t1000\t100x\n"), 0u);
    CHECK_EQ(keep(line + "cpu\tname\t\tdigest\tsha256\t1000\t100\t900\t100\n"), 0u);
    CHECK_EQ(keep(line + "cpu\tname\t\tdigest\tsha256\t1000\n"), 0u);
    // Damaged files.
    merklize::runtime::store_costs(table(other));
    const auto size = std::filesystem::file_size(file);
    {
        std::fstream damaged(file, std::ios::binary | std::ios::in | std::ios::out);
        damaged.seekp(static_cast<std::streamoff>(size) - 10);
        damaged.put('#');
    }
    CHECK_EQ(run_child(all_cpu), 0);
    merklize::runtime::store_costs(table(other));
    std::filesystem::resize_file(file, size / 2);
    CHECK_EQ(run_child(all_cpu), 0);
    {
        const Environment none{{"MERKLIZE_CACHE_DIR", ""}};
        CHECK_ERROR(io, "MERKLIZE_CACHE_DIR is empty", merklize::runtime::store_costs(table(other)));
        CHECK_EQ(run_child(all_cpu), 0);
    }
}

TEST("calibration: pinned data goes by costs of its own") {
    const auto cost = [](const char* device, double seconds, bool is_pinned = false, Job job = Job::digest) {
        return KnownCost{device,   "name", "driver", job, Hash::blake3, {{1000, seconds}, {2000, 2 * seconds}},
                         is_pinned};
    };
    const std::vector<KnownCost> costs = {
        cost("cpu", 3),
        cost("gpu", 4),          // copied, pageable data makes it slower than the CPU
        cost("cpu,gpu", 2),      // both are best for pageable data
        cost("none", 1),         // a device that cannot be used
        cost("gpu", 1.5, true),  // and the GPU alone for pinned data
        cost("cpu,gpu", 1.8, true),
        cost("cpu", 1, false, Job::root),
        cost("gpu", 1.1, false, Job::root),
        cost("gpu", 1.2, true, Job::root),
    };
    std::string asked;
    const auto choose = [&](std::span<const KnownCost> known, bool is_pinned, Job job = Job::digest,
                            double cpu_factor = 1) {
        asked.clear();
        const auto ask = [&](const KnownCost& of, bool is_memory_asked) {
            asked += of.device + (is_memory_asked ? "? " : " ");
            return of.device == "none" ? std::optional<bool>() : std::optional(is_pinned && is_memory_asked);
        };
        return merklize::runtime::least(known, job, Hash::blake3, 1500, cpu_factor, ask);
    };
    merklize::runtime::Choice made = choose(costs, false);
    CHECK(made.cost == &costs[2]);
    CHECK_EQ(made.seconds, 3.0);  // halfway between 2 and 4
    CHECK_EQ(made.on_cpu, 4.5);
    CHECK_EQ(asked, "gpu? cpu,gpu? none ");
    made = choose(costs, true);
    CHECK(made.cost == &costs[4]);
    CHECK_EQ(made.seconds, 2.25);
    CHECK_EQ(asked, "gpu? none ");  // both together promise nothing better
    // A device that promises nothing is not opened, unless the CPU has a share of its threads alone.
    made = choose(costs, true, Job::root);
    CHECK(made.cost == &costs[6]);
    CHECK_EQ(asked, "");
    CHECK(choose(costs, true, Job::root, 2).cost == &costs[8]);
    CHECK(choose(costs, false, Job::root, 2).cost == &costs[7]);
    // A driver without pinned memory: pinned data goes by the costs of pageable data, and no memory is asked for.
    CHECK(choose(std::span(costs).first(4), true).cost == &costs[2]);
    CHECK_EQ(asked, "cpu,gpu none ");
    // Nothing to compare with.
    CHECK(choose(std::span(costs).subspan(1, 5), true).cost == nullptr);
    CHECK(choose(costs, true, Job::tree).cost == nullptr);
}

TEST("calibration: a hash goes by costs of its own") {
    std::vector<KnownCost> costs;
    const auto put = [&](const char* device, Job job, Hash hash, double seconds) {
        costs.push_back({device, "name", "driver", job, hash, {{1000, seconds}, {2000, 2 * seconds}}});
    };
    const auto put_all = [&](const char* device, Job job, const std::array<double, 4>& seconds) {
        for (std::size_t i = 0; i < seconds.size(); i++)
            put(device, job, merklize::runtime::measured_hashes[i], seconds[i]);
    };
    put_all("cpu", Job::tree, {1, 2, 20, 140});
    put_all("gpu", Job::tree, {3, 1.5, 35, 100});
    put_all("cpu", Job::root, {1, 2, 20, 140});
    put("cpu", Job::root, Hash::poseidon2_koalabear_16, 11);  // halfway from sha256 to poseidon2_goldilocks_8
    put("cpu", Job::root, Hash::rpx256, 110);                 // three quarters of the way to rp64_256_v3
    put("cpu", Job::root, Hash::rp64_256_v1, 200);
    put("cpu", Job::root, Hash::blake3_parent, 0.9);
    put_all("cpu", Job::rows, {1, 2, 20, 140});
    put_all("gpu", Job::rows, {3, 3, 3, 3});
    put("cpu", Job::rows, Hash::poseidon2_koalabear_16, 2);

    const auto choose = [&](Job job, Hash hash) {
        return merklize::runtime::least(costs, job, hash, 1000, 1,
                                        [](const KnownCost&, bool) { return std::optional(false); });
    };
    const auto check = [&](Job job, Hash hash, const char* device, double seconds, double on_cpu) {
        const merklize::runtime::Choice made = choose(job, hash);
        CHECK(made.cost != nullptr && made.cost->device == device && made.cost->job == job);
        CHECK_EQ(made.seconds, seconds);
        CHECK_EQ(made.on_cpu, on_cpu);
    };
    check(Job::tree, Hash::blake3, "cpu", 1, 1);
    check(Job::tree, Hash::sha256, "gpu", 1.5, 2);
    check(Job::tree, Hash::poseidon2_goldilocks_8, "cpu", 20, 20);
    check(Job::tree, Hash::rp64_256_v3, "gpu", 100, 140);
    // Between two measured ones, by its root on the CPU.
    check(Job::tree, Hash::poseidon2_koalabear_16, "cpu", 11, 11);  // 18.25 on the GPU
    check(Job::tree, Hash::rpx256, "gpu", 83.75, 110);
    // Beyond them.
    check(Job::tree, Hash::rp64_256_v1, "gpu", 100, 140);
    check(Job::tree, Hash::blake3_parent, "cpu", 1, 1);
    // Rows go by rows.
    check(Job::rows, Hash::poseidon2_koalabear_16, "cpu", 2, 2);
    // Not measured at all: constants of a caller.
    check(Job::tree, static_cast<Hash>(200), "cpu", 20, 20);
    // A device on which one of the two was not measured is passed over.
    std::erase_if(costs,
                  [](const KnownCost& known) { return known.device == "gpu" && known.hash == Hash::rp64_256_v3; });
    check(Job::tree, Hash::rpx256, "cpu", 110, 110);
}

TEST("calibration: of the CPU") {
    if (!std::ranges::all_of(merklize::devices(), [](const auto& info) { return info.backend == "cpu"; })) return;
    const TemporaryFolder folder;
    const Environment environment{{"MERKLIZE_CACHE_DIR", folder.path().string()}};
    double before = -1;
    const auto costs = merklize::calibrate([&](double done) {
        CHECK(done > before && done < 1);
        before = done;
        return true;
    });
    const auto sizes = [&](Job job, Hash hash) {
        return std::ranges::count_if(costs, [&](const merklize::Cost& c) { return c.job == job && c.hash == hash; });
    };
    CHECK(sizes(Job::digest, Hash::blake3) >= 2);
    for (const merklize::HashTraits& t : merklize::hashes()) {
        const bool is_whole = std::ranges::count(merklize::runtime::measured_hashes, t.hash) != 0;
        for (const Job job : {Job::tree, Job::nodes}) CHECK_EQ(sizes(job, t.hash) >= 2, is_whole);
        for (const Job job : {Job::root, Job::rows})
            CHECK(is_whole ? sizes(job, t.hash) >= 2 : sizes(job, t.hash) <= 1);
        CHECK(sizes(Job::root, t.hash) >= 1);
    }
    for (const merklize::Cost& cost : costs) {
        CHECK_EQ(cost.device, "cpu");
        CHECK(cost.bytes >= 2048 && cost.seconds > 0 && cost.seconds < 10 && !cost.is_pinned);
    }
    CHECK_EQ(merklize::calibration().size(), costs.size());
    CHECK_ERROR(cancelled, "", merklize::calibrate([](double) { return false; }));
}

TEST("calibration_child: what auto chooses") {
    const char* expected = std::getenv(expected_variable);
    if (expected == nullptr) return;
    merklize::runtime::Log& log = merklize::runtime::Log::process();
    log.turn_on();
    const char* named = std::getenv("MERKLIZE_DEVICE");
    const std::vector<KnownCost> costs = merklize::runtime::load_costs();
    const bool is_choice = (named == nullptr || *named == 0) &&
                           std::ranges::any_of(costs, [](const KnownCost& known) { return known.device == "cpu"; });
    std::string last;
    bool passed_over = false;
    std::istringstream pairs(expected);
    for (std::string pair; pairs >> pair;) {
        const std::size_t bytes = std::stoul(pair), n = bytes / 32;
        const std::string device = pair.substr(pair.find('=') + 1);
        CHECK_EQ(merklize::Device().info().id, "cpu");
        const std::vector<Digest> given = leaves(Hash::blake3, n);
        const merklize::MerkleTree tree(given);
        CHECK_EQ(tree.device().id, device);
        bool is_told = false;  // a choice is logged, unless it is the same as the last one
        for (const merklize::runtime::LogEntry& entry : log.take()) {
            is_told |= entry.text.starts_with("auto is " + device + " for job tree by blake3, " +
                                              std::to_string(bytes) + " bytes: about ");
            passed_over |= entry.text.starts_with("auto passes over opencl:0: it ") ||
                           entry.text.starts_with("auto passes over cuda:99: it cannot be used: ");
        }
        CHECK_EQ(is_told, is_choice && device != last);
        last = device;
        CHECK_EQ(tree.root(), merklize::merkle_root(given, Hash::blake3, {.device = merklize::Device("cpu")}));
        // Only a device has timings.
        const auto ran_on_device = [&](const auto& call) {
            merklize::Timings timings;
            merklize::RunOptions options;
            options.timings = &timings;
            call(options);
            return timings.available;
        };
        const bool is_device = device != "cpu";
        CHECK_EQ(ran_on_device([&](const auto& o) { merklize::hash(std::as_bytes(std::span(given)), {}, o); }),
                 is_device);
        CHECK_EQ(ran_on_device([&](const auto& o) { merklize::merkle_root(given, Hash::blake3, o); }), is_device);
        CHECK(!ran_on_device([&](const auto& o) { merklize::merkle_root(given, Hash::sha256, o); }));
        std::vector<Digest> nodes(2 * n);
        std::ranges::copy(given, nodes.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK_EQ(ran_on_device([&](const auto& o) { merklize::build_tree(nodes, Hash::blake3, o); }), is_device);
        CHECK_EQ(nodes, tree.nodes());
        std::vector<Digest> out(n);
        CHECK(!ran_on_device([&](const auto& o) {
            merklize::hash_leaves(std::as_bytes(std::span(given)), 32, out, Hash::blake3, {}, o);
        }));
        const merklize::RunOptions on_cpu{.device = merklize::Device("cpu")};
        const std::vector<Digest> words = leaves(Hash::rp64_256_v3, n);
        std::vector<Digest> wanted(n);
        merklize::hash_leaves(std::as_bytes(std::span(words)), 32, wanted, Hash::rp64_256_v3, {}, on_cpu);
        CHECK_EQ(ran_on_device([&](const auto& o) {
                     merklize::hash_leaves(std::as_bytes(std::span(words)), 32, out, Hash::rp64_256_v3, {}, o);
                 }),
                 is_device);
        CHECK_EQ(out, wanted);
        const std::span<const std::uint64_t> all(reinterpret_cast<const std::uint64_t*>(words.data()), 4 * n);
        const merklize::Matrix matrix = merklize::Matrix::of_rows(all, n);
        CHECK_EQ(ran_on_device(
                     [&](const auto& o) { merklize::hash_rows(std::span(&matrix, 1), out, {Hash::rp64_256_v3}, o); }),
                 is_device);
        CHECK_EQ(out, wanted);
        // The CPU does all other jobs.
        CHECK(!ran_on_device([&](const auto& o) { merklize::merge(given, given, out, Hash::blake3, {}, o); }));
    }
    CHECK_EQ(passed_over, is_choice && merklize::calibration().size() < merklize::runtime::costs_of(costs).size());
}
