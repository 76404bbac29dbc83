#include "backends/sycl/spirv.hpp"

#include <algorithm>

namespace merklize::sycl_plugin {

// The SPIR-V specification has the numbers, and the order of a module: entry points, and right after them their
// execution modes.
std::vector<std::uint32_t> with_vector_hint(std::span<const std::uint32_t> module) {
    constexpr std::uint32_t entry_point = 15, execution_mode = 16, kernel_model = 6, vec_type_hint = 30;
    constexpr std::uint32_t uint2 = 2 << 16 | 2;  // any vector type will do
    constexpr std::size_t header = 5;
    std::vector<std::uint32_t> modes;
    std::size_t end = 0;  // of the entry points
    for (std::size_t at = header, size = 0; at < module.size(); at += size) {
        size = std::max(module[at] >> 16, 1U);
        if ((module[at] & 0xffff) != entry_point || size < 3 || size > module.size() - at) continue;
        end = at + size;
        if (module[at + 1] == kernel_model)
            modes.insert(modes.end(), {4 << 16 | execution_mode, module[at + 2], vec_type_hint, uint2});
    }
    std::vector<std::uint32_t> hinted(module.begin(), module.end());
    hinted.insert(hinted.begin() + static_cast<std::ptrdiff_t>(end), modes.begin(), modes.end());
    return hinted;
}

}  // namespace merklize::sycl_plugin
