// Wrong calls that tests/vectors/surface.json has not: each gives an Error with the right code, and a text with the
// numbers and names.

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support.hpp"

using namespace support;
using merklize::MerkleTree;

TEST("misuse: counts of nodes") {
    std::vector<Digest> nodes(7);
    CHECK_ERROR(invalid_argument, "got 3", merklize::build_tree(nodes, Hash::rp64_256));
    nodes.resize(6);
    CHECK_ERROR(invalid_argument, "no tree has 6 slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n",
                merklize::build_tree(nodes));
    CHECK_ERROR(invalid_argument, "no tree has 0 slots", merklize::build_tree(std::span<Digest>()));
}

namespace {

template <class Call>
merklize::Error error_of(const Call& call) {
    try {
        call();
    } catch (const merklize::Error& error) {
        return error;
    }
    throw std::logic_error("no error");
}

}  // namespace

TEST("misuse: an error has the call, the argument and the rule") {
    const auto has = [](const merklize::Error& error, const std::string& call, const std::string& argument,
                        const std::string& rule) {
        CHECK_EQ(error.call(), call);
        CHECK_EQ(error.argument(), argument);
        CHECK_EQ(std::string(error.rule()), rule);
        CHECK_EQ(std::string(error.what()), call + ": " + argument + (argument.empty() ? "" : " ") + rule);
    };
    const std::string no_leaf = "must be at least 1, got 0";
    has(error_of([] { merklize::merkle_root(std::vector<Digest>{}); }), "merkle_root", "leaves", no_leaf);
    // The outermost function is named, also by the threads that work for it.
    has(error_of([] { MerkleTree::from_rows("", 0); }), "from_rows", "n_rows", no_leaf);
    std::vector<std::uint64_t> words(std::size_t{4} << 17);
    words.back() = UINT64_MAX;
    const auto matrix = merklize::Matrix::of_rows(std::span<const std::uint64_t>(words), std::uint64_t{1} << 17);
    std::vector<Digest> out(std::size_t{1} << 17);
    merklize::RunOptions eight = on_cpu();
    eight.threads = 8;
    has(error_of([&] { merklize::hash_rows({&matrix, 1}, out, Hash::rp64_256, eight); }), "hash_rows", "",
        "row 131071, column 3 is 18446744073709551615, not a field element: it must be below p = "
        "18446744069414584321");
    // A thing that is wrong by itself has no call, and none of an earlier error.
    const merklize::Error unknown = error_of([] { merklize::hash_from_name("blake2"); });
    CHECK_EQ(unknown.call(), "");
    CHECK_EQ(unknown.argument(), "");
    CHECK_EQ(std::string(unknown.rule()), std::string(unknown.what()));
    has(error_of([] { merklize::merkle_root(std::vector<Digest>{}); }), "merkle_root", "leaves", no_leaf);
}

TEST("misuse: words that are no field elements") {
    for (const Hash hash : {Hash::rp64_256_v1, Hash::rp64_256_v2, Hash::rp64_256_v3}) {
        for (const std::uint64_t word : {p, p + 1, UINT64_MAX}) {
            const std::string got = std::to_string(word);
            std::vector<Digest> given = leaves(hash, 8192);
            given[5000] = Digest::from_words({1, 2, word, 3});
            CHECK_ERROR(invalid_argument, "word 20002 is " + got, MerkleTree(given, hash));
            std::vector<Digest> nodes(16384);
            std::copy(given.begin(), given.end(), nodes.begin() + 8192);
            CHECK_ERROR(invalid_argument, "word 20002 is " + got, merklize::build_tree(nodes, hash));
            const Digest good, bad = Digest::from_words({0, 0, 0, word});
            CHECK_ERROR(invalid_argument, "left: word 3 is " + got, merklize::merge(bad, good, hash));
            CHECK_ERROR(invalid_argument, "right: word 3 is " + got, merklize::merge(good, bad, hash));
            std::vector<std::uint64_t> rows(20), out(16);
            rows[13] = word;
            CHECK_ERROR(invalid_argument, "word 13 is " + got, support::hash_words<std::uint64_t>(rows, 5, out, hash));
        }
    }
    // blake3 takes any bytes.
    CHECK_EQ(MerkleTree(std::vector<Digest>(2, Digest::from_words({p, p, p, p}))).n_leaves(), 2u);
}

TEST("misuse: sizes that do not fit") {
    Bytes in(100), out(64);
    CHECK_ERROR(invalid_argument, "100 bytes", support::hash_messages(view(in), 49, view(out)));
    CHECK_ERROR(invalid_argument, "100 bytes", support::hash_messages(view(in), 0, view(out)));
    std::vector<std::uint64_t> rows(10), words(8);
    CHECK_ERROR(invalid_argument, "of 32 bytes each, got 80 bytes", support::hash_words<std::uint64_t>(rows, 4, words));
    CHECK_ERROR(invalid_argument, "of 0 bytes each, got 80 bytes", support::hash_words<std::uint64_t>(rows, 0, words));
    CHECK_ERROR(invalid_argument, "one for each of 2 digests", support::hash_words<std::uint64_t>(rows, 10, words));
    // Sizes whose product wraps around 2^64.
    CHECK_ERROR(invalid_argument, "hash_leaves", support::hash_messages({}, std::size_t{1} << 63, view(out)));
    const std::vector<Digest> two(2), three(3);
    std::vector<Digest> digests(2);
    CHECK_ERROR(invalid_argument, "must have equal counts of digests, got 2, 3 and 2",
                merklize::merge(two, three, digests));
    CHECK_ERROR(invalid_argument, "got 3, 3 and 2", merklize::merge(three, three, digests));
}

// A null pointer is no text, and no bytes.
static_assert(!std::is_convertible_v<std::nullptr_t, merklize::ByteView>);
static_assert(!std::is_constructible_v<merklize::ByteView, std::nullptr_t>);
static_assert(!std::is_convertible_v<std::nullptr_t, merklize::MessageView>);
static_assert(std::is_convertible_v<const char*, merklize::ByteView>);

TEST("misuse: names and numbers of hashes and devices") {
    CHECK_ERROR(invalid_argument, ", auto", merklize::Device("gpu"));
    CHECK_ERROR(invalid_argument, "unknown hash id 77", merklize::traits(static_cast<Hash>(77)));
    CHECK_ERROR(invalid_argument, "unknown hash id 77", MerkleTree(std::vector<Digest>(2), static_cast<Hash>(77)));
    CHECK_ERROR(invalid_argument, "unknown hash id 77", merklize::merge(Digest{}, Digest{}, static_cast<Hash>(77)));
    CHECK_ERROR(invalid_argument, "dm_verity: algorithm must be sha256 or sha512, got 'sha1'",
                merklize::dm_verity_algorithm_from_name("sha1"));
    for (const char* name : {"cpu:1", "cpu:x", "cpu:", "cpu0"}) CHECK(!merklize::why_unavailable(name).empty());
}

TEST("misuse: a long name is cut, in no character") {
    std::string name(1000000, 'x');
    for (const char* const end : {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3"}) {
        name.replace(198, std::string(end).size(), end);
        for (const merklize::Error& error :
             {error_of([&] { merklize::hash_from_name(name); }), error_of([&] { merklize::rule_from_name(name); }),
              error_of([&] { merklize::Device{name}; })}) {
            const std::string text = error.what();
            const std::size_t cut = text.find("...");
            CHECK(text.size() < 2000 && cut != text.npos);
            CHECK(text.substr(0, cut).ends_with(std::string(end).size() <= 2 ? end : "x"));
        }
    }
}

TEST("misuse: trees") {
    const std::vector<Digest> eight = leaves(Hash::rp64_256, 8);
    CHECK_ERROR(invalid_argument, "device_level: the tree's nodes are in memory of the host; level() has them",
                MerkleTree(eight, {}, on_cpu()).device_level(0));
    CHECK_ERROR(invalid_argument,
                "prove: this tree dropped its lowest 1 levels, so all its 8 leaves must be given, got 0",
                MerkleTree(eight, {}, {}, 1).prove(0));
}

TEST("misuse: files of trees and of dm-verity") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.write("input", Bytes(1000)), output = folder.path() / "output.mkl";
    const merklize::TreeInput input = merklize::TreeInput::blocks(path, 100);
    CHECK_ERROR(invalid_argument, "build_tree_file: mode must be left out: keys are of the hashes 'blake3' and",
                merklize::build_tree_file(
                    input, output, {Hash::sha256, merklize::TreeRule::left_full, merklize::Mode::derive_key("c")}));
    CHECK_ERROR(invalid_argument,
                "TreeWriter: the count of leaves must be a power of two under the rule 'perfect', got 3; the rules "
                "'left_full', 'pad' and 'duplicate_last' take any count",
                merklize::TreeWriter(output, 3, {Hash::blake3, merklize::TreeRule::perfect}));
    CHECK_ERROR(invalid_argument,
                path.string() + ": there is no dm-verity superblock at this offset; without one, state the fields",
                merklize::dm_verity_dump(path));
    merklize::build_tree_file(input, output);
    CHECK_ERROR(invalid_argument, "prove: leaf index must be below 10, got 10", merklize::TreeFile(output).prove(10));
}

TEST("misuse: empty paths") {
    const TemporaryFolder folder;
    folder.write("file", {});
    const std::filesystem::path some = "/dev/null";
    const std::vector<std::filesystem::path> paths = {some, ""};
    const merklize::TreeInput none{"", merklize::TreeInput::Kind::blocks, 32}, input{some, none.kind, 32};
    std::vector<std::byte> out(32);
    const MerkleTree tree(leaves(Hash::blake3, 2));
    const merklize::manifests::Manifest known = merklize::manifests::create(folder.path());
    const auto empty = [](const std::string& argument, const auto& call) {
        CHECK_ERROR(invalid_argument, argument + " must not be empty: it names no file", call());
    };
    empty("path", [&] { merklize::hash_file("", out); });
    empty("path", [&] { merklize::hash_message_file("", {Hash::sha256}); });
    empty("paths[1]", [&] { merklize::hash_files(paths); });
    empty("paths[1]", [&] { merklize::hash_message_files(paths, {Hash::sha256}); });
    empty("path", [&] { merklize::xet_hash_file(""); });
    empty("paths[1]", [&] { merklize::xet_hash_files(paths); });
    empty("path", [&] { merklize::piece_cid_file(""); });
    empty("path", [&] { merklize::fs_verity_file(""); });
    empty("data", [&] { merklize::dm_verity_file(""); });
    empty("data", [&] { merklize::dm_verity_format("", some); });
    empty("hashes", [&] { merklize::dm_verity_format(some, ""); });
    empty("hashes", [&] { merklize::dm_verity_dump(""); });
    empty("data", [&] { merklize::dm_verity_verify("", some, out); });
    empty("hashes", [&] { merklize::dm_verity_verify(some, "", out); });
    empty("hashes", [&] { merklize::dm_verity_verify_digests("", out, 0, out); });
    empty("path", [&] { merklize::merkle_root_file(none); });
    empty("path", [&] { MerkleTree::from_file(none); });
    empty("path", [&] { merklize::build_tree_file(none, some); });
    empty("output", [&] { merklize::build_tree_file(input, ""); });
    empty("path", [&] { merklize::TreeFile(""); });
    empty("path", [&] { merklize::save_tree(tree, ""); });
    empty("path", [&] { merklize::TreeWriter("", 8); });
    empty("out", [&] { merklize::bao_outboard_file(0, "", merklize::bao_form, ""); });
    empty("out", [&] { merklize::bao_encode_file(0, "", merklize::bao_form, ""); });
    empty("path", [&] { merklize::manifests::create(""); });
    empty("path", [&] { merklize::manifests::load(""); });
    empty("path", [&] { merklize::manifests::check(known, ""); });
    empty("path", [&] { merklize::manifests::refresh(known, ""); });
    CHECK(!std::filesystem::exists(".partial"));
}

TEST("misuse: options that a call does not look at") {
    merklize::Timings timings;
    merklize::RunOptions timed, chosen;
    timed.timings = &timings;
    chosen.policy.levels_per_launch = 3;
    CHECK_ERROR(invalid_argument, "TreeBuilder: timings must not be set", merklize::TreeBuilder(Hash::blake3, timed));
    const std::vector<Digest> given = leaves(Hash::blake3, 4);
    MerkleTree tree(given);
    const std::uint64_t index = 1;
    CHECK_ERROR(invalid_argument, "update: policy must not be set: the tree keeps the policy that it was built with",
                tree.update({&index, 1}, {given.data(), 1}, chosen));
    CHECK_ERROR(invalid_argument, "got 'levels_per_launch=3'", tree.append(given, chosen));
    CHECK_EQ(tree.n_leaves(), 4u);
}

TEST("misuse: hexadecimal digests") {
    const std::string good(64, 'A');
    CHECK_EQ(Digest::from_hex(good).value_or(Digest{}).hex(), std::string(64, 'a'));
    for (const char* front : {"0x", "0X"})
        CHECK_EQ(Digest::from_hex(front + good).value_or(Digest{}).hex(), std::string(64, 'a'));
    for (const std::size_t size : {0, 1, 62, 63, 65, 66, 128}) {
        CHECK(!Digest::from_hex(std::string(size, 'a')));
        CHECK(!Digest::from_hex("0x" + std::string(size, 'a')));
    }
    for (const char* front : {"x", "0x0x", "00", "x0"}) CHECK(!Digest::from_hex(front + good));
    for (const char bad : {'g', 'G', ' ', '/', ':', '@', '`', '\0', '\xff'}) {
        for (const std::size_t at : {0, 31, 63}) {
            std::string text = good;
            text[at] = bad;
            CHECK(!Digest::from_hex(text));
        }
    }
}

TEST("names: hashes, devices and version") {
    const auto is_of_bytes = [](std::string_view name) {
        return name.starts_with("blake") || name.starts_with("sha") || name.starts_with("keccak");
    };
    CHECK(merklize::hashes().size() >= 10);
    for (const merklize::HashTraits& t : merklize::hashes()) {
        CHECK(merklize::hash_from_name(t.name) == t.hash);
        CHECK_EQ(merklize::traits(t.hash).name, t.name);
        CHECK_EQ(t.is_field, !is_of_bytes(t.name));
        CHECK_EQ(t.is_field, t.modulus != 0);
        CHECK_EQ(t.element_bits, !t.is_field ? 0u : t.modulus < 0x80000000 ? 32u : 64u);
    }
    CHECK(merklize::hash_from_name("rp64_256") == Hash::rp64_256_v3);
    CHECK_EQ(std::string_view(merklize::version()), MERKLIZE_VERSION_STRING);
    const std::vector<merklize::DeviceInfo> all = merklize::devices();
    CHECK(!all.empty());
    for (const merklize::DeviceInfo& info : all) {
        CHECK(info.units >= 1 && info.memory_bytes > 0 && !info.name.empty());
        CHECK_EQ(merklize::why_unavailable(info.id), "");
        CHECK_EQ(merklize::Device(info.id).info().id, info.id);
    }
    CHECK_EQ(merklize::why_unavailable("auto"), "");
}
