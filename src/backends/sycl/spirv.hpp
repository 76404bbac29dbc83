#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace merklize::sycl_plugin {

/// The module with the hint on every kernel that its code is written for vectors. Intel's compiler for processors then makes none of
/// neighbouring items, which is all that the hint does there; DPC++ takes the attribute of that name and forgets it.
std::vector<std::uint32_t> with_vector_hint(std::span<const std::uint32_t> module);

}  // namespace merklize::sycl_plugin
