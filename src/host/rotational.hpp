#pragma once

#include <cstdint>

namespace merklize::runtime {

/// Whether a device, by its number, is a disk that turns: it reads one place at a time, and each change of the place costs milliseconds.
/// What the system says is asked for once a device. Tests put an answer of their own here.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
extern bool (*is_rotational)(std::uint64_t device);

}  // namespace merklize::runtime
