// BLAKE3 of few states by rows, and chains of blocks, compared with the portable block function of the core.

#include "host/blake3/rows.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "host/blake3/digest.hpp"
#include "host/features.hpp"
#include "merklize/core/hashes/blake3.h"
#include "support.hpp"

using merklize::runtime::blake3_chain;
using merklize::runtime::blake3_digest;
using merklize::runtime::Blake3Chain;
using reference::Bytes;
using support::Random;

namespace {

using Words = std::array<std::uint32_t, 8>;

Words random_words(Random& random) {
    Words words;
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
    return words;
}

Words expected(Words cv, const std::uint8_t* blocks, std::size_t n, std::uint64_t counter, std::uint32_t flags,
               std::uint32_t start, std::uint32_t end, std::uint32_t bytes = 64) {
    for (std::size_t b = 0; b < n; b++) {
        std::uint32_t m[16];
        std::memcpy(m, blocks + 64 * b, sizeof m);
        mkz_blake3_compress(cv.data(), m, static_cast<std::uint32_t>(counter),
                            static_cast<std::uint32_t>(counter >> 32), bytes,
                            flags | (b == 0 ? start : 0) | (b + 1 == n ? end : 0));
    }
    return cv;
}

// Any counters, and those whose low words are about to pass 2^32.
constexpr std::uint64_t counters[] = {0, 1, 0xfffffffe, 0xffffffff, 0x123456789abcdef0, UINT64_MAX - 3};

template <class Chain>
void check_chains(const Chain& chain) {
    Random random(1);
    for (std::size_t n = 0; n <= 17; n++) {
        for (const std::uint64_t counter : counters) {
            const Bytes bytes = random.bytes(64 * n + 1);
            const Words key = random_words(random);
            const auto flags = static_cast<std::uint32_t>(random()), length = static_cast<std::uint32_t>(random() % 65);
            Words cv = key;
            chain(cv.data(), {bytes.data() + 1, n, counter, flags & 0x70, 1, 2, length});
            CHECK_EQ(cv, expected(key, bytes.data() + 1, n, counter, flags & 0x70, 1, 2, length));
        }
    }
}

}  // namespace

TEST("blake3_rows: digests of any length, by the calling thread") {
    Random random(3);
    const merklize::Digest key = merklize::Digest::from_words({random(), random(), random(), random()});
    for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 2048u, 3072u, 5000u, 8192u, 100'000u}) {
        const Bytes bytes = random.bytes(n);
        CHECK_EQ(blake3_digest(support::view(bytes)), merklize::hash(support::view(bytes)));
        CHECK_EQ(blake3_digest(support::view(bytes)).hex(), support::hex(reference::blake3(bytes)));
        CHECK_EQ(blake3_digest(support::view(bytes), &key),
                 merklize::hash(support::view(bytes), merklize::Mode::keyed(key.bytes)));
    }
}

TEST("blake3_rows: chains of blocks") { check_chains(blake3_chain); }

#if defined(__x86_64__)
namespace {

void check_rows(const merklize::runtime::Blake3Rows& rows) {
    check_chains(rows.chain);
    Random random(2);
    for (std::size_t n = 1; n <= rows.most; n++) {
        for (const std::uint64_t counter : counters) {
            const Bytes bytes = random.bytes(1024 * n + 1);
            const std::uint8_t* in = bytes.data() + 1;
            const Words key = random_words(random);
            const auto flags = static_cast<std::uint32_t>(random()) & 0x7f;
            // The digest after the last one must stay as it is.
            std::vector<Words> out(n + 1, Words{7}), pairs(n + 1, Words{7});
            const std::uint64_t mask = counter % 3 == 0 ? 1 : UINT64_MAX;
            rows.hash_chunks(in, n, {counter, mask}, key.data(), flags, reinterpret_cast<std::uint8_t*>(out.data()));
            rows.compress_pairs(in, n, key.data(), flags, reinterpret_cast<std::uint8_t*>(pairs.data()));
            for (std::size_t i = 0; i < n; i++) {
                CHECK_EQ(out[i], expected(key, in + 1024 * i, 16, (counter + i) & mask, flags, 1, 2));
                CHECK_EQ(pairs[i], expected(key, in + 64 * i, 1, 0, flags, 0, 0));
            }
            CHECK_EQ(out[n], Words{7});
            CHECK_EQ(pairs[n], Words{7});
            // In place.
            Bytes both(in, in + 64 * n);
            rows.compress_pairs(both.data(), n, key.data(), flags, both.data());
            CHECK(std::memcmp(both.data(), pairs.data(), 32 * n) == 0);
        }
    }
}

}  // namespace

TEST("blake3_rows: chains, chunks and pairs by AVX2") {
    if (merklize::runtime::cpu_features().avx2) check_rows(merklize::runtime::blake3_rows_avx2);
}
TEST("blake3_rows: chains, chunks and pairs by AVX-512") {
    if (merklize::runtime::cpu_features().avx512) check_rows(merklize::runtime::blake3_rows_avx512);
}
#endif
