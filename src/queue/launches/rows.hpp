#pragma once

#include <cstdint>

#include "queue/device_call.hpp"

namespace merklize::runtime {

/// Rows of a hash with a tree of chunks: each row is a message (messages.cpp).
bool hash_message_rows(DeviceCall& call, const HashRows& job, const Tick& tick);

/// Throws invalid_argument for rows that are too long for the kernel of launch_rows().
void require_row_length(DeviceCall& call, Hash hash, std::uint64_t length);

/// Rows of other hashes on a device, one row an item. Rows and units have any strides.
struct UnitRows {
    Range in;
    std::uint64_t row_stride;   ///< units
    std::uint64_t unit_stride;  ///< units
    std::uint64_t length;       ///< units of a row
};
/// of  rows of the whole job, for which the policy is chosen
/// n   rows of this launch
void launch_rows(DeviceCall& call, Hash hash, std::uint64_t of, const UnitRows& rows, std::uint64_t n, const Range& out,
                 const Mode& mode = {});

}  // namespace merklize::runtime
