#include "jobs/field.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "merklize/core/goldilocks.h"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

std::uint64_t word_at(const void* words, std::size_t i) noexcept {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const char*>(words) + 8 * i, 8);
    return word;
}

}  // namespace

std::size_t first_not_canonical(const void* words, std::size_t n) noexcept {
    // By blocks without a branch inside: valid input, the usual case, goes at memory speed.
    constexpr std::size_t block = 256;
    for (std::size_t start = 0; start < n; start += block) {
        const std::size_t end = std::min(start + block, n);
        bool any = false;
        for (std::size_t i = start; i < end; i++) any |= word_at(words, i) >= MKZ_GL_P;
        if (!any) continue;
        for (std::size_t i = start; i < end; i++) {
            if (word_at(words, i) >= MKZ_GL_P) return i;
        }
    }
    return n;
}

void require_canonical(const void* words, std::size_t n, const char* what, std::uint64_t first_index) {
    const std::size_t i = first_not_canonical(words, n);
    if (i == n) return;
    throw Error(ErrorCode::invalid_argument,
                std::string(what) + ": word " + std::to_string(first_index + i) + " is " +
                    std::to_string(word_at(words, i)) +
                    ", not a field element: it must be below p = " + std::to_string(MKZ_GL_P));
}

}  // namespace merklize::runtime
