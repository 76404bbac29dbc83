#include "programs/fatbins.hpp"

namespace merklize::runtime {

std::span<const Fatbin> fatbins() noexcept { return {}; }

}  // namespace merklize::runtime
