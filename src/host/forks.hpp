#pragma once

namespace merklize::runtime {

/// How many forks lie between the process that called this first and this one: a child has another number than its
/// parent. Takes a nanosecond, where getpid() is a system call.
unsigned forks() noexcept;

}  // namespace merklize::runtime
