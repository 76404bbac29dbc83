#include "host/mapped_file.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>

namespace merklize::runtime {
namespace {

// Fewer bytes are read as fast, because a mapping costs some microseconds.
constexpr std::uint64_t least_bytes = 1 << 20;
constexpr std::size_t page = 4096;

std::atomic<bool> is_allowed{false};

#ifdef MADV_POPULATE_READ
constexpr int populate = MADV_POPULATE_READ;
#else
constexpr int populate = 22;  // Linux 5.14, include/uapi/asm-generic/mman-common.h; older kernels refuse it
#endif

}  // namespace

// A mapping that the signal's handler knows. Only numbers that are read and written atomically, because it may run at
// any moment.
struct MappedFile::Slot {
    std::atomic<bool> is_taken{false};
    std::atomic<std::uintptr_t> begin{0}, end{0};
    std::atomic<bool> has_failed{false};

    static Slot all[64];

    static void on_bus_error(int number, siginfo_t* info, void*) {
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        for (Slot& slot : all) {
            if (address < slot.begin.load() || address >= slot.end.load()) continue;
            slot.has_failed = true;
            // Maps zeros in place of the page, so that the instruction can go on. The result is thrown away.
            void* const there = reinterpret_cast<void*>(address / page * page);
            if (mmap(there, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) return;
        }
        std::signal(number, SIG_DFL);  // another fault: the instruction runs again and ends the process
    }
};

MappedFile::Slot MappedFile::Slot::all[64];

void MappedFile::allow() noexcept {
    if (sysconf(_SC_PAGESIZE) != static_cast<long>(page)) return;
    struct sigaction action{};
    action.sa_sigaction = Slot::on_bus_error;
    action.sa_flags = SA_SIGINFO;
    is_allowed = sigaction(SIGBUS, &action, nullptr) == 0;
}

MappedFile::MappedFile(const InputFile& file, std::uint64_t offset, std::uint64_t bytes) noexcept {
    if (!is_allowed || bytes < least_bytes) return;
    Slot* const free = std::ranges::find_if(Slot::all, [](Slot& slot) { return !slot.is_taken.exchange(true); });
    if (free == std::end(Slot::all)) return;
    fd_ = file.fd();
    begin_ = offset / page * page;
    size_ = offset - begin_ + bytes;
    void* const there = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.fd(), static_cast<off_t>(begin_));
    if (there == MAP_FAILED) {
        free->is_taken = false;
        return;
    }
    bytes_ = static_cast<std::byte*>(there);
    slot_ = free;
    slot_->has_failed = false;
    slot_->begin = reinterpret_cast<std::uintptr_t>(there);
    slot_->end = reinterpret_cast<std::uintptr_t>(there) + size_;
}

MappedFile::~MappedFile() {
    if (slot_ == nullptr) return;
    // The handler must forget the addresses before the memory can get another owner.
    slot_->end = 0;
    slot_->begin = 0;
    munmap(bytes_, size_);
    slot_->is_taken = false;
}

std::span<const std::byte> MappedFile::at(std::uint64_t offset, std::size_t bytes) const noexcept {
    const std::size_t first = offset - begin_, begin = first / page * page;
    // One call instead of a fault for every few pages. Where the call fails, the faults do the work.
    madvise(bytes_ + begin, first + bytes - begin, populate);
    return {bytes_ + first, bytes};
}

bool MappedFile::is_in_memory() const noexcept {
#ifdef __linux__
    constexpr long cachestat =
        451;  // Linux 6.5, include/uapi/asm-generic/unistd.h; older kernels and C libraries have none
    struct Range {
        std::uint64_t offset, bytes;
    } const range{begin_, size_};
    struct Found {
        std::uint64_t cached, dirty, written_back, evicted, recently_evicted;  // pages
    } found{};
    return syscall(cachestat, fd_, &range, &found, 0) == 0 && found.cached >= (size_ + page - 1) / page;
#else
    return false;
#endif
}

bool MappedFile::has_failed() const noexcept { return slot_ != nullptr && slot_->has_failed; }

}  // namespace merklize::runtime
