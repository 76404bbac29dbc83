#include "levels/node_store.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

#include "jobs/internals.hpp"
#include "merklize/error.hpp"
#include "queue/device.hpp"

namespace merklize::runtime {

bool NodeStore::is_for_device(const Device& device, std::uint64_t slots) {
    if (state_of(device).is_host()) return false;
    const mkz_driver_facts& facts = state_of(device).opened()->facts();
    return facts.unified == 0 && Digest::size * slots <= facts.max_allocation;
}

NodeStore::NodeStore(const Device& device, std::uint64_t slots) : slots_(slots) {
    const std::uint64_t bytes = Digest::size * slots;
    if (is_for_device(device, slots)) {
        try {
            device_ = std::make_unique<Buffer>(device, bytes);
            return;
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
    }
    host_ = HostBlock(bytes);
}

const Digest* NodeStore::host() const {
    if (on_device()) {
        const std::lock_guard lock(*copying_);
        if (host_.data() == nullptr) {
            HostBlock copy(device_->size());
            device_->copy_to({static_cast<std::byte*>(copy.data()), copy.size()});
            host_ = std::move(copy);
        }
    }
    return static_cast<const Digest*>(host_.data());
}

std::span<const Digest> NodeStore::apart(std::span<const Digest> given, std::vector<Digest>& room) const {
    const std::less<const void*> before;
    const auto* const first = static_cast<const std::byte*>(host_.data());
    const std::span<const std::byte> bytes = std::as_bytes(given);
    if (!before(bytes.data(), first + host_.size()) || !before(first, bytes.data() + bytes.size())) return given;
    room.assign(given.begin(), given.end());
    return room;
}

void NodeStore::changed() {
    if (!on_device()) return;
    host_ = HostBlock();
}

void NodeStore::clear_gaps(const TreeLayout& layout, Run& run) {
    if (on_device()) return runtime::clear_gaps(place(), layout, run);
    host_.clear(0, Digest::size);
    for (unsigned level = 1; level <= layout.height(); level++) {
        host_.clear(Digest::size * (layout.level_offset(level) + layout.level_size(level)),
                    Digest::size * layout.gap(level));
    }
}

void NodeStore::read(std::uint64_t first, std::span<Digest> out) const {
    if (out.empty()) return;
    if (on_device()) {
        device_->slice(Digest::size * first, out.size_bytes()).copy_to(std::as_writable_bytes(out));
    } else {
        std::copy_n(host() + first, out.size(), out.begin());
    }
}

}  // namespace merklize::runtime
