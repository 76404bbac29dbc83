#include "runtime/registry.hpp"

namespace merklize::cpu {
extern const mkz_backend backend;
}

namespace merklize::runtime {

std::span<const mkz_backend* const> backends() noexcept {
    static const mkz_backend* const all[] = {&cpu::backend};
    return all;
}

}  // namespace merklize::runtime
