#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "digests/chunk_tree.hpp"
#include "jobs/run.hpp"
#include "merklize/digest.hpp"

namespace merklize::runtime {

/// A descriptor open for reading, closed at the end if it was opened here. `name` is for error texts.
class File {
public:
    /// progress  asked when a signal interrupts the opening, as it may where a named pipe waits for its other side: true tries
    ///           again, false cancels. Without one such a signal is an error
    explicit File(const std::filesystem::path& path, const std::function<bool(double)>& progress = {});
    File(int fd, std::string_view name) : fd_(fd), name_(name), owned_(false) {}
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    int fd() const noexcept { return fd_; }
    /// Size of a regular file; for anything else an io error.
    std::uint64_t regular_size() const;
    /// Bytes of a regular file from its current position to its end, or nothing: then it can only be read in order.
    bool has_extent(std::uint64_t& position, std::uint64_t& bytes) const;

    /// Reads bytes at `offset`, at most out.size(); fewer only at the end of a regular file.
    std::size_t read_up_to(std::span<std::byte> out, std::uint64_t offset) const;
    /// Reads exactly out.size() bytes at `offset`; a file that ends earlier has shrunk: io.
    void read_at(std::span<std::byte> out, std::uint64_t offset) const;
    /// Reads up to out.size() bytes in order, short only at the end. `wait` is called about every 50 ms while nothing comes;
    /// false stops waiting and gives what there is.
    template <class Wait>
    std::size_t read_some(std::span<std::byte> out, Wait wait) const;
    /// Asks for a pipe that holds as much as one read: each side then runs on while the other works.
    void widen_pipe(std::size_t bytes) const;
    /// Tells the system that these bytes of a regular file will be read soon.
    void advise(std::uint64_t offset, std::uint64_t bytes) const noexcept;
    /// Throws io if the file's size is no longer `bytes`.
    void require_size(std::uint64_t bytes) const;

    [[noreturn]] void fail_size(std::uint64_t expected, std::uint64_t found) const;
    [[noreturn]] void fail(const std::string& what, int error_number) const;

private:
    bool readable_within(int milliseconds) const;
    std::size_t read_once(std::byte* out, std::size_t bytes) const;

    int fd_;
    std::string name_;
    bool owned_;
};

template <class Wait>
std::size_t File::read_some(std::span<std::byte> out, Wait wait) const {
    std::size_t done = 0;
    while (done < out.size()) {
        if (!readable_within(50)) {
            if (!wait()) break;
            continue;
        }
        const std::size_t count = read_once(out.data() + done, out.size() - done);
        if (count == 0) break;
        done += count;
    }
    return done;
}

/// What the opening of a file asks after a signal: the call's progress function, or one that goes on.
std::function<bool(double)> asked_on_signals(const RunOptions& options);

/// The root of everything from the descriptor's position to its end.
Node root_of(const File& file, const Mode& mode, Run& run);

/// Fills `out` from byte `offset` of a regular file on, by all threads of the run.
void read_together(const File& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share);

/// Leaves of a tree over a regular file of `bytes` bytes, in pieces of `piece_bytes`, the last one perhaps shorter: out[i] is that of
/// piece first + i by hash_leaves(). Read and hashed by all threads. An empty file is one empty piece.
/// errors  io; invalid_argument (for field hashes a word >= p, or a piece of another length than a multiple of 8; for other hashes
///         than blake3 pieces of more than 64 MiB)
void hash_pieces(const File& file, std::uint64_t bytes, std::uint64_t piece_bytes, std::uint64_t first,
                 std::span<Digest> out, Hash hash, const Mode& mode, Run& run, double share);

}  // namespace merklize::runtime
