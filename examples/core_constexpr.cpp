// The portable core at compile time: the functions that run in kernels give constants here. Needs no library.
#include <array>
#include <cstdio>

#include <merklize/core/hashes/rp64_256_v3.h>

namespace {

using Element4 = std::array<mkz_u64, 4>;

constexpr Element4 merge(const Element4& left, const Element4& right) {
    Element4 out{};
    mkz_rp64_256_v3_merge(out.data(), left.data(), right.data());
    return out;
}

// A verifier that starts from a tree of zeros can have all roots of such trees as constants.
constexpr Element4 pair = merge({}, {});
constexpr Element4 root = merge(pair, pair);
static_assert(pair ==
              Element4{14241590595577346877U, 13320606106853856250U, 13303861308640222486U, 9233990305047322442U});

}  // namespace

int main() {
    std::printf("root of four zero leaves, known at compile time:");
    for (const mkz_u64 word : root) std::printf(" %llu", word);
    std::printf("\n");
}
