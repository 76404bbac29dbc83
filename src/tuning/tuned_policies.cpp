#include "tuning/tuned_policies.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <optional>
#include <sstream>
#include <tuple>

#include "files/kept_files.hpp"
#include "host/made_once.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/version.hpp"
#include "tuning/policy.hpp"

// The policies are kept as text, one file for each device and one policy a line: "job hash log2 seconds builtin_seconds
// levels_per_launch=3,...".

namespace merklize::runtime {
namespace {

struct TunedJob {
    mkz_kernel kernel;
    std::string_view name;
};
constexpr TunedJob jobs[] = {{MKZ_KERNEL_HASH_CHUNKS, "digest"},
                             {MKZ_KERNEL_MERGE_SUBTREES, "tree"},
                             {MKZ_KERNEL_HASH_ELEMENTS, "hash_rows"},
                             {MKZ_KERNEL_MERGE_PAIRS, "merge"}};

KeptFiles policy_store() {
    KeptFolder folder = kept_folder();
    if (!folder.path.empty()) folder.path = folder.path.parent_path() / "tuned";
    return KeptFiles(folder);
}

std::string key(const DeviceInfo& device) {
    std::string what = "tuned policies";
    for (const PolicyField& field : policy_fields) what.append(" ").append(field.name);
    return kept_key({what, device.isa, device.name + " x " + std::to_string(device.units), MERKLIZE_VERSION_STRING,
                     device.backend + " " + device.driver});
}

bool is_measured(double value) { return std::isfinite(value) && value > 0; }

std::optional<TunedPolicy> parse(const std::string& line) {
    TunedPolicy found;
    std::string job, hash, policy;
    std::istringstream fields(line);
    fields.imbue(std::locale::classic());
    fields >> job >> hash >> found.log2 >> found.seconds >> found.builtin_seconds;
    const auto* of_name = std::ranges::find(jobs, job, &TunedJob::name);
    const auto traits = std::ranges::find(hashes(), hash, &HashTraits::name);
    if (!fields || of_name == std::end(jobs) || traits == hashes().end()) return std::nullopt;
    if (!is_measured(found.seconds) || !is_measured(found.builtin_seconds)) return std::nullopt;
    fields >> policy;  // if there is none, all fields are open
    try {
        found.policy = policy_from_text(policy);
    } catch (const Error&) {
        return std::nullopt;
    }
    found.kernel = of_name->kernel;
    found.hash = static_cast<std::uint32_t>(traits->hash);
    return found;
}

/// How often this process has stored policies. Those that it read before are old.
std::atomic<unsigned> stored{0};

bool is_off() {
    const char* value = std::getenv("MERKLIZE_TUNED");
    return value != nullptr && std::string_view(value) == "0";
}

std::vector<TunedPolicy> read_table(const mkz_backend& backend, std::uint32_t device) {
    mkz_device_facts facts{};
    if (is_off() || backend.device_facts(device, &facts) != MKZ_OK) return {};
    return load_tuned_policies({.id = {},
                                .backend = backend.name,
                                .name = facts.name,
                                .vendor = facts.vendor,
                                .driver = facts.driver,
                                .isa = facts.isa,
                                .units = facts.units});
}

}  // namespace

std::string_view tuned_job_name(mkz_kernel kernel) noexcept {
    const auto* found = std::ranges::find(jobs, kernel, &TunedJob::kernel);
    return found == std::end(jobs) ? std::string_view() : found->name;
}

std::vector<TunedPolicy> load_tuned_policies(const DeviceInfo& device) {
    const auto bytes = policy_store().load(key(device));
    if (!bytes) return {};
    std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    std::vector<TunedPolicy> policies;
    for (std::string line; std::getline(lines, line);) {
        const auto policy = parse(line);
        if (!policy) return {};
        policies.push_back(*policy);
    }
    return policies;
}

void store_tuned_policies(const DeviceInfo& device, std::span<const TunedPolicy> policies) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(9);
    for (const TunedPolicy& policy : policies) {
        text << tuned_job_name(policy.kernel) << ' ' << traits(static_cast<Hash>(policy.hash)).name << ' '
             << policy.log2 << ' ' << policy.seconds << ' ' << policy.builtin_seconds << ' ' << to_text(policy.policy)
             << '\n';
    }
    const std::string kept = text.str();
    const std::string why = policy_store().store(key(device), std::as_bytes(std::span(kept)));
    if (!why.empty()) throw Error(ErrorCode::io, "tuned policies: " + why);
    stored++;
}

mkz_policy tuned_policy(const mkz_backend& backend, std::uint32_t device, mkz_kernel kernel, std::uint32_t hash,
                        std::uint64_t n, const mkz_policy& wanted) {
    if (wanted != mkz_policy{}) return wanted;
    static MadeOnce<std::tuple<const mkz_backend*, std::uint32_t, unsigned>, std::vector<TunedPolicy>> tables;
    const std::vector<TunedPolicy>& table =
        tables.get({&backend, device, stored}, [&] { return read_table(backend, device); });
    constexpr int farthest = 2;
    const int log2 = static_cast<int>(std::bit_width(std::max<std::uint64_t>(n, 1))) - 1;
    const TunedPolicy* best = nullptr;
    int least = farthest + 1;
    for (const TunedPolicy& policy : table) {
        const int distance = std::abs(static_cast<int>(policy.log2) - log2);
        if (policy.kernel != kernel || policy.hash != hash || distance >= least) continue;
        best = &policy;
        least = distance;
    }
    return best == nullptr ? wanted : to_seam(best->policy);
}

}  // namespace merklize::runtime
