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

/// Opens the objects that URLs name. Any thread may call its functions.
/// errors  io; Failure (the package that opens such URLs is not installed)
class Opener {
public:
    Opener() = default;
    Opener(const Opener&) = delete;
    Opener& operator=(const Opener&) = delete;
    virtual ~Opener() = default;

    /// The URL without secrets, for texts.
    virtual std::string shown(const std::string& url) = 0;
    /// How many objects are opened at once, at most.
    virtual std::size_t most_at_once() = 0;
    /// first  bytes at the start of the object that will surely be read; the first request may fetch them
    virtual std::unique_ptr<runtime::ByteSource> open(const std::string& url, std::uint64_t first) = 0;
    /// Copies a file to an object, which appears whole or not at all.
    virtual void upload(const std::filesystem::path& file, const std::string& url) = 0;
    /// Refuses a URL that cannot be written to, before any work is done.
    virtual void require_writable(const std::string& url) = 0;
    /// Finds the objects of a manifest, as manifests::find_source() finds files.
    virtual manifests::Place find_weights(const std::string& url, const std::vector<std::string>& ignore,
                                          const std::string& exclude, const RunOptions& options) = 0;
};

/// The services that the command line needs from its caller, which is the program `merklize` or Python's package.
class Caller {
public:
    Caller() = default;
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    virtual ~Caller() = default;

    /// The opener of URLs; null: a command with URLs goes to run_in_python().
    virtual Opener* opener() noexcept { return nullptr; }
    /// Runs a command in Python's package; returns its exit code.
    /// line    all words of the command line, for a caller that starts Python with them
    /// errors  UsageError, Failure (also if there is no Python), Exit
    virtual int run_in_python(Call& call, const Arguments& arguments, const std::vector<std::string>& line) = 0;
    /// Finds the libraries of a device, before the device is opened. "": of all devices.
    virtual void prepare_libraries(std::string_view device) = 0;
    /// The folder whose share/merklize holds the files installed with the command; empty if unknown.
    virtual std::filesystem::path installed() = 0;

    /// Whether is_cancelled() can ever return true.
    virtual bool can_cancel() const noexcept { return false; }
    /// Called about every 50 ms by the thread that runs the call.
    virtual bool is_cancelled() { return false; }
    /// Whether the caller threw this exception and reports it itself.
    virtual bool keeps(const std::exception_ptr&) { return false; }
};

}  // namespace merklize::command
