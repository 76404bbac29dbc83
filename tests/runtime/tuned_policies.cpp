// The policies that `merklize tune` stores: they are found again, and used only if the caller gives no policy.

#include "tuning/tuned_policies.hpp"

#include <algorithm>
#include <locale>

#include "calls/calibration.hpp"
#include "environment.hpp"
#include "host/threads.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "support.hpp"
#include "tuning/policy.hpp"

using namespace support;
using merklize::Device;
using merklize::DeviceInfo;
using merklize::Policy;
using merklize::runtime::load_tuned_policies;
using merklize::runtime::store_tuned_policies;
using merklize::runtime::tuned_policy;
using merklize::runtime::TunedPolicy;

namespace {

/// A cache folder for kept policies, during the object's lifetime.
class OwnCache {
public:
    std::filesystem::path file() const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() / "tuned"))
            if (entry.is_regular_file()) return entry.path();
        return {};
    }

private:
    TemporaryFolder folder_{};
    Environment environment_{{"MERKLIZE_CACHE_DIR", folder_.path().string()}};
};

TunedPolicy tree_policy(Hash hash, std::uint32_t log2, const Policy& policy) {
    return {.kernel = MKZ_KERNEL_MERGE_SUBTREES,
            .hash = static_cast<std::uint32_t>(hash),
            .log2 = log2,
            .policy = policy,
            .seconds = 1e-3,
            .builtin_seconds = 2e-3};
}

Policy levels(std::uint32_t count) { return {.levels_per_launch = count}; }

std::uint32_t kept_levels(const Device& device, Hash hash, std::uint64_t n, const Policy& wanted = {}) {
    const auto& state = merklize::runtime::state_of(device);
    return tuned_policy(*state.backend, state.index, MKZ_KERNEL_MERGE_SUBTREES, static_cast<std::uint32_t>(hash), n,
                        merklize::runtime::to_seam(wanted))
        .levels_per_launch;
}

}  // namespace

TEST("tuned_policies: kept for this device, driver and size") {
    const OwnCache cache;
    const Device cpu("cpu");
    store_tuned_policies(cpu.info(), {});
    CHECK(load_tuned_policies(cpu.info()).empty());
    CHECK_EQ(kept_levels(cpu, Hash::blake3, 1 << 10), 0u);

    const std::vector<TunedPolicy> policies = {tree_policy(Hash::blake3, 10, levels(3)),
                                               tree_policy(Hash::blake3, 14, levels(5))};
    store_tuned_policies(cpu.info(), policies);
    const std::vector<TunedPolicy> found = load_tuned_policies(cpu.info());
    CHECK_EQ(found.size(), 2u);
    CHECK_EQ(found[1].log2, 14u);
    CHECK_EQ(found[1].policy.levels_per_launch, 5u);
    CHECK_EQ(found[1].seconds, 1e-3);
    CHECK_EQ(found[1].builtin_seconds, 2e-3);

    // The nearest size, at most 2 away in log2; of two, the first.
    for (const auto& [log2, expected] : {std::pair(7, 0u), std::pair(8, 3u), std::pair(10, 3u), std::pair(12, 3u),
                                         std::pair(13, 5u), std::pair(16, 5u), std::pair(17, 0u)})
        CHECK_EQ(kept_levels(cpu, Hash::blake3, std::uint64_t{1} << log2), expected);
    CHECK_EQ(kept_levels(cpu, Hash::rp64_256_v3, 1 << 10), 0u);
    const auto& state = merklize::runtime::state_of(cpu);
    CHECK_EQ(tuned_policy(*state.backend, state.index, MKZ_KERNEL_MERGE_PAIRS, MKZ_HASH_blake3, 1 << 10, {})
                 .levels_per_launch,
             0u);
    // If the caller chooses a field, the built-in table fills all others, because they were measured together.
    Policy group{};
    group.group_size = 64;
    CHECK_EQ(kept_levels(cpu, Hash::blake3, 1 << 10, group), 0u);
    CHECK_EQ(kept_levels(cpu, Hash::blake3, 1 << 10, levels(7)), 7u);

    DeviceInfo other = cpu.info();
    other.driver = "another";
    CHECK(load_tuned_policies(other).empty());
    other = cpu.info();
    other.name += " II";
    CHECK(load_tuned_policies(other).empty());
}

TEST("tuned_policies: figures are read as they were written, whatever the process's locale is") {
    const OwnCache cache;
    const Device cpu("cpu");
    struct Commas : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::vector<TunedPolicy> policies = {tree_policy(Hash::blake3, 10, levels(3))};
    const merklize::runtime::KnownCost cost{
        "cpu", "name", "driver", merklize::Job::digest, Hash::blake3, {{2048, 1.25e-6}, {8192, 12345678.5}}};
    const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
    store_tuned_policies(cpu.info(), policies);
    merklize::runtime::store_costs({&cost, 1});
    const std::vector<TunedPolicy> found = load_tuned_policies(cpu.info());
    const auto costs = merklize::runtime::load_costs();
    std::locale::global(before);
    CHECK_EQ(found.size(), 1u);
    CHECK_EQ(costs.size(), 1u);
    if (found.size() == 1) CHECK_EQ(found[0].seconds, 1e-3);
    if (costs.size() == 1) CHECK_EQ(costs[0].points[1].seconds, 12345678.5);
    // The text does not depend on the locale.
    CHECK_EQ(load_tuned_policies(cpu.info()).size(), 1u);
}

TEST("tuned_policies: damaged files and no folder") {
    const OwnCache cache;
    const DeviceInfo cpu = Device("cpu").info();
    const std::vector<TunedPolicy> policies = {tree_policy(Hash::blake3, 10, levels(3))};
    store_tuned_policies(cpu, policies);
    const auto size = std::filesystem::file_size(cache.file());
    {
        std::fstream damaged(cache.file(), std::ios::binary | std::ios::in | std::ios::out);
        damaged.seekp(static_cast<std::streamoff>(size) - 10);
        damaged.put('#');
    }
    CHECK(load_tuned_policies(cpu).empty());
    store_tuned_policies(cpu, policies);
    std::filesystem::resize_file(cache.file(), size / 2);
    CHECK(load_tuned_policies(cpu).empty());
    // A whole file with an impossible figure.
    std::vector<TunedPolicy> odd = policies;
    odd[0].seconds = 0;
    store_tuned_policies(cpu, odd);
    CHECK(load_tuned_policies(cpu).empty());
    odd = policies;
    odd[0].policy.constants = static_cast<merklize::Constants>(9);
    store_tuned_policies(cpu, odd);
    CHECK(load_tuned_policies(cpu).empty());
    const Environment none{{"MERKLIZE_CACHE_DIR", ""}};
    CHECK_ERROR(io, "MERKLIZE_CACHE_DIR is empty", store_tuned_policies(cpu, policies));
    CHECK(load_tuned_policies(cpu).empty());
}

TEST("tuned_policies: trees and digests go by them") {
    const OwnCache cache;
    constexpr std::size_t n = 1 << 10;
    for (const char* name : {"cpu", "opencl:0"}) {
        if (!merklize::why_unavailable(name).empty()) continue;
        const Device device(name);
        const std::vector<Digest> given = leaves(Hash::blake3, n);
        const merklize::RunOptions options{.device = device};
        store_tuned_policies(device.info(), {});
        const merklize::MerkleTree before(given, Hash::blake3, options);
        const bool on_cpu = device.info().id == "cpu";
        Policy best = levels(before.policy().levels_per_launch == 1 ? 2 : 1);
        if (!on_cpu) {
            best.group_size = before.policy().group_size == 32 ? 16 : 32;
            best.lanes = 1;
        }
        TunedPolicy digest{
            .kernel = MKZ_KERNEL_HASH_CHUNKS, .log2 = 5, .policy = best, .seconds = 1, .builtin_seconds = 1};
        digest.policy.levels_per_launch = 0;
        const std::vector<TunedPolicy> policies = {tree_policy(Hash::blake3, 10, best), digest};
        store_tuned_policies(device.info(), policies);
        const merklize::MerkleTree tree(given, Hash::blake3, options);
        CHECK_EQ(tree.root(), before.root());
        CHECK_EQ(tree.policy().levels_per_launch, best.levels_per_launch);
        if (!on_cpu) CHECK_EQ(tree.policy().group_size, best.group_size);
        const auto bytes = std::as_bytes(std::span(given));
        CHECK_EQ(merklize::hash(bytes, {}, options), merklize::hash(bytes, {}, {.device = Device("cpu")}));
        // The caller's choice, and a tree of another size.
        merklize::RunOptions four = options;
        four.policy.levels_per_launch = 4;
        const merklize::MerkleTree chosen(given, Hash::blake3, four);
        CHECK_EQ(chosen.policy().levels_per_launch, 4u);
        CHECK_EQ(chosen.root(), before.root());
        if (!on_cpu) CHECK_EQ(chosen.policy().group_size, before.policy().group_size);
        if (on_cpu) {  // kept policies were measured with all threads
            merklize::RunOptions more = options;
            more.threads = merklize::runtime::default_threads() + 1;
            CHECK(merklize::MerkleTree(given, Hash::blake3, more).policy() != tree.policy());
        }
        {
            const Environment none{{"MERKLIZE_TUNED", "0"}};
            store_tuned_policies(device.info(), policies);  // read again
            CHECK_EQ(merklize::MerkleTree(given, Hash::blake3, options).policy(), before.policy());
        }
        store_tuned_policies(device.info(), {});
    }
}
