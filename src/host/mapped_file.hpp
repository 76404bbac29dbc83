#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/input_file.hpp"

namespace merklize::runtime {

/// A part of a regular file, mapped into the memory of the process. If somebody shortens the file, SIGBUS would kill
/// the process, so a library must not map files. A program that has the signal to itself may: it calls allow() once.
class MappedFile {
public:
    /// Takes over the signal. From then on files are mapped where that is faster. A page that cannot be read gives
    /// zeros and has_failed().
    static void allow() noexcept;

    /// Maps bytes [offset, offset + bytes). The object is false if that is not allowed, not possible or not worth it.
    MappedFile(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) noexcept;
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    explicit operator bool() const noexcept { return slot_ != nullptr; }
    /// Bytes of the part. The system brings them into memory now, as far as it can. Safe from several threads.
    std::span<const std::byte> at(std::uint64_t offset, std::size_t bytes) const noexcept;
    /// Whether the whole part is in memory now, so that no disk is needed. False if the system does not tell this user.
    bool is_in_memory() const noexcept;
    /// Whether something could not be read: the file has become shorter, or its disk has failed.
    bool has_failed() const noexcept;

private:
    struct Slot;

    std::uint64_t begin_ = 0;  // of the mapping in the file: `offset` rounded down to a page
    int fd_ = -1;
    std::byte* bytes_ = nullptr;
    std::size_t size_ = 0;
    Slot* slot_ = nullptr;
};

}  // namespace merklize::runtime
