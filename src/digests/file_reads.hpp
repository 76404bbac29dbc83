#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "host/input_file.hpp"
#include "host/mapped_file.hpp"
#include "jobs/run.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {

/// One read of a file: 256 KiB, two aligned subtrees of 2^7 chunks. Two and not one, because the value above them may be the root.
/// Reading costs a copy into a buffer that stays in cache (docs/notes/files.md says how much).
constexpr std::uint32_t read_levels = 8;
constexpr std::uint64_t read_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << read_levels;
constexpr std::uint64_t read_chunks = std::uint64_t{1} << read_levels;

/// What is read at once for a device: 64 MiB, by all threads, or as it comes from a pipe.
constexpr std::uint32_t batch_levels = 16;
constexpr std::uint64_t batch_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << batch_levels;
constexpr std::uint64_t batch_chunks = std::uint64_t{1} << batch_levels;

/// A buffer of read_bytes that belongs to the calling thread and is kept for its next read.
std::span<std::byte> thread_buffer();

/// The reads of one file by a parallel loop, item by item. On a rotational disk there is one at a time, in the order of the items: such a
/// disk loses a factor of up to 100 where many threads read at many places. All else is read as it comes.
///
/// Where the process allows it (host/mapped_file.hpp), view() gives bytes without a copy if that is faster. It
/// depends on how the system keeps the file: in large pieces, mapping costs nothing; in pages, it costs more than a copy. So the first
/// items are taken in both ways, and their times decide.
class ReadOrder {
public:
    /// The loop is over bytes [offset, offset + bytes); 0 bytes: it does not call view().
    /// n_items  that the loop hands out in order
    /// before   the caller has an order of its own: what comes before a read of a rotational disk
    ReadOrder(const InputFile& file, std::uint64_t offset, std::uint64_t bytes, std::size_t n_items,
              InputFile::BeforeDisk before = {});

    /// Reads exactly out.size() bytes at `offset`, the one read of this item.  errors  io; EndedEarly
    void read(std::size_t item, std::span<std::byte> out, std::uint64_t offset);
    /// The same, or the bytes where they lie. They stay until this object goes.
    std::span<const std::byte> view(std::size_t item, std::span<std::byte> buffer, std::uint64_t offset);
    /// After the loop: whether what view() gave was there.  errors  io; EndedEarly
    void require_read() const;

private:
    bool is_better_mapped(std::size_t item);
    void wait_for(std::size_t item);
    void finish(std::size_t item) noexcept;

    const InputFile& file_;
    const std::uint64_t end_;
    const InputFile::BeforeDisk before_;
    const bool in_order_;
    std::optional<MappedFile> mapped_;
    std::mutex mutex_;
    std::condition_variable moved_;
    std::vector<bool> finished_;  // guarded by mutex_
    struct Trial {
        bool is_mapped = false;
        std::chrono::steady_clock::time_point begin{};
    };
    std::map<std::thread::id, Trial> trials_;  // the item that each thread tries; guarded by mutex_
    double seconds_[2] = {};  // of items that were read, and of those that were mapped; guarded by mutex_
    std::size_t first_ = 0;   // the first item that is not finished; guarded by mutex_
};

/// Fills `out` from byte `offset` of a regular file on, by all threads of the run.
void read_together(const InputFile& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share);

/// Calls use(piece, share) for all pieces of a source one after another: `share` is that of the piece in the whole call, 0 if
/// only reading tells where the source ends. Then requires that nobody changed it.
/// extent  of the source, or of the part that is wanted
/// errors  those of the source, cancelled
void read_in_order(const ByteSource& source, const std::optional<ByteSource::Extent>& extent, Run& run,
                   const std::function<void(std::span<const std::byte> piece, double share)>& use);

}  // namespace merklize::runtime
