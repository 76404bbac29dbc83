#include "backends/opencl/tuning.hpp"

#include <algorithm>

#include "backends/opencl/device.hpp"

namespace merklize::opencl {
namespace {

// Values to begin with, chosen by reasoning and not yet measured.
// GPUs: groups of 256 are a multiple of every vendor's width. A group of 256 has all items at work in the first 9 of its
// levels, and the last ones are a small part of the merges.
constexpr mkz_tuning gpu = {.levels_per_launch = 8, .group_size = 256, .lanes = 1, .constants = MKZ_CONSTANTS_CONSTANT};
// Processors run a group's items one after another, or as lanes of vectors, and keep its nodes in a core's cache.
constexpr mkz_tuning processor = {
    .levels_per_launch = 8, .group_size = 64, .lanes = 1, .constants = MKZ_CONSTANTS_CONSTANT};

void fill(std::uint32_t& value, std::uint32_t from) {
    if (value == 0) value = from;
}

}  // namespace

void tune(std::uint32_t device, mkz_kernel, std::uint32_t, std::uint64_t, std::uint32_t, mkz_tuning* tuning) noexcept {
    const mkz_tuning* row = &gpu;
    std::uint32_t most_items = gpu.group_size;
    guarded([&] {
        const mkz_driver_facts& facts = device_of(device).driver_facts;
        if (facts.is_cpu != 0) row = &processor;
        most_items = facts.max_group_size;
    });
    fill(tuning->levels_per_launch, row->levels_per_launch);
    fill(tuning->group_size, std::min(row->group_size, most_items));
    fill(tuning->lanes, row->lanes);
    fill(tuning->constants, row->constants);
}

}  // namespace merklize::opencl
