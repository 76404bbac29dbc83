// Formats of trees, compared with recorded answers of the systems that verify them. tests/vectors/sha256_trees.json
// names the programs.
#include "merklize/formats.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <ranges>

#include "json.hpp"
#include "merklize/piece_cid.hpp"
#include "merklize/tree_builder.hpp"
#include "merklize/tree_file.hpp"
#include "support.hpp"

using namespace support;
using merklize::Format;
using merklize::TreeForm;

namespace {

// Byte i is i mod 251.
std::vector<Digest> counter_leaves(std::size_t n) {
    const Bytes data = pattern(32 * n);
    std::vector<Digest> leaves;
    for (std::size_t i = 0; i < n; i++) leaves.push_back(to_digest(Bytes(&data[32 * i], &data[32 * i] + 32)));
    return leaves;
}

std::string root_of(const std::vector<Digest>& leaves, Format format) {
    return merklize::MerkleTree(leaves, merklize::form_of(format)).root().hex();
}

// The leaves of the data's blocks.
std::string root_of_pieces(const Bytes& data, Format format) {
    const merklize::FormatTraits& facts = merklize::traits(format);
    std::vector<Digest> leaves;
    for (std::size_t at = 0; at < data.size(); at += facts.piece_size) {
        const auto piece = view(data).subspan(at, std::min<std::size_t>(facts.piece_size, data.size() - at));
        leaves.emplace_back();
        merklize::hash_leaves(piece, piece.size(), std::span(&leaves.back(), 1), facts.hash);
    }
    return root_of(leaves, format);
}

}  // namespace

TEST("formats: roots by btcd, remerkleable, libtorrent and botocore") {
    CHECK_EQ(root_of(counter_leaves(1), Format::bitcoin),
             "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    CHECK_EQ(root_of(counter_leaves(2), Format::bitcoin),
             "01c9f464780a1b6af4eb400fe2f2896cfb2169f5a65701439e4c2c4e213903ef");
    CHECK_EQ(root_of(counter_leaves(3), Format::bitcoin),
             "0f6b9b5e8830cbc1c43ff4237038db1d5d710b68c4776758dccbb43917e390e5");
    CHECK_EQ(root_of(counter_leaves(7), Format::bitcoin),
             "bbc867ab6936a8600b2635d116154682c6ef4e668f77d663a17d7395ef8ec6b2");
    CHECK_EQ(root_of(counter_leaves(8), Format::bitcoin),
             "9edf8cbc25647b023fd64948951e793e7abbbe94479dd20bda533f162bae8218");
    CHECK_EQ(root_of(counter_leaves(33), Format::bitcoin),
             "bd5c1b2c5abe86fff41fcf0d748a028379ae126125e3f575900fcc7302a3a4c3");
    CHECK_EQ(root_of(counter_leaves(1), Format::ssz),
             "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    CHECK_EQ(root_of(counter_leaves(2), Format::ssz),
             "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108");
    CHECK_EQ(root_of(counter_leaves(3), Format::ssz),
             "17c8d5caa3d7162e8dada90de6e741783f3d73736498c11eba34974fbf5464f3");
    CHECK_EQ(root_of(counter_leaves(5), Format::ssz),
             "b1fdebab7dccbd4a59572baf6281eae7a1ff2924f61e7ed413252f5f609e5de3");
    CHECK_EQ(root_of(counter_leaves(33), Format::ssz),
             "5ccb6a31e6eed08a546671f4bd05306880a4a82e4b80b88ced5c016992ad0294");
    CHECK_EQ(root_of_pieces(pattern(1), Format::bittorrent_v2),
             "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    CHECK_EQ(root_of_pieces(pattern(16385), Format::bittorrent_v2),
             "9d7887c65d577a0237fb3c0998b87b3a62762d03796889a2caea01db914ccbb8");
    CHECK_EQ(root_of_pieces(pattern(81921), Format::bittorrent_v2),
             "3960b8795a1921af5e02e44cd951a9edf944c1170187afbb81775f8b28b62f66");
    CHECK_EQ(root_of_pieces(pattern(200000), Format::bittorrent_v2),
             "94a0ae6905b904d1eedf8230d3245a46735b4a4800bfa682c0ffca34a1e4786c");
    CHECK_EQ(root_of_pieces(pattern(1), Format::glacier),
             "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
    CHECK_EQ(root_of_pieces(pattern(1000), Format::glacier),
             "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d");
    CHECK_EQ(root_of_pieces(pattern(1048575), Format::glacier),
             "8b55c6a2d3444092a316985030e00c1e6f8608eaf912c896dee7c374d440ed11");
    CHECK_EQ(root_of_pieces(pattern(1048576), Format::glacier),
             "631b84027d6b9e52b539c4e8373622d23032dfadc64d60af87339c9037e4f769");
    CHECK_EQ(root_of_pieces(pattern(1048577), Format::glacier),
             "a9c574ce937d2371daf87cdd0e75396b096d7f74a66c764e4c656bd12b2e7bf9");
    CHECK_EQ(root_of_pieces(pattern(2097152), Format::glacier),
             "bf4dff263ae686b64403208c35a3767e38453d6477e841947588d13d04e1d816");
    CHECK_EQ(root_of_pieces(pattern(2097153), Format::glacier),
             "3123aa01ebcf47b74ddc6f0efd82c0e6680203b476c4d20c26a0c60a5b4a8181");
    CHECK_EQ(root_of_pieces(pattern(3145728), Format::glacier),
             "2e7d51c0ffe06ce95fe74beed9a4ab35d18837f4ab2a9f4f066a60359eb999a1");
}

TEST("formats: rfc6962 by transparency-dev/merkle") {
    std::vector<Digest> leaves(3);
    merklize::hash_leaves(view(pattern(96)), 32, leaves, Hash::sha256_rfc6962);
    CHECK_EQ(root_of(leaves, Format::rfc6962), "5637f26ba780a8da762393735ccdd7206d5e198a33dec95e4dec4b6c98a9d6c8");
}

TEST("formats: a list of leaves that another list can stand for is refused") {
    std::vector<Digest> leaves = counter_leaves(6);
    leaves.push_back(leaves[4]);
    leaves.push_back(leaves[5]);
    const merklize::MerkleTree tree(leaves, {merklize::Hash::sha256d, merklize::TreeRule::duplicate_last});
    CHECK_EQ(tree.root().hex(), root_of(counter_leaves(6), Format::bitcoin));
    CHECK_ERROR(invalid_argument, "the last two of the 4 nodes of level 1 are equal",
                merklize::require_unambiguous(tree, Format::bitcoin));
    merklize::require_unambiguous(tree, Format::glacier);
    merklize::require_unambiguous(merklize::MerkleTree(counter_leaves(6), merklize::form_of(Format::bitcoin)),
                                  Format::bitcoin);
}

// Every call that takes the form of a tree and leaves, from memory or from a file.
TEST("formats: a form that is unambiguous is looked at, or refused, by every call") {
    const TreeForm form = merklize::form_of(Format::bitcoin);
    TreeForm plain = form;
    plain.unambiguous = false;
    using Call = std::function<Digest(const std::vector<Digest>&, const TreeForm&)>;
    const TemporaryFolder folder;
    const auto made = folder.path() / "tree.mkl";
    const auto written = [&](const std::vector<Digest>& leaves) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(leaves.data());
        return merklize::TreeInput::leaves(folder.write("leaves", Bytes(bytes, bytes + 32 * leaves.size())));
    };
    const auto write_tree = [&](const std::vector<Digest>& leaves, const TreeForm& of, std::uint64_t n) {
        merklize::TreeWriter writer(made, n, of);
        writer.append(leaves);
        return writer.finish();
    };
    const Call whole[] = {
        [](const auto& leaves, const auto& of) { return merklize::MerkleTree(leaves, of).root(); },
        [](const auto& leaves, const auto& of) {
            return merklize::MerkleTree::from_messages(
                       leaves | std::views::transform([](const Digest& leaf) { return std::span(leaf.bytes); }), of)
                .root();
        },
        [](const auto& leaves, const auto& of) {
            return merklize::MerkleTree::from_rows(std::as_bytes(std::span(leaves)), leaves.size(), of).root();
        },
        [&](const auto& leaves, const auto& of) { return merklize::MerkleTree::from_file(written(leaves), of).root(); },
        [](const auto& leaves, const auto& of) {  // the last leaf comes later
            std::vector<Digest> others = leaves;
            others.back().bytes[0] ^= std::byte{1};
            merklize::MerkleTree tree(others, of);
            const std::uint64_t last = leaves.size() - 1;
            const Digest before = tree.root();
            try {
                tree.update({&last, 1}, {&leaves.back(), 1});
            } catch (const merklize::Error&) {
                CHECK_EQ(tree.root(), before);
                throw;
            }
            return tree.root();
        },
    };
    const Call in_parts[] = {
        [&](const auto& leaves, const auto& of) { return merklize::merkle_root_file(written(leaves), of).root; },
        [&](const auto& leaves, const auto& of) { return build_tree_file(written(leaves), made, of).root; },
        [&](const auto& leaves, const auto& of) { return write_tree(leaves, of, leaves.size()); },
        [&](const auto& leaves, const auto& of) { return write_tree(leaves, of, 0); },
        [&](const auto& leaves, const auto& of) {  // a build that was ended goes on
            {
                merklize::TreeWriter writer(made, leaves.size(), of);
                writer.append(std::span(leaves).first(leaves.size() - 1));
            }
            merklize::TreeWriter writer(made, leaves.size(), of, {}, true);
            CHECK_EQ(writer.written(), leaves.size() - 1);
            writer.append(std::span(leaves).last(1));
            return writer.finish();
        },
    };
    const std::size_t batch = 1 << 19;  // leaves that are built at once (levels/peaks.hpp)
    for (const auto& [n, copied] : std::vector<std::pair<std::size_t, std::size_t>>{
             {2, 1}, {4, 2}, {6, 1}, {8, 4}, {1008, 8}, {batch + 4, 2}, {2 * batch, batch}}) {
        const std::vector<Digest> sound = counter_leaves(n);
        std::vector<Digest> leaves = sound;
        std::copy_n(sound.end() - static_cast<std::ptrdiff_t>(2 * copied), copied,
                    leaves.end() - static_cast<std::ptrdiff_t>(copied));
        const auto check = [&, n = n, copied = copied](const Call& call) {
            std::filesystem::remove(made);
            const std::string level = "of level " + std::to_string(std::countr_zero(copied)) + " are equal";
            CHECK_ERROR(invalid_argument, level, call(leaves, form));
            CHECK(!std::filesystem::exists(made));
            CHECK(!std::filesystem::exists(made.string() + ".partial"));
            if (n > batch) return;
            call(leaves, plain);
            CHECK_EQ(call(sound, form), call(sound, plain));
        };
        for (const Call& call : in_parts) check(call);
        if (n > batch) continue;
        for (const Call& call : whole) check(call);
    }
    const Call others[] = {
        [](const auto& leaves, const auto& of) { return merklize::merkle_root(leaves, of); },
        [](const auto& leaves, const auto& of) { return merklize::MerkleTree(leaves, of, {}, 1).root(); },
        [](const auto& leaves, const auto& of) { return merklize::MerkleForest(leaves, 2, of).roots()[0]; },
        [](const auto& leaves, const auto& of) {
            std::vector<Digest> nodes(8);
            std::ranges::copy(leaves, nodes.begin() + 4);
            merklize::build_tree(nodes, of);
            return nodes[1];
        },
        [](const auto& leaves, const auto& of) {
            merklize::TreeBuilder builder(of);
            builder.append(leaves);
            return builder.root();
        },
        [](const auto& leaves, const auto& of) {
            const bool has_memory = merklize::Device().info().backend != "cpu";
            return has_memory ? merklize::merkle_root(on_device(leaves), of) : merklize::merkle_root(leaves, of);
        },
    };
    for (const Call& call : others) {
        call(counter_leaves(4), plain);
        CHECK_ERROR(invalid_argument, "MerkleTree without dropped levels, tree files and merkle_root_file() look for",
                    call(counter_leaves(4), form));
    }
}

TEST("formats: names") {
    for (const merklize::FormatTraits& t : merklize::formats()) {
        CHECK(merklize::format_from_name(t.name) == t.format);
        CHECK_EQ(merklize::traits(t.format).name, t.name);
        const TreeForm form = merklize::form_of(t.format);
        CHECK(form.hash == t.hash);
        CHECK(form.rule == t.rule);
    }
    CHECK_ERROR(invalid_argument, "unknown format number 200", merklize::traits(static_cast<Format>(200)));
}

// The package's Proof.verify accepts these paths; piece_cid() has no tree, so the roots are computed twice.
TEST("formats: proofs in Filecoin's pieces by data-segment, of leaves, of nodes and of ranges") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/sha256_trunc254.json");
    CHECK_EQ(file["pieces"].items.size(), 7u);
    const TreeForm form(merklize::Hash::sha256_trunc254, merklize::TreeRule::pad);
    for (const json::Value& piece : file["pieces"].items) {
        const Bytes data = pattern(piece["bytes"].number);
        const std::vector<Digest> leaves = merklize::piece_leaves(view(data));
        CHECK_EQ(leaves.size(), (data.size() + 126) / 127 * 4);
        const merklize::MerkleTree tree(leaves, form);
        CHECK_EQ(tree.root().hex(), piece["root"].text);
        CHECK_EQ(merklize::piece_cid(view(data)).root, tree.root());
        CHECK_EQ(std::uint64_t{tree.height()}, piece["height"].number);
        for (const json::Value& given : piece["proofs"].items) {
            const auto level = static_cast<unsigned>(given["level"].number);
            const auto nodes = tree.level(level);
            const std::uint64_t index = given["index"].number;
            if (index >= nodes.size()) continue;  // in the padding
            CHECK_EQ(nodes[index].hex(), given["node"].text);
            // Above the leaves the nodes of a level are the leaves of a tree with the same root, if zeros need no other
            // padding there.
            if (level != 0 && nodes.size() != std::size_t{1} << (tree.height() - level)) continue;
            const merklize::MerkleTree above(nodes, form);
            const merklize::MerkleProof proof = above.prove(index);
            CHECK_EQ(above.root(), tree.root());
            CHECK_EQ(proof.siblings.size(), given["path"].items.size());
            for (std::size_t i = 0; i < proof.siblings.size(); i++)
                CHECK_EQ(proof.siblings[i].hex(), given["path"].items[i].text);
            CHECK(merklize::verify(proof, tree.root(), {.leaf = nodes[index], .index = index}));
        }
        // Bytes from 127 a up to 127 b, from their own leaves.
        const std::size_t groups = leaves.size() / 4, first = groups / 3, last = std::min(groups, first + 3);
        const auto part = view(data).subspan(127 * first, std::min(data.size(), 127 * last) - 127 * first);
        merklize::MultiProof range = tree.prove_range(4 * first, 4 * last);
        CHECK(range.leaves == merklize::piece_leaves(part));
        CHECK(merklize::verify(range, tree.root(), {.n_leaves = leaves.size()}));
        range.leaves[1].bytes[3] ^= std::byte{1};
        CHECK(!merklize::verify(range, tree.root()));
    }
    CHECK(merklize::piece_leaves({}).empty());
}
