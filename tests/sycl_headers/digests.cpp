// BLAKE3 digests by the headers' kernels: sizes, lanes, groups, alignment, rows, working memory.
#include "../support.hpp"
#include "runtime.hpp"

using merklize::Policy;
using sycl_headers::Bytes;
using sycl_headers::Memory;
using sycl_headers::Submit;
namespace headers = merklize::sycl::detail;

namespace {

template <Policy policy>
Bytes digest(const Bytes& data, std::size_t shift = 0) {
    Memory in(data, shift), out(32);
    const Submit submit;
    headers::hash_on<policy>(submit, "hash", in.data(), data.size(), 1, out.data(), nullptr, {}).wait();
    return out.bytes();
}

template <Policy policy>
void check_sizes(std::initializer_list<std::size_t> sizes) {
    for (const std::size_t size : sizes) {
        const Bytes data = support::pattern(size);
        const Bytes got = digest<policy>(data);
        if (got != reference::blake3(data)) {
            check::fail(__FILE__, __LINE__,
                        std::to_string(size) + " bytes, " + std::to_string(policy.lanes) + " lanes, groups of " +
                            std::to_string(policy.group_size) + ": " + support::hex(got));
        }
    }
}

constexpr std::initializer_list<std::size_t> small = {0,    1,    3,    4,    63,    64,    65,    127,   128,   1023,
                                                      1024, 1025, 2047, 2048, 2049,  3072,  3073,  4096,  4097,  5121,
                                                      7168, 8191, 8192, 8193, 16384, 16385, 31744, 31745, 102400};

// A group of g items with n lanes hashes g n chunks and merges them. Sizes one below, at and one above each of these
// edges.
template <std::uint32_t lanes, std::uint32_t group>
void check_edges() {
    constexpr Policy policy{.group_size = group, .lanes = lanes};
    constexpr std::size_t edge = std::size_t{1024} * lanes * group;
    check_sizes<policy>({edge - 1024, edge - 1, edge, edge + 1, 2 * edge - 1, 2 * edge, 2 * edge + 1, 3 * edge + 5});
}

}  // namespace

TEST("digest: one chunk an item, sizes around every edge") { check_sizes<Policy{.group_size = 4}>(small); }
TEST("digest: 2 chunks an item") { check_sizes<Policy{.group_size = 2, .lanes = 2}>(small); }
TEST("digest: 4 chunks an item") { check_sizes<Policy{.group_size = 2, .lanes = 4}>(small); }
TEST("digest: 8 chunks an item") { check_sizes<Policy{.group_size = 1, .lanes = 8}>(small); }
TEST("digest: 16 chunks an item") { check_sizes<Policy{.group_size = 2, .lanes = 16}>(small); }

TEST("digest: edges of groups") {
    check_edges<1, 1>();
    check_edges<1, 8>();
    check_edges<1, 64>();
    check_edges<2, 8>();
    check_edges<4, 16>();
    check_edges<8, 4>();
    check_edges<16, 4>();
}

TEST("digest: groups of more chunks than local memory holds leave the merging to other launches") {
    check_sizes<Policy{.group_size = 128, .lanes = 16}>({1, 1025, 100 * 1024 + 7, 2049 * 1024});
}

TEST("digest: the device's own group size") { check_sizes<Policy{}>({0, 1, 1025, 64 * 1024, 300001}); }

TEST("digest: bytes that begin anywhere") {
    const Bytes data = support::pattern(9 * 1024 + 77);
    const Bytes expected = reference::blake3(data);
    for (const std::size_t shift : {1, 2, 3, 4, 7, 8, 12, 15, 16, 33}) {
        CHECK_EQ((digest<Policy{.group_size = 4}>(data, shift)), expected);
        const bool same = digest<Policy{.group_size = 2, .lanes = 4}>(data, shift) == expected;
        CHECK(same);
    }
}

TEST("digest: messages of equal length") {
    for (const std::size_t size : {0, 1, 64, 100, 1024, 1025, 3000, 5000}) {
        for (const std::size_t n : {0, 1, 2, 7, 33}) {
            const Bytes data = support::pattern(size * n);
            Memory in(data), out(32 * n);
            const Submit submit;
            constexpr Policy policy{.group_size = 2, .lanes = 4};
            headers::hash_on<policy>(submit, "hash_rows", in.data(), size, n, out.data(), nullptr, {}).wait();
            for (std::size_t i = 0; i < n; ++i) {
                const Bytes message(data.begin() + static_cast<std::ptrdiff_t>(i * size),
                                    data.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
                CHECK_EQ(out.part(32 * i, 32), reference::blake3(message));
            }
        }
    }
}

TEST("digest: in the caller's working memory, and no byte beyond it") {
    constexpr Policy policy{.group_size = 2, .lanes = 2};
    auto& queue = sycl_headers::Runtime::get().queue;
    for (const std::size_t size : {1, 4096, 4097, 50000, 123456}) {
        const Bytes data = support::pattern(size);
        const std::size_t bytes = merklize::sycl::hash_scratch_bytes<policy>(queue, size);
        Memory in(data), out(64), scratch(bytes + 64);
        const Submit submit;
        headers::hash_on<policy>(submit, "hash_rows", in.data(), size, 1, out.data(), scratch.data(), {}).wait();
        CHECK_EQ(out.part(0, 32), reference::blake3(data));
        CHECK_EQ(out.part(32, 32), Bytes(32, 0xa5));
        CHECK_EQ(scratch.part(bytes, 64), Bytes(64, 0xa5));
    }
}

TEST("digest: after events, on a queue out of order") {
    auto& queue = sycl_headers::Runtime::get().queue;
    const Bytes data = support::pattern(300000);
    Memory in(Bytes(data.size(), 0)), out(32);
    const Submit submit;
    const auto filled = queue.memcpy(in.data(), data.data(), data.size());
    headers::hash_on<Policy{}>(submit, "hash", in.data(), data.size(), 1, out.data(), nullptr, {filled}).wait();
    CHECK_EQ(out.bytes(), reference::blake3(data));
}

TEST("digest: bad arguments") {
    Memory out(64);
    const Submit submit;
    CHECK_ERROR(invalid_argument, "must be aligned to 16 bytes, but is off by 4",
                headers::hash_on<Policy{}>(submit, "hash", nullptr, 0, 1, out.data() + 4, nullptr, {}));
}
