#include "hashes/sha256_instructions.hpp"

#include <cstdlib>
#include <string_view>
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include "host/features.hpp"

namespace merklize::runtime {

extern const Sha256Instructions sha256_x86, sha256_arm;

namespace {

const Sha256Instructions* choose_sha256() noexcept {
    const char* wish = std::getenv("MERKLIZE_CPU_SHA");
    if (wish != nullptr && std::string_view(wish) == "0") return nullptr;
#if defined(__x86_64__)
    if (cpu_features().sha) return &sha256_x86;
#elif defined(__aarch64__) && defined(__linux__)
    constexpr unsigned long has_sha2 = 1 << 6;
    if ((getauxval(AT_HWCAP) & has_sha2) != 0) return &sha256_arm;
#endif
    return nullptr;
}

}  // namespace

const Sha256Instructions* sha256_instructions() noexcept {
    static const Sha256Instructions* const chosen = choose_sha256();
    return chosen;
}

}  // namespace merklize::runtime
