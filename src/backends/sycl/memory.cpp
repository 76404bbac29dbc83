#include "backends/sycl/memory.hpp"

#include <bit>
#include <cstdlib>
#include <memory>
#include <utility>

#include "backends/checks.hpp"

namespace merklize::sycl_plugin {
namespace {

constexpr std::uint64_t page = 4096, block_alignment = 256;

mkz_memory* as_block(Device& device, void* data, std::uint64_t bytes, Memory::Owner owner) {
    return reinterpret_cast<mkz_memory*>(std::make_unique<Memory>(device, data, bytes, owner).release());
}

std::string allocating(const Device& device, std::uint64_t bytes) {
    return backends::allocating(bytes) + ": the device has " + std::to_string(device.facts.memory_bytes) +
           " and gives blocks of up to " + std::to_string(device.driver_facts.max_allocation);
}

}  // namespace

Memory::~Memory() {
    if (owner == Owner::caller) return;
    for (auto& [stream, command] : last_uses_) {
        try {
            command.wait();
        } catch (const std::exception&) {  // the stream's own synchronize() reports the failure
        }
    }
    if (owner == Owner::library) guarded([&] { ::sycl::free(data, device.context()); });
}

void Memory::require(const Device& on, std::uint64_t offset, std::uint64_t count, const char* doing) const {
    if (&on != &device)
        on.refuse(MKZ_INVALID_ARGUMENT, std::string(doing) + ": the block of memory is of " + device.label);
    backends::require_range(on.label, doing, size, offset, count);
}

void Memory::used_by(const Stream& stream, const ::sycl::event& command) {
    if (owner == Owner::caller) return;
    const std::lock_guard lock(mutex_);
    last_uses_.insert_or_assign(&stream, command);
}

Memory& of(mkz_memory* memory) { return backends::object_of<Memory>(memory, "sycl", "block of memory"); }

mkz_status allocate(std::uint32_t device, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        backends::require_any_bytes(d.label, bytes);
        if (bytes > d.driver_facts.max_allocation) d.refuse(MKZ_OUT_OF_MEMORY, allocating(d, bytes));
        auto counted = d.memory_limit.take(d.label, bytes);
        void* data = attempt(d, allocating(d, bytes), MKZ_INTERNAL, [&] {
            return ::sycl::aligned_alloc_device(block_alignment, bytes, d.device, d.context());
        });
        if (data == nullptr) d.refuse(MKZ_OUT_OF_MEMORY, allocating(d, bytes));
        *memory = as_block(d, data, bytes, Memory::Owner::library);
        of(*memory).counted = std::move(counted);
    });
}

mkz_status allocate_host(std::uint32_t device, std::uint64_t bytes, void** host) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        backends::require_host_bytes(d.label, bytes, page);
        const std::string doing = backends::allocating(bytes, " of host memory");
        *host = d.driver_facts.unified != 0 ? std::aligned_alloc(page, (bytes + page - 1) / page * page)
                                            : attempt(d, doing, MKZ_OUT_OF_MEMORY, [&] {
                                                  return ::sycl::aligned_alloc_host(page, bytes, d.context());
                                              });
        if (*host == nullptr) d.refuse(MKZ_OUT_OF_MEMORY, doing + ": the host has no more");
    });
}

void release_host(std::uint32_t device, void* host) noexcept {
    if (host == nullptr) return;
    guarded([&] {
        Device& d = device_of(device);
        d.driver_facts.unified != 0 ? std::free(host) : ::sycl::free(host, d.context());
    });
}

std::uint32_t is_pinned(std::uint32_t device, const void* host) noexcept {
    bool pinned = false;
    guarded([&] {
        Device& d = device_of(device);
        pinned = d.driver_facts.unified != 0 || ::sycl::get_pointer_type(host, d.context()) == ::sycl::usm::alloc::host;
    });
    return pinned ? 1 : 0;
}

mkz_status wrap(std::uint32_t device, void* native, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (native == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the USM pointer is null");
        const auto kind = ::sycl::get_pointer_type(native, d.context());
        if (kind == ::sycl::usm::alloc::unknown) {
            d.refuse(MKZ_INVALID_ARGUMENT,
                     "the pointer is not USM of the context in use for this device; allocate it with a queue of this "
                     "device that was made without a context");
        }
        if (kind == ::sycl::usm::alloc::device && ::sycl::get_pointer_device(native, d.context()) != d.device)
            d.refuse(MKZ_INVALID_ARGUMENT, "the USM pointer is of another device");
        *memory = as_block(d, native, bytes, Memory::Owner::caller);
    });
}

mkz_status wrap_host(std::uint32_t device, void* host, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (d.driver_facts.unified == 0) backends::refuse_wrap_host(d.label);
        if (host == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the host memory is null");
        backends::require_any_bytes(d.label, bytes);
        *memory = as_block(d, host, bytes, Memory::Owner::host);
    });
}

void* native(mkz_memory* memory) noexcept {
    return memory == nullptr ? nullptr : static_cast<void*>(reinterpret_cast<Memory*>(memory)->data);
}

std::uint32_t alignment(mkz_memory* memory) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(native(memory)) | block_alignment;
    return std::uint32_t{1} << std::countr_zero(address);
}

void release(std::uint32_t, mkz_memory* memory) noexcept { delete reinterpret_cast<Memory*>(memory); }

mkz_status limit_memory(std::uint32_t device, std::uint64_t bytes) noexcept {
    return guarded([&] { device_of(device).memory_limit.set(bytes); });
}

std::uint64_t memory_in_use(std::uint32_t device) noexcept {
    std::uint64_t bytes = 0;
    guarded([&] { bytes = device_of(device).memory_limit.taken(); });
    return bytes;
}

}  // namespace merklize::sycl_plugin
