// SHA-256 with RFC 6962's prefixes, and leaves of every hash, against vectors of hashlib and the plain reference.

#include <cstring>

#include "asked_often.hpp"
#include "hashes/merge_one.hpp"
#include "json.hpp"
#include "support.hpp"

using namespace support;
using merklize::Mode;

namespace {

std::vector<Digest> leaves_of(const Bytes& records, std::size_t bytes, std::size_t n, Hash hash, const Mode& mode = {},
                              unsigned n_threads = 2) {
    std::vector<Digest> out(n);
    merklize::hash_leaves(view(records), bytes, out, hash, mode, threads(n_threads));
    return out;
}

/// Messages that a hash takes: of a field hash, words below p.
Bytes records_for(Hash hash, std::size_t bytes, std::size_t n) {
    Random random(bytes * 1000 + n);
    const merklize::HashTraits& t = merklize::traits(hash);
    return t.is_field ? random_elements(t, bytes * n, random) : random.bytes(bytes * n);
}

const json::Value& vectors() {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/sha256_rfc6962.json");
    return file;
}

}  // namespace

TEST("sha256: leaves of hashlib, every length around the ends of blocks") {
    for (const json::Value& test : vectors()["messages"].items) {
        const std::size_t length = test["input_len"].number;
        const Bytes message = pattern(length);
        CHECK_EQ(hex(reference::sha256(message)), test["sha256"].text);
        // The message in each lane, with other messages in the other lanes.
        for (const std::size_t n : {1u, 3u, 17u}) {
            Bytes records;
            for (std::size_t i = 0; i < n; i++) records.insert(records.end(), message.begin(), message.end());
            for (std::size_t i = 0; i < records.size(); i++) {
                if (n > 1 && length != 0 && i / length != n / 2)
                    records[i] ^= static_cast<std::uint8_t>(1 + i / length);
            }
            CHECK_EQ(leaves_of(records, length, n, Hash::sha256_rfc6962)[n == 1 ? 0 : n / 2].hex(), test["leaf"].text);
        }
    }
}

TEST("sha256: merges of hashlib") {
    for (const json::Value& test : vectors()["merges"].items) {
        const Bytes left = from_hex(test["left"].text), right = from_hex(test["right"].text);
        const std::string& expected = test["digest"].text;
        CHECK_EQ(hex(reference::merge(static_cast<int>(Hash::sha256_rfc6962), left, right)), expected);
        CHECK_EQ(merklize::merge(to_digest(left), to_digest(right), Hash::sha256_rfc6962).hex(), expected);
        for (const std::size_t n : {1u, 8u, 16u, 21u}) {
            const std::vector<Digest> l(n, to_digest(left)), r(n, to_digest(right));
            std::vector<Digest> out(n);
            merklize::merge(l, r, out, Hash::sha256_rfc6962);
            for (const Digest& digest : out) CHECK_EQ(digest.hex(), expected);
        }
    }
}

TEST("sha256: the trees of Certificate Transparency's tests") {
    std::vector<Digest> nodes;
    for (const json::Value& leaf : vectors()["rfc6962_leaves"].items) {
        const Bytes record = from_hex(leaf.text);
        nodes.push_back(leaves_of(record, record.size(), 1, Hash::sha256_rfc6962)[0]);
    }
    const std::vector<json::Value>& roots = vectors()["rfc6962_roots"].items;
    CHECK_EQ(roots.size(), std::size_t{8});
    CHECK_EQ(nodes[0].hex(), roots[0].text);
    const auto merged = [](const Digest& l, const Digest& r) { return merklize::merge(l, r, Hash::sha256_rfc6962); };
    for (std::size_t n = 2; n <= roots.size(); n++) {
        std::vector<Digest> level(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(n));
        while (level.size() > 1) {
            std::vector<Digest> above;
            for (std::size_t i = 0; i < level.size(); i += 2)
                above.push_back(i + 1 < level.size() ? merged(level[i], level[i + 1]) : level[i]);
            level = above;
        }
        CHECK_EQ(level[0].hex(), roots[n - 1].text);
    }
}

TEST("leaves: every hash and mode, of records of any length") {
    const Bytes key = Random(7).bytes(32);
    const std::string context = "merklize tests 2026-11-21 leaves";
    struct Leaves {
        Hash hash;
        Mode mode{};
        reference::Mode witness{};
    };
    std::vector<Leaves> all;
    for (const merklize::HashTraits& t : hashes_here()) all.push_back({t.hash});
    all.push_back({Hash::blake3, Mode::keyed(view(key)), {.key = key}});
    all.push_back({Hash::blake3, Mode::derive_key(context), {.context = context}});
    const Bytes short_key(key.begin(), key.begin() + 3);
    all.push_back({Hash::blake2s, Mode::keyed(view(short_key), Hash::blake2s), {.key = short_key}});
    for (const Leaves& leaves : all) {
        const bool is_field = merklize::traits(leaves.hash).is_field;
        for (const std::size_t bytes :
             {0, 1, 8, 32, 54, 55, 56, 63, 64, 65, 72, 118, 119, 120, 128, 200, 1000, 1024, 3000}) {
            for (const std::size_t n : {1, 2, 8, 17, 33}) {
                if (is_field && (bytes % 8 != 0 || bytes > 200 || n > 17)) continue;
                const Bytes records = records_for(leaves.hash, bytes, n);
                const std::vector<Digest> found = leaves_of(records, bytes, n, leaves.hash, leaves.mode);
                for (std::size_t i = 0; i < n; i++) {
                    const auto at = records.begin() + static_cast<std::ptrdiff_t>(i * bytes);
                    const Bytes record(at, at + static_cast<std::ptrdiff_t>(bytes));
                    CHECK_EQ(hex(to_bytes(found[i])),
                             hex(reference::leaf(static_cast<int>(leaves.hash), record, leaves.witness)));
                }
            }
        }
        CHECK(leaves_of({}, 8, 0, leaves.hash).empty());
    }
}

TEST("leaves: records need no alignment, and long ones are cancelled") {
    const Bytes data = Random(9).bytes(17 * 100 + 3);
    for (std::size_t offset = 0; offset < 4; offset++) {
        const auto from = data.begin() + static_cast<std::ptrdiff_t>(offset);
        const Bytes records(from, from + 1700);
        std::vector<Digest> out(17);
        merklize::hash_leaves(view(data).subspan(offset, 1700), 100, out, Hash::sha256_rfc6962);
        CHECK_EQ(out, leaves_of(records, 100, 17, Hash::sha256_rfc6962));
    }
    // One long message, which can be cancelled only between its blocks; and many messages, on any device.
    const AskedOften often;
    const Bytes large(96 << 20);
    merklize::RunOptions options = threads(1);
    options.progress = [](double) { return false; };
    std::vector<Digest> out(1);
    options.device = merklize::Device("cpu");
    CHECK_ERROR(cancelled, "",
                merklize::hash_leaves(view(large), large.size(), out, Hash::sha256_rfc6962, {}, options));
    options.device = merklize::Device();
    out.resize(large.size() / 65536);
    CHECK_ERROR(cancelled, "", merklize::hash_leaves(view(large), 65536, out, Hash::sha256_rfc6962, {}, options));
}

TEST("leaves: sizes, modes and words that do not fit") {
    std::vector<Digest> two(2);
    const Bytes data(64);
    CHECK_ERROR(invalid_argument, "hash_leaves: word 3 is 18446744073709551615, not a field element",
                merklize::hash_leaves(view([] {
                                          static Bytes bad(64);
                                          std::memset(bad.data() + 24, 0xff, 8);
                                          return std::ref(bad);
                                      }()
                                               .get()),
                                      32, two, Hash::rp64_256));
}
