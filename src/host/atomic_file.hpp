#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "host/descriptor.hpp"

namespace merklize::runtime {

/// A file that is written under another name beside its own and takes that one when it is whole: until then, and also if the process
/// is killed, what was there stays. A link is followed: the file that it names is replaced. What replaces a file has its permissions.
/// Every function throws io with the path and the system's text.
class OutputFile {
public:
    /// Under a name of its own, removed at the end if commit() was not called.
    static OutputFile temporary(const std::filesystem::path& path);
    /// Under PATH.partial, which stays; one that is there already is opened as it is. One process at a time may have it.
    static OutputFile partial(const std::filesystem::path& path);

    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    ~OutputFile();

    /// The name that it is to have.
    const std::filesystem::path& path() const noexcept { return path_; }
    std::uint64_t size() const;
    void write(std::span<const std::byte> data, std::uint64_t offset);
    /// Exactly out.size() bytes.
    void read(std::span<std::byte> out, std::uint64_t offset) const;
    /// Bytes [from, from + bytes) of another file, by the system: shared with it where the file system can.
    void copy(int source, std::uint64_t from, std::uint64_t bytes, std::uint64_t offset);
    /// Takes the space of a file of so many bytes now, where the system can, so that a full disk shows before the work.
    void reserve(std::uint64_t bytes);
    void resize(std::uint64_t bytes);
    /// Begins to bring these bytes to the disk, without waiting.
    void start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept;
    /// Waits until everything written is on the disk.
    void sync();
    /// Brings everything to the disk, then gives it its name there.
    void commit();

private:
    OutputFile(const std::filesystem::path& path);
    [[noreturn]] void fail(const std::string& what, int error_number) const;

    std::filesystem::path path_;     // with links followed
    std::filesystem::path written_;  // its name until commit()
    Descriptor file_{};
    bool keep_ = true;
};

}  // namespace merklize::runtime
