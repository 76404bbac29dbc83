#include "backends/opencl/memory.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include "backends/checks.hpp"

namespace merklize::opencl {
namespace {

std::string sizes(const Device& device, std::uint64_t bytes, const char* of_what) {
    return backends::allocating(bytes, of_what) + " (the device has " + std::to_string(device.facts.memory_bytes) +
           " and gives blocks of up to " + std::to_string(device.driver_facts.max_allocation) + ")";
}

// The handle of a block, as the C table has it.
mkz_memory* as_block(std::unique_ptr<Memory> memory) { return reinterpret_cast<mkz_memory*>(memory.release()); }

std::unique_ptr<Memory> make(Device& device, cl_bitfield flags, std::uint64_t bytes, void* host, const char* of_what) {
    backends::require_any_bytes(device.label, bytes);
    auto memory = std::make_unique<Memory>(device, Handle<cl_mem>(), bytes, static_cast<char*>(host));
    cl_int code = CL_SUCCESS;
    memory->handle = Handle(api().clCreateBuffer(device.context(), flags, bytes, host, &code));
    if (code != CL_SUCCESS) device.fail("clCreateBuffer", code, sizes(device, bytes, of_what));
    return memory;
}

// Devices that compute in the host's memory can use any pages; for others the driver allocates them.
bool takes_any_host_memory(const Device& device) { return device.driver_facts.unified != 0; }

}  // namespace

void Memory::require(const Device& on, std::uint64_t offset, std::uint64_t count, const char* doing) const {
    if (&on != &device) {
        on.refuse(MKZ_INVALID_ARGUMENT, std::string(doing) + ": the block of memory is of " + device.label);
    }
    backends::require_range(on.label, doing, bytes, offset, count);
}

Memory& of(mkz_memory* memory) { return backends::object_of<Memory>(memory, "opencl", "block of memory"); }

mkz_status allocate(std::uint32_t device, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        // NVIDIA's driver accepts any size here, and fails at the first use.
        if (bytes > d.driver_facts.max_allocation) {
            d.refuse(MKZ_OUT_OF_MEMORY, backends::allocating(bytes) + ": the device has " +
                                            std::to_string(d.facts.memory_bytes) + " and gives blocks of up to " +
                                            std::to_string(d.driver_facts.max_allocation));
        }
        auto counted = d.memory_limit.take(d.label, bytes);
        auto made = make(d, CL_MEM_READ_WRITE, bytes, nullptr, "");
        made->counted = std::move(counted);
        *memory = as_block(std::move(made));
    });
}

mkz_status allocate_host(std::uint32_t device, std::uint64_t bytes, void** host) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        backends::require_host_bytes(d.label, bytes, page_bytes);
        if (!takes_any_host_memory(d)) {
            *host = d.allocate_pinned(bytes);
            return;
        }
        *host = std::aligned_alloc(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
        if (*host == nullptr) {
            d.refuse(MKZ_OUT_OF_MEMORY, backends::allocating(bytes, " of host memory") + ": the host has no more");
        }
    });
}

void release_host(std::uint32_t device, void* host) noexcept {
    if (host == nullptr) return;
    guarded([&] {
        Device& d = device_of(device);
        takes_any_host_memory(d) ? std::free(host) : d.release_pinned(host);
    });
}

std::uint32_t is_pinned(std::uint32_t device, const void* host) noexcept {
    bool pinned = false;
    guarded([&] {
        Device& d = device_of(device);
        pinned = takes_any_host_memory(d) || d.is_pinned(host);
    });
    return pinned ? 1 : 0;
}

mkz_status wrap(std::uint32_t device, void* native, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        auto* theirs = static_cast<cl_mem>(native);
        if (theirs == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the cl_mem is null");
        std::size_t size = 0;
        cl_context context = nullptr;
        cl_int code = api().clGetMemObjectInfo(theirs, CL_MEM_SIZE, sizeof size, &size, nullptr);
        if (code == CL_SUCCESS) {
            code = api().clGetMemObjectInfo(theirs, CL_MEM_CONTEXT, sizeof(cl_context), static_cast<void*>(&context),
                                            nullptr);
        }
        if (code != CL_SUCCESS) d.fail(MKZ_INVALID_ARGUMENT, "clGetMemObjectInfo", code, "wrapping a cl_mem");
        if (bytes > size) {
            d.refuse(MKZ_INVALID_ARGUMENT,
                     "the cl_mem has " + std::to_string(size) + " bytes, not " + std::to_string(bytes));
        }
        d.join_context(context, "cl_mem");
        *memory = as_block(std::make_unique<Memory>(d, Handle<cl_mem>::share(theirs), bytes));
    });
}

mkz_status wrap_host(std::uint32_t device, void* host, std::uint64_t bytes, mkz_memory** memory) noexcept {
    return guarded([&] {
        Device& d = device_of(device);
        if (d.driver_facts.unified == 0) backends::refuse_wrap_host(d.label);
        if (host == nullptr) d.refuse(MKZ_INVALID_ARGUMENT, "the host memory is null");
        *memory = as_block(make(d, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host, " that lie in host memory"));
    });
}

void* native(mkz_memory* memory) noexcept {
    return memory == nullptr ? nullptr : static_cast<void*>(reinterpret_cast<Memory*>(memory)->handle.get());
}

// A handle may begin anywhere in host memory; the runtime checks that before it wraps the handle. Kernels need no more
// than this.
std::uint32_t alignment(mkz_memory*) noexcept { return 256; }

// OpenCL itself keeps the memory that queued commands use.
void release(std::uint32_t, mkz_memory* memory) noexcept { delete reinterpret_cast<Memory*>(memory); }

mkz_status limit_memory(std::uint32_t device, std::uint64_t bytes) noexcept {
    return guarded([&] { device_of(device).memory_limit.set(bytes); });
}

std::uint64_t memory_in_use(std::uint32_t device) noexcept {
    std::uint64_t bytes = 0;
    guarded([&] { bytes = device_of(device).memory_limit.taken(); });
    return bytes;
}

}  // namespace merklize::opencl
