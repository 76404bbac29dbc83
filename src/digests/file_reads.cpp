#include "digests/file_reads.hpp"

#include <algorithm>
#include <memory>

namespace merklize::runtime {

std::span<std::byte> thread_buffer() {
    thread_local const auto buffer = std::make_unique_for_overwrite<std::byte[]>(read_bytes);
    return {buffer.get(), read_bytes};
}

ReadOrder::ReadOrder(const InputFile& file, std::size_t n_items, const InputFile::BeforeDisk& before)
    : file_(file),
      before_(before),
      in_order_(!before && n_items > 1 && file.is_on_rotational_disk()),
      finished_(in_order_ ? n_items : 0) {}

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
    ReadOrder order(file, n);
    run.parallel(
        n,
        [&](std::size_t i) {
            const std::uint64_t first = i * read_bytes;
            order.read(i, out.subspan(first, std::min<std::uint64_t>(read_bytes, out.size() - first)), offset + first);
        },
        share);
}

}  // namespace merklize::runtime
