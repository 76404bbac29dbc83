#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "calls/run.hpp"
#include "merklize/hash_each.hpp"

namespace merklize::runtime {

/// The output that a call wants of each message.
struct Output {
    std::size_t length;
    std::uint64_t seek;
    const Mode& mode;
};

/// hash_each() of arguments that have been checked.
void hash_each(std::span<const MessageView> messages, std::span<std::byte> out, const Output& wanted,
               const RunOptions& options);

/// Writes the outputs of messages at one place to `out`, one after another, as one job. This is `share` of the whole
/// call.
/// messages  as HashEach takes them
void hash_messages(std::span<const Extent> messages, const Output& wanted, std::byte* out, Run& run, double share);

}  // namespace merklize::runtime
