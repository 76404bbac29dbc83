#include "backends/cuda/memory.hpp"

#include <algorithm>
#include <tuple>

namespace merklize::cuda {
namespace {

constexpr std::uint64_t smallest_block = 512;
constexpr std::uint64_t page = std::uint64_t{2} << 20;  // the driver's own unit for large blocks
constexpr std::size_t most_kept = 256;

// Rounds small sizes to powers of two and large ones to whole pages, so that kept blocks fit later requests.
std::uint64_t block_size(std::uint64_t bytes) {
    if (bytes > UINT64_MAX - page) return bytes;  // no device has as much
    if (bytes > page) return (bytes + page - 1) / page * page;
    std::uint64_t size = smallest_block;
    while (size < bytes) size *= 2;
    return size;
}

std::string in_bytes(std::uint64_t bytes) {
    std::string text = std::to_string(bytes) + " bytes";
    constexpr std::uint64_t gib = std::uint64_t{1} << 30;
    if (bytes < gib) return text;
    const std::uint64_t tenths = bytes / (gib / 10);
    return text + " (" + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GiB)";
}

[[noreturn]] void out_of_memory(const Device& device, std::uint64_t bytes) {
    std::size_t free = 0;
    std::size_t total = 0;
    device.check(driver().cuMemGetInfo(&free, &total), "cuMemGetInfo");
    backends::refuse(MKZ_OUT_OF_MEMORY, device.name,
                     "allocating " + in_bytes(bytes) + ": out of memory, " + in_bytes(free) + " free of " +
                         in_bytes(device.memory_bytes()));
}

// What the driver knows about an address; all 0 for host memory that it does not know.
struct Place {
    unsigned type = 0;
    unsigned is_managed = 0;
    int device = 0;
};

Place place_of(Device& device, const void* pointer) {
    const Current current(device);
    Place place;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* values[] = {&place.type, &place.is_managed, &place.device};
    const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(pointer));
    device.check(driver().cuPointerGetAttributes(3, attributes, values, address), "cuPointerGetAttributes");
    return place;
}

}  // namespace

BlockCache::BlockCache(Device& device) : device_(device) {
    kept_.reserve(2 * most_kept);  // so give() allocates nothing, even with as many threads in it
}

bool BlockCache::take_kept(std::uint64_t bytes, Block& taken) {
    const std::uint64_t most = bytes + bytes / 8;
    const auto is_done = [](const auto& mark) { return mark->done(); };
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto block = kept_.begin(); block != kept_.end(); ++block) {
        if (block->used_elsewhere || block->bytes < bytes || block->bytes > most) continue;
        if (best != kept_.end() && block->bytes >= best->bytes) continue;
        if (std::all_of(block->marks.begin(), block->marks.end(), is_done)) best = block;
    }
    if (best == kept_.end()) return false;
    taken = std::move(*best);
    taken.marks.clear();
    kept_.erase(best);
    kept_bytes_ -= taken.bytes;
    return true;
}

void BlockCache::shrink(std::uint64_t most_bytes, std::size_t most_blocks) noexcept {
    for (;;) {
        Block oldest;
        {
            const std::lock_guard lock(mutex_);
            if (kept_.empty()) return;
            if (kept_bytes_ <= most_bytes && kept_.size() <= most_blocks && !limit_.is_exceeded()) return;
            oldest = std::move(kept_.front());
            kept_.erase(kept_.begin());
            kept_bytes_ -= oldest.bytes;
        }
        free(oldest);
    }
}

BlockCache::Block BlockCache::take(std::uint64_t bytes) {
    const BesideCaptures beside;
    Block block;
    const std::uint64_t size = block_size(bytes);
    if (take_kept(size, block)) return block;
    if (size > device_.memory_bytes()) out_of_memory(device_, bytes);
    auto counted = limit_.try_take(size);
    if (!counted) {
        shrink(0, 0);
        counted = limit_.take(device_.name, size);
    }
    block.bytes = size;
    CUresult result = driver().cuMemAlloc(&block.address, size);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        shrink(0, 0);
        result = driver().cuMemAlloc(&block.address, size);
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY) out_of_memory(device_, bytes);
    device_.check(result, "cuMemAlloc");
    std::ignore = counted.release();  // free() gives the bytes back
    return block;
}

// At most a quarter of the device stays here, used or idle, because PyTorch and others in the process cannot ask for it
// back. Freeing waits, so a caller who enqueues and releases without end becomes slower, but does not take ever more
// memory.
void BlockCache::give(Block block) noexcept {
    {
        const std::lock_guard lock(mutex_);
        kept_bytes_ += block.bytes;
        kept_.push_back(std::move(block));
    }
    shrink(device_.memory_bytes() / 4, most_kept);
}

void BlockCache::give_idle(Block block) noexcept {
    const std::lock_guard lock(mutex_);
    if (kept_.size() == kept_.capacity()) return;  // full, because other threads free blocks now: this one is lost
    kept_bytes_ += block.bytes;
    kept_.push_back(std::move(block));
}

void BlockCache::free(const Block& block) noexcept {
    const BesideCaptures beside;
    driver().cuCtxSynchronize();  // cuMemFree waits, too, but its documentation does not promise that
    driver().cuMemFree(block.address);
    limit_.give_back(block.bytes);
}

void BlockCache::limit(std::uint64_t bytes) noexcept {
    limit_.set(bytes);
    shrink(UINT64_MAX, SIZE_MAX);
}

std::uint64_t BlockCache::bytes_in_use() noexcept {
    const std::lock_guard lock(mutex_);
    return limit_.taken() - kept_bytes_;
}

CUdeviceptr Memory::used_by(Stream& stream) {
    if (&stream.device != &device) {
        throw Failure(MKZ_INVALID_ARGUMENT,
                      "cuda: memory of " + device.name + " in a command for " + stream.device.name);
    }
    if (block_bytes == 0) return address;  // the owner of borrowed memory keeps track of its use
    const std::lock_guard lock(mutex);
    if (stream.capturing && share_with_graph(stream)) return address;
    if (stream.per_thread()) {
        used_elsewhere = true;
    } else if (std::find(uses.begin(), uses.end(), stream.use) == uses.end()) {
        constexpr std::size_t many = 8;
        if (uses.size() >= many) std::erase_if(uses, [](const auto& use) { return use->is_over(); });
        uses.push_back(stream.use);
    }
    return address;
}

// A graph runs as often as its owner likes, and no mark in a stream tells when it has run for the last time. The driver
// tells: it releases the graph's user objects when the graph, all that was made of it and all their runs are gone.
bool Memory::share_with_graph(const Stream& stream) {
    const DriverApi& api = driver();
    if (api.cuStreamGetCaptureInfo == nullptr || api.cuUserObjectCreate == nullptr ||
        api.cuUserObjectRelease == nullptr || api.cuGraphRetainUserObject == nullptr) {
        owners++;  // never undone
        return true;
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    std::uint64_t id = 0;
    CUgraph graph = nullptr;
    device.check(api.cuStreamGetCaptureInfo(stream.handle, &status, &id, &graph, nullptr, nullptr),
                 "cuStreamGetCaptureInfo");
    if (status == CU_STREAM_CAPTURE_STATUS_NONE) return false;  // the capture has ended
    if (id == capture) return true;
    // The callback may be in any thread and must not call the driver.
    const auto gone = [](void* memory) {
        auto* block = static_cast<Memory*>(memory);
        if (--block->owners != 0) return;
        block->device.blocks->give_idle(
            {block->address, block->block_bytes, std::move(block->marks), block->used_elsewhere});
        delete block;
    };
    CUuserObject object = nullptr;
    owners++;
    const CUresult made = api.cuUserObjectCreate(&object, this, gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (made != CUDA_SUCCESS) owners--;
    device.check(made, "cuUserObjectCreate");
    const CUresult kept = api.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (kept != CUDA_SUCCESS) api.cuUserObjectRelease(object, 1);
    device.check(kept, "cuGraphRetainUserObject");
    capture = id;
    return true;
}

CUdeviceptr Memory::range(Stream& stream, std::uint64_t offset, std::uint64_t length, const char* doing) {
    backends::require_range(stream.device.name, doing, bytes, offset, length);
    return used_by(stream) + offset;
}

mkz_status allocate(std::uint32_t device, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        backends::require_any_bytes(d.name, bytes);
        const Current current(d);
        BlockCache::Block block = d.blocks->take(bytes);
        try {
            auto made = std::make_unique<Memory>(d, block.address, bytes);
            made->block_bytes = block.bytes;
            *memory = reinterpret_cast<mkz_memory*>(made.release());
        } catch (...) {
            d.blocks->free(block);
            throw;
        }
    });
}

mkz_status allocate_host(std::uint32_t device, std::uint64_t bytes, void** host) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        backends::require_host_bytes(d.name, bytes, page);
        const Current current(d);
        const BesideCaptures beside;
        const CUresult result = driver().cuMemHostAlloc(host, bytes, CU_MEMHOSTALLOC_PORTABLE);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            backends::refuse(MKZ_OUT_OF_MEMORY, d.name,
                             "allocating " + in_bytes(bytes) + " of host memory: no more can be page-locked");
        }
        d.check(result, "cuMemHostAlloc");
    });
}

void release_host(std::uint32_t device, void* host) noexcept {
    if (host == nullptr || forked()) return;
    (void)guarded([&] {
        const Current current(device_of(device));
        driver().cuCtxSynchronize();  // a copy may still use it
        driver().cuMemFreeHost(host);
    });
}

// Whether this driver has locked the pages, no matter for whom: PyTorch's pinned tensors, cudaHostRegister,
// allocate_host().
std::uint32_t is_pinned(std::uint32_t device, const void* host) noexcept {
    bool pinned = false;
    (void)guarded([&] { pinned = place_of(device_of(device), host).type == CU_MEMORYTYPE_HOST; });
    return pinned ? 1 : 0;
}

mkz_status wrap(std::uint32_t device, void* native, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (bytes != 0 && native != nullptr) {  // an empty block may be anywhere
            const Place place = place_of(d, native);
            if (place.type != CU_MEMORYTYPE_DEVICE && place.is_managed == 0) {
                throw Failure(MKZ_INVALID_ARGUMENT,
                              d.name + ": the pointer is host memory, not memory of a CUDA device");
            }
            if (place.is_managed == 0 && place.device != static_cast<int>(d.index)) {
                throw Failure(MKZ_INVALID_ARGUMENT, "cuda: the data is on cuda:" + std::to_string(place.device) +
                                                        ", the call is for " + d.name);
            }
        }
        const auto address = static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(native));
        *memory = reinterpret_cast<mkz_memory*>(std::make_unique<Memory>(d, address, bytes).release());
    });
}

mkz_status wrap_host(std::uint32_t device, void*, std::uint64_t, mkz_memory**) noexcept {
    return guarded([&] { backends::refuse_wrap_host(device_of(device).name); });
}

void release(std::uint32_t, mkz_memory* memory) noexcept {
    if (memory == nullptr || forked()) return;
    Memory& block = of(memory);
    if (block.block_bytes == 0) {
        delete &block;
        return;
    }
    (void)guarded([&] {
        Device& d = block.device;
        const Current current(d);
        try {
            for (const auto& use : block.uses) block.marks.push_back(use->mark());
        } catch (const std::exception&) {
            block.used_elsewhere = true;  // no memory, or a failed context
        }
        if (--block.owners != 0) return;  // a graph uses it
        const std::unique_ptr<Memory> released(&block);
        BlockCache::Block kept{block.address, block.block_bytes, std::move(block.marks)};
        if (block.used_elsewhere && driver().cuCtxSynchronize() != CUDA_SUCCESS) return d.blocks->free(kept);
        d.blocks->give(std::move(kept));
    });
}

mkz_status limit_memory(std::uint32_t device, std::uint64_t bytes) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        const Current current(d);
        d.blocks->limit(bytes);
    });
}

std::uint64_t memory_in_use(std::uint32_t device) noexcept {
    std::uint64_t bytes = 0;
    (void)guarded([&] { bytes = device_of(device).blocks->bytes_in_use(); });
    return bytes;
}

// For code outside this library. After this call, a release of the block waits for the device.
void* native(mkz_memory* memory) noexcept {
    if (memory == nullptr) return nullptr;
    Memory& block = of(memory);
    const std::lock_guard lock(block.mutex);
    block.used_elsewhere = true;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(block.address));
}

std::uint32_t alignment(mkz_memory* memory) noexcept {
    constexpr CUdeviceptr of_allocations = 256;
    const CUdeviceptr bits = of(memory).address | of_allocations;
    return static_cast<std::uint32_t>(bits & (~bits + 1));  // the lowest bit that is set
}

}  // namespace merklize::cuda
