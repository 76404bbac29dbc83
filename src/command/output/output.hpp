#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "command/call.hpp"
#include "command/output/text.hpp"
#include "command/urls.hpp"
#include "files/atomic_file.hpp"
#include "host/descriptor.hpp"

namespace merklize::command {

/// An output file, which appears whole or not at all, also if the process is killed. A symbolic link is followed and
/// its target replaced. Devices and pipes are written to directly.
/// errors  Failure (the text names the file)
class NewFile {
public:
    explicit NewFile(const std::string& path);
    void write(std::string_view data);
    void write(std::span<const std::byte> data);
    /// Gives the file its name.
    void finish();

private:
    template <class Action>
    void guarded(Action action);
    [[noreturn]] void fail(int error_number) const;

    std::string path_;
    std::optional<runtime::AtomicFile> file_{};
    runtime::Descriptor device_{};
    std::uint64_t written_ = 0;
};

/// The output of an answer: a file, an object of a store, or standard output for no name and for "-".
class Target {
public:
    Target(Call& call, const std::optional<std::string>& path);
    void write(std::string_view data);
    void write(std::span<const std::byte> data);
    void finish();

private:
    Call& call_;
    std::string shown_{};
    std::optional<OutputFile> object_{};
    std::optional<NewFile> file_{};
};

}  // namespace merklize::command
