#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace merklize::command {

/// Where a call of the command line reads and writes: descriptors, or -1 for one that is closed.
struct Streams {
    int in = 0, out = 1, error = 2;
};

/// What the command line asks of whoever calls it: the program `merklize`, or Python's package.
class Caller {
public:
    Caller() = default;
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    virtual ~Caller() = default;

    /// Runs a command that this caller leaves to Python's package, with the whole line; returns its exit code.
    /// errors  Failure (there is no Python)
    virtual int hand_over(const std::vector<std::string>& words) = 0;
    /// Finds libraries for a device, before that is opened. "": for all devices.
    virtual void prepare_libraries(std::string_view device) = 0;
    /// The folder whose share/merklize has what is installed with the command; empty if that is not known.
    virtual std::filesystem::path installed() = 0;

    /// Whether is_cancelled() may ever say so.
    virtual bool can_cancel() const noexcept { return false; }
    /// Asked by the thread that runs the call, about every 50 ms.
    virtual bool is_cancelled() { return false; }
};

}  // namespace merklize::command
