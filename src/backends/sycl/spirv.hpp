#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace merklize::sycl_plugin {

/// The module, with a hint on every kernel that the kernel is written for vectors. Intel's compiler for processors then
/// makes no vectors of neighbouring items; the hint has no other effect there. DPC++ accepts the attribute of that name
/// and ignores it.
std::vector<std::uint32_t> with_vector_hint(std::span<const std::uint32_t> module);

}  // namespace merklize::sycl_plugin
