#include "merklize/buffer.hpp"

#include <bit>
#include <cstdint>
#include <string>

#include "host/threads.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/error.hpp"
#include "queue/device_call.hpp"
#include "queue/handles.hpp"

namespace merklize::inline v0 {
namespace {

__extension__ using Wide = __int128;  // places of items: a caller may claim any, so sums must not overflow

std::shared_ptr<runtime::QueueDevice> queue_of(const Device& device) {
    if (runtime::state_of(device).is_host()) {
        throw Error(ErrorCode::unavailable,
                    device.info().id + " has no memory or queues of its own: its data is host memory");
    }
    return runtime::state_of(device).opened();
}

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

Place place_of(const ConstBuffer& buffer) { return Internals::of(buffer)->at(buffer.offset()); }

ConstBuffer Internals::all_memory(const Device& device) {
    return ConstBuffer(device, Block::wrap(queue_of(device), nullptr, INT64_MAX), INT64_MAX);
}

Address address_of(const ConstBuffer& buffer) {
    const bool is_handle = Internals::of(buffer)->device()->facts().language == MKZ_LANGUAGE_OPENCL;
    const void* const native = buffer.native();
    if (is_handle) return {native, buffer.offset()};
    return {nullptr, reinterpret_cast<std::uintptr_t>(native)};
}

StreamState::StreamState(std::shared_ptr<QueueDevice> device, Device handle, void* native)
    : device_(std::move(device)), handle_(std::move(handle)) {
    device_->require_own_process();
    device_->check(device_->driver().stream_open(device_->index(), native, 1, &stream_));
}

StreamState::~StreamState() {
    if (device_->is_own_process()) device_->driver().stream_close(stream_);
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

Stream::Stream(const Device& device)
    : state_(std::make_shared<runtime::StreamState>(queue_of(device), device, nullptr)) {}

Stream Stream::wrap(const Device& device, void* native) {
    const PublicCall entry("Stream::wrap");
    if (native == nullptr) invalid_call("the stream is null");
    return Stream(std::make_shared<runtime::StreamState>(queue_of(device), device, native));
}

const Device& Stream::device() const noexcept { return state_->handle(); }

void Stream::synchronize() const {
    const runtime::QueueDevice& device = state_->device();
    device.check(device.driver().stream_synchronize(state_->stream()));
}

void Device::set_memory_limit(std::uint64_t bytes) const {
    const PublicCall entry("set_memory_limit");
    if (state_->is_host()) {
        throw Error(ErrorCode::unavailable, PublicCall::name(),
                    info().id +
                        " has no memory of its own; set the limit of each device that has, "
                        "such as cuda:0");
    }
    state_->opened()->set_memory_limit(bytes);
}

std::uint64_t Device::memory_limit() const { return state_->is_host() ? 0 : state_->opened()->memory_limit(); }

ConstBuffer::ConstBuffer(const Device& device, std::shared_ptr<runtime::Block> block, std::uint64_t bytes)
    : device_(device), block_(std::move(block)), bytes_(bytes) {}

ConstBuffer ConstBuffer::wrap(const Device& device, const void* native, std::uint64_t bytes) {
    return Buffer::wrap(device, const_cast<void*>(native), bytes);
}

Buffer::Buffer(const Device& device, std::uint64_t bytes)
    : Buffer(device, runtime::Block::allocate(queue_of(device), bytes == 0 ? 1 : bytes), bytes) {}

Buffer Buffer::wrap(const Device& device, void* native, std::uint64_t bytes) {
    const PublicCall entry("Buffer::wrap");
    // An empty tensor may have any pointer, so the driver is not asked about it.
    if (bytes == 0) return Buffer(device, 0);
    if (native == nullptr) invalid_call("native", "must be memory of " + device.info().id + ", got null");
    return Buffer(device, runtime::Block::wrap(queue_of(device), native, bytes), bytes);
}

Buffer Buffer::copy_of(ByteView host, const Device& device) {
    Buffer buffer(device, host.size());
    buffer.copy_from(host);
    return buffer;
}

Buffer Buffer::pack(const ConstBuffer& source, std::uint64_t first, std::span<const std::uint64_t> extents,
                    std::span<const std::int64_t> strides, std::uint32_t element_bytes,
                    const std::optional<Stream>& stream) {
    const PublicCall entry("pack");
    if (!std::has_single_bit(element_bytes) || element_bytes > 16)
        invalid_call("elements of 1, 2, 4, 8 or 16 bytes, got " + std::to_string(element_bytes));
    if (extents.size() != strides.size()) {
        invalid_call(std::to_string(extents.size()) + " extents and " + std::to_string(strides.size()) + " strides");
    }
    runtime::StridedArray array{first, element_bytes, {}, {}};
    std::uint64_t elements = 1;
    Wide lowest = first, highest = Wide{first} + element_bytes;
    for (std::size_t k = 0; k < extents.size(); k++) {
        if (extents[k] != 0 && elements > UINT64_MAX / element_bytes / extents[k]) invalid_call("more than 2^64 bytes");
        elements *= extents[k];
        if (extents[k] > 1) (strides[k] < 0 ? lowest : highest) += Wide{strides[k]} * Wide{extents[k] - 1};
        array.extents.push_back(extents[k]);
        array.strides.push_back(strides[k]);
    }
    Buffer packed(source.device(), elements * element_bytes);
    if (elements == 0) return packed;
    if (lowest < 0 || highest > Wide{source.size()}) {
        invalid_call("elements reach outside the " + std::to_string(source.size()) + " bytes of the source");
    }
    const RunOptions options{.device = source.device(), .stream = stream};
    runtime::DeviceCall call(runtime::state_of(source.device()).opened(), options, 1,
                             stream ? runtime::Ending::enqueues : runtime::Ending::waits);
    call.gather_strided(runtime::place_of(source), std::move(array), runtime::place_of(packed));
    call.finish();
    return packed;
}

ConstBuffer ConstBuffer::slice(std::uint64_t first, std::uint64_t bytes) const {
    const PublicCall entry("Buffer");
    if (first > bytes_ || bytes > bytes_ - first) {
        invalid_call("bytes " + std::to_string(first) + " to " + std::to_string(first + bytes) +
                     " are not inside its " + std::to_string(bytes_));
    }
    ConstBuffer part = *this;
    part.offset_ += first;
    part.bytes_ = bytes;
    return part;
}

Buffer Buffer::slice(std::uint64_t first, std::uint64_t bytes) const {
    return Buffer(ConstBuffer::slice(first, bytes));
}

void Buffer::copy_from(ByteView host, const std::optional<Stream>& stream) {
    const PublicCall entry("Buffer");
    if (host.size() != size()) {
        invalid_call(std::to_string(host.size()) + " bytes to copy to " + std::to_string(size()));
    }
    if (host.empty()) return;
    RunOptions options{.device = device(), .stream = stream};
    runtime::DeviceCall call(runtime::state_of(device()).opened(), options, runtime::default_threads());
    call.upload(runtime::place_of(*this), host.data(), host.size());
}

void ConstBuffer::copy_to(std::span<std::byte> host, const std::optional<Stream>& stream) const {
    const PublicCall entry("Buffer");
    if (host.size() != bytes_) {
        invalid_call(std::to_string(bytes_) + " bytes to copy to " + std::to_string(host.size()));
    }
    if (host.empty()) return;
    RunOptions options{.device = device_, .stream = stream};
    runtime::DeviceCall call(runtime::state_of(device_).opened(), options, runtime::default_threads());
    call.download(host.data(), runtime::place_of(*this), host.size());
}

const void* ConstBuffer::native() const {
    const runtime::QueueDevice& queue = *runtime::state_of(device_).opened();
    const void* native = queue.driver().native(block_->memory());
    return queue.facts().language == MKZ_LANGUAGE_OPENCL ? native : static_cast<const std::byte*>(native) + offset_;
}

void* Buffer::native() const { return const_cast<void*>(ConstBuffer::native()); }

}  // namespace merklize::inline v0
