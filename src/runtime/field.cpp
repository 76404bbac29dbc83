#include "runtime/field.hpp"

#include <algorithm>

#include "merklize/core/goldilocks.h"
#include "merklize/error.hpp"

namespace merklize::runtime {

std::size_t first_not_canonical(std::span<const std::uint64_t> words) noexcept {
    // By blocks without a branch inside: valid input, the usual case, goes at memory speed.
    constexpr std::size_t block = 256;
    for (std::size_t start = 0; start < words.size(); start += block) {
        const std::size_t end = std::min(start + block, words.size());
        bool any = false;
        for (std::size_t i = start; i < end; i++) any |= words[i] >= MKZ_GL_P;
        if (!any) continue;
        for (std::size_t i = start; i < end; i++) {
            if (words[i] >= MKZ_GL_P) return i;
        }
    }
    return words.size();
}

void require_canonical(std::span<const std::uint64_t> words, const char* what, std::uint64_t first_index) {
    const std::size_t i = first_not_canonical(words);
    if (i == words.size()) return;
    throw Error(ErrorCode::invalid_argument, std::string(what) + ": word " + std::to_string(first_index + i) + " is " +
                                                 std::to_string(words[i]) + ", not a field element: it must be below p = " +
                                                 std::to_string(MKZ_GL_P));
}

}  // namespace merklize::runtime
