#include "command/output/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "command/endings.hpp"
#include "host/descriptor.hpp"
#include "jobs/cancelling.hpp"
#include "merklize/error.hpp"

namespace merklize::command {
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
    if (file_) guarded([&] { file_->commit({}, [] { return runtime::past_cancelling = true; }); });
}

Target::Target(Call& call, const std::optional<std::string>& path) : call_(call) {
    if (!path || *path == "-") return;
    shown_ = shown_name(call, *path);
    file_.emplace(is_url(*path) ? object_.emplace(call, *path).path() : *path);
}

void Target::write(std::string_view data) {
    if (file_) {
        file_->write(data);
    } else {
        call_.write(data);
    }
}

void Target::write(std::span<const std::byte> data) {
    write(std::string_view{reinterpret_cast<const char*>(data.data()), data.size()});
}

void Target::finish() {
    if (file_) file_->finish();
    if (object_) object_->finish();
    if (file_) call_.has_made(sentence(shown_) + " has been written");
}

}  // namespace merklize::command
