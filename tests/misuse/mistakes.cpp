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
    MISTAKE(invalid_argument, "unknown tree rule 'padd'; did you mean 'pad'? known: perfect, left_full, ...",
            merklize::rule_from_name("padd"));
    MISTAKE(invalid_argument, "dm_verity: algorithm must be sha256 or sha512, got 'sha1'",
            merklize::dm_verity_algorithm_from_name("sha1"));
}

TEST("misuse: typical mistakes with digests") {
    const std::vector<Digest> one(1), two(2);
    std::vector<Digest> out(2);
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
            "merge: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', "
            "not of 'sha256'",
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
    MISTAKE(invalid_argument, "MerkleTree: leaves: word 0 is " + no_element, MerkleTree(no_digests, Hash::rp64_256));
    MISTAKE(invalid_argument, "MerkleTree: padding: word 0 is " + no_element, MerkleTree(eight, padded));
    MISTAKE(invalid_argument,
            "MerkleTree: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of "
            "'blake3', not of 'sha256'",
            MerkleTree(two, keyed));
    MISTAKE(invalid_argument,
            "merkle_root: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of "
            "'blake3', not of 'sha256'",
            merklize::merkle_root(two, keyed));
    MISTAKE(invalid_argument, "from_rows: rows must be of equal length, got 5 bytes for 2 rows",
            MerkleTree::from_rows("12345", 2));
    MISTAKE(invalid_argument,
            "from_messages: a row of 'rp64_256_v3' must be a multiple of 8 bytes, its words, got 7 bytes",
            MerkleTree::from_messages(std::vector<std::string>{"12345678", "1234567"}, Hash::rp64_256));
    MISTAKE(invalid_argument,
            "build_tree: no tree has 6 slots: n leaves take 2^ceil(log2 n) + n, for a power of two 2 n",
            merklize::build_tree(std::span(eight).first(6)));
    merklize::TreeBuilder builder;
    MISTAKE(invalid_argument, "root: leaves must be at least 1, got 0", builder.root());
    MISTAKE(invalid_argument,
            "TreeBuilder: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of "
            "'blake3', not of 'sha256'",
            merklize::TreeBuilder(keyed));
    merklize::Timings times;
    MISTAKE(invalid_argument, "TreeBuilder: timings must not be set: its work is many calls, which are not timed",
            merklize::TreeBuilder(Hash::blake3, {.timings = &times}));

    MerkleTree tree(eight, {}, on_cpu());
    const std::uint64_t twice[2] = {1, 1};
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
    MISTAKE(invalid_argument, "from_file: leaf_bytes must be at least 1, got 0",
            MerkleTree::from_file(TreeInput::blocks(path, 0)));
    MISTAKE(invalid_argument, path + ": leaves of 999 bytes: not a whole count of field elements of 8 bytes",
            MerkleTree::from_file(TreeInput::blocks(path, 999), Hash::rp64_256));
    MISTAKE(invalid_argument, path + ": 1000 bytes are not a whole count of leaves of 32 bytes",
            merklize::merkle_root_file(TreeInput::leaves(path)));
    MISTAKE(invalid_argument, "build_tree_file: " + path + " is both input and output",
            merklize::build_tree_file(TreeInput::blocks(path, 100), path));
    MISTAKE(invalid_argument,
            "build_tree_file: mode must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of "
            "'blake3', not of 'sha256'",
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
    MISTAKE(invalid_argument, "read: first and count must be within the 10 nodes of level 0, got 8 and 3",
            tree.read(0, 8, 3));
    MISTAKE(invalid_argument, "prove: leaf index must be below 10, got 10", tree.prove(10));
}

TEST("misuse: typical mistakes with formats") {
    const Bytes data(100);
    const std::vector<Digest> none, three(3);
    MISTAKE(invalid_argument, "dm_verity: data has 100 bytes, less than a block of 4096", merklize::dm_verity(data));
    const merklize::OpenZeppelinTree tree(three);
    MISTAKE(invalid_argument, "prove: index must be 0 to 2, got 3", tree.prove(3));
}
