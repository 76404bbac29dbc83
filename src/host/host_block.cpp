#include "host/host_block.hpp"

#include <sys/mman.h>
#ifdef __linux__
#include <sys/sysinfo.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <utility>

#include "host/threads.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr std::uint64_t page_bytes = 4096, huge_bytes = 2 << 20;
// The heap gives blocks up to this size: a system call for one takes longer than the merges of its tree.
constexpr std::uint64_t most_of_heap = 64 << 10;

void* block_of_heap(std::uint64_t bytes) {
    const std::uint64_t pages = (std::max<std::uint64_t>(bytes, 1) + page_bytes - 1) / page_bytes;
    return std::aligned_alloc(page_bytes, pages * page_bytes);
}

// The kernels touch the pages first, from all threads. Huge pages make that cheap.
void* map_block(std::uint64_t bytes) {
    if (bytes > UINT64_MAX - huge_bytes) return nullptr;
    const std::uint64_t slack = bytes >= huge_bytes ? huge_bytes : 0;
    void* raw =
        mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    if (slack == 0) return raw;
    // Unmaps what lies before and after the aligned part.
    const auto start = reinterpret_cast<std::uintptr_t>(raw), end = start + bytes + slack;
    const std::uintptr_t aligned = (start + huge_bytes - 1) / huge_bytes * huge_bytes,
                         used = (aligned + bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (aligned != start) munmap(raw, aligned - start);
    if (end > used) munmap(reinterpret_cast<void*>(used), end - used);
    raw = reinterpret_cast<void*>(aligned);
    madvise(raw, bytes, MADV_HUGEPAGE);
    return raw;
}

#ifdef MADV_POPULATE_WRITE
constexpr int populate_write = MADV_POPULATE_WRITE;
#else
constexpr int populate_write = 23;  // Linux 5.14, include/uapi/asm-generic/mman-common.h; older kernels refuse it
#endif

// The block freed last, kept for the next tree of its size: with 16 threads, new pages for a tree cost several times
// its merges. The kernel may reclaim its memory at any time (MADV_FREE), unless it is less than a huge page: the offer
// costs 0.1 us a page then, a quarter of the time of its tree.
struct Spare {
    void* memory;
    std::uint64_t bytes;
};
std::atomic<Spare*> the_spare{nullptr};

void keep_spare(Spare* spare) {
    Spare* old = the_spare.exchange(spare);
    if (old == nullptr) return;
    munmap(old->memory, old->bytes);
    delete old;
}

// The spare block if it has this size. A spare of another size is freed.
void* take_spare(std::uint64_t bytes) {
    Spare* spare = the_spare.exchange(nullptr);
    if (spare == nullptr) return nullptr;
    void* memory = spare->memory;
    if (spare->bytes != bytes) {
        munmap(memory, spare->bytes);
        memory = nullptr;
    }
    delete spare;
    return memory;
}

}  // namespace

std::uint64_t host_memory() noexcept {
    static const std::uint64_t bytes = [] {
#ifdef __linux__
        struct sysinfo info{};
        if (sysinfo(&info) != 0) return UINT64_MAX;
        const std::uint64_t swap = std::uint64_t{info.totalswap} * info.mem_unit;
        std::uint64_t memory = std::uint64_t{info.totalram} * info.mem_unit;
        std::uint64_t allowed = 0;
        // "max" means no limit.
        if (std::ifstream("/sys/fs/cgroup/memory.max") >> allowed && allowed != 0) memory = std::min(memory, allowed);
        return memory + swap;
#else
        return UINT64_MAX;
#endif
    }();
    return bytes;
}

// Memory is taken when it is touched, so a system that overcommits reports no error here.
HostBlock::HostBlock(std::uint64_t bytes) : bytes_(bytes) {
    data_ = bytes <= most_of_heap ? block_of_heap(bytes) : take_spare(bytes);
    if (data_ == nullptr && bytes > most_of_heap && bytes <= host_memory()) data_ = map_block(bytes);
    if (data_ == nullptr) {
        throw Error(ErrorCode::out_of_memory, "out of memory: " + std::to_string(bytes) +
                                                  " bytes are needed, this process can have " +
                                                  std::to_string(host_memory()));
    }
}

HostBlock::~HostBlock() {
    if (bytes_ <= most_of_heap) {
        std::free(data_);
        return;
    }
    if (bytes_ < huge_bytes || madvise(data_, bytes_, MADV_FREE) == 0) {
        if (Spare* spare = new (std::nothrow) Spare{data_, bytes_}) {
            keep_spare(spare);
            return;
        }
    }
    munmap(data_, bytes_);
}

void HostBlock::clear(std::uint64_t first, std::uint64_t bytes) noexcept {
    auto* data = static_cast<std::byte*>(data_);
    const std::uint64_t last = first + bytes, from = (first + page_bytes - 1) / page_bytes * page_bytes,
                        to = last / page_bytes * page_bytes;
    if (bytes_ <= most_of_heap || to <= from || madvise(data + from, to - from, MADV_DONTNEED) != 0) {
        std::memset(data + first, 0, bytes);
        return;
    }
    std::memset(data + first, 0, from - first);
    std::memset(data + to, 0, last - to);
}

HostBlock::HostBlock(HostBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

HostBlock& HostBlock::operator=(HostBlock&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

void make_pages(std::span<std::byte> memory, unsigned threads) {
    constexpr std::uintptr_t huge = 2u << 20;
    constexpr std::uint64_t least = 64 << 20, per_piece = 8 << 20;
    if (memory.size() < least) return;
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t begin = (first + huge - 1) / huge * huge, end = (first + memory.size()) / huge * huge;
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    parallel_for((end - begin + per_piece - 1) / per_piece, threads, [&](std::size_t k) {
        const std::uintptr_t from = begin + k * per_piece;
        madvise(reinterpret_cast<void*>(from), std::min<std::uint64_t>(per_piece, end - from), populate_write);
    });
}

}  // namespace merklize::runtime
