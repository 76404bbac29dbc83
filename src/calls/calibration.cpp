#include "calls/calibration.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string_view>

#include "files/kept_files.hpp"
#include "host/made_once.hpp"
#include "host/threads.hpp"
#include "jobs/cpu_device.hpp"
#include "jobs/internals.hpp"
#include "jobs/log.hpp"
#include "jobs/registry.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "merklize/version.hpp"
#include "queue/device.hpp"

// The costs are kept as text, one a line: "device TAB name TAB driver TAB job TAB hash TAB bytes TAB nanoseconds TAB
// bytes TAB nanoseconds ...". The job of a cost in pinned memory ends with `in_pinned`. A file with a line of another
// form is ignored: older versions wrote no hash.

namespace merklize::runtime {
namespace {

constexpr const char* job_names[] = {"digest", "tree", "nodes", "root", "rows"};

constexpr std::string_view in_pinned = " in pinned memory";

KeptFiles calibration_store() {
    KeptFolder folder = kept_folder();
    if (!folder.path.empty()) folder.path = folder.path.parent_path() / "calibration";
    return KeptFiles(folder);
}

// Machines that share a home folder have different keys, or equal processors, for which the costs hold as well.
std::string key() {
    const DeviceInfo& info = cpu_device().info();
    return kept_key({"calibration", info.isa, info.name + " x " + std::to_string(info.units), MERKLIZE_VERSION_STRING});
}

std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](char c) { return c == '\t' || c == '\n'; }, ' ');
    return text;
}

// A number that is the whole field, or 0.
std::uint64_t number_of(std::string_view field) {
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    return error == std::errc() && rest == field.data() + field.size() ? number : 0;
}

// A process parses all lines when it first uses "auto", so without streams, which take a microsecond a number.
bool parse(std::string_view line, KnownCost& known) {
    const auto next_field = [&] {
        const std::string_view field = line.substr(0, line.find('\t'));
        line.remove_prefix(std::min(line.size(), field.size() + 1));
        return field;
    };
    known.device = next_field();
    known.name = next_field();
    known.driver = next_field();
    std::string_view job = next_field();
    known.is_pinned = job.ends_with(in_pinned);
    if (known.is_pinned) job.remove_suffix(in_pinned.size());
    const auto found = std::ranges::find(job_names, job);
    const auto by = std::ranges::find(hashes(), next_field(), &HashTraits::name);
    if (found == std::end(job_names) || by == hashes().end()) return false;
    known.job = static_cast<Job>(found - std::begin(job_names));
    known.hash = by->hash;
    while (!line.empty()) {
        const std::uint64_t bytes = number_of(next_field()), nanoseconds = number_of(next_field());
        const bool grows = known.points.empty() || bytes > known.points.back().bytes;
        if (!grows || nanoseconds == 0) return false;
        known.points.push_back({bytes, 1e-9 * static_cast<double>(nanoseconds)});
    }
    return !known.points.empty();
}

}  // namespace

std::vector<KnownCost> load_costs() {
    const auto bytes = calibration_store().load(key());
    if (!bytes) return {};
    std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    std::vector<KnownCost> costs;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        if (!parse(line, costs.emplace_back())) return {};
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    std::ranges::stable_sort(costs, {}, &KnownCost::job);
    return costs;
}

double KnownCost::seconds(std::uint64_t bytes) const {
    if (points.size() == 1 || bytes <= points[0].bytes) return points[0].seconds;
    std::size_t k = 1;
    while (k + 1 < points.size() && points[k].bytes < bytes) k++;
    const auto [x0, y0] = points[k - 1];
    const auto [x1, y1] = points[k];
    const double slope = std::max(0.0, (y1 - y0) / static_cast<double>(x1 - x0));  // noise must not make it fall
    return y0 + slope * static_cast<double>(bytes - x0);
}

void store_costs(std::span<const KnownCost> costs) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    for (const KnownCost& known : costs) {
        text << one_line(known.device) << '\t' << one_line(known.name) << '\t' << one_line(known.driver) << '\t'
             << name_of(known.job) << (known.is_pinned ? in_pinned : "") << '\t' << traits(known.hash).name;
        for (const auto& [bytes, seconds] : known.points) text << '\t' << bytes << '\t' << std::llround(1e9 * seconds);
        text << '\n';
    }
    const std::string kept = text.str();
    const std::string why = calibration_store().store(key(), std::as_bytes(std::span(kept)));
    if (!why.empty()) throw Error(ErrorCode::io, "calibrate: " + why);
}

namespace {

std::vector<Device> parts_of(const Device& device) {
    const std::vector<Device>& parts = state_of(device).parts;
    return parts.empty() ? std::vector{device} : parts;
}

// The device, or devices as one, that a cost was measured on.  errors  unavailable (it is gone, or has changed)
Device measured_device(const KnownCost& known) {
    Device device(known.device);
    if (one_line(device.info().name) != known.name || one_line(device.info().driver) != known.driver) {
        throw Error(ErrorCode::unavailable,
                    "not the device that calibrate() measured, " + known.name + ", driver " + known.driver);
    }
    return device;
}

// The opened device of a cost. Null if the device is gone, or differs from the one that was measured. Looked up once a
// process.
std::shared_ptr<const Device> device_of(const KnownCost& known) {
    static MadeOnce<std::string, std::shared_ptr<const Device>> asked;
    return asked.get(known.device, [&]() -> std::shared_ptr<const Device> {
        try {
            const Device device = measured_device(known);
            for (const Device& part : parts_of(device)) {
                if (!state_of(part).is_host()) state_of(part).opened();
            }
            return std::make_shared<const Device>(device);
        } catch (const Error& error) {
            Log::process().add(LogLevel::warning,
                               "auto passes over " + known.device + ": it cannot be used: " + error.what());
            return nullptr;
        }
    });
}

// Whether this process may use the device: it opened it itself, and did not inherit it by a fork.
bool is_own(const Device& device) {
    return std::ranges::all_of(parts_of(device), [](const Device& part) {
        return state_of(part).is_host() || state_of(part).opened()->is_own_process();
    });
}

// Whether host memory is pinned for a device, or for all devices of several.
bool is_pinned_for(const Device& device, const void* host) {
    return std::ranges::all_of(parts_of(device), [&](const Device& part) {
        return state_of(part).is_host() || state_of(part).opened()->is_pinned(host);
    });
}

// Logs the choice for a job by a hash if the last one was another device.
void log_choice(Job job, Hash hash, std::uint64_t bytes, const Device& device, const Choice& made) {
    Log& log = Log::process();
    static std::atomic<const DeviceState*> last[std::size(job_names)][256];
    auto& before = last[static_cast<std::size_t>(job)][static_cast<std::uint8_t>(hash)];
    if (!log.is_on() || before.exchange(&state_of(device)) == &state_of(device)) return;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(3);
    text << "auto is " << device.info().id << " for job " << name_of(job) << " by " << traits(hash).name << ", "
         << bytes << " bytes" << (made.cost->is_pinned ? in_pinned : "") << ": about " << made.seconds * 1e3 << " ms";
    if (!state_of(device).is_host()) text << ", on the CPU " << made.on_cpu * 1e3 << " ms";
    log.add(LogLevel::debug, text.str());
}

}  // namespace

std::vector<Cost> costs_of(std::span<const KnownCost> known) {
    std::vector<Cost> costs;
    for (const KnownCost& one : known) {
        for (const auto& [bytes, seconds] : one.points)
            costs.push_back({one.device, one.job, one.hash, bytes, seconds, one.is_pinned});
    }
    return costs;
}

std::shared_ptr<std::byte> pinned_memory(const Device& device, std::uint64_t bytes) {
    for (const Device& part : parts_of(device)) {
        if (state_of(part).is_host()) continue;
        const std::shared_ptr<QueueDevice> opened = state_of(part).opened();
        if (opened->facts().unified != 0) return {};
        void* host = nullptr;
        opened->check(opened->driver().allocate_host(opened->index(), bytes, &host));
        std::shared_ptr<std::byte> memory(static_cast<std::byte*>(host), [opened](std::byte* block) {
            opened->driver().release_host(opened->index(), block);
        });
        if (!is_pinned_for(device, host)) return {};
        return memory;
    }
    return {};
}

namespace {

std::span<const KnownCost> of_job(std::span<const KnownCost> costs, Job job) {
    const auto first = std::ranges::lower_bound(costs, job, {}, &KnownCost::job);
    const auto last = std::ranges::upper_bound(costs, job, {}, &KnownCost::job);
    return costs.subspan(static_cast<std::size_t>(first - costs.begin()), static_cast<std::size_t>(last - first));
}

// The cost of a hash among those of a job, or null.
const KnownCost* find(std::span<const KnownCost> costs, std::string_view device, Hash hash, bool is_pinned = false) {
    const auto found = std::ranges::find_if(costs, [&](const KnownCost& known) {
        return known.hash == hash && known.is_pinned == is_pinned && known.device == device;
    });
    return found == costs.end() ? nullptr : &*found;
}

constexpr double never = std::numeric_limits<double>::infinity();

// The measured hashes between which the costs of a hash lie. The share is that of `high`, 0 to 1.
struct Mix {
    Hash low, high;
    double share = 0;
};

// A hash that was not measured at all has a caller's constants, and costs about what Poseidon2 does.
Mix mix_of(std::span<const KnownCost> costs, Job job, Hash hash) {
    if (std::ranges::count(measured_hashes, hash) != 0) return {hash, hash};
    const std::span<const KnownCost> samples = of_job(costs, job == Job::rows ? Job::rows : Job::root);
    const KnownCost* const own = find(samples, "cpu", hash);
    if (own == nullptr) return {Hash::poseidon2_goldilocks_8, Hash::poseidon2_goldilocks_8};
    const auto [bytes, seconds] = own->points[0];
    Mix mix{hash, hash};
    double low = 0, high = never;
    for (const Hash measured : measured_hashes) {
        const KnownCost* const known = find(samples, "cpu", measured);
        const double its = known == nullptr ? never : known->seconds(bytes);
        if (its < seconds && its > low) {
            mix.low = measured;
            low = its;
        } else if (its >= seconds && its < high) {
            mix.high = measured;
            high = its;
        }
    }
    if (low == 0) return {mix.high, mix.high};
    if (high == never) return {mix.low, mix.low};
    mix.share = (seconds - low) / (high - low);
    return mix;
}

}  // namespace

Choice least(std::span<const KnownCost> costs, Job job, Hash hash, std::uint64_t bytes, double cpu_factor,
             const AskDevice& ask) {
    const Mix mix = mix_of(costs, job, hash);
    costs = of_job(costs, job);
    const auto expected = [&](const KnownCost* low) {
        const KnownCost* const high =
            low == nullptr || mix.share == 0 ? low : find(costs, low->device, mix.high, low->is_pinned);
        return high == nullptr ? never : std::lerp(low->seconds(bytes), high->seconds(bytes), mix.share);
    };
    const KnownCost* const cpu = find(costs, "cpu", mix.low);
    Choice made{.seconds = expected(cpu) * cpu_factor};
    if (made.seconds == never) return {};
    made.cost = cpu;
    made.on_cpu = made.seconds;
    // A driver takes long to start, so only a device that promises to be faster is asked.
    for (const KnownCost& known : costs) {
        if (known.hash != mix.low || known.is_pinned || known.device == "cpu") continue;
        const KnownCost* const pinned = find(costs, known.device, mix.low, true);
        if (std::min(expected(&known), expected(pinned)) >= made.seconds) continue;
        const std::optional<bool> is_pinned = ask(known, pinned != nullptr);
        if (!is_pinned) continue;
        const KnownCost* const here = *is_pinned && pinned != nullptr ? pinned : &known;
        if (expected(here) >= made.seconds) continue;
        made.cost = here;
        made.seconds = expected(here);
    }
    return made;
}

RunOptions chosen(const RunOptions& options, Job job, Hash hash, std::uint64_t bytes, const void* host) {
    const std::vector<KnownCost>& costs = state_of(options.device).costs;
    RunOptions here = options;
    if (costs.empty()) return here;
    here.device = cpu_device();
    if (options.stream) return here;
    // The costs of the CPU were measured with all threads.
    const unsigned all = default_threads();
    const bool is_share = options.threads != 0 && options.threads < all;
    const double cpu_factor = is_share ? static_cast<double>(all) / static_cast<double>(options.threads) : 1;
    const Choice made = least(costs, job, hash, bytes, cpu_factor, [&](const KnownCost& known, bool is_memory_asked) {
        const auto device = device_of(known);
        if (!device || !is_own(*device)) return std::optional<bool>();
        return std::optional(is_memory_asked && bytes != 0 && is_pinned_for(*device, host));
    });
    if (made.cost == nullptr) return here;
    if (made.cost->device != "cpu") here.device = *device_of(*made.cost);
    log_choice(job, hash, bytes, here.device, made);
    return here;
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

const char* name_of(Job job) noexcept { return runtime::job_names[static_cast<std::size_t>(job)]; }

std::vector<Cost> calibration() {
    std::vector<runtime::KnownCost> known = runtime::load_costs();
    std::erase_if(known, [](const runtime::KnownCost& one) {
        try {
            runtime::measured_device(one);
        } catch (const Error&) {
            return true;  // the device is gone, or another device has its place
        }
        return false;
    });
    return runtime::costs_of(known);
}

}  // namespace merklize::inline v0
