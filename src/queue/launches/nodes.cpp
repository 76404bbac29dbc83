// Nodes of trees: to the host, and back into their slots.
#include <algorithm>

#include "merklize/error.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

// slot_words  32-bit words of a slot: 1 or 2
void launch_gather(DeviceCall& call, const Range& nodes, mkz_memory* slots, std::uint32_t slot_words, std::uint64_t n,
                   mkz_memory* out) {
    const Kernel gather = call.free_kernel(data_variant(), bodies::gather_nodes);
    call.enqueue(gather, divide_up(n, gather.group_size), {nodes.memory, nodes.offset / 32, slots, slot_words, n, out});
}

template <class Slot>
void gather_to_host(DeviceCall& call, const Place& nodes, std::span<const Slot> slots, void* out) {
    if (slots.empty()) return;
    const Range tree = range_of(nodes);
    call.require_node_alignment(tree);
    try {
        const Lease wanted = call.scratch(slots.size_bytes()), found = call.scratch(32 * slots.size());
        call.send(wanted.place(), slots.data(), slots.size_bytes());
        launch_gather(call, tree, range_of(wanted).memory, sizeof(Slot) / 4, slots.size(), range_of(found).memory);
        return call.download(out, found.place(), 32 * slots.size());
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    // Others have filled the device meanwhile. One by one takes longer, but no memory there.
    for (std::size_t i = 0; i < slots.size(); i++)
        call.copy_to_host(static_cast<std::byte*>(out) + 32 * i, moved(nodes, 32 * slots[i]), 32);
    call.finish();
}

}  // namespace

void DeviceCall::gather_nodes(const Place& nodes, std::span<const std::uint32_t> slots, void* out) {
    gather_to_host(*this, nodes, slots, out);
}

void DeviceCall::gather_nodes(const Place& nodes, std::span<const std::uint64_t> slots, void* out) {
    gather_to_host(*this, nodes, slots, out);
}

void DeviceCall::gather_nodes(const Place& nodes, const Place& slots, std::uint64_t n, const Place& out) {
    if (n == 0) return;
    const Range tree = range_of(nodes);
    require_node_alignment(tree);
    // The kernel reads its lists from the beginning of their blocks.
    const auto is_whole = [&](const Range& range) { return range.offset == 0 && is_aligned(range, 16); };
    Lease list(slots), found(out);
    if (!is_whole(range_of(list))) {
        list = scratch(8 * n);
        copy_on_device(list.place(), slots, 8 * n);
    }
    if (!is_whole(range_of(found))) found = scratch(32 * n);
    launch_gather(*this, tree, range_of(list).memory, 2, n, range_of(found).memory);
    return_out(range_of(out), range_of(found), 32 * n);
}

void DeviceCall::scatter_nodes(const Place& nodes, std::span<const std::uint64_t> slots, const void* values,
                               const Place* old) {
    if (slots.empty()) return;
    const Range tree = range_of(nodes);
    require_node_alignment(tree);
    const Lease wanted = scratch(slots.size_bytes()), fresh = scratch(32 * slots.size());
    send(wanted.place(), slots.data(), slots.size_bytes());
    send(fresh.place(), values, 32 * slots.size());
    const std::uint64_t n = slots.size();
    if (old != nullptr) gather_nodes(nodes, wanted.place(), n, *old);
    const Kernel scatter = free_kernel(data_variant(), bodies::scatter_nodes);
    enqueue(scatter, divide_up(n, scatter.group_size),
            {tree.memory, tree.offset / 32, range_of(wanted).memory, std::uint32_t{2}, n, range_of(fresh).memory});
}

void DeviceCall::clear_nodes(const Place& nodes, std::uint64_t n) {
    constexpr std::uint64_t most = QueueDevice::zeros_bytes / Digest::size;
    const Place zeros = device().zeros().at(0);
    std::uint64_t done = std::min(n, most);
    copy_on_device(nodes, zeros, Digest::size * done);
    // The rest is filled by doubling, because each copy costs a few microseconds besides its bytes.
    while (done < n) {
        const std::uint64_t more = std::min(done, n - done);
        copy_on_device(at_node(nodes, done), nodes, Digest::size * more);
        done += more;
    }
}

}  // namespace merklize::runtime
