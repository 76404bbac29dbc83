#pragma once

#include "jobs/progress.hpp"

namespace support {

/// During the lifetime of an object, progress functions are called at every opportunity, not only every 50 ms.
struct AskedOften {
    AskedOften() { merklize::runtime::tick_milliseconds = 0; }
    AskedOften(const AskedOften&) = delete;
    AskedOften& operator=(const AskedOften&) = delete;
    ~AskedOften() { merklize::runtime::tick_milliseconds = 50; }
};

}  // namespace support
