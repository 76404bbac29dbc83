#pragma once

#include <string_view>

#include "command/line/table.hpp"

/// Options of several commands.
namespace merklize::command::options {

inline constexpr Option help{"help", 'h', {}, "Show this message and exit."};
inline constexpr Option version{"version", 'V', {}, "Show the version and exit."};
inline constexpr Option json{"json", 0, {}, "Machine-readable output."};
inline constexpr Option device{
    "device", 0,
    "NAME",   "Where to compute (auto); see `merklize devices`. Several: cuda:all or cpu,cuda:0.",
    {},       "auto, cpu, cuda, opencl, sycl"};
inline constexpr Option threads{"num-threads", 0, "NUM", "CPU threads to use; 0 means all. Also --threads."};
inline constexpr Option threads_too{"threads", 0, "NUM", {}, "num-threads"};
inline constexpr Option policy{"policy", 0, "NAME=VALUE,...",
                               "Tuning of the device, such as group_size=64,constants=local; never changes a byte."};
inline constexpr Option timings{"timings", 0, {}, "Show how long the device took."};
inline constexpr Option keyed{
    "keyed", 0, {}, "Keyed hashing; the key is the 32 bytes on standard input (blake2s: 1 to 32)."};
inline constexpr Option derive_key{"derive-key", 0, "CONTEXT", "Key derivation with this context."};
inline constexpr Option json_and_help[] = {json, help};
inline constexpr Option only_help[] = {help};

}  // namespace merklize::command::options
