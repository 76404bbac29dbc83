#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/input_file.hpp"

namespace merklize::runtime {

/// A part of a regular file in the memory of the process, without a copy. Whoever shortens the file would kill the process by SIGBUS, so a
/// library must not do this. A program may, if it has the signal to itself: it calls allow() once.
class MappedFile {
public:
    /// Takes the signal over. From then on files are mapped where that is faster. A page that cannot be read reads as zeros, and has_failed() tells.
    static void allow() noexcept;

    /// Maps bytes [offset, offset + bytes). Not if that is not allowed, not possible or not worth it: then it is false.
    MappedFile(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) noexcept;
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    explicit operator bool() const noexcept { return slot_ != nullptr; }
    /// Bytes of the part, which the system brings into memory now, as far as it can. Safe from several threads.
    std::span<const std::byte> at(std::uint64_t offset, std::size_t bytes) const noexcept;
    /// Whether all of it is in memory now, so that no disk is needed. False if the system cannot tell, or not this user.
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
