// Keys and seeds leave no copy in the memory of the process: after the call, and when the object that has one is gone.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer keeps stacks on the heap
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "default_device.hpp"
#include "jobs/progress.hpp"
#include "merklize/merklize.h"
#include "merklize/xmss.hpp"
#include "support.hpp"

using namespace support;
using merklize::Device;
using merklize::RunOptions;
using reference::Bytes;

namespace {

// A secret, and what is looked for in its place: the secret inverted.
struct Secret {
    explicit Secret(std::uint64_t seed, std::size_t n) : inverted(Random(seed).bytes(n)), bytes(n) { fill(); }
    ~Secret() { wipe(); }
    Secret(const Secret&) = delete;
    Secret& operator=(const Secret&) = delete;

    void fill() {
        for (std::size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<std::uint8_t>(~inverted[i]);
    }
    void wipe() {
        std::ranges::fill(bytes, std::uint8_t{0});
        __asm__ volatile("" : : "r"(bytes.data()) : "memory");
    }
    // How often any 16 bytes of it lie in the memory of this process that can be written, but for where they are
    // looked for.
    std::size_t copies() const {
        std::ifstream maps("/proc/self/maps"), memory("/proc/self/mem", std::ios::binary);
        std::size_t found = 0;
        std::vector<char> read;
        for (std::string line; std::getline(maps, line);) {
            unsigned long long begin = 0, end = 0;
            char flags[5] = {};
            if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, flags) != 3 || flags[1] != 'w') continue;
            if (end - begin > (std::uint64_t{1} << 30) || line.find("[v") != std::string::npos) continue;
            read.resize(end - begin);
            memory.clear();
            memory.seekg(static_cast<std::streamoff>(begin));
            memory.read(read.data(), static_cast<std::streamsize>(read.size()));
            const auto n = static_cast<std::size_t>(memory.gcount());
            for (std::size_t i = 0; i + part <= n; i++) found += is_part(&read[i]);
            std::ranges::fill(read, '\0');  // growth leaves no copy behind
        }
        return found;
    }

    Bytes inverted, bytes;

private:
    static constexpr std::size_t part = 16;

    std::size_t is_part(const char* at) const {
        std::uint64_t words[2], wanted[2];
        std::memcpy(words, at, sizeof words);
        for (std::size_t i = 0; i < inverted.size(); i += part) {
            std::memcpy(wanted, &inverted[i], sizeof wanted);
            if (~words[0] == wanted[0] && ~words[1] == wanted[1]) return 1;
        }
        return 0;
    }
};

// Where the device is a processor, its memory is memory of this process, too. PoCL's threads keep the private memory of
// the last items on their stacks (SECURITY.md).
bool is_processor() {
    const std::string device = Device().info().name;
    return device.starts_with("pthread-") || device.starts_with("cpu-");
}

}  // namespace

TEST("secrets: no copy of a seed of XMSS stays in memory") {
    if (is_processor()) return;
    Secret seeds(7, 64);
    const Bytes message(32, 11);
    {
        const std::vector<merklize::xmss::Key> made = merklize::xmss::keys(seeds.bytes, 40, 90);
        made[1].sign(77, message);
        made[0].path(50);
        CHECK(seeds.copies() >= 8);  // the caller's and the keys': it sees them
    }
    RunOptions options;
    options.progress = [](double) { return false; };
    const int before = merklize::runtime::tick_milliseconds.exchange(0);
    CHECK_ERROR(cancelled, "cancelled", merklize::xmss::keys(seeds.bytes, 0, UINT32_MAX, options));
    merklize::runtime::tick_milliseconds = before;
    seeds.wipe();
    CHECK_EQ(seeds.copies(), 0u);
}

// What the C API promises, and Rust, which calls it.
TEST("secrets: no copy of a key of a hash stays in memory") {
    Secret key(8, 32);
    const Bytes data = Random(9).bytes(4 << 20);
    std::vector<merklize_digest> out(1 << 16);
    const auto* const nodes = reinterpret_cast<const merklize_digest*>(data.data());
    merklize_device* cpu = nullptr;
    CHECK_EQ(merklize_device_open("cpu", &cpu), MERKLIZE_OK);
    merklize_run_options options{};
    options.device = cpu;
    for (const merklize_hash_id hash : {MERKLIZE_HASH_blake3, MERKLIZE_HASH_blake2s}) {
        using Call = std::function<merklize_status(const merklize_mode* mode)>;
        const auto bytes = [&](std::size_t n) -> Call {
            return [&, n](const merklize_mode* mode) {
                return merklize_hash(merklize_view_bytes(data.data(), n), hash, mode, 0, out[0].bytes, 32, &options);
            };
        };
        const auto rows = [&](std::size_t n) -> Call {
            return [&, n](const merklize_mode* mode) {
                return merklize_hash_leaves(merklize_view_bytes(data.data(), 64 * n), 64, hash, mode,
                                            merklize_output_digests(out.data(), n), &options);
            };
        };
        const auto pairs = [&](std::size_t n) -> Call {
            return [&, n](const merklize_mode* mode) {
                const merklize_view left = merklize_view_digests(nodes, n);
                return merklize_merge(left, left, hash, mode, merklize_output_digests(out.data(), n), &options);
            };
        };
        const auto leaves = [&](std::size_t n) -> Call {
            return [&, n](const merklize_mode* mode) {
                merklize_form form{};
                form.hash = hash;
                form.mode = mode;
                return merklize_merkle_root(merklize_view_digests(nodes, n), &form, out.data(), &options);
            };
        };
        for (const Call& call : {bytes(0), bytes(65), bytes(1025), bytes(data.size()), rows(1), rows(5),
                                 rows(out.size()), pairs(1), pairs(5), pairs(out.size()), leaves(300)}) {
            key.fill();
            merklize_mode mode{};
            mode.key = key.bytes.data();
            mode.key_bytes = key.bytes.size();
            CHECK_EQ(call(&mode), MERKLIZE_OK);
            key.wipe();
            CHECK_EQ(key.copies(), 0u);
        }
    }
    merklize_device_free(cpu);
}
#endif
