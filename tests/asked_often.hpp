#pragma once

#include "jobs/progress.hpp"

namespace support {

/// While it lives, progress functions are asked whenever they can be, not only every 50 ms.
struct AskedOften {
    AskedOften() { merklize::runtime::tick_milliseconds = 0; }
    AskedOften(const AskedOften&) = delete;
    AskedOften& operator=(const AskedOften&) = delete;
    ~AskedOften() { merklize::runtime::tick_milliseconds = 50; }
};

}  // namespace support
