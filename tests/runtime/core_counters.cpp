// Counters and indices of kernels near the end of their words. The kernels are plain functions here.
#include <merklize/core/port.h>

#define MKZ_HASH_LIST "runtime/core_counters.h"
#define MKZ_ONLY 264  // MKZ_ONLY_HASH_ROWS + MKZ_ONLY_HASH_EACH
#define MKZ_ENTRY(name) [[maybe_unused]] static void name
#define MKZ_THIS_ITEM() (mkz_work_item{0, 0, 0, 1})
#include <merklize/core/entry.h>

#include <cstdint>
#include <cstring>

#include <sys/mman.h>

#include "child.hpp"
#include "support.hpp"

// The rate is the first word of the constants, and there are no rounds, so there are two steps of half a row each. The
// test runs in a child, because a counter that overflows never ends.
TEST("core_counters: a row of almost 2^32 words ends") {
    CHECK_EQ(child::in_fork([] {
                 const mkz_u64 table[64] = {mkz_u64{1} << 31};
                 mkz_u32 word = 7, out[8] = {};
                 mkz_hash_rows_poseidon2_given_babybear_16(&word, 0, 0, 0, UINT32_MAX, out, 0, 1, table);
                 return 0;
             }),
             0);
}

// All messages except the last have no chunks, so the last one has the first slot. Memory that is not touched costs
// nothing.
TEST("core_counters: the table of more than 2^31 messages") {
    constexpr mkz_u64 n = (mkz_u64{1} << 31) + 1, words = 3 * n + 1;
    void* const memory =
        ::mmap(nullptr, 8 * words, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::cout << "not tested: no address space of " << 8 * words << " bytes" << std::endl;
        return;
    }
    auto* const table = static_cast<mkz_u64*>(memory);
    const support::Bytes message = support::pattern(100);
    table[n] = 1;
    table[2 * n] = 0;  // where it begins
    table[3 * n] = message.size();
    const mkz_key iv = {
        {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    mkz_u32 values[8] = {}, out[8] = {};
    mkz_hash_each_blake3(message.data(), table, 0, static_cast<mkz_u32>(n), values, out, 1 - n, iv, 0, 0);
    ::munmap(memory, 8 * words);
    support::Digest digest;
    std::memcpy(digest.bytes.data(), out, 32);
    CHECK_EQ(digest, merklize::hash(std::as_bytes(std::span(message))));
}
