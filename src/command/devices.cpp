// `merklize devices`.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "command/line/arguments.hpp"
#include "command/line/options.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/output/progress.hpp"
#include "files/kept_files.hpp"
#include "merklize/device.hpp"
#include "merklize/hash.hpp"
#include "texts/json.hpp"
#include "tuning/tuned_policies.hpp"

namespace merklize::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* backend_names[] = {"cpu", "cuda", "opencl", "sycl"};

// Stored policies count the chunks of a message, 2^10 bytes each; people count bytes.
std::uint32_t shown_log2(const runtime::TunedPolicy& policy) {
    return policy.log2 + (policy.kernel == MKZ_KERNEL_HASH_CHUNKS ? 10 : 0);
}

struct Tuned {
    std::string device;
    runtime::TunedPolicy policy;

    std::string hash() const { return std::string(traits(static_cast<Hash>(policy.hash)).name); }
    std::string job() const { return std::string(runtime::tuned_job_name(policy.kernel)); }
};

struct Missing {
    std::string backend, why;
};

// Why kernels cannot be stored below `folder`, which need not exist yet; empty if they can.
std::string why_not_writable(fs::path folder) {
    std::error_code error;
    while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
    return access(folder.c_str(), W_OK | X_OK) == 0 ? "" : folder.string() + " cannot be written";
}

std::string policy_json(const Policy& policy) {
    json::Object fields;
    for (const PolicyField& field : policy_fields) {
        if (field.get(policy) == 0) continue;
        if (field.values == PolicyValues::name) {
            fields.text(field.name, field_text(field, policy));
        } else {
            fields.number(field.name, field.get(policy));
        }
    }
    return fields.done();
}

struct Facts {
    std::vector<DeviceInfo> devices;
    std::vector<Missing> missing;
    std::string folder, why_unusable;
    std::vector<Cost> costs;
    std::vector<Tuned> tuned;
};

std::string facts_json(const Facts& facts) {
    json::Array devices, costs, policies;
    for (const DeviceInfo& d : facts.devices) {
        json::Object device;
        device.text("id", d.id).text("backend", d.backend).text("name", d.name).text("vendor", d.vendor);
        device.text("driver", d.driver).text("isa", d.isa).number("units", d.units);
        devices.put(device.number("memory_bytes", d.memory_bytes).done());
    }
    json::Object missing;
    for (const Missing& backend : facts.missing) missing.text(backend.backend, backend.why);
    for (const Cost& c : facts.costs) {
        json::Object cost;
        cost.text("device", c.device).text("job", name_of(c.job)).text("hash", traits(c.hash).name);
        cost.number("bytes", c.bytes).number("seconds", c.seconds);
        costs.put(cost.number("pinned", c.is_pinned).done());
    }
    for (const Tuned& t : facts.tuned) {
        json::Object policy;
        policy.text("device", t.device)
            .text("job", t.job())
            .text("hash", t.hash())
            .number("log2", shown_log2(t.policy));
        policy.put("policy", policy_json(t.policy.policy)).number("seconds", t.policy.seconds);
        policies.put(policy.number("builtin_seconds", t.policy.builtin_seconds).done());
    }
    const auto or_null = [](const std::string& text) { return text.empty() ? std::string("null") : json::text(text); };
    json::Object cache;
    cache.put("folder", or_null(facts.folder)).put("why_unusable", or_null(facts.why_unusable));
    return json::indented(json::Object()
                              .put("devices", devices.done())
                              .put("unavailable", missing.done())
                              .put("kernel_cache", cache.done())
                              .put("calibration", costs.done())
                              .put("tuned", policies.done())
                              .done());
}

void show(Call& call, const Facts& facts) {
    std::vector<std::vector<std::string>> rows = {{"device", "name", "driver", "instructions", "units", "memory"}};
    for (const DeviceInfo& d : facts.devices) {
        rows.push_back(
            {d.id, d.name, d.driver, d.isa, std::to_string(d.units), human_bytes(static_cast<double>(d.memory_bytes))});
    }
    const std::size_t columns = call.output_columns();
    call.line(table_text(rows, "    rr", columns));
    if (!facts.missing.empty()) call.line("\nNot usable here:");
    for (const auto& [backend, why] : facts.missing) {
        std::string text;
        if (!why.starts_with(backend)) text.append(backend).append(": ");
        call.line(wrapped(text.append(why), columns, 2));
    }
    if (facts.why_unusable.empty()) {
        call.line("\nCompiled kernels: " + facts.folder);
    } else {
        const std::string begin = "Compiled kernels: not kept: ";
        const std::size_t first = std::min(facts.why_unusable.find(' '), facts.why_unusable.size());
        // The first word, often a path, stays on the line.
        call.line("\n" + begin + facts.why_unusable.substr(0, first) +
                  (first == facts.why_unusable.size()
                       ? ""
                       : "\n" + wrapped(facts.why_unusable.substr(first + 1), columns, 2)));
    }
    if (facts.costs.empty()) {
        call.line("\n" + wrapped("--device auto is the CPU; `merklize devices --calibrate` measures what is faster.",
                                 columns, 0));
    } else {
        call.line("\nMeasured, for --device auto with data of the host:");
        // The costs of a job on a device follow one another, and their sizes grow. A job with one size says nothing of
        // its rate.
        rows.clear();
        for (auto first = facts.costs.begin(); first != facts.costs.end();) {
            const Cost& cost = *first;
            const auto end = std::find_if(first, facts.costs.end(), [&](const Cost& c) {
                return c.device != cost.device || c.job != cost.job || c.hash != cost.hash ||
                       c.is_pinned != cost.is_pinned;
            });
            const double rate = static_cast<double>(end[-1].bytes) / end[-1].seconds;
            if (end - first > 1) {
                rows.push_back({name_of(cost.job), std::string(traits(cost.hash).name), cost.device,
                                cost.is_pinned ? "pinned" : "pageable", human_time(cost.seconds),
                                human_bytes(rate) + "/s"});
            }
            first = end;
        }
        std::ranges::sort(rows);
        rows.insert(rows.begin(), {"job", "hash", "device", "memory", "2 KiB", "the largest"});
        call.line(table_text(rows, "    rr", columns));
    }
    if (facts.tuned.empty()) return;
    call.line("\n" + wrapped("Tuned on this machine; used when the caller gives no policy, unless MERKLIZE_TUNED=0:",
                             columns, 0));
    rows = {{"device", "job", "hash", "log2", "policy", "time", "built-in"}};
    for (const Tuned& t : facts.tuned) {
        const std::string policy = to_text(t.policy.policy);
        rows.push_back({t.device, t.job(), t.hash(), std::to_string(shown_log2(t.policy)),
                        policy.empty() ? "built-in" : policy, human_time(t.policy.seconds),
                        human_time(t.policy.builtin_seconds)});
    }
    call.line(table_text(rows, "   r rr", columns));
}

int run_devices(Call& call, const Arguments& arguments) {
    call.caller().prepare_libraries({});
    Facts facts;
    facts.devices = devices();
    if (arguments.has("calibrate")) {
        Bar bar(call, "measuring");
        calibrate(bar.part());
    }
    facts.costs = calibration();
    for (const char* name : backend_names) {
        if (std::ranges::find(facts.devices, name, &DeviceInfo::backend) == facts.devices.end())
            facts.missing.push_back({name, why_unavailable(name)});
    }
    const runtime::KeptFiles& cache = runtime::KeptFiles::process();
    facts.folder = cache.folder().string();
    facts.why_unusable = cache.why_unusable();
    if (facts.why_unusable.empty()) facts.why_unusable = why_not_writable(cache.folder());
    for (const DeviceInfo& device : facts.devices)
        for (const runtime::TunedPolicy& policy : runtime::load_tuned_policies(device))
            facts.tuned.push_back({device.id, policy});
    if (arguments.has("json")) {
        call.line(facts_json(facts));
    } else {
        show(call, facts);
    }
    return 0;
}

constexpr Option devices_options[] = {
    {"calibrate", 0, {}, "Measure the devices first, and keep the figures for --device auto."},
    options::json,
    options::help};

}  // namespace

extern constinit const Command devices_command{
    .name = "devices",
    .summary = "What this machine can compute on.",
    .help =
        "List the devices of this machine, and say why others cannot be used.\n\n"
        "The first column is what --device takes. \"auto\" is the device of the first line; once --calibrate has "
        "measured the devices, it is the fastest device for a job and its size.",
    .options = devices_options,
    .run = run_devices,
};

}  // namespace merklize::command
