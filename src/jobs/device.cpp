#include "merklize/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "host/made_once.hpp"
#include "host/names.hpp"
#include "jobs/internals.hpp"
#include "jobs/log.hpp"
#include "jobs/plugins.hpp"
#include "jobs/registry.hpp"
#include "merklize/error.hpp"
#include "merklize/version.hpp"

namespace merklize::inline v0 {
namespace {

// The only device of a backend has the backend's name; one of several has a number behind it.
std::string id_of(const mkz_backend& backend, std::uint32_t index) {
    return index == 0 && std::string_view(backend.name) == "cpu"
               ? "cpu"
               : std::string(backend.name) + ":" + std::to_string(index);
}

// One state for each device: all handles share its programs, streams and pinned memory.
std::shared_ptr<const runtime::DeviceState> state_of(const mkz_backend& backend, std::uint32_t index) {
    static runtime::MadeOnce<std::pair<const mkz_backend*, std::uint32_t>, std::shared_ptr<const runtime::DeviceState>>
        known;
    return known.get({&backend, index}, [&] {
        mkz_device_facts facts{};
        if (backend.device_facts(index, &facts) != MKZ_OK) throw Error(ErrorCode::unavailable, backend.last_error());
        DeviceInfo info{id_of(backend, index), backend.name, facts.name,  facts.vendor,
                        facts.driver,          facts.isa,    facts.units, facts.memory_bytes};
        return std::make_shared<const runtime::DeviceState>(&backend, index, std::move(info));
    });
}

// Backends of this build, then plug-ins. SYCL is always listed, because why_unavailable() says how to get it.
std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const mkz_backend* backend : runtime::backends()) names.emplace_back(backend->name);
    const auto built_in = static_cast<std::ptrdiff_t>(names.size());
    names.emplace_back("sycl");
    for (std::string& name : runtime::plugin_names())
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    std::sort(names.begin() + built_in, names.end());
    return names;
}

// The table of a backend, or why there is none. Opens the plug-in if it is one.
runtime::Plugin backend_of(std::string_view name) {
    for (const mkz_backend* backend : runtime::backends())
        if (name == backend->name) return {backend, {}};
    return runtime::plugin(name);
}

// The device called `name`, or why there is none.
struct Found {
    std::shared_ptr<const runtime::DeviceState> state{};
    std::string why{};
    bool known = true;  // false: no backend has this name
};

// "auto" is the CPU, because host data is there already. If the CPU cannot be used, no other device replaces it.
Found find_one(std::string_view name) {
    if (name == "auto") name = "cpu";
    const std::string_view own = name.substr(0, name.find(':'));
    const bool built_in =
        std::ranges::any_of(runtime::backends(), [&](const mkz_backend* backend) { return own == backend->name; });
    if (!built_in) {
        const std::vector<std::string> names = all_names();
        if (std::ranges::find(names, own) == names.end()) {
            std::vector<std::string_view> known(names.begin(), names.end());
            known.emplace_back("auto");
            return {nullptr, runtime::unknown_name("device", name, known), false};
        }
    }
    const auto [backend, missing] = backend_of(own);
    if (backend == nullptr) return {nullptr, missing};
    if (const char* reason = backend->why_unavailable()) return {nullptr, reason};
    const std::uint32_t count = backend->device_count();
    for (std::uint32_t i = 0; i < count; i++) {
        const bool first_of_backend = i == 0 && name == own;
        if (first_of_backend || name == id_of(*backend, i)) return {state_of(*backend, i)};
    }
    return {nullptr, std::string(own) + ": no device '" + std::string(name) + "'; it has " + std::to_string(count)};
}

// A text of several devices: once if all have the same, else all of them.
std::string joined(const std::vector<Device>& parts, std::string DeviceInfo::* text, const char* between) {
    const auto equal = [&](const Device& part) { return part.info().*text == parts[0].info().*text; };
    std::string all = parts[0].info().*text;
    if (std::ranges::all_of(parts, equal)) return all;
    for (const Device& part : std::span(parts).subspan(1)) all += between + part.info().*text;
    return all;
}

std::shared_ptr<const runtime::DeviceState> make_several(std::string_view name, std::vector<Device> parts) {
    DeviceInfo info{std::string(name),
                    joined(parts, &DeviceInfo::backend, ","),
                    joined(parts, &DeviceInfo::name, " + "),
                    joined(parts, &DeviceInfo::vendor, ", "),
                    joined(parts, &DeviceInfo::driver, ", "),
                    joined(parts, &DeviceInfo::isa, ", "),
                    0,
                    0};
    if (info.name == parts[0].info().name) info.name = std::to_string(parts.size()) + " x " + info.name;
    for (const Device& part : parts) {
        info.units += part.info().units;
        info.memory_bytes += part.info().memory_bytes;
    }
    const runtime::DeviceState& first = runtime::state_of(parts[0]);
    return std::make_shared<const runtime::DeviceState>(first.backend, first.index, std::move(info), std::move(parts));
}

std::shared_ptr<const runtime::DeviceState> state_of_several(std::string_view name, std::vector<Device> parts) {
    static runtime::MadeOnce<std::string, std::shared_ptr<const runtime::DeviceState>> known;
    return known.get(std::string(name), [&] { return make_several(name, std::move(parts)); });
}

// The ids that one item of a list stands for: "cuda:all" for those of all devices of CUDA.
std::vector<std::string> ids_of(std::string_view item) {
    std::vector<std::string> ids;
    const std::string_view backend = item.substr(0, item.find(':'));
    if (item.substr(backend.size()) == ":all") {
        for (const DeviceInfo& info : devices()) {
            if (info.backend == backend) ids.push_back(info.id);
        }
    }
    if (ids.empty()) ids.emplace_back(item);  // the error then names the item
    return ids;
}

// A device, or several as one: "cuda:0,cuda:1", "cuda:all".
Found find(std::string_view name) {
    if (name.find(',') == name.npos && !name.ends_with(":all")) return find_one(name);
    std::vector<Device> parts;
    for (std::string_view rest = name;; rest.remove_prefix(rest.find(',') + 1)) {
        for (const std::string& id : ids_of(rest.substr(0, rest.find(',')))) {
            Found one = find_one(id);
            if (!one.state) return one;
            const std::string text = "device '" + std::string(name) + "': ";
            for (const Device& part : parts) {
                if (&runtime::state_of(part) == one.state.get())
                    return {nullptr, text + one.state->info.id + " is in it twice", false};
            }
            parts.emplace_back(id);
        }
        if (rest.find(',') == rest.npos) break;
    }
    if (parts.size() == 1) return find_one(parts[0].info().id);
    return {state_of_several(name, std::move(parts))};
}

// "auto": the CPU, and the measured costs of other devices.
std::shared_ptr<const runtime::DeviceState> choosing(std::shared_ptr<const runtime::DeviceState> cpu) {
    std::vector<runtime::KnownCost> costs = runtime::load_costs();
    if (costs.empty()) return cpu;
    auto state = std::make_shared<runtime::DeviceState>(cpu->backend, cpu->index, cpu->info);
    state->costs = std::move(costs);
    return state;
}

}  // namespace

const char* version() noexcept { return MERKLIZE_VERSION_STRING; }

std::vector<DeviceInfo> devices() {
    std::vector<DeviceInfo> found;
    for (const std::string& name : all_names()) {
        const auto [backend, missing] = backend_of(name);
        const char* reason = backend == nullptr ? missing.c_str() : backend->why_unavailable();
        if (reason != nullptr) {
            runtime::Log::process().add(runtime::LogLevel::info, std::string("not available: ") + reason);
            continue;
        }
        for (std::uint32_t i = 0; i < backend->device_count(); i++) found.push_back(state_of(*backend, i)->info);
    }
    return found;
}

std::string why_unavailable(std::string_view name) { return find(name).why; }

Device::Device() : Device("auto") {}

Device::Device(std::string_view name) {
    // Nearly every call asks for the default device, so it is found once.
    if (name == "auto") {
        static runtime::MadeOnce<std::string_view, std::shared_ptr<const runtime::DeviceState>> chosen;
        state_ = chosen.get("auto", [] {
            const char* wanted = std::getenv("MERKLIZE_DEVICE");
            Found found = find(wanted != nullptr && *wanted != 0 ? wanted : "auto");
            if (!found.state && wanted != nullptr) found.why = "MERKLIZE_DEVICE: " + found.why;
            if (!found.state) throw Error(ErrorCode::unavailable, found.why);
            if (wanted == nullptr || *wanted == 0) return choosing(found.state);
            runtime::Log::process().add(runtime::LogLevel::info,
                                        "auto is " + found.state->info.id + ", because MERKLIZE_DEVICE says so");
            return found.state;
        });
        return;
    }
    Found found = find(name);
    if (!found.state) throw Error(found.known ? ErrorCode::unavailable : ErrorCode::invalid_argument, found.why);
    state_ = std::move(found.state);
}

const DeviceInfo& Device::info() const noexcept { return state_->info; }

}  // namespace merklize::inline v0
