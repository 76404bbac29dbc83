// Formats of one file or list, compared with recorded answers. tests/vectors/sha256_trees.json and keccak256_trees.json
// name the programs.
#include "merklize/file_formats.hpp"

#include <cstring>

#include "json.hpp"
#include "merklize/openzeppelin.hpp"
#include "support.hpp"

using namespace support;
using merklize::BitTorrentFile;
using merklize::OpenZeppelinTree;

namespace {

std::vector<Digest> chunks_of(Bytes data) {
    data.resize((data.size() + 31) / 32 * 32);
    std::vector<Digest> chunks(data.size() / 32);
    if (!data.empty()) std::memcpy(chunks.data(), data.data(), data.size());
    return chunks;
}

/// The cases of a variant and an operation.
std::vector<json::Value> cases(const char* file, const std::string& variant, const std::string& op) {
    const json::Value all = json::read(std::string(MERKLIZE_VECTORS "/") + file);
    std::vector<json::Value> found;
    for (const json::Value& one : all.items) {
        if (one.members.contains("op") && one["variant"].text == variant && one["op"].text == op) found.push_back(one);
    }
    CHECK(!found.empty());
    return found;
}

Digest digest_of(const json::Value& hex) {
    return *Digest::from_hex(hex.text.starts_with("0x") ? hex.text.substr(2) : hex.text);
}

std::vector<Digest> digests_of(const json::Value& list) {
    std::vector<Digest> out;
    for (const json::Value& one : list.items) out.push_back(digest_of(one));
    return out;
}

}  // namespace

TEST("formats: fs_verity by the program fsverity") {
    const TemporaryFolder folder;
    for (const json::Value& test : cases("sha256_trees.json", "fs_verity", "digest")) {
        if (test["alg"].text != "sha256" || test["data"].text != "counter") continue;
        const Bytes data = pattern(test["n"].number), salt = from_hex(test["salt"].text);
        const merklize::FsVerity how{static_cast<std::uint32_t>(test["block_size"].number), view(salt)};
        CHECK_EQ(merklize::fs_verity(view(data), how).hex(), test["digest"].text);
        CHECK_EQ(merklize::fs_verity_file(folder.write("data", data), how).hex(), test["digest"].text);
    }
    // More bytes than one read takes, and more than one copy takes.
    const Bytes large = Random(1).bytes((33 << 20) + 5), salt = {1, 2, 3};
    for (const std::span<const std::byte> salted : {std::span<const std::byte>(), view(salt)}) {
        CHECK_EQ(merklize::fs_verity_file(folder.write("data", large), {65536, salted}),
                 merklize::fs_verity(view(large), {65536, salted}));
    }
    CHECK_ERROR(io, "nowhere", merklize::fs_verity_file("/nowhere/file"));
}

TEST("formats: glacier by botocore, bittorrent_v2 by libtorrent") {
    for (const json::Value& test : cases("sha256_trees.json", "glacier", "tree_hash")) {
        if (test["data"].text == "counter")
            CHECK_EQ(merklize::glacier(view(pattern(test["n"].number))).hex(), test["root"].text);
    }
    for (const json::Value& test : cases("sha256_trees.json", "bittorrent_v2", "pieces_root")) {
        if (test["data"].text != "counter") continue;
        const Bytes data = pattern(test["n"].number);
        const BitTorrentFile file = merklize::bittorrent_v2(view(data), test["piece_length"].number);
        CHECK(file.root && file.root->hex() == test["pieces_root"].text);
        const std::uint64_t piece = test["piece_length"].number;
        CHECK_EQ(file.layers.size(), data.size() > piece ? (data.size() + piece - 1) / piece : 0);
        Bytes layers;
        for (const Digest& node : file.layers) {
            const Bytes bytes = to_bytes(node);
            layers.insert(layers.end(), bytes.begin(), bytes.end());
        }
        if (test.members.contains("piece_layer_sha256"))
            CHECK_EQ(hex(reference::sha256(layers)), test["piece_layer_sha256"].text);
        if (test.members.contains("piece_layer") && test["piece_layer"].items.empty())
            CHECK_EQ(hex(layers), test["piece_layer"].text);
    }
    CHECK(!merklize::bittorrent_v2({}).root);
}

TEST("formats: ssz by remerkleable") {
    for (const json::Value& test : cases("sha256_trees.json", "ssz", "merkleize")) {
        std::optional<std::uint64_t> limit;
        if (test["limit"].text != "null") limit = test["limit"].number;
        const std::vector<Digest> chunks = test.members.contains("leaves_hex")
                                               ? digests_of(test["leaves_hex"])
                                               : chunks_of(pattern(32 * test["n"].number));
        CHECK_EQ(merklize::ssz(chunks, limit).hex(), test["root"].text);
    }
    for (const json::Value& test : cases("sha256_trees.json", "ssz", "list_bytes32")) {
        const std::uint64_t n = test["n"].number;
        CHECK_EQ(merklize::ssz(chunks_of(pattern(32 * n)), test["limit"].number, n).hex(), test["root"].text);
    }
    for (const json::Value& test : cases("sha256_trees.json", "ssz", "list_uint64")) {
        Bytes data;
        for (std::uint64_t k = 0; k < test["n"].number; ++k) {
            for (unsigned i = 0; i < 64; i += 8)
                data.push_back(static_cast<std::uint8_t>(k * 0x9e3779b97f4a7c15u >> i));
        }
        const std::uint64_t limit = test["limit"].number / 4 + (test["limit"].number % 4 != 0);
        CHECK_EQ(merklize::ssz(chunks_of(data), limit, test["n"].number).hex(), test["root"].text);
    }
}

TEST("formats: trees of @openzeppelin/merkle-tree") {
    for (const json::Value& test : cases("keccak256_trees.json", "oz_simple", "merkle_root")) {
        const std::vector<Digest> leaves = test.members.contains("leaves_hex")
                                               ? digests_of(test["leaves_hex"])
                                               : chunks_of(pattern(32 * test["n"].number));
        const OpenZeppelinTree tree(leaves, test["sort_leaves"].text == "true");
        CHECK_EQ("0x" + tree.root().hex(), test["root"].text);
        if (!test.members.contains("tree")) continue;
        std::vector<std::uint64_t> places;
        for (std::size_t i = 0; i < leaves.size(); ++i) places.push_back(tree.tree_index(i));
        const OpenZeppelinTree loaded(leaves, places);
        CHECK(std::ranges::equal(loaded.nodes(), tree.nodes()));
        CHECK_EQ(loaded.prove(0), tree.prove(0));
        CHECK_EQ(std::vector(tree.nodes().begin(), tree.nodes().end()), digests_of(test["tree"]));
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const std::vector<Digest> proof = tree.prove(i);
            CHECK_EQ(proof, digests_of(test["proofs"].items[i]));
            CHECK(merklize::verify_openzeppelin(proof, tree.root(), leaves[i]));
            CHECK_EQ(merklize::verify_openzeppelin(proof, tree.root(), leaves[(i + 1) % leaves.size()]),
                     leaves.size() == 1);
            CHECK_EQ(tree.nodes()[tree.tree_index(i)], leaves[i]);
        }
        if (!test.members.contains("multiproof")) continue;
        const json::Value& expected = test["multiproof"];
        const auto several = tree.prove_together(expected["indices"].numbers());
        CHECK_EQ(several.leaves, digests_of(expected["leaves"]));
        CHECK_EQ(several.proof, digests_of(expected["proof"]));
        CHECK_EQ(several.flags.size(), expected["proofFlags"].items.size());
        for (std::size_t i = 0; i < several.flags.size(); ++i)
            CHECK_EQ(several.flags[i] ? "true" : "false", expected["proofFlags"].items[i].text);
    }
    // abi.encode(address 0x1111 (k + 1), uint256 1000000007 k).
    for (const json::Value& test : cases("keccak256_trees.json", "oz_standard", "merkle_root")) {
        std::vector<Bytes> values;
        for (std::uint64_t k = 0; k < test["n"].number; ++k) {
            Bytes& encoded = values.emplace_back(64);
            for (unsigned i = 0; i < 8; ++i) {
                encoded[31 - i] = static_cast<std::uint8_t>(0x1111 * (k + 1) >> (8 * i));
                encoded[63 - i] = static_cast<std::uint8_t>(1000000007 * k >> (8 * i));
            }
        }
        std::vector<std::span<const std::byte>> views;
        for (const Bytes& one : values) views.push_back(view(one));
        const std::vector<Digest> leaves = merklize::openzeppelin_leaves(views);
        CHECK_EQ("0x" + OpenZeppelinTree(leaves).root().hex(), test["root"].text);
    }
    const Bytes data = pattern(1000);
    std::vector<std::span<const std::byte>> views;
    for (const std::size_t length : {64, 0, 96, 64, 1, 96}) views.push_back(view(data).first(length));
    const std::vector<Digest> leaves = merklize::openzeppelin_leaves(views);
    for (std::size_t i = 0; i < views.size(); ++i) CHECK_EQ(leaves[i], merklize::openzeppelin_leaf(views[i]));
    const OpenZeppelinTree three(chunks_of(pattern(96)));
    const std::uint64_t twice[] = {1, 1};
    CHECK_ERROR(invalid_argument, "takes each index once", three.prove_together(twice));
    CHECK_EQ(three.prove_together({}).proof, std::vector{three.root()});
    for (const std::vector<std::uint64_t>& places :
         {std::vector<std::uint64_t>{2, 3}, {2, 3, 3}, {1, 2, 3}, {2, 3, 5}}) {
        CHECK_ERROR(invalid_argument, "tree_indices of 3 leaves must be 2 to 4, each once",
                    OpenZeppelinTree(std::span(leaves).first(3), places));
    }
}
