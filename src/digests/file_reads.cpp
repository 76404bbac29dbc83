#include "digests/file_reads.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace merklize::runtime {
namespace {

// Items that are taken in both ways: so many and a part of all, at most a quarter.
constexpr std::size_t least_tried = 16, most_tried = 72;
// Bytes for each thread. Fewer are read: while threads start, and take pages for their buffers and stacks, they wait
// for one another to change the process's mappings.
constexpr std::uint64_t least_bytes = 4 << 20;

}  // namespace

std::span<std::byte> thread_buffer() {
    thread_local const auto buffer = std::make_unique_for_overwrite<std::byte[]>(read_bytes);
    return {buffer.get(), read_bytes};
}

ReadOrder::ReadOrder(const InputFile& file, std::uint64_t offset, std::uint64_t bytes, std::size_t n_items,
                     unsigned threads, InputFile::BeforeDisk before)
    : file_(file),
      end_(offset + bytes),
      before_(std::move(before)),
      in_order_(!before_ && n_items > 1 && file.is_on_rotational_disk()),
      finished_(in_order_ ? n_items : 0),
      tried_(std::min({most_tried, n_items / 4, least_tried + n_items / 16})) {
    if (before_ || bytes < threads * least_bytes) return;
    mapped_.emplace(file, offset, bytes);
    if (!*mapped_ || (in_order_ && !mapped_->is_in_memory())) mapped_.reset();
}

void ReadOrder::read(std::size_t item, std::span<std::byte> out, std::uint64_t offset) {
    if (!in_order_) return file_.read_at(out, offset, before_);
    try {
        file_.read_at(out, offset, [&] { wait_for(item); });
    } catch (...) {
        finish(item);  // other threads must not wait for this item
        throw;
    }
    finish(item);
}

bool ReadOrder::is_better_mapped(std::size_t item) {
    constexpr double unmapping = 1.2;  // what the removal of the mapping adds, where mapping is dear
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    Trial& trial = trials_[std::this_thread::get_id()];
    if (trial.begin) {
        // The time between two items of a thread is the time that the first one took to be read and hashed. A thread's
        // first item of a way does not count: it finds nothing in the caches, and its buffer has no pages yet.
        if (trial.items[trial.is_mapped]++ != 0) {
            seconds_[trial.is_mapped] += std::chrono::duration<double>(now - *trial.begin).count();
            items_[trial.is_mapped]++;
        }
        trial.begin.reset();
    }
    if (item >= tried_ && items_[false] != 0 && items_[true] != 0)
        return unmapping * seconds_[true] * items_[false] < seconds_[false] * items_[true];
    trial.is_mapped = item % 2 != 0;
    trial.begin = now;
    return trial.is_mapped;
}

std::span<const std::byte> ReadOrder::view(std::size_t item, std::span<std::byte> buffer, std::uint64_t offset) {
    const MappedFile* mapped = mapped_ ? &*mapped_ : nullptr;
    if (mapped != nullptr && is_better_mapped(item)) {
        if (in_order_) finish(item);
        return mapped->at(offset, buffer.size());
    }
    read(item, buffer, offset);
    return buffer;
}

void ReadOrder::require_read() const {
    if (mapped_ && mapped_->has_failed()) file_.fail_after(end_);
}

void ReadOrder::wait_for(std::size_t item) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return first_ >= item; });
}

void ReadOrder::finish(std::size_t item) noexcept {
    const std::lock_guard lock(mutex_);
    finished_[item] = true;
    while (first_ < finished_.size() && finished_[first_]) first_++;
    moved_.notify_all();
}

void SourceReader::advance(std::uint64_t bytes) noexcept {
    for (done_ += bytes; range_ < ranges_.size() && done_ >= ranges_[range_].bytes; range_++)
        done_ -= ranges_[range_].bytes;
}

// Takes the next piece of the stream.  returns  false at the end
bool SourceReader::next_piece(Run& run) {
    if (!stream_) {
        stream_ = ranges_.empty() ? source_.stream() : source_.stream(ranges_);
        run.progress().ask_soon();
    }
    bool stopped = false;
    piece_ = stream_->next([&] { return !(stopped = !run.tick(0)); });
    if (stopped || !run.tick(0)) run.throw_cancelled();
    return !piece_.empty();
}

// Takes at most `bytes` bytes of the piece, or of the next one.
std::span<const std::byte> SourceReader::take(std::uint64_t bytes, Run& run) {
    if (piece_.empty() && bytes != 0 && !next_piece(run)) {
        throw EndedEarly(ErrorCode::io, source_.name() + ": changed while being read: it ended before byte " +
                                            std::to_string(position()));
    }
    const auto taken = piece_.first(std::min<std::uint64_t>(bytes, piece_.size()));
    piece_ = piece_.subspan(taken.size());
    advance(taken.size());
    return taken;
}

void SourceReader::each_part(std::size_t n, const PartOf& part, Run& run, double share, const Use& use) {
    std::uint64_t begin = UINT64_MAX, end = 0, all = 0;
    for (std::size_t i = 0; i < n; i++) {
        const auto [offset, bytes] = part(i);
        begin = std::min(begin, offset);
        end = std::max(end, offset + bytes);
        all += bytes;
    }
    if (const InputFile* file = source_.file(); file != nullptr && n != 0) {
        ReadOrder order(*file, begin, end - begin, n, run.threads(), before_);
        run.parallel(
            n,
            [&](std::size_t i) {
                const auto [offset, bytes] = part(i);
                if (bytes <= read_bytes) return use(i, order.view(i, thread_buffer().first(bytes), offset));
                std::vector<std::byte> buffer(bytes);
                use(i, order.view(i, buffer, offset));
            },
            share);
        order.require_read();
        return advance(all);
    }
    for (std::size_t done = 0; done < n;) {
        // First the part that two pieces share, put together; then the parts that lie in this piece.
        std::vector<std::span<const std::byte>> ready;
        const auto [first, bytes] = part(done);
        while (bytes != 0 && cut_.empty() && position() < first) take(first - position(), run);
        if (!cut_.empty() || piece_.size() < bytes) {
            const auto more = take(bytes - cut_.size(), run);
            if (cut_.empty() && more.size() == bytes) {
                ready.push_back(more);
            } else {
                cut_.insert(cut_.end(), more.begin(), more.end());
                if (cut_.size() < bytes) continue;
                ready.emplace_back(cut_);
            }
        }
        while (done + ready.size() < n) {
            const auto [offset, size] = part(done + ready.size());
            if (size > piece_.size() || (size != 0 && position() < offset)) break;
            ready.push_back(take(size, run));
        }
        std::uint64_t here = 0;
        for (const auto data : ready) here += data.size();
        run.parallel(
            ready.size(), [&](std::size_t i) { use(done + i, ready[i]); },
            all == 0 ? 0 : share * static_cast<double>(here) / static_cast<double>(all));
        done += ready.size();
        cut_.clear();
    }
}

void SourceReader::each_part(std::uint64_t bytes, std::uint64_t part_bytes, Run& run, double share, const Use& use) {
    if (bytes == 0) return;
    const std::uint64_t begin = position();
    const auto part = [=](std::size_t i) {
        const std::uint64_t first = i * part_bytes;
        return ByteRange{begin + first, std::min(part_bytes, bytes - first)};
    };
    each_part((bytes + part_bytes - 1) / part_bytes, part, run, share, use);
}

void SourceReader::fill(std::span<std::byte> out, Run& run, double share) {
    if (out.empty()) return;
    if (const InputFile* file = source_.file()) {
        const std::uint64_t begin = position();
        advance(out.size());
        if (out.size() <= read_bytes) return file->read_at(out, begin, before_);
        const std::size_t n = (out.size() + read_bytes - 1) / read_bytes;
        ReadOrder order(*file, begin, 0, n, run.threads(), before_);
        return run.parallel(
            n,
            [&](std::size_t i) {
                const std::uint64_t first = i * read_bytes;
                order.read(i, out.subspan(first, std::min<std::uint64_t>(read_bytes, out.size() - first)),
                           begin + first);
            },
            share);
    }
    while (!out.empty()) {
        const auto more = take(out.size(), run);
        std::ranges::copy(more, out.begin());
        out = out.subspan(more.size());
    }
    run.progress().begin(share);
    run.progress().end(true);
}

std::size_t SourceReader::fill_some(std::span<std::byte> out, Run& run) {
    if (const InputFile* file = source_.file()) {
        bool stopped = !run.tick(0);
        const std::size_t count = stopped ? 0 : file->read_some(out, [&] { return !(stopped = !run.tick(0)); });
        if (stopped) run.throw_cancelled();
        return count;
    }
    std::size_t done = 0;
    while (done < out.size() && (!piece_.empty() || next_piece(run))) {
        const auto more = take(out.size() - done, run);
        std::ranges::copy(more, out.begin() + static_cast<std::ptrdiff_t>(done));
        done += more.size();
    }
    return done;
}

void read_in_order(const ByteSource& source, const std::optional<ByteSource::Extent>& extent, Run& run,
                   const std::function<void(std::span<const std::byte> piece, double share)>& use) {
    const ByteRange whole = extent ? ByteRange{extent->position, extent->bytes} : ByteRange{};
    const auto stream = extent ? source.stream({&whole, 1}) : source.stream();
    if (source.file() == nullptr) run.progress().ask_soon();
    std::uint64_t done = 0;
    bool stopped = false;
    const auto go_on = [&] { return !(stopped = !run.tick(0)); };
    for (auto piece = stream->next(go_on); !piece.empty(); piece = stream->next(go_on)) {
        use(piece, extent ? static_cast<double>(piece.size()) / static_cast<double>(whole.bytes) : 0);
        done += piece.size();
        if (!go_on()) break;
    }
    if (stopped) run.throw_cancelled();
    if (!extent) return;
    if (done != whole.bytes) {
        throw EndedEarly(ErrorCode::io, source.name() + ": changed while being read: it has " + std::to_string(done) +
                                            " bytes, and not " + std::to_string(whole.bytes));
    }
    source.require_unchanged(extent->identity);
    source.leave_at(whole.offset + whole.bytes);
}

}  // namespace merklize::runtime
