#include "runtime/queue/fatbins.hpp"

namespace merklize::runtime {

std::span<const Fatbin> fatbins() noexcept { return {}; }

}  // namespace merklize::runtime
