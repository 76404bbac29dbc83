#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "calls/run.hpp"
#include "host/input_file.hpp"
#include "host/mapped_file.hpp"
#include "merklize/core/hashes/blake3.h"

namespace merklize::runtime {

/// One read of a file: 256 KiB, two aligned subtrees of 2^7 chunks. Two and not one, because the value above them may
/// be the root. Reading costs a copy into a buffer that stays in cache (docs/notes/files.md says how much).
constexpr std::uint32_t read_levels = 8;
constexpr std::uint64_t read_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << read_levels;
constexpr std::uint64_t read_chunks = std::uint64_t{1} << read_levels;

/// One batch for a device: 64 MiB, read by all threads, or as it comes from a pipe.
constexpr std::uint32_t batch_levels = 16;
constexpr std::uint64_t batch_bytes = std::uint64_t{MKZ_BLAKE3_CHUNK_LEN} << batch_levels;
constexpr std::uint64_t batch_chunks = std::uint64_t{1} << batch_levels;

/// A buffer of read_bytes that belongs to the calling thread and is kept for its next read.
std::span<std::byte> thread_buffer();

/// The reads of one file by a parallel loop, item by item. A rotational disk is read by one thread at a time, in the
/// order of the items, because it loses a factor of up to 100 where many threads read at many places. Other disks are
/// read in any order.
///
/// Where the process allows it (host/mapped_file.hpp), view() gives bytes without a copy if that is faster. Whether it
/// is depends on how the system keeps the file: in large pieces, mapping costs nothing; in pages, it costs more than a
/// copy. So the first items are taken in both ways, and their times decide.
class ReadOrder {
public:
    /// The loop reads bytes [offset, offset + bytes); 0 bytes: it does not call view().
    /// n_items  items that the loop hands out, in order, to so many threads
    /// before   called before each read from a rotational disk; given by callers that order reads themselves
    ReadOrder(const InputFile& file, std::uint64_t offset, std::uint64_t bytes, std::size_t n_items, unsigned threads,
              InputFile::BeforeDisk before = {});

    /// Reads exactly out.size() bytes at `offset`, the one read of this item.  errors  io; EndedEarly
    void read(std::size_t item, std::span<std::byte> out, std::uint64_t offset);
    /// The same, or a view of the mapped bytes. They stay as long as this object.
    std::span<const std::byte> view(std::size_t item, std::span<std::byte> buffer, std::uint64_t offset);
    /// After the loop: throws if bytes that view() gave were beyond the file's end or could not be read.  errors  io;
    /// EndedEarly
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
        std::optional<std::chrono::steady_clock::time_point> begin{};  // of the item that the thread tries now
        unsigned items[2] = {};                                        // that were read, that were mapped
    };
    std::map<std::thread::id, Trial> trials_;  // of each thread; guarded by mutex_
    // Of the items that count and were read, and of those that were mapped; guarded by mutex_.
    double seconds_[2] = {};
    unsigned items_[2] = {};
    std::size_t first_ = 0;    // the first item that is not finished; guarded by mutex_
    const std::size_t tried_;  // the first items, taken in both ways
};

/// Reads ranges of a source one after another, step by step. All threads of a run read a file. From any other source
/// the calling thread takes the pieces as they come, and all threads use them.
class SourceReader {
public:
    /// Ranges of the source's extent.
    /// before  called before each read from a rotational disk; given by callers that read several files
    SourceReader(const ByteSource& source, std::vector<ByteRange> ranges, InputFile::BeforeDisk before = {})
        : source_(source), ranges_(std::move(ranges)), before_(std::move(before)) {}
    SourceReader(const ByteSource& source, const ByteRange& range, InputFile::BeforeDisk before = {})
        : SourceReader(source, std::vector{range}, std::move(before)) {}
    /// All of a source without an extent.
    explicit SourceReader(const ByteSource& source) : source_(source) {}

    /// The place in the source of the next byte.  errors  none, but there must be one
    std::uint64_t position() const noexcept { return ranges_[range_].offset + done_; }

    using PartOf = std::function<ByteRange(std::size_t i)>;
    using Use = std::function<void(std::size_t i, std::span<const std::byte> data)>;
    /// Calls use(i, data) in any thread for the next parts, 0 to n - 1. Bytes between the parts are skipped. This is
    /// `share` of the whole call.
    /// errors  those of the source, cancelled
    void each_part(std::size_t n, const PartOf& part, Run& run, double share, const Use& use);
    /// The same for the next `bytes` bytes of a range in parts of `part_bytes`, the last of which may be shorter.
    void each_part(std::uint64_t bytes, std::uint64_t part_bytes, Run& run, double share, const Use& use);
    /// Fills `out` with the next bytes of a range.
    void fill(std::span<std::byte> out, Run& run, double share);
    /// The same, and fewer at the end of a source without an extent.  returns  how many
    std::size_t fill_some(std::span<std::byte> out, Run& run);

private:
    bool next_piece(Run& run);
    std::span<const std::byte> take(std::uint64_t bytes, Run& run);
    void advance(std::uint64_t bytes) noexcept;

    const ByteSource& source_;
    std::vector<ByteRange> ranges_{};  // none: all of a source without an extent
    const InputFile::BeforeDisk before_{};
    std::size_t range_ = 0;
    std::uint64_t done_ = 0;                // bytes of the range
    std::unique_ptr<ByteStream> stream_{};  // of a source that is no file
    std::span<const std::byte> piece_{};    // of the stream: bytes that are not used yet
    std::vector<std::byte> cut_{};          // a part that two pieces share
};

/// Calls use(piece, share) for all pieces of a source, in order. `share` is the piece's share of the whole call, or 0
/// if only reading tells where the source ends. Then requires that nobody changed the source.
/// extent  of the source, or of the part to read
/// errors  those of the source, cancelled
void read_in_order(const ByteSource& source, const std::optional<ByteSource::Extent>& extent, Run& run,
                   const std::function<void(std::span<const std::byte> piece, double share)>& use);

}  // namespace merklize::runtime
