// The installed core at compile time: known answers as static_asserts, in plain scalar C++ and without the library. The
// answers are those of tests/vectors (winter-crypto, official BLAKE3).

#include <array>
#include <cstddef>
#include <cstdint>

#include <merklize/core/hashes/blake3.h>
#include <merklize/core/hashes/rp64_256_v1.h>
#include <merklize/core/hashes/rp64_256_v2.h>
#include <merklize/core/hashes/rp64_256_v3.h>
#include <merklize/core/hashes/sha256_rfc6962.h>
#include <merklize/core/words/monty31.h>

namespace {

using Words8 = std::array<mkz_u32, 8>;
using Words4 = std::array<mkz_u64, 4>;

constexpr Words8 blake3_merge(const Words8& left, const Words8& right) {
    Words8 out{};
    mkz_blake3_merge(out.data(), left.data(), right.data());
    return out;
}

// BLAKE3 of the empty input: one block of no bytes that is first, last and root.
constexpr Words8 blake3_empty() {
    Words8 out{};
    const std::array<mkz_u32, 16> block{};
    mkz_blake3_iv(out.data());
    mkz_blake3_compress(out.data(), block.data(), 0, 0, 0, mkz_blake3_block_flags(0, 1, MKZ_BLAKE3_ROOT));
    return out;
}

static_assert(blake3_merge({}, {}) ==
              Words8{0x7669004d, 0x96866a63, 0x30a609d9, 0xad1a08a4, 0xf8507c4d, 0x04eefd1a, 0x50f00b02, 0x556aab86});
static_assert(
    blake3_merge({0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c},
                 {0x23222120, 0x27262524, 0x2b2a2928, 0x2f2e2d2c, 0x33323130, 0x37363534, 0x3b3a3938, 0x3f3e3d3c}) ==
    Words8{0x4171ed4e, 0xd45c4aea, 0x6b6088b7, 0xe2463fd2, 0xac9caf12, 0x7ddcaceb, 0xc76d4c1f, 0x981b51f2});
static_assert(blake3_empty() ==
              Words8{0xb94913af, 0xa6a1f9f5, 0xea4d40a0, 0x49c9dc36, 0xc925cb9b, 0xb712c1ad, 0xca939acc, 0x62321fe4});

// keyed_hash of 64 zeros under the key of the bytes 0, 1, ... 31: package blake3 1.0.11.
constexpr Words8 blake3_keyed() {
    const Words8 key{0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c};
    Words8 out{};
    const Words8 node{};
    mkz_blake3_merge_keyed(out.data(), node.data(), node.data(), key.data(), MKZ_BLAKE3_KEYED_HASH);
    return out;
}
static_assert(blake3_keyed() ==
              Words8{0x321c3a25, 0x6d16fc3f, 0x2755b690, 0xc9f6fb96, 0x4aecd12f, 0xe51dab2f, 0xc18fa53b, 0x4c9c307c});

// SHA-256 of "abc", FIPS 180-4's first example, and of a node of zeros, RFC 6962: hashlib.
constexpr Words8 sha256_abc() {
    Words8 out{};
    const std::array<mkz_u32, 16> block{0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24};
    mkz_sha256_iv(out.data());
    mkz_sha256_compress(out.data(), block.data());
    return out;
}
static_assert(sha256_abc() ==
              Words8{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad});
constexpr Words8 sha256_merge(const Words8& left, const Words8& right) {
    Words8 out{};
    mkz_sha256_rfc6962_merge(out.data(), left.data(), right.data());
    return out;
}
static_assert(sha256_merge({}, {}) ==
              Words8{0xd09807ae, 0xb7d2aeec, 0xbfdeed78, 0xa571f018, 0x5836c561, 0xce765ec0, 0xca27ccde, 0x77c5dbfb});
static_assert(mkz_sha256_rfc6962_blocks(54) == 1 && mkz_sha256_rfc6962_blocks(55) == 2 &&
              mkz_sha256_rfc6962_blocks(118) == 2);

// The greatest sum that mkz_m31_sum takes: 32 (p - 1) = p - 32.
constexpr mkz_u32 sum_of_greatest(mkz_u32 p) {
    std::array<mkz_u32, 32> cells{};
    for (mkz_u32& cell : cells) cell = p - 1;
    return mkz_m31_sum(cells.data(), 32, p);
}
static_assert(sum_of_greatest(0x78000001) == 0x78000001 - 32 && sum_of_greatest(0x7f000001) == 0x7f000001 - 32);

using Merge = void (*)(mkz_u64*, const mkz_u64*, const mkz_u64*);

constexpr Words4 rescue_merge(Merge merge, const Words4& left, const Words4& right) {
    Words4 out{};
    merge(out.data(), left.data(), right.data());
    return out;
}

constexpr Words4 zeros{};
constexpr Words4 largest{MKZ_GL_P - 1, MKZ_GL_P - 1, MKZ_GL_P - 1, MKZ_GL_P - 1};

static_assert(rescue_merge(mkz_rp64_256_v1_merge, zeros, zeros) ==
              Words4{14452157619644050059U, 4830124549019675512U, 16611292076502256579U, 10651436594796362482U});
static_assert(rescue_merge(mkz_rp64_256_v1_merge, largest, largest) ==
              Words4{13405372525003378842U, 5933155077913823583U, 7842950849224378321U, 13085282907212618618U});
static_assert(rescue_merge(mkz_rp64_256_v1_merge, {0, 1, 2, 3}, {4, 5, 6, 7})[0] == 17817756578466965241U);
static_assert(rescue_merge(mkz_rp64_256_v2_merge, zeros, zeros) ==
              Words4{2108689039183244322U, 7027299085429351286U, 5805293857393376337U, 15474466969501152750U});
static_assert(rescue_merge(mkz_rp64_256_v2_merge, largest, largest) ==
              Words4{10625021611745576645U, 17328702951623712515U, 1957290589756664357U, 4778232242245871752U});
static_assert(rescue_merge(mkz_rp64_256_v2_merge, {0, 1, 2, 3}, {4, 5, 6, 7})[0] == 17844572457132686446U);
static_assert(rescue_merge(mkz_rp64_256_v3_merge, zeros, zeros) ==
              Words4{14241590595577346877U, 13320606106853856250U, 13303861308640222486U, 9233990305047322442U});
static_assert(rescue_merge(mkz_rp64_256_v3_merge, largest, largest) ==
              Words4{15399898579500746641U, 9557023301275100757U, 17376076780398351378U, 6443643409427349928U});
static_assert(rescue_merge(mkz_rp64_256_v3_merge, {0, 1, 2, 3}, {4, 5, 6, 7})[0] == 2688511591005434316U);

// Ten elements: a full block and a partial one.
constexpr Words4 rescue_ten() {
    constexpr std::array<mkz_u64, 10> elements = {321185344347008281U,   9025767413470341925U,  18401741336045667486U,
                                                  18355219021438120586U, 10414541445717612256U, 11110677707962357007U,
                                                  14755570177125250278U, 17160226059011214551U, 6790621135367464579U,
                                                  1072939202914545638U};
    std::array<mkz_u64, MKZ_RP_WIDTH> state{};
    Words4 out{};
    mkz_rp64_256_v3_init(state.data(), elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        mkz_rp64_256_v3_add(state.data(), static_cast<int>(i % 8), elements[i]);
        if (i == 7 || i == 9) mkz_rp64_256_v3_permute(state.data());
    }
    mkz_rp64_256_v3_digest(out.data(), state.data());
    return out;
}
static_assert(rescue_ten() ==
              Words4{12744620966221740306U, 11064904104581748879U, 3595996828966066201U, 17293469973965035206U});

static_assert(mkz_gl_canonical(MKZ_GL_P) == 0 && mkz_gl_canonical(~std::uint64_t{0}) == 0xfffffffe);
static_assert(mkz_gl_canonical(mkz_gl_mul(MKZ_GL_P - 1, MKZ_GL_P - 1)) == 1);
static_assert(mkz_gl_canonical(mkz_gl_add(MKZ_GL_P - 1, MKZ_GL_P - 1)) == MKZ_GL_P - 2);

}  // namespace
