#include "command/settings.hpp"

#include <algorithm>
#include <cstring>

#include "command/endings.hpp"
#include "command/line/values.hpp"
#include "command/output/output.hpp"
#include "command/urls.hpp"
#include "hashes/merge_one.hpp"
#include "hashes/wipe.hpp"
#include "host/input_file.hpp"
#include "texts/json.hpp"

namespace merklize::command {
namespace {

Policy policy_of(const Arguments& arguments) {
    std::string all;
    for (const std::string& text : arguments.values("policy")) {
        if (text.empty()) refuse_value("policy", "must be NAME=VALUE,..., got nothing");
        all += (all.empty() ? "" : ",") + text;
    }
    if (all.empty()) return {};
    try {
        return policy_from_text(all);
    } catch (const Error& error) {
        refuse_value("policy", error.what());
    }
}

// The key on standard input. The read asks for one byte more than a key may have, to see that the key ends there.
Mode read_key(Call& call, Hash hash, bool is_claimed) {
    const bool is_short = is_claimed || runtime::has_short_digests(hash);
    runtime::WipedBytes key(33);
    const std::size_t count = read_standard_input(call, key);
    if (count > 32 || count < (is_short ? 1 : 32)) {
        throw Failure{std::string("the key on standard input must be ") + (is_short ? "1 to 32 bytes" : "32 bytes") +
                      "; there are " + (count <= 32 ? std::to_string(count) : std::string("more"))};
    }
    return (is_claimed ? runtime::claimed_mode : runtime::keyed_mode)({key.data(), count}, hash);
}

}  // namespace

std::size_t read_standard_input(Call& call, std::span<std::byte> out) {
    return runtime::InputFile(call.standard_input(), "standard input").read_some(out, call.waiting());
}

RunOptions run_options(Call& call, const Arguments& arguments) {
    const std::string device = arguments.value_or("device", "auto");
    const std::uint64_t threads = count_value(arguments, "num-threads").value_or(0);
    const Policy policy = policy_of(arguments);
    call.caller().prepare_libraries(device);
    const auto given = named_value(arguments, "device", [](const std::string& name) { return Device(name); });
    RunOptions options{.device = given ? *given : Device()};
    options.threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, 1 << 20));
    options.policy = policy;
    if (call.caller().can_cancel()) options.progress = [&call](double) { return call.goes_on(); };
    return options;
}

std::optional<Mode> mode_of(Call& call, const Arguments& arguments, const std::function<Hash()>& hash,
                            bool is_claimed) {
    const bool keyed = arguments.has("keyed");
    const auto context = arguments.value("derive-key");
    if (keyed && context) throw UsageError{"--keyed and --derive-key exclude each other"};
    if (keyed) return read_key(call, hash(), is_claimed);
    if (!context) return {};
    if (!is_utf8(*context)) throw UsageError{"CONTEXT is not UTF-8"};
    return Mode::derive_key(*context);
}

std::string timings_json(const Timings& times) {
    if (!times.available) return "null";
    return json::Object()
        .number("kernel", times.kernel)
        .number("to_device", times.to_device)
        .number("to_host", times.to_host)
        .done();
}

void report_timings(Call& call, const Timings& times) {
    if (!times.available) return call.complain("times: none, the CPU has no clock of its own");
    call.complain("times: kernel " + human_time(times.kernel) + ", to device " + human_time(times.to_device) +
                  ", to host " + human_time(times.to_host));
}

std::string reason_of(const Error& error) {
    if (error.system_error() == 0 || is_url(error.path())) return error.what();
    const std::string text = strerror(error.system_error());
    return error.path().empty() ? text : sentence(error.path()) + ": " + text;
}

}  // namespace merklize::command
