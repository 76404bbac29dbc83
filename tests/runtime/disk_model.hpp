#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "host/disk_calls.hpp"
#include "support.hpp"

/// Simulates power failures. Calls that change the disk are recorded. Then the disk is made as it may be after a
/// failure at any call: writes that were not synced are there, lost, torn or reordered.
namespace disk_faults {

using support::Bytes;
using support::Random;

Bytes read_file(const std::filesystem::path& path);

/// A call that changes the disk.
struct Call {
    enum Kind { create, write, resize, sync, sync_folder, rename, unlink } kind;
    ino_t file = 0;
    std::uint64_t offset = 0;  // the new size of a resize
    Bytes data{};
    std::string name{}, to{};
};

/// Runs `work` and returns its calls.
std::vector<Call> recorded(const std::function<void()>& work);

bool has_journal(const std::vector<Call>& made);

/// The files of a folder, as they are on the disk.
struct Disk {
    std::map<std::string, ino_t> names{};
    std::map<ino_t, Bytes> files{};

    static Disk of(const std::filesystem::path& folder);
    void put(const std::filesystem::path& folder) const;
    /// Writes bytes first .. last-1 of a call.
    void write(const Call& call, std::size_t first, std::size_t last);
    void change_names(const Call& call);
};

enum class Fault { none, all_lost, any };

/// The disk after a power failure between the first `n` calls and the rest.
Disk after_failure(Disk disk, const std::vector<Call>& made, std::size_t n, Fault fault, Random& random);

/// Calls `use` with the disk after every failure: at each call, if none, all or any of the calls that were not synced
/// are lost.
void each_failure(const Disk& before, const std::vector<Call>& made, unsigned many, Random& random,
                  const std::function<void(const Disk&, std::size_t)>& use);

/// Replaces the calls of the library until the end of the scope.
class With {
public:
    explicit With(const merklize::runtime::DiskCalls& other) : before_(merklize::runtime::disk_calls) {
        merklize::runtime::disk_calls = other;
    }
    ~With() { merklize::runtime::disk_calls = before_; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;

private:
    merklize::runtime::DiskCalls before_;
};

/// Calls that do not wait for the disk, for tests without power failures.
inline merklize::runtime::DiskCalls quick() {
    merklize::runtime::DiskCalls some = merklize::runtime::disk_calls;
    some.fsync = some.fdatasync = [](int) { return 0; };
    return some;
}

}  // namespace disk_faults
