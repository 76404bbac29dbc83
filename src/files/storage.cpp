#include "files/storage.hpp"

#include <sys/sysmacros.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

constexpr std::size_t most_parts = 64;  // of one storage, so that no picture of /sys takes long
constexpr std::uint64_t sector_bytes = 512;

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

std::optional<std::uint64_t> number_of(const std::filesystem::path& file) {
    std::uint64_t number = 0;
    std::ifstream in(file);
    if (in >> number) return number;
    return {};
}

// The number of the device of a folder in /sys: "8:1\n".
std::optional<dev_t> device_of(const std::filesystem::path& folder) {
    unsigned major = 0, minor = 0;
    char colon = 0;
    std::ifstream in(folder / "dev");
    if (in >> major >> colon >> minor && colon == ':') return makedev(major, minor);
    return {};
}

std::uint64_t bytes_of(const std::filesystem::path& folder) {
    const auto sectors = number_of(folder / "size");
    return sectors && *sectors < UINT64_MAX / sector_bytes ? *sectors * sector_bytes : UINT64_MAX;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

Storage::Storage(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t bytes) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0) add(info, {false, 0, 0, begin, sum(begin, bytes), true});
}

Storage::Storage(int descriptor, std::uint64_t begin, std::uint64_t bytes) {
    struct stat info;
    if (fstat(descriptor, &info) == 0) add(info, {false, 0, 0, begin, sum(begin, bytes), true});
}

// Adds a range of a file or disk. `part` has the range.
void Storage::add(const struct stat& info, Part part) {
    part.is_disk = S_ISBLK(info.st_mode);
    part.device = part.is_disk ? info.st_rdev : info.st_dev;
    part.inode = part.is_disk ? 0 : info.st_ino;
    if (part.is_disk) return add_disk(part);
    if (!S_ISREG(info.st_mode)) return;
    parts_.push_back(part);
    file_systems_.push_back(info.st_dev);
}

// Adds a range of a disk, and what it is on the disks and files below.
void Storage::add_disk(const Part& part) {
    if (parts_.size() >= most_parts) return;
    parts_.push_back(part);
    std::error_code none;
    const std::filesystem::path folder = std::filesystem::canonical(
        "/sys/dev/block/" + std::to_string(major(part.device)) + ":" + std::to_string(minor(part.device)), none);
    if (folder.empty()) return;
    const std::uint64_t bytes = bytes_of(folder);
    const auto moved = [&](std::uint64_t offset) {
        Part below = part;
        below.begin = sum(offset, std::min(part.begin, bytes));
        below.end = sum(offset, std::min(part.end, bytes));
        return below;
    };
    if (const auto start = number_of(folder / "start"); start && std::filesystem::exists(folder / "partition", none)) {
        Part below = moved(*start * sector_bytes);
        if (const auto disk = device_of(folder.parent_path())) add_disk((below.device = *disk, below));
    }
    struct stat info;
    if (const std::string file = text_of(folder / "loop/backing_file"); !file.empty() && stat(file.c_str(), &info) == 0)
        add(info, moved(number_of(folder / "loop/offset").value_or(0)));
    for (std::filesystem::directory_iterator entry(folder / "slaves", none), last; !none && entry != last;
         entry.increment(none)) {
        if (const auto disk = device_of(entry->path())) add_disk({true, *disk, 0, 0, bytes_of(entry->path()), false});
    }
}

bool Storage::Part::overlaps(const Part& other) const {
    return is_disk == other.is_disk && device == other.device && inode == other.inode &&
           std::max(begin, other.begin) < std::min(end, other.end) && (is_exact || other.is_exact);
}

bool Storage::overwrites(const Storage& input) const {
    Storage all = input;
    if (std::ranges::any_of(parts_, &Part::is_disk)) {
        for (const dev_t disk : input.file_systems_) all.add_disk({true, disk, 0, 0, UINT64_MAX, false});
    }
    return std::ranges::any_of(parts_, [&](const Part& to) {
        return std::ranges::any_of(all.parts_, [&](const Part& from) { return to.overlaps(from); });
    });
}

std::optional<std::uint64_t> Storage::place_in(const Storage& whole) const {
    for (const Part& part : parts_) {
        for (const Part& in : whole.parts_) {
            if (part.is_exact && in.is_exact && part.overlaps(in) && part.begin >= in.begin)
                return part.begin - in.begin;
        }
    }
    return {};
}

void require_apart(const Storage& input, const std::filesystem::path& output) {
    if (Storage(output).overwrites(input)) invalid_call(output.string() + " is both input and output");
}

}  // namespace merklize::runtime
