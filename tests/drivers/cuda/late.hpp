#pragma once

#include "fixture.hpp"

namespace table {

/// Launches a kernel that writes `value` to out after `milliseconds` of the device's clock.
inline void late(mkz_stream* stream, const Memory& out, std::uint32_t value, std::uint64_t milliseconds,
                 mkz_event** event = nullptr) {
    need(launch(stream, kernel(program(), "late"), 1, 1, event, out, value, milliseconds * 1'000'000));
}

}  // namespace table
