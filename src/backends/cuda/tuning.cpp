#include "backends/cuda/tuning.hpp"

namespace merklize::cuda {
namespace {

// Values to begin with, chosen by reasoning and not yet measured. A group of 256 threads divides the registers of a
// multiprocessor evenly. BLAKE3's merges are bound by memory, so a launch takes as many levels as fit a group's shared memory;
// a field hash computes for so long that a level a launch costs it nothing.
constexpr mkz_tuning blake3 = {
    .levels_per_launch = 8, .group_size = 256, .lanes = 1, .constants = MKZ_CONSTANTS_CONSTANT};
constexpr mkz_tuning field = {
    .levels_per_launch = 1, .group_size = 256, .lanes = 1, .constants = MKZ_CONSTANTS_CONSTANT};

void fill(std::uint32_t& value, std::uint32_t from) {
    if (value == 0) value = from;
}

}  // namespace

void tune(std::uint32_t, mkz_kernel, std::uint32_t hash, std::uint64_t, std::uint32_t, mkz_tuning* tuning) noexcept {
    const mkz_tuning& row = hash == MKZ_HASH_blake3 ? blake3 : field;
    fill(tuning->levels_per_launch, row.levels_per_launch);
    fill(tuning->group_size, row.group_size);
    fill(tuning->lanes, row.lanes);
    fill(tuning->constants, row.constants);
}

}  // namespace merklize::cuda
