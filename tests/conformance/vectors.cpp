// Known answers in the common form: tests/vectors/NAME.json of a hash, with "merges" (left, right, digest) and "leaves"
// (record, digest), and "roots" (leaves, root), all hexadecimal. Both the reference and the library must give them,
// alone and in each lane.

#include <cstring>

#include "json.hpp"
#include "merklize/core/hashes/eidos.h"
#include "merklize/core/hashes/eidos_v0.h"
#include "support.hpp"

using merklize::Mode;
using namespace support;

TEST("vectors: merges and leaves of every hash that has some") {
    for (const merklize::HashTraits& t : merklize::hashes()) {
        if (!is_wanted(t)) continue;
        const std::filesystem::path path = MERKLIZE_VECTORS "/" + std::string(t.name) + ".json";
        if (!std::filesystem::exists(path)) continue;
        const json::Value file = json::read(path.string());
        const int id = static_cast<int>(t.hash);
        const auto of = [&](const char* name) {
            const auto found = file.members.find(name);
            return found != file.members.end() ? found->second.items : std::vector<json::Value>();
        };
        for (const json::Value& test : of("merges")) {
            const Bytes left = from_hex(test["left"].text), right = from_hex(test["right"].text);
            CHECK_EQ(hex(reference::merge(id, left, right)), test["digest"].text);
            CHECK_EQ(merklize::merge(to_digest(left), to_digest(right), t.hash).hex(), test["digest"].text);
            for (const std::size_t n : {1u, 7u, 16u, 33u}) {
                const std::vector<Digest> l(n, to_digest(left)), r(n, to_digest(right));
                std::vector<Digest> out(n);
                merklize::merge(l, r, out, t.hash);
                for (const Digest& digest : out) CHECK_EQ(digest.hex(), test["digest"].text);
            }
        }
        for (const json::Value& test : of("leaves")) {
            const Bytes record = from_hex(test["record"].text);
            CHECK_EQ(hex(reference::leaf(id, record)), test["digest"].text);
            for (const std::size_t n : {1u, 7u, 33u}) {
                Bytes records;
                for (std::size_t i = 0; i < n; ++i) records.insert(records.end(), record.begin(), record.end());
                std::vector<Digest> out(n);
                merklize::hash_leaves(view(records), record.size(), out, t.hash);
                for (const Digest& digest : out) CHECK_EQ(digest.hex(), test["digest"].text);
            }
        }
        for (const json::Value& test : of("roots")) {
            std::vector<Digest> leaves;
            for (const json::Value& leaf : test["leaves"].items) leaves.push_back(to_digest(from_hex(leaf.text)));
            CHECK_EQ(merklize::MerkleTree(leaves, t.hash).root().hex(), test["root"].text);
        }
    }
}

// The crate's chaining values as leaves: the tree without the flag ROOT, and the digest of the message with it.
TEST("vectors: trees of blake3_parent are those inside digests of BLAKE3") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/blake3_parent.json");
    CHECK_EQ(file["roots"].items.size(), 9u);
    for (const json::Value& test : file["roots"].items) {
        std::vector<Digest> values;
        for (const json::Value& leaf : test["leaves"].items) values.push_back(to_digest(from_hex(leaf.text)));
        const merklize::MerkleTree tree(values, Hash::blake3_parent);
        CHECK_EQ(merklize::value_of_pieces(values).hex(), test["root"].text);
        const auto below_root = tree.level(tree.height() - 1);
        CHECK_EQ(merklize::digest_of_pieces(below_root).hex(), test["digest"].text);
        CHECK_EQ(merklize::digest_of_pieces(values).hex(), test["digest"].text);
        for (std::size_t i = 0; i < values.size(); i++) CHECK(merklize::verify(tree.prove(i), tree.root()));
        CHECK(!merklize::verify(tree.prove(0), to_digest(from_hex(test["digest"].text))));
    }
    for (const json::Value& test : file["merges"].items) {
        const std::vector<Digest> pair = {to_digest(from_hex(test["left"].text)),
                                          to_digest(from_hex(test["right"].text))};
        CHECK_EQ(merklize::digest_of_pieces(pair).hex(), test["as_root"].text);
    }
}

TEST("vectors: BLAKE2s by hashlib, under keys and of every length") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/blake2s.json");
    const auto mode_of = [](const Bytes& key) { return key.empty() ? Mode() : Mode::keyed(view(key), Hash::blake2s); };
    CHECK_EQ(file["messages"].items.size(), 192u);
    for (const json::Value& test : file["messages"].items) {
        const Bytes message = from_hex(test["message"].text), key = from_hex(test["key"].text);
        const std::string digest = test["digest"].text;
        Bytes out(digest.size() / 2);
        merklize::hash_message(view(message), view(out), {Hash::blake2s, mode_of(key)});
        CHECK_EQ(hex(out), digest);
        CHECK_EQ(hex(reference::blake2s(message, out.size(), key)), digest);
    }
    for (const json::Value& test : file["keyed_merges"].items) {
        const Bytes key = from_hex(test["key"].text);
        const Digest left = to_digest(from_hex(test["left"].text)), right = to_digest(from_hex(test["right"].text));
        CHECK_EQ(merklize::merge(left, right, Hash::blake2s, mode_of(key)).hex(), test["digest"].text);
        const std::vector<Digest> l(33, left), r(33, right);
        std::vector<Digest> out(33);
        merklize::merge(l, r, out, Hash::blake2s, mode_of(key));
        for (const Digest& digest : out) CHECK_EQ(digest.hex(), test["digest"].text);
    }
    for (const json::Value& test : file["keyed_leaves"].items) {
        const Bytes key = from_hex(test["key"].text), record = from_hex(test["record"].text);
        Bytes records;
        for (std::size_t i = 0; i < 33; ++i) records.insert(records.end(), record.begin(), record.end());
        std::vector<Digest> out(33);
        merklize::hash_leaves(view(records), record.size(), out, Hash::blake2s, mode_of(key));
        for (const Digest& digest : out) CHECK_EQ(digest.hex(), test["digest"].text);
    }
}

TEST("vectors: Eidos's compression by miden-crypto") {
    for (const char* name : {"eidos", "eidos_v0"}) {
        const json::Value file = json::read(MERKLIZE_VECTORS "/" + std::string(name) + ".json");
        CHECK(!file["compress"].items.empty());
        for (const json::Value& test : file["compress"].items) {
            const Bytes start = from_hex(test["cv"].text), block = from_hex(test["block"].text);
            std::uint32_t cv[8], m[16];
            std::memcpy(cv, start.data(), sizeof cv);
            std::memcpy(m, block.data(), sizeof m);
            if (name == std::string_view("eidos"))
                mkz_eidos_compress(cv, m);
            else
                mkz_eidos_v0_compress(cv, m);
            Digest digest;
            std::memcpy(digest.bytes.data(), cv, sizeof cv);
            CHECK_EQ(digest.hex(), test["digest"].text);
        }
    }
}
