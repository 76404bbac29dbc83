// BLAKE3 digests: one-shot, streaming and batched, against the official vectors and the plain reference.

#include <algorithm>
#include <cstring>

#include "json.hpp"
#include "support.hpp"

using namespace support;
using merklize::Hasher;
using merklize::Mode;

namespace {

Bytes output(const Bytes& data, std::size_t length = 32, std::uint64_t seek = 0, const Mode& mode = {},
             unsigned n_threads = 0) {
    Bytes out(length);
    merklize::hash(view(data), view(out), seek, mode, threads(n_threads));
    return out;
}

Bytes digest(const Hasher& hasher, std::size_t length = 32, std::uint64_t seek = 0) {
    Bytes out(length);
    hasher.digest(view(out), seek);
    return out;
}

/// A mode of the library, and the same mode for the reference.
struct Modes {
    const char* name;
    Mode mode;
    reference::Mode witness;
};

std::vector<Modes> all_modes() {
    const Bytes key = Random(7).bytes(32);
    const std::string context = "merklize tests 2026-11-20 conformance context";
    return {{"hash", {}, {}},
            {"keyed_hash", Mode::keyed(view(key)), {.key = key}},
            {"derive_key", Mode::derive_key(context), {.context = context}}};
}

/// Sizes around every edge of blocks, chunks, groups of lanes, pieces and reads, up to `limit` bytes.
std::vector<std::size_t> edges(std::size_t limit) {
    std::vector<std::size_t> out;
    for (std::size_t base = 4096; base <= limit; base *= 2) {
        for (const std::size_t size :
             {base - 1, base, base + 1, base + 1023, base + 1024, base + 1025, base * 3 / 2 + 1}) {
            if (size <= limit + 1025) out.push_back(size);
        }
    }
    return out;
}

}  // namespace

TEST("blake3: official vectors") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/blake3.json");
    const std::string& key = file["key"].text;
    const Mode keyed = Mode::keyed(view(Bytes(key.begin(), key.end())));
    const Mode derive = Mode::derive_key(file["context_string"].text);
    for (const json::Value& test : file["cases"].items) {
        const Bytes data = pattern(test["input_len"].number);
        CHECK_EQ(hex(output(data, 131)), test["hash"].text);
        CHECK_EQ(hex(output(data, 131, 0, keyed)), test["keyed_hash"].text);
        CHECK_EQ(hex(output(data, 131, 0, derive)), test["derive_key"].text);
        CHECK_EQ(merklize::hash(view(data)).hex(), test["hash"].text.substr(0, 64));
        Hasher hasher(keyed);
        hasher.update(view(data));
        CHECK_EQ(hex(digest(hasher, 131)), test["keyed_hash"].text);
    }
}

TEST("blake3: every length from 0 to 3072, every mode") {
    const Bytes data = Random(1).bytes(3072);
    for (const Modes& m : all_modes()) {
        Hasher growing(m.mode);
        for (std::size_t n = 0; n <= data.size(); ++n) {
            const Bytes part(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(n));
            const Bytes expected = reference::blake3(part, 32, 0, m.witness);
            CHECK_EQ(hex(output(part, 32, 0, m.mode)), hex(expected));
            CHECK_EQ(hex(digest(growing)), hex(expected));
            CHECK_EQ(growing.count(), n);
            if (n < data.size()) growing.update(view(data).subspan(n, 1));
        }
    }
}

TEST("blake3: edges, with 1 to 5 threads") {
    const Bytes data = Random(2).bytes((2 << 20) + 1025);
    unsigned n_threads = 1;
    for (const Modes& m : all_modes()) {
        for (const std::size_t size : edges(2 << 20)) {
            const Bytes part(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
            const std::string expected = hex(reference::blake3(part, 32, 0, m.witness));
            n_threads = n_threads % 5 + 1;
            CHECK_EQ(hex(output(part, 32, 0, m.mode, n_threads)), expected);
            // Two updates. The first may have any size, so the second starts anywhere in a chunk.
            Hasher hasher(m.mode, threads(n_threads));
            const std::size_t first = Random(size).below(size);
            hasher.update(view(part).first(first));
            hasher.update(view(part).subspan(first));
            CHECK_EQ(hex(digest(hasher)), expected);
        }
    }
}

TEST("blake3: unaligned input and output") {
    const Bytes data = Random(3).bytes(40000);
    for (std::size_t offset = 1; offset < 9; ++offset) {
        const Bytes part(data.begin() + static_cast<std::ptrdiff_t>(offset), data.end());
        Bytes out(109 + offset);
        merklize::hash(view(data).subspan(offset), view(out).subspan(offset));
        CHECK_EQ(hex(Bytes(out.begin() + static_cast<std::ptrdiff_t>(offset), out.end())),
                 hex(reference::blake3(part, 109)));
    }
}

TEST("blake3: extendable output from any position") {
    for (const std::size_t size : {0u, 1u, 64u, 1024u, 1025u, 5000u}) {
        const Bytes data = Random(4).bytes(size);
        const Bytes whole = reference::blake3(data, 5000);
        CHECK_EQ(hex(output(data, 5000)), hex(whole));
        Random random(size);
        for (int i = 0; i < 200; ++i) {
            const std::size_t seek = random.below(4000), length = random.below(1000);
            const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(seek);
            CHECK_EQ(hex(output(data, length, seek)), hex(Bytes(begin, begin + static_cast<std::ptrdiff_t>(length))));
        }
        // Around the places where the low word of the block counter carries, and at the far end.
        for (const std::uint64_t seek : {std::uint64_t{1} << 38, (std::uint64_t{1} << 38) - 100, UINT64_MAX - 2000}) {
            CHECK_EQ(hex(output(data, 1500, seek)), hex(reference::blake3(data, 1500, seek)));
        }
    }
}

TEST("blake3: streaming in pieces of random size") {
    Random random(5);
    for (int round = 0; round < 100; ++round) {
        const Bytes data = random.bytes(random.below(300000));
        Hasher hasher({}, threads(1 + static_cast<unsigned>(random.below(4))));
        for (std::size_t at = 0; at < data.size();) {
            const std::size_t piece =
                std::min(data.size() - at, random.below(std::size_t{1} << (1 + random.below(17))));
            hasher.update(view(data).subspan(at, piece));
            at += piece;
        }
        CHECK_EQ(hex(digest(hasher)), hex(output(data)));
        CHECK_EQ(hasher.count(), data.size());
    }
}

TEST("blake3: Hasher copies, moves and resets") {
    const Bytes head = pattern(5000), tail = Random(6).bytes(3000);
    Bytes both = head;
    both.insert(both.end(), tail.begin(), tail.end());
    Hasher a;
    a.update(view(head));
    Hasher b = a;
    b.update(view(tail));
    CHECK_EQ(hex(digest(a)), hex(reference::blake3(head)));
    CHECK_EQ(hex(digest(b)), hex(reference::blake3(both)));
    CHECK_EQ(hex(digest(b, 100, 37)), hex(reference::blake3(both, 100, 37)));
    a = b;
    CHECK_EQ(hex(digest(a)), hex(reference::blake3(both)));
    Hasher c = std::move(a);
    CHECK_EQ(hex(digest(c)), hex(reference::blake3(both)));
    c.reset();
    CHECK_EQ(c.count(), 0u);
    CHECK_EQ(hex(digest(c)), hex(reference::blake3({})));
    c.update(view(head));
    CHECK_EQ(c.digest().hex(), hex(reference::blake3(head)));
}

TEST("blake3: rows") {
    Random random(8);
    for (const Modes& m : all_modes()) {
        for (const std::size_t size :
             {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 1023, 1024, 1025, 2048, 2049, 4096, 5000, 8192}) {
            for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33}) {
                const Bytes data = random.bytes(n * size);
                Bytes out(n * 32);
                support::hash_messages(view(data), size, view(out), m.mode);
                for (std::size_t i = 0; i < n; ++i) {
                    const auto row = data.begin() + static_cast<std::ptrdiff_t>(i * size);
                    const Bytes expected =
                        reference::blake3(Bytes(row, row + static_cast<std::ptrdiff_t>(size)), 32, 0, m.witness);
                    CHECK(std::memcmp(out.data() + i * 32, expected.data(), 32) == 0);
                }
            }
        }
    }
}

TEST("blake3: more rows than one piece") {
    for (const auto& [n, size] : {std::pair{10007, 64}, {300, 2048}, {17, 65536}, {5, 131072}}) {
        const auto rows = static_cast<std::size_t>(n), bytes = static_cast<std::size_t>(size);
        const Bytes data = Random(9).bytes(rows * bytes);
        Bytes out(rows * 32);
        support::hash_messages(view(data), bytes, view(out), {}, threads(3));
        for (std::size_t i = 0; i < rows; ++i) {
            const auto row = data.begin() + static_cast<std::ptrdiff_t>(i * bytes);
            CHECK(std::memcmp(out.data() + i * 32, reference::blake3(Bytes(row, row + size)).data(), 32) == 0);
        }
    }
}
