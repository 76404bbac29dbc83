// The field of Rescue Prime in PTX, at words whose carries random words meet once in 2^32 times.
#include <string>
#include <vector>

#include "fixture.hpp"
#include "programs/variant.hpp"

namespace {

using namespace table;

constexpr std::uint64_t p = 0xffffffff00000001, e = 0xffffffff;

const char* kernel_of_all_pairs = R"(
extern "C" __global__ void all_pairs(const mkz_u64* words, mkz_u32 n, mkz_u64* out) {
    mkz_u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n) return;
    mkz_u64 x = words[i / n], y = words[i % n];
    out[4 * i] = mkz_gl_canonical(mkz_gl_reduce(x, y));
    out[4 * i + 1] = mkz_gl_canonical(mkz_gl_mul(x, y));
    out[4 * i + 2] = mkz_gl_canonical(mkz_gl_square(x));
    out[4 * i + 3] = mkz_gl_canonical(mkz_gl_add(x, mkz_gl_canonical(y)));
}
)";

// Words around every power and multiple that carries, and words for which e h0 - h1 is 0, -1, 2^64 or 2^64 + 2^32 m.
std::vector<std::uint64_t> edges() {
    std::vector<std::uint64_t> words;
    for (const std::uint64_t middle : {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 32,
                                       std::uint64_t{1} << 33, std::uint64_t{1} << 63, p, p - e, 2 * e}) {
        for (std::uint64_t d = 0; d < 5; d++) words.push_back(middle + d - 2);
    }
    for (const std::uint64_t half : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{0x80000000}, e - 1, e}) {
        words.push_back(half << 32);
        words.push_back(half << 32 | e);
        words.push_back(-e * half);
        words.push_back(-e * half + (std::uint64_t{7} << 32));
        words.push_back(-e * half - 1);
    }
    return words;
}

}  // namespace

TEST("cuda: field arithmetic in PTX is right at its edges") {
    constexpr std::uint32_t group = 64;
    const Program built = build((merklize::runtime::text_of({.hash = MKZ_HASH_rp64_256_v3,
                                                             .only = merklize::runtime::bodies::merge_pairs.only,
                                                             .policy = merklize::runtime::group_of(group)},
                                                            {.language = MKZ_LANGUAGE_CUDA}) +
                                 kernel_of_all_pairs)
                                    .c_str());
    const std::vector<std::uint64_t> words = edges();
    const auto n = static_cast<std::uint32_t>(words.size());
    const Stream stream = open_stream();
    const Memory in = allocate(8 * n), out = allocate(32 * n * n);
    write(stream, in, words);
    need(launch(stream, kernel(built, "all_pairs"), (n * n + group - 1) / group, group, nullptr, in, n, out));
    const auto results = read<std::uint64_t>(stream, out, std::size_t{4} * n * n);
    __extension__ using Wide = unsigned __int128;
    const auto modulo = [](Wide x) { return static_cast<std::uint64_t>(x % p); };
    for (std::uint32_t i = 0; i < n * n; i++) {
        const std::uint64_t x = words[i / n], y = words[i % n];
        CHECK_EQ(results[4 * i], modulo(Wide{y} << 64 | x));
        CHECK_EQ(results[4 * i + 1], modulo(Wide{x} * y));
        CHECK_EQ(results[4 * i + 2], modulo(Wide{x} * x));
        CHECK_EQ(results[4 * i + 3], modulo(Wide{x} + y % p));
    }
}
