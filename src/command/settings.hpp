#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "command/call.hpp"
#include "command/line/arguments.hpp"
#include "merklize/device.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"

namespace merklize::command {

/// Options that several commands share: where and how to compute, and keys.

/// The name of an input that is standard input.
inline constexpr std::string_view standard_input_name = "-";

/// Reads standard input until `out` is full or there is no more. Returns how many bytes there were.
/// errors  Failure (it is closed, it cannot be read)
std::size_t read_standard_input(Call& call, std::span<std::byte> out);

/// --device, --num-threads and --policy.
/// errors  UsageError, and those of opening the device
RunOptions run_options(Call& call, const Arguments& arguments);

/// The mode of --keyed, whose key is on standard input, or of --derive-key.
/// hash    finds the hash whose key it is; called only if there is a key
/// is_claimed  the hash is what a proof claims, as runtime::claimed_mode() says
/// errors  UsageError; Failure (a key of another length than the hash has), and those of `hash`
std::optional<Mode> mode_of(Call& call, const Arguments& arguments, const std::function<Hash()>& hash,
                            bool is_claimed = false);

/// {"kernel", "to_device", "to_host"} in seconds, or null if no clock measured them, as on the CPU.
std::string timings_json(const Timings& times);
/// Reports the same times as a line on standard error, because standard output holds only the answer.
void report_timings(Call& call, const Timings& times);

/// The text of an Error for people: the system's text if there is one, with the name of the file.
std::string reason_of(const Error& error);

}  // namespace merklize::command
