// Strided arrays on a device: packed by a kernel, an item of up to 16 bytes each.
#include <algorithm>
#include <bit>

#include "host/invalid.hpp"
#include "queue/device_call.hpp"

namespace merklize::runtime {
namespace {

constexpr std::size_t most_dimensions = 8;

// The kernels' argument of this form (core/h, mkz_strides).
struct Strides {
    std::uint64_t extent[most_dimensions];
    std::int64_t stride_bytes[most_dimensions];
    std::uint32_t dims;
    std::uint32_t item_bytes;
};

}  // namespace

void StridedArray::coalesce(std::uint64_t align) {
    std::vector<std::uint64_t> e;
    std::vector<std::int64_t> s;
    for (std::size_t k = 0; k < extents.size(); k++) {
        if (extents[k] == 1) continue;
        // The slower dimension steps over exactly this one, so the two are merged into one.
        if (!e.empty() && s.back() == strides[k] * static_cast<std::int64_t>(extents[k])) {
            e.back() *= extents[k];
            s.back() = strides[k];
        } else {
            e.push_back(extents[k]);
            s.push_back(strides[k]);
        }
    }
    if (e.empty()) {
        e.push_back(1);
        s.push_back(item_bytes);
    }
    // Contiguous items are merged into one larger item.
    const auto fits = [&](std::uint64_t bytes) {
        return align % bytes == 0 && std::all_of(s.begin(), s.end() - 1, [&](std::int64_t stride) {
                   return stride % static_cast<std::int64_t>(bytes) == 0;
               });
    };
    while (item_bytes < 16 && e.back() % 2 == 0 && s.back() == item_bytes && fits(2 * item_bytes)) {
        item_bytes *= 2;
        e.back() /= 2;
        s.back() *= 2;
    }
    extents = std::move(e);
    strides = std::move(s);
}

void DeviceCall::gather_strided(const Place& source, StridedArray array, const Place& out) {
    const Range in = range_of(moved(source, array.first));
    std::uint64_t align = 16;
    while (!is_aligned(in, align)) align /= 2;
    array.first = 0;
    array.coalesce(align);
    if (array.extents.size() > most_dimensions) {
        invalid("a strided array of " + std::to_string(array.extents.size()) + " dimensions; at most " +
                std::to_string(most_dimensions) + " that do not lie together");
    }
    Strides shape{{}, {}, static_cast<std::uint32_t>(array.extents.size()), array.item_bytes};
    std::copy(array.extents.begin(), array.extents.end(), shape.extent);
    std::copy(array.strides.begin(), array.strides.end(), shape.stride_bytes);
    std::uint64_t items = 1;
    for (const std::uint64_t extent : array.extents) items *= extent;
    const bool is_even = align % array.item_bytes == 0;
    const Kernel gather = free_kernel(data_variant(is_even ? 16 : 1), bodies::gather_strided);
    enqueue(gather, divide_up(items, gather.group_size),
            {in.memory, in.offset, static_cast<mkz_memory*>(out.pointer), out.offset, shape, std::uint64_t{0}, items});
}

}  // namespace merklize::runtime
