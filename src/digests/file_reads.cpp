#include "digests/file_reads.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace merklize::runtime {
namespace {

// Items that are taken in both ways, after the first ones, which find nothing in the caches.
constexpr std::size_t first_tried = 8, tried_items = 72;

}  // namespace

std::span<std::byte> thread_buffer() {
    thread_local const auto buffer = std::make_unique_for_overwrite<std::byte[]>(read_bytes);
    return {buffer.get(), read_bytes};
}

ReadOrder::ReadOrder(const InputFile& file, std::uint64_t offset, std::uint64_t bytes, std::size_t n_items,
                     InputFile::BeforeDisk before)
    : file_(file),
      end_(offset + bytes),
      before_(std::move(before)),
      in_order_(!before_ && n_items > 1 && file.is_on_rotational_disk()),
      finished_(in_order_ ? n_items : 0) {
    if (before_ || n_items < 2 * tried_items) return;
    mapped_.emplace(file, offset, bytes);
    if (!*mapped_ || (in_order_ && !mapped_->is_in_memory())) mapped_.reset();
}

void ReadOrder::read(std::size_t item, std::span<std::byte> out, std::uint64_t offset) {
    if (!in_order_) return file_.read_at(out, offset, before_);
    try {
        file_.read_at(out, offset, [&] { wait_for(item); });
    } catch (...) {
        finish(item);  // others must not wait for it
        throw;
    }
    finish(item);
}

bool ReadOrder::is_better_mapped(std::size_t item) {
    constexpr double unmapping = 1.2;  // what removing the mapping costs in the end, where it is dear
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    // A thread's time from one item to the next is that of reading and hashing it.
    const auto last = trials_.find(std::this_thread::get_id());
    if (last != trials_.end()) {
        const Trial& trial = last->second;
        if (item > first_tried) seconds_[trial.is_mapped] += std::chrono::duration<double>(now - trial.begin).count();
        trials_.erase(last);
    }
    const bool is_mapped = item < tried_items ? item % 2 != 0 : unmapping * seconds_[true] < seconds_[false];
    if (item < tried_items) trials_[std::this_thread::get_id()] = {is_mapped, now};
    return is_mapped;
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

void read_together(const InputFile& file, std::span<std::byte> out, std::uint64_t offset, Run& run, double share) {
    const std::size_t n = (out.size() + read_bytes - 1) / read_bytes;
    ReadOrder order(file, offset, 0, n);
    run.parallel(
        n,
        [&](std::size_t i) {
            const std::uint64_t first = i * read_bytes;
            order.read(i, out.subspan(first, std::min<std::uint64_t>(read_bytes, out.size() - first)), offset + first);
        },
        share);
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
