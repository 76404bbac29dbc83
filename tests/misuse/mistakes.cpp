// Typical mistakes: each error names the called function, what came, the rule, and a remedy if there is one. The texts
// are whole; one that ends in "..." goes on with a list of names. An error about a file begins with the file, one about
// an unknown name with what is unknown.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

using namespace support;
using merklize::ErrorCode;
using merklize::MerkleTree;
using merklize::TreeForm;
using merklize::TreeInput;
using merklize::TreeRule;

namespace {

void expect(const char* file, int line, ErrorCode code, std::string_view text, const std::function<void()>& call) {
    try {
        call();
    } catch (const merklize::Error& error) {
        const std::string_view got = error.what();
        const bool goes_on = text.ends_with("...");
        const bool is_same = goes_on ? got.starts_with(text.substr(0, text.size() - 3)) : got == text;
        if (is_same && error.code() == code) return;
        return check::fail(file, line, "got\n" + std::string(got) + "\nexpected\n" + std::string(text));
    }
    check::fail(file, line, "no error: " + std::string(text));
}

#define MISTAKE(code, text, ...) expect(__FILE__, __LINE__, ErrorCode::code, text, [&] { (void)(__VA_ARGS__); })

const std::string any_count = "; the rules 'left_full', 'pad' and 'duplicate_last' take any count";
const std::string no_element = "18446744073709551615, not a field element: it must be below p = 18446744069414584321";

Digest no_digest() { return Digest::from_words({UINT64_MAX, 0, 0, 0}); }

}  // namespace

TEST("misuse: typical mistakes with names") {
    MISTAKE(invalid_argument, "unknown hash 'blake2'; did you mean 'blake3'? known: blake3, ...",
            merklize::hash_from_name("blake2"));
    MISTAKE(invalid_argument, "unknown format 'bitcon'; did you mean 'bitcoin'? known: merklize, ...",
            merklize::format_from_name("bitcon"));
    MISTAKE(invalid_argument, "unknown tree rule 'padd'; did you mean 'pad'? known: perfect, left_full, ...",
            merklize::rule_from_name("padd"));
    MISTAKE(invalid_argument,
            "policy: unknown field 'lane'; did you mean 'lanes'? known: levels_per_launch, group_size, lanes, "
            "constants",
            merklize::policy_from_text("lane=2"));
    MISTAKE(invalid_argument, "policy: lanes must be 1, 2, 4, 8 or 16, got 3", merklize::policy_from_text("lanes=3"));
    MISTAKE(invalid_argument, "unknown device 'cdua'; did you mean 'cuda'? known: cpu, ...", merklize::Device("cdua"));
    MISTAKE(unavailable, "cpu: no device 'cpu:7'; it has 1", merklize::Device("cpu:7"));
    MISTAKE(invalid_argument, "dm_verity: algorithm must be sha256 or sha512, got 'sha1'",
            merklize::dm_verity_algorithm_from_name("sha1"));
}

TEST("misuse: typical mistakes with digests") {
    const std::vector<Digest> one(1), two(2);
    std::vector<Digest> out(2);
    MISTAKE(invalid_argument, "key must be 32 bytes, got 5", merklize::Mode::keyed("short"));
    MISTAKE(invalid_argument,
            "hash_message: 'poseidon2_goldilocks_8' hashes field elements, not bytes; hash_rows takes them",
            merklize::hash_message("data", Hash::poseidon2_goldilocks_8));
    MISTAKE(invalid_argument,
            "hash_message: 'sha256_rfc6962' puts a prefix before a message, for leaves of trees; 'sha256' is SHA-256 "
            "of a message",
            merklize::hash_message("data", Hash::sha256_rfc6962));
    MISTAKE(invalid_argument, "hash_message_file: 'rp64_256_v3' hashes field elements, not bytes; hash_rows takes them",
            merklize::hash_message_file("/nowhere/file", Hash::rp64_256));
    MISTAKE(invalid_argument, "hash_message_each: 'rp64_256_v3' hashes field elements, not bytes; hash_rows takes them",
            merklize::hash_message_each({}, Hash::rp64_256));
    MISTAKE(io, "/nowhere/file: cannot open: No such file or directory",
            merklize::hash_message_file("/nowhere/file", Hash::sha256));
    merklize::RunOptions chosen;
    chosen.policy.group_size = 3;
    MISTAKE(invalid_argument, "policy: group_size must be a power of two up to 1024, got 3",
            merklize::hash("data", {}, chosen));
    MISTAKE(invalid_argument,
            "hash_leaves: rows must be one for each of 2 digests of out, of 3 bytes each, got 4 bytes",
            merklize::hash_leaves("data", 3, out));
    MISTAKE(invalid_argument,
            "hash_leaves: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 2 bytes",
            merklize::hash_leaves("data", 2, out, Hash::rp64_256));
    std::vector<std::byte> few(31);
    const merklize::MessageView message("data");
    MISTAKE(invalid_argument, "hash_each: out must have 32 bytes for each of 1 messages, got 31 bytes",
            merklize::hash_each({&message, 1}, few));
    MISTAKE(invalid_argument, "merge: left, right and out must have equal counts of digests, got 2, 1 and 2",
            merklize::merge(two, one, out));
    MISTAKE(invalid_argument, "merge: left: word 0 is " + no_element,
            merklize::merge(no_digest(), Digest{}, Hash::rp64_256));
    MISTAKE(invalid_argument,
            "merge: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
            merklize::merge(two, two, out, Hash::sha256, merklize::Mode::derive_key("c")));
    MISTAKE(invalid_argument,
            "Hasher: 'eidos' begins with the length of the message, so it takes only data whose length is known",
            merklize::Hasher::of(Hash::eidos));
}

TEST("misuse: typical mistakes with trees") {
    const std::vector<Digest> none, one(1), two(2), three(3), no_digests(2, no_digest());
    std::vector<Digest> eight = leaves(Hash::rp64_256, 8);
    const TreeForm perfect(Hash::blake3, TreeRule::perfect);
    const TreeForm keyed(Hash::sha256, TreeRule::left_full, merklize::Mode::derive_key("c"));
    const TreeForm padded(Hash::rp64_256, TreeRule::pad, {}, no_digest());
    MISTAKE(invalid_argument, "MerkleTree: a tree has at least 1 leaf, got 0", MerkleTree(none));
    MISTAKE(invalid_argument,
            "MerkleTree: the count of leaves must be a power of two under the rule 'perfect', got 3" + any_count,
            MerkleTree(three, perfect));
    MISTAKE(invalid_argument, "MerkleTree: leaves: word 0 is " + no_element, MerkleTree(no_digests, Hash::rp64_256));
    MISTAKE(invalid_argument, "MerkleTree: padding: word 0 is " + no_element, MerkleTree(eight, padded));
    MISTAKE(invalid_argument,
            "MerkleTree: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
            MerkleTree(two, keyed));
    MISTAKE(invalid_argument, "MerkleTree: drop_levels must be at most the height, 3 for 8 leaves, got 9",
            MerkleTree(eight, {}, {}, 9));
    MISTAKE(invalid_argument, "merkle_root: a tree has at least 1 leaf, got 0", merklize::merkle_root(none));
    MISTAKE(invalid_argument,
            "merkle_root: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
            merklize::merkle_root(two, keyed));
    MISTAKE(invalid_argument, "from_rows: rows must be of equal length, got 5 bytes for 2 rows",
            MerkleTree::from_rows("12345", 2));
    MISTAKE(invalid_argument,
            "from_messages: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 7 bytes",
            MerkleTree::from_messages(std::vector<std::string>{"12345678", "1234567"}, Hash::rp64_256));
    MISTAKE(invalid_argument, "MerkleForest: n_leaves must be a power of two, got 3", merklize::MerkleForest(eight, 3));
    MISTAKE(invalid_argument, "MerkleForest: the count of leaves must be a multiple of the 16 leaves of a tree, got 8",
            merklize::MerkleForest(eight, 16));
    MISTAKE(invalid_argument,
            "build_tree: no tree has 6 slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n",
            merklize::build_tree(std::span(eight).first(6)));
    merklize::TreeBuilder builder;
    MISTAKE(invalid_argument, "root: a tree has at least 1 leaf, got 0", builder.root());
    MISTAKE(invalid_argument,
            "TreeBuilder: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
            merklize::TreeBuilder(keyed));
    merklize::Timings times;
    MISTAKE(invalid_argument, "TreeBuilder: timings must not be set: its work is many calls, which are not timed",
            merklize::TreeBuilder(Hash::blake3, {.timings = &times}));

    MerkleTree tree(eight, {}, on_cpu());
    const std::uint64_t twice[2] = {1, 1};
    MISTAKE(invalid_argument, "prove: leaf index must be below 8, got 8", tree.prove(8));
    MISTAKE(invalid_argument, "prove_together: leaf index 1 is there twice", tree.prove_together(twice));
    MISTAKE(invalid_argument,
            "prove_range: [first, last) must be a range of at least one leaf within 8 leaves, got [3, 3)",
            tree.prove_range(3, 3));
    MISTAKE(invalid_argument, "prove_consistency: old_leaves must be 1 to 8, got 9", tree.prove_consistency(9));
    MISTAKE(invalid_argument, "level: level must be 0 to 3 for a tree of 8 leaves, got 4", tree.level(4));
    MISTAKE(invalid_argument, "cap: height must be at most 3 for 8 leaves, got 4", tree.cap(4));
    MISTAKE(invalid_argument, "device_level: the tree's nodes are in memory of the host; level() has them",
            tree.device_level(0));
    MISTAKE(invalid_argument, "update: indices and leaves must have equal counts, got 2 and 1",
            tree.update(twice, one));
    MISTAKE(invalid_argument, "update: leaf index 1 is there twice", tree.update(twice, two));
    MISTAKE(invalid_argument, "append: the rule must be 'left_full', not 'perfect'",
            MerkleTree(eight, Hash::rp64_256).append(two));
    MISTAKE(invalid_argument, "prove: this tree dropped its lowest 1 levels, so all its 8 leaves must be given, got 0",
            MerkleTree(eight, {}, {}, 1).prove(0));
}

TEST("misuse: typical mistakes with files") {
    const TemporaryFolder folder;
    const std::string path = folder.write("input", Bytes(1000)).string();
    const std::filesystem::path output = folder.path() / "output.mkl";
    MISTAKE(invalid_argument, path + ": a leaf must have at least 1 byte, got 0",
            MerkleTree::from_file(TreeInput::blocks(path, 0)));
    MISTAKE(invalid_argument, path + ": leaves of 999 bytes: not a whole count of field elements of 8 bytes",
            MerkleTree::from_file(TreeInput::blocks(path, 999), Hash::rp64_256));
    MISTAKE(invalid_argument, path + ": 1000 bytes are not a whole count of leaves of 32 bytes",
            merklize::merkle_root_file(TreeInput::leaves(path)));
    MISTAKE(invalid_argument, "build_tree_file: " + path + " is both input and output",
            merklize::build_tree_file(TreeInput::blocks(path, 100), path));
    MISTAKE(invalid_argument,
            "build_tree_file: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of 'sha256'",
            merklize::build_tree_file(TreeInput::blocks(path, 100), output,
                                      {Hash::sha256, TreeRule::left_full, merklize::Mode::derive_key("c")}));
    MISTAKE(io, path + ": not a tree file: it does not begin with MKLTREE", merklize::TreeFile(path));
    MISTAKE(invalid_argument,
            "TreeWriter: the count of leaves must be a power of two under the rule 'perfect', got 3" + any_count,
            merklize::TreeWriter(output, 3, {Hash::blake3, TreeRule::perfect}));
    MISTAKE(
        invalid_argument,
        "dm_verity_dump: " + path + ": there is no dm-verity superblock at this offset; without one, state the fields",
        merklize::dm_verity_dump(path));
    merklize::build_tree_file(TreeInput::blocks(path, 100), output);
    const merklize::TreeFile tree(output);
    MISTAKE(invalid_argument, "read: 3 nodes from node 8 on of level 0, which has 10", tree.read(0, 8, 3));
    MISTAKE(invalid_argument, "prove: leaf index must be below 10, got 10", tree.prove(10));
}

TEST("misuse: typical mistakes with formats") {
    const Bytes data(100);
    const std::vector<Digest> none, three(3);
    const std::uint64_t twice[2] = {1, 1};
    MISTAKE(invalid_argument, "bao_outboard: group_log must be 0 to 20 (groups of 1 KiB to 1 GiB), got 99",
            merklize::bao_outboard(data, {.group_log = 99}));
    MISTAKE(invalid_argument, "fs_verity: block_size must be a power of two from 1024 to 65536, got 3000",
            merklize::fs_verity(data, {.block_size = 3000}));
    MISTAKE(invalid_argument, "ssz: the limit is 2 chunks, got 3", merklize::ssz(three, 2));
    MISTAKE(invalid_argument, "dm_verity: data has 100 bytes, less than a block of 4096", merklize::dm_verity(data));
    MISTAKE(invalid_argument, "OpenZeppelinTree: a tree needs at least one leaf, got 0",
            merklize::OpenZeppelinTree(none));
    const merklize::OpenZeppelinTree tree(three);
    MISTAKE(invalid_argument, "prove: index must be 0 to 2, got 3", tree.prove(3));
    MISTAKE(invalid_argument, "prove_together: a proof of several leaves takes each index once",
            tree.prove_together(twice));
}
