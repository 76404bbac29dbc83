#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/byte_source.hpp"
#include "manifests/create.hpp"

namespace merklize::command {

class Arguments;
class Call;

/// Where a call of the command line reads and writes: descriptors, or -1 for one that is closed.
struct Streams {
    int in = 0, out = 1, error = 2;
};

/// Opens what URLs name. Its functions may be called by any thread.
/// errors  io; Failure (what opens such URLs is not installed)
class Opener {
public:
    Opener() = default;
    Opener(const Opener&) = delete;
    Opener& operator=(const Opener&) = delete;
    virtual ~Opener() = default;

    /// What texts may show of a URL: nothing secret.
    virtual std::string shown(const std::string& url) = 0;
    /// How many objects are opened at once.
    virtual std::size_t most_at_once() = 0;
    /// first  bytes of its beginning that are surely wanted, which may come with the first answer
    virtual std::unique_ptr<runtime::ByteSource> open(const std::string& url, std::uint64_t first) = 0;
    /// Writes what a file holds to an object, which appears whole or not at all.
    virtual void upload(const std::filesystem::path& file, const std::string& url) = 0;
    /// Refuses a URL that cannot be written to, before there is anything to write.
    virtual void require_writable(const std::string& url) = 0;
    /// The objects that a manifest is of, as manifests::find_source() finds files.
    virtual manifests::Place find_weights(const std::string& url, const std::vector<std::string>& ignore,
                                          const std::string& exclude, const RunOptions& options) = 0;
};

/// What the command line asks of its caller: the program `merklize`, or Python's package.
class Caller {
public:
    Caller() = default;
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    virtual ~Caller() = default;

    /// What opens URLs; null: a command that names any goes to run_in_python().
    virtual Opener* opener() noexcept { return nullptr; }
    /// Runs a command by Python's package; returns its exit code.
    /// line    all words, for a process that begins again with them
    /// errors  UsageError, Failure (also: there is no Python), Exit
    virtual int run_in_python(Call& call, const Arguments& arguments, const std::vector<std::string>& line) = 0;
    /// Finds libraries for a device, before that is opened. "": for all devices.
    virtual void prepare_libraries(std::string_view device) = 0;
    /// The folder whose share/merklize has what is installed with the command; empty if that is not known.
    virtual std::filesystem::path installed() = 0;

    /// Whether is_cancelled() may ever say so.
    virtual bool can_cancel() const noexcept { return false; }
    /// Asked by the thread that runs the call, about every 50 ms.
    virtual bool is_cancelled() { return false; }
    /// Whether the caller itself will say what it threw, which ends the call.
    virtual bool keeps(const std::exception_ptr&) { return false; }
};

}  // namespace merklize::command
