#include "command/output/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command/endings.hpp"
#include "command/output/progress.hpp"
#include "command/output/streams.hpp"
#include "host/descriptor.hpp"
#include "merklize/error.hpp"

namespace merklize::command {
namespace {

constexpr std::size_t most_kept = 64 << 10;

bool any_written = false;

std::string& kept() {
    static std::string text;
    return text;
}

std::string_view as_text(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace

void write(std::string_view data) {
    if (was_closed(STDOUT_FILENO)) throw Failure{"standard output is closed"};
    kept() += data;
    any_written = true;
    if (kept().size() >= most_kept) flush();
}

void write(std::span<const std::byte> data) { write(as_text(data)); }

void line(std::string_view text) {
    write(text);
    write("\n");
}

bool has_written() noexcept { return any_written; }

void flush() {
    if (kept().empty()) return;
    erase_bar();
    std::string data = std::move(kept());
    kept().clear();  // also after an error: it is not tried again
    const int error = runtime::write_all(STDOUT_FILENO, std::as_bytes(std::span(data)));
    if (error == EPIPE) throw Exit{141};
    if (error != 0) throw Failure{std::string("cannot write the output: ") + strerror(error)};
    kept() = std::move(data);  // keeps the memory
    kept().clear();
}

void complain(std::string_view text) {
    flush();
    erase_bar();
    const std::string line = "merklize: " + sentence(text) + "\n";
    runtime::write_all(STDERR_FILENO, std::as_bytes(std::span(line)));  // if it fails, nobody is left to tell
}

NewFile::NewFile(const std::string& path) : path_(path) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        device_ = runtime::Descriptor(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
        if (!device_) fail(errno);
        return;
    }
    guarded([&] { file_.emplace(runtime::AtomicFile::temporary(path)); });
}

template <class Action>
void NewFile::guarded(Action action) try {
    action();
} catch (const Error& error) {
    if (error.system_error() == 0) throw;
    fail(error.system_error());
}

void NewFile::fail(int error_number) const {
    throw Failure{sentence(path_) + ": cannot write: " + strerror(error_number)};
}

void NewFile::write(std::span<const std::byte> data) {
    if (device_) {
        if (const int error = runtime::write_all(device_.get(), data); error != 0) fail(error);
        return;
    }
    guarded([&] { file_->write(data, written_); });
    written_ += data.size();
}

void NewFile::write(std::string_view data) { write(std::as_bytes(std::span(data))); }

void NewFile::finish() {
    if (device_ && !device_.close()) fail(errno);
    if (file_) guarded([&] { file_->commit(); });
}

}  // namespace merklize::command
