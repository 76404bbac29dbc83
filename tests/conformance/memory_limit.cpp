// Device::set_memory_limit(): what counts, what is freed first, and what is refused.
#include <atomic>
#include <bit>
#include <string>
#include <thread>
#include <vector>

#include "default_device.hpp"
#include "little_memory.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Stream;

TEST("memory_limit: memory that calls keep is freed when other memory needs the room") {
    if (!has_memory()) return;
    constexpr std::uint64_t n = 1 << 14, bytes = Digest::size * n;
    const std::vector<Digest> given = leaves(Hash::blake3, n, 3);
    const Buffer there = on_device(given), root(Device(), Digest::size);
    const Stream stream{Device()};
    std::uint64_t before = 0, kept = 0;
    {
        const LittleMemory little(64 * bytes);
        before = memory_in_use();
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        kept = memory_in_use() - before;
        CHECK(kept >= bytes);
        const std::uint64_t limit = memory_in_use() + bytes;
        Device().set_memory_limit(limit);
        CHECK_EQ(Device().memory_limit(), limit);
        CHECK(memory_in_use() < before + 4096);  // a flag is kept
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        CHECK(memory_in_use() >= before + kept);
        CHECK_ERROR(out_of_memory, "bytes: the device's memory limit is " + std::to_string(limit) + " bytes, of which ",
                    Buffer(Device(), 2 * bytes + kept));
        CHECK(memory_in_use() < before + 4096);
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        const Buffer more(Device(), bytes + kept / 2);
        CHECK(memory_in_use() < before + std::bit_ceil(more.size()) + 4096);  // CUDA's small blocks are powers of two
    }
    CHECK_EQ(Device().memory_limit(), std::uint64_t{0});
    const Buffer most(Device(), 64 * bytes);
}

TEST("memory_limit: it holds for allocations of several threads") {
    if (!has_memory()) return;
    constexpr std::uint64_t bytes = 1 << 20;
    const LittleMemory little(10 * bytes);
    const std::uint64_t most = Device().memory_limit();
    std::atomic<unsigned> allocated{0}, refused{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; i++) {
        threads.emplace_back([&] {
            std::vector<Buffer> buffers;
            for (unsigned k = 0; k < 100; k++) {
                try {
                    buffers.emplace_back(Device(), bytes);
                    allocated++;
                } catch (const merklize::Error& error) {
                    if (error.code() == merklize::ErrorCode::out_of_memory) refused++;
                    buffers.clear();
                }
                if (memory_in_use() > most) refused = 1u << 20;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(allocated + refused, 400u);
    CHECK(allocated >= 10 && refused > 0);
}

TEST("memory_limit: devices without memory of their own have none") {
    CHECK_ERROR(unavailable, "set_memory_limit: cpu has no memory of its own", Device("cpu").set_memory_limit(1));
    CHECK_EQ(Device("cpu").memory_limit(), std::uint64_t{0});
    if (!has_memory()) return;
    const std::string id = Device().info().id;
    CHECK_ERROR(unavailable, "set the limit of each device that has", Device("cpu," + id).set_memory_limit(1));
    Device().set_memory_limit(std::uint64_t{1} << 40);
    CHECK_EQ(Device(id).memory_limit(), std::uint64_t{1} << 40);
    CHECK_EQ(Device("cpu," + id).memory_limit(), std::uint64_t{0});
    Device().set_memory_limit(0);
}
