#include "command/hash/walk.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace merklize::command {
namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

unsigned char kind_of(const std::string& path, bool follow, int& error) {
    struct stat info;
    const int result = follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info);
    error = result == 0 ? 0 : errno;
    if (result != 0) return DT_UNKNOWN;
    return S_ISREG(info.st_mode) ? DT_REG : S_ISDIR(info.st_mode) ? DT_DIR : S_ISLNK(info.st_mode) ? DT_LNK : DT_FIFO;
}

}  // namespace

Walk::Walk(std::string folder) : start_(std::move(folder)) {}

bool Walk::enter(std::string path, std::string& error) {
    const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
    if (!folder) {
        error = strerror(errno);
        return false;
    }
    Folder read{std::move(path), {}};
    if (!read.path.ends_with('/')) read.path += '/';
    for (errno = 0; const dirent* entry = readdir(folder.get()); errno = 0) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") read.entries.push_back({std::string(name), entry->d_type});
    }
    if (errno != 0) {
        error = strerror(errno);
        return false;
    }
    std::ranges::sort(read.entries, {}, &Entry::name);
    stack_.push_back(std::move(read));
    return true;
}

bool Walk::next(std::string& path, std::string& error) {
    error.clear();
    if (!start_.empty()) {
        path = std::exchange(start_, {});
        if (!enter(path, error)) return true;
    }
    while (!stack_.empty()) {
        Folder& folder = stack_.back();
        if (folder.at == folder.entries.size()) {
            stack_.pop_back();
            continue;
        }
        const Entry& entry = folder.entries[folder.at++];
        path = folder.path + entry.name;
        int reason = 0;
        unsigned char kind = entry.kind == DT_UNKNOWN ? kind_of(path, false, reason) : entry.kind;
        if (kind == DT_REG) return true;
        if (kind == DT_LNK) {
            kind = kind_of(path, true, reason);
            if (kind == DT_REG || reason == ENOENT) return true;
            if (reason == 0) continue;
        }
        if (reason != 0) {
            error = strerror(reason);
            return true;
        }
        if (kind == DT_DIR && !enter(path, error)) return true;
    }
    return false;
}

}  // namespace merklize::command
