#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace merklize::runtime {

/// Where bytes of a path or descriptor lie: in a file or a disk, and in the disks below that one. So other names of the
/// same bytes are known: links, descriptors in /proc, other nodes of a device, a disk and its partitions, a loop device
/// and its file, what the device mapper makes of a disk. What lies below a device is found in /sys; without it, only
/// the device itself is known.
class Storage {
public:
    /// Bytes [begin, begin + bytes). A path or descriptor that leads to nothing has no storage, nor has a pipe.
    explicit Storage(const std::filesystem::path& path, std::uint64_t begin = 0, std::uint64_t bytes = UINT64_MAX);
    explicit Storage(int descriptor, std::uint64_t begin = 0, std::uint64_t bytes = UINT64_MAX);

    /// Whether a write to these bytes may change bytes of `input`. A write to a file does not count as one to the disk
    /// that it is on, but a write to a disk counts as one to the files on it.
    bool overwrites(const Storage& input) const;
    /// The first byte's place in `whole`, if these bytes begin in it.
    std::optional<std::uint64_t> place_in(const Storage& whole) const;

private:
    // A range of a file or disk, in which the bytes lie.
    struct Part {
        bool is_disk;
        dev_t device;  // of a disk: itself; of a file: its file system's
        ino_t inode;   // of a file
        std::uint64_t begin, end;
        bool is_exact;  // they are the range; else they lie anywhere in it

        bool overlaps(const Part& other) const;
    };

    void add(const struct stat& info, Part part);
    void add_disk(const Part& part);

    std::vector<Part> parts_{};
    std::vector<dev_t> file_systems_{};  // of the files in parts_
};

/// Throws invalid_argument "<output> is both input and output" if a write to `output` would change bytes of
/// `input`.
void require_apart(const Storage& input, const std::filesystem::path& output);

}  // namespace merklize::runtime
