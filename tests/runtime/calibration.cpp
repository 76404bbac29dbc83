// "auto" chooses by a table of measured costs. A process reads the table once, so each table here has its own process: this program with
// the test "calibration_child", and the expected answer in the environment.

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls/calibration.hpp"
#include "jobs/log.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"

using namespace support;
using merklize::Job;
using merklize::runtime::KnownCost;

namespace {

constexpr Job all_jobs[] = {Job::digest,         Job::bytes_tree,    Job::bytes_nodes,
                            Job::bytes_root,     Job::bytes_rows,    Job::elements_tree,
                            Job::elements_nodes, Job::elements_root, Job::elements_rows};

constexpr const char* expected_variable = "MERKLIZE_TEST_CHOSEN";

/// Sets a variable of the environment, and restores its value at the end.
class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

private:
    const char* name_;
    std::string before_{};
};

/// A device of this machine beside the CPU, or a device that it does not have.
merklize::DeviceInfo other_device() {
    if (merklize::why_unavailable("opencl:0").empty()) return merklize::Device("opencl:0").info();
    return {.id = "opencl:0", .backend = "opencl", .name = "none", .vendor = "", .driver = "", .isa = ""};
}

std::vector<KnownCost> table(const merklize::DeviceInfo& other) {
    const merklize::DeviceInfo cpu = merklize::Device("cpu").info();
    std::vector<KnownCost> costs;
    for (const Job job : all_jobs) {
        // Both are equally fast at 100 kB. Larger rows are the CPU's.
        costs.push_back({"cpu", cpu.name, cpu.driver, job, {{1000, 1e-6}, {2'000'000, 2e-3}}});
        const double last = job == Job::bytes_rows ? 1 : 1.19e-4;
        costs.push_back({other.id, other.name, other.driver, job, {{1000, 1e-4}, {100'000, 1e-4}, {2'000'000, last}}});
    }
    return costs;
}

/// expected  "32768=cpu 524288=opencl:0": bytes, and the device that "auto" must choose
int run_child(const std::string& expected) {
    const Variable variable(expected_variable, expected);
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
    const Variable cache("MERKLIZE_CACHE_DIR", folder.path().string()), no_choice("MERKLIZE_DEVICE", "");
    const std::string all_cpu = "32768=cpu 524288=cpu";
    const merklize::DeviceInfo other = other_device();
    const bool is_there = merklize::why_unavailable(other.id).empty();
    const std::string by_size = is_there ? "32768=cpu 524288=" + other.id : all_cpu;
    CHECK(merklize::runtime::load_costs().empty());
    CHECK_EQ(run_child(all_cpu), 0);

    merklize::runtime::store_costs(table(other));
    CHECK_EQ(merklize::runtime::load_costs().size(), 18u);
    CHECK_EQ(merklize::calibration().size(), is_there ? 45u : 18u);
    CHECK_EQ(run_child(by_size), 0);
    CHECK(run_child("32768=abacus") != 0);  // the child does compare
    {
        const Variable cpu("MERKLIZE_DEVICE", "cpu");
        CHECK_EQ(run_child(all_cpu), 0);
    }
    // Figures of another driver, or of a device that is not here.
    merklize::DeviceInfo changed = other;
    changed.driver += ".1";
    merklize::runtime::store_costs(table(changed));
    CHECK_EQ(run_child(all_cpu), 0);
    CHECK_EQ(merklize::calibration().size(), 18u);
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
    CHECK_EQ(read.size(), 19u);
    CHECK_EQ(std::ranges::count(read, true, &KnownCost::is_pinned), 1);
    CHECK(read.back().is_pinned && read.back().job == all_jobs[8]);
    CHECK_EQ(run_child(by_size), 0);

    // Damaged files.
    merklize::runtime::store_costs(table(other));
    std::filesystem::path file;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "calibration")) {
        if (entry.is_regular_file()) file = entry.path();
    }
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
        const Variable none("MERKLIZE_CACHE_DIR", "");
        CHECK_ERROR(io, "MERKLIZE_CACHE_DIR is empty", merklize::runtime::store_costs(table(other)));
        CHECK_EQ(run_child(all_cpu), 0);
    }
}

TEST("calibration: pinned data goes by costs of its own") {
    const auto cost = [](const char* device, double seconds, bool is_pinned = false, Job job = Job::digest) {
        return KnownCost{device, "name", "driver", job, {{1000, seconds}, {2000, 2 * seconds}}, is_pinned};
    };
    const std::vector<KnownCost> costs = {
        cost("cpu", 3),
        cost("gpu", 4),          // copied, pageable data makes it slower than the CPU
        cost("cpu,gpu", 2),      // both are best for pageable data
        cost("none", 1),         // a device that cannot be used
        cost("gpu", 1.5, true),  // and the GPU alone for pinned data
        cost("cpu,gpu", 1.8, true),
        cost("cpu", 1, false, Job::bytes_root),
        cost("gpu", 1.1, false, Job::bytes_root),
        cost("gpu", 1.2, true, Job::bytes_root),
    };
    std::string asked;
    const auto choose = [&](std::span<const KnownCost> known, bool is_pinned, Job job = Job::digest,
                            double cpu_factor = 1) {
        asked.clear();
        return merklize::runtime::least(known, job, 1500, cpu_factor, [&](const KnownCost& of, bool is_memory_asked) {
            asked += of.device + (is_memory_asked ? "? " : " ");
            return of.device == "none" ? std::optional<bool>() : std::optional(is_pinned && is_memory_asked);
        });
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
    made = choose(costs, true, Job::bytes_root);
    CHECK(made.cost == &costs[6]);
    CHECK_EQ(asked, "");
    CHECK(choose(costs, true, Job::bytes_root, 2).cost == &costs[8]);
    CHECK(choose(costs, false, Job::bytes_root, 2).cost == &costs[7]);
    // Costs of before, without pinned memory: pinned data goes by those of pageable data, and no memory is asked for.
    CHECK(choose(std::span(costs).first(4), true).cost == &costs[2]);
    CHECK_EQ(asked, "cpu,gpu none ");
    // Nothing to compare with.
    CHECK(choose(std::span(costs).subspan(1, 5), true).cost == nullptr);
    CHECK(choose(costs, true, Job::bytes_tree).cost == nullptr);
}

TEST("calibration: of the CPU") {
    if (!std::ranges::all_of(merklize::devices(), [](const auto& info) { return info.backend == "cpu"; })) return;
    const TemporaryFolder folder;
    const Variable cache("MERKLIZE_CACHE_DIR", folder.path().string());
    double before = -1;
    const auto costs = merklize::calibrate([&](double done) {
        CHECK(done > before && done < 1);
        before = done;
        return true;
    });
    for (const Job job : all_jobs) {
        CHECK(std::ranges::count(costs, job, &merklize::Cost::job) >= 2);
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
            is_told |= entry.text.starts_with("auto is " + device + " for a tree of a byte hash of " +
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
