#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "host/byte_source.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

/// Whether a device, by its number, is a rotational disk. Such a disk reads one place at a time, and each seek costs
/// milliseconds. The system is asked once for each device. Tests put a function of their own here.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): a constant
extern bool (*is_rotational)(std::uint64_t device);

/// A file ended before the size that the system states.
class EndedEarly : public Error {
public:
    using Error::Error;
};

/// A file, pipe or device that is open for reading. Files are read, never mapped, because a mapped file that shrinks
/// kills the process. Every function throws io with the file's name and the system's text. Safe to use from several
/// threads, except read_some().
class InputFile final : public ByteSource {
public:
    /// Opening a named pipe does not wait for a writer.
    explicit InputFile(const std::filesystem::path& path);
    /// The caller's descriptor: it is read from its current position and is not closed. `name` is for error texts.
    InputFile(int fd, std::string_view name) : InputFile(fd, name, false, false) { require_readable(); }
    /// The caller's descriptor of a file, all of it: the position is neither used nor changed.
    static InputFile whole(int fd, std::string_view name);
    /// A descriptor that the object closes, of a file that is read from its first byte.
    static InputFile taken(int fd, std::string_view name) { return {fd, name, true, true}; }
    /// A second descriptor of the same open file. A lease (files/journal.cpp) counts the two as one.
    static InputFile beside(int fd, std::string_view name);
    ~InputFile() override;

    int fd() const noexcept { return fd_; }
    const InputFile* file() const noexcept override { return this; }

    bool is_regular() const;
    /// Whether it is a pipe, named or not.
    bool is_pipe() const;
    /// Whether it can be read at any offset: a regular file or a block device.
    bool is_seekable() const;
    /// Throws io unless is_seekable().
    void require_seekable() const;
    /// What the system states: the extent from the current position on. None if the system states nothing: a pipe, or a
    /// regular file of size 0, as all files in /proc are. What is stated may be wrong: a file in /sys states a page,
    /// whatever it has.
    std::optional<Extent> stated() const;
    /// The same, if it is true: a read at the stated end finds the end there. Else none, and only reading in order
    /// tells.
    std::optional<Extent> extent() const override;

    /// Called before a read from a rotational disk; may wait. Not called for bytes that the system has in memory.
    using BeforeDisk = std::function<void()>;
    /// Reads at most out.size() bytes at `offset`; fewer only at the end of a regular file.
    std::size_t read_up_to(std::span<std::byte> out, std::uint64_t offset, const BeforeDisk& before = {}) const;
    /// Reads exactly out.size() bytes at `offset`.  errors  io; EndedEarly
    void read_at(std::span<std::byte> out, std::uint64_t offset, const BeforeDisk& before) const;
    void read_at(std::span<std::byte> out, std::uint64_t offset) const override { read_at(out, offset, {}); }
    /// Reads n parts of `bytes` bytes, which follow one another in the file from `offset` on, to places that begin
    /// `stride` bytes apart.  errors  those of read_at()
    void read_apart(std::byte* out, std::uint64_t n, std::size_t bytes, std::size_t stride, std::uint64_t offset) const;
    std::unique_ptr<ByteStream> stream(std::span<const ByteRange> ranges) const override;
    std::unique_ptr<ByteStream> stream() const override;
    /// Whether the file is on a rotational disk.
    bool is_on_rotational_disk() const;
    /// Reads up to out.size() bytes in order, fewer only at the end. While no data comes, `wait` is called about every
    /// 50 ms; if it returns false, reading stops and returns what was read.
    /// errors  io (also if a regular file has changed since the first call)
    template <class Wait>
    std::size_t read_some(std::span<std::byte> out, const Wait& wait) const;

    void leave_at(std::uint64_t position) const noexcept override;

    /// Makes the pipe large enough for one read, so that neither side waits for the other. If `wait` then ends
    /// read_some(), the bytes that it left unread are lost.
    void widen_pipe(std::size_t bytes) const;
    /// Tells the system that these bytes of a regular file will be read soon.
    void advise(std::uint64_t offset, std::uint64_t bytes) const noexcept;

    /// Throws io if size or times of the file have changed, because then somebody wrote to it. The system's clock may
    /// be as coarse as 10 ms, so two writes in quick succession may have the same time.
    void require_unchanged(const Identity& before) const override;
    [[noreturn]] void fail(const std::string& what, int error_number) const;
    /// Throws after a read that failed without an errno: the file has become shorter than `expected_end`, or its disk
    /// has failed.
    [[noreturn]] void fail_after(std::uint64_t expected_end) const;

private:
    void require_readable() const;
    [[noreturn]] void fail_size(std::uint64_t expected, std::uint64_t found) const;
    bool read_in_memory(std::span<std::byte> out, std::uint64_t offset, std::size_t& done) const noexcept;
    bool readable_within(int milliseconds) const;
    /// None if another reader was faster and the descriptor does not block.
    std::optional<std::size_t> read_once(std::byte* out, std::size_t bytes) const;
    std::size_t read_moved(std::byte* out, std::size_t bytes) const;
    void begin_in_order() const;
    void end_in_order() const;

    InputFile(int fd, std::string_view name, bool owned, bool is_whole)
        : ByteSource(name), fd_(fd), owned_(owned), is_whole_(is_whole) {}

    int fd_;
    bool owned_;                                       // closed at the end
    bool is_whole_;                                    // read from its first byte, not from its position
    mutable bool has_begun_ = false;                   // read_some() was called
    mutable std::optional<Identity> read_in_order_{};  // of a regular file, when read_some() was called first
    mutable std::uint64_t next_ = 0;                   // bytes that read_some() has read
    mutable int own_pipe_[2] = {-1, -1};               // gets the pages that read_some() moves out of a pipe
    mutable std::size_t moved_ = 0;                    // bytes in it
};

template <class Wait>
std::size_t InputFile::read_some(std::span<std::byte> out, const Wait& wait) const {
    std::size_t done = 0;
    begin_in_order();
    while (done < out.size()) {
        if (!readable_within(50)) {
            if (!wait()) break;
            continue;
        }
        const auto count = read_once(out.data() + done, out.size() - done);
        if (!count) continue;
        if (*count == 0) {
            end_in_order();
            break;
        }
        done += *count;
    }
    return done;
}

}  // namespace merklize::runtime
