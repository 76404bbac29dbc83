// Files that are no tree files, or damaged ones; arguments that fit no tree file. Each error says what is wrong.

#include <cstring>

#include "forms.hpp"

using namespace support;
using merklize::TreeFile;
using merklize::TreeInput;
using merklize::TreeWriter;

namespace {

class Damaged {
public:
    Damaged() {
        const auto path = folder_.path() / "t.mkl";
        TreeWriter writer(path, 5, TreeForm(Hash::blake3, TreeRule::left_full), {10, 42});
        writer.append(leaves(Hash::blake3, 5));
        writer.finish();
        std::ifstream file(path, std::ios::binary);
        good_ = Bytes((std::istreambuf_iterator<char>(file)), {});
    }

    const Bytes& good() const { return good_; }
    /// The file with `bytes` at `at`. If it is signed again, its checksum fits.
    std::filesystem::path with(std::size_t at, const Bytes& bytes, bool signed_again = true) const {
        Bytes bad = good_;
        std::copy(bytes.begin(), bytes.end(), bad.begin() + static_cast<std::ptrdiff_t>(at));
        if (signed_again) {
            const Bytes checksum = reference::blake3(Bytes(bad.begin(), bad.begin() + 120), 8);
            std::copy(checksum.begin(), checksum.end(), bad.begin() + 120);
        }
        return folder_.write("bad.mkl", bad);
    }
    std::filesystem::path of_size(std::size_t size) const {
        Bytes bad = good_;
        bad.resize(size);
        return folder_.write("bad.mkl", bad);
    }
    const std::filesystem::path& folder() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
    Bytes good_;
};

}  // namespace

TEST("misuse: files that are no tree files") {
    const Damaged file;
    CHECK_ERROR(io, "No such file", TreeFile(file.folder() / "none"));
    CHECK_ERROR(io, "directory", TreeFile(file.folder()));
    CHECK_ERROR(io, "not a regular file", TreeFile("/dev/null"));
    CHECK_ERROR(io, "does not begin with MKLTREE", TreeFile(file.of_size(0)));
    CHECK_ERROR(io, "its header has 128 bytes, the file 127", TreeFile(file.of_size(127)));
    CHECK_ERROR(io, "truncated", TreeFile(file.of_size(128)));
    CHECK_ERROR(io, "takes 480 bytes, the file has 479", TreeFile(file.of_size(file.good().size() - 1)));
    CHECK_ERROR(io, "too long", TreeFile(file.of_size(file.good().size() + 1)));
    CHECK_ERROR(io, "earlier format", TreeFile(file.with(0, {'M', 'K', 'Z', 'T', 'R', 'E', 'E', '1'})));
    CHECK_ERROR(io, "unfinished", TreeFile(file.with(0, {'M', 'K', 'L', 'P', 'A', 'R', 'T', 0})));
    CHECK_ERROR(io, "version 2; this library knows version 1", TreeFile(file.with(8, {2}, false)));
    for (std::size_t at = 12; at < 128; ++at) {
        CHECK_ERROR(io, "checksum",
                    TreeFile(file.with(at, {static_cast<std::uint8_t>(file.good()[at] ^ 0x40)}, false)));
    }
}

TEST("misuse: headers that say what cannot be") {
    const Damaged file;
    CHECK_ERROR(io, "unknown hash 200", TreeFile(file.with(12, {200})));
    CHECK_ERROR(io, "unknown hash 256", TreeFile(file.with(12, {0, 1})));
    CHECK_ERROR(io, "unknown rule 4", TreeFile(file.with(16, {4})));
    CHECK_ERROR(io, "unknown mode 3", TreeFile(file.with(17, {3})));
    CHECK_ERROR(io, "the hash rp64_256_v3 has no keyed merges", TreeFile(file.with(12, {3, 0, 0, 0, 1, 1})));
    CHECK_ERROR(io, "bytes 18 to 23", TreeFile(file.with(20, {1})));
    CHECK_ERROR(io, "0 leaves", TreeFile(file.with(24, Bytes(24))));
    CHECK_ERROR(io, "5 leaves of 10 bytes for a file of 51", TreeFile(file.with(40, {51})));
    CHECK_ERROR(io, "5 leaves of 0 bytes", TreeFile(file.with(32, {0})));
    CHECK_ERROR(io, "the rule perfect", TreeFile(file.with(16, {0})));
    CHECK_ERROR(io, "check of a key", TreeFile(file.with(48, {1})));
    CHECK_ERROR(io, "its rule is not pad", TreeFile(file.with(56, {1})));
    CHECK_ERROR(io, "its last node is not the root", TreeFile(file.with(88, {1, 2, 3})));
    // Counts of leaves far beyond the file's length are refused without an allocation. The file has no source, so only
    // the length tells.
    for (const std::uint64_t n :
         {std::uint64_t{1} << 40, std::uint64_t{1} << 56, std::uint64_t{1} << 57, ~std::uint64_t{0}}) {
        Bytes fields(24);
        std::memcpy(fields.data(), &n, 8);
        CHECK_ERROR(io, std::to_string(n) + " leaves", TreeFile(file.with(24, fields)));
    }
}

TEST("misuse: a tree file that ends early is said to end where it ends") {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "t.mkl";
    merklize::save_tree(merklize::MerkleTree(leaves(Hash::blake3, 8)), path);
    const TreeFile file(path);
    std::filesystem::resize_file(path, 200);
    for (unsigned level = 0; level <= 3; level++)
        CHECK_ERROR(io, "it ends at byte 200", file.read(level, 0, 8 >> level));
    CHECK_ERROR(io, "200", file.check());
    CHECK_ERROR(io, "200", TreeFile(path));
}

TEST("misuse: arguments of tree files") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const Bytes key = pattern(32), other = Bytes(32);
    const TreeForm form(Hash::blake3, TreeRule::pad, Mode::keyed(view(key)));
    const std::vector<Digest> all = leaves(Hash::blake3, 5);
    const TreeForm perfect(Hash::blake3, merklize::TreeRule::perfect);
    CHECK_ERROR(invalid_argument, "power of two", TreeWriter(path, 5, perfect));
    CHECK_ERROR(invalid_argument, "total_bytes must make 5 leaves of 10 bytes, got 51",
                TreeWriter(path, 5, form, {10, 51}));
    CHECK_ERROR(invalid_argument, "leaf_bytes must be at least 1", TreeWriter(path, 5, form, {0, 51}));
    CHECK_ERROR(invalid_argument, "too many leaves", TreeWriter(path, std::uint64_t{1} << 57, form));
    CHECK_ERROR(out_of_memory, "TreeWriter: too many leaves: a tree has at most 2^56 - 1, got 72057594037927936",
                TreeWriter(path, std::uint64_t{1} << 56, form));
    CHECK_ERROR(io, "bytes", TreeWriter(path, std::uint64_t{1} << 50, form));
    std::filesystem::remove(folder.path() / "t.mkl.partial");
    TreeWriter writer(path, 5, form);
    writer.append(std::span(all).first(4));
    CHECK_ERROR(invalid_argument, "takes 5 leaves and has 4, got 2 more", writer.append(std::span(all).first(2)));
    CHECK_ERROR(invalid_argument, "must get 5 leaves, got 4", writer.finish());
    writer.append(std::span(all).last(1));
    CHECK_ERROR(invalid_argument, "total_bytes must be 0, because", writer.finish(50));
    writer.finish();
    CHECK_ERROR(io, "has ended", writer.finish());
    CHECK_ERROR(invalid_argument, "at least 1, got 0", TreeWriter(path, 0, form).finish());

    TreeFile file(path);
    CHECK_ERROR(invalid_argument, "its key or context must be given", file.check());
    CHECK_ERROR(invalid_argument, "its key or context must be given", file.prove(4));  // its siblings are padding
    CHECK_ERROR(invalid_argument, "another key", file.set_mode(Mode::keyed(view(other))));
    CHECK_ERROR(invalid_argument, "another key", file.set_mode(Mode()));
    CHECK_ERROR(invalid_argument, "another key", file.set_mode(Mode::derive_key("t")));
    file.set_mode(form.mode);
    CHECK(file.check().empty());
    CHECK_ERROR(invalid_argument, "leaf index must be below 5, got 5", file.prove(5));
    const std::uint64_t twice[] = {3, 1, 3}, none[] = {1, 9};
    CHECK_ERROR(invalid_argument, "3 is there twice", file.prove_together(twice));
    CHECK_ERROR(invalid_argument, "leaf index must be below 5, got 9", file.prove_together(none));
    CHECK_ERROR(invalid_argument, "at least one leaf index, got none", file.prove_together({}));
    CHECK_ERROR(invalid_argument, "3 is there twice", file.update(twice, std::span(all).first(3)));
    CHECK_ERROR(invalid_argument, "leaf index must be below 5, got 9", file.update(none, std::span(all).first(2)));
    CHECK_ERROR(invalid_argument, "equal counts, got 2 and 3", file.update(none, std::span(all).first(3)));
    CHECK_ERROR(invalid_argument, "left_full", file.prove_consistency(2));
    CHECK_ERROR(invalid_argument, "level 4 is above the root", file.level_offset(4));
    std::vector<Digest> out(3);
    CHECK_ERROR(invalid_argument, "within the 2 nodes of level 2, got 0 and 3", file.read(2, 0, out));
    CHECK_ERROR(invalid_argument, "within the 2 nodes of level 2, got 18446744073709551615 and 3",
                file.read(2, ~std::uint64_t{0}, out));

    merklize::save_tree(merklize::MerkleTree(all, TreeForm(Hash::blake3, TreeRule::left_full)), path);
    CHECK_ERROR(invalid_argument, "must be 1 to 5, got 6", TreeFile(path).prove_consistency(6));
    CHECK_ERROR(invalid_argument, "levels were dropped",
                merklize::save_tree(merklize::MerkleTree(all, form, {}, 1), path));
    const auto input = folder.write("data", Bytes(100, 0xff));
    const TreeForm field(Hash::rp64_256_v3, TreeRule::left_full);
    CHECK_ERROR(invalid_argument, "build_tree_file: leaf_bytes must be at least 1, got 0",
                merklize::build_tree_file(TreeInput::blocks(input, 0), path, field));
    CHECK_ERROR(invalid_argument, "not a whole count of field elements",
                merklize::build_tree_file(TreeInput::blocks(input, 10), path, field));
    CHECK_ERROR(invalid_argument, "100 bytes", merklize::build_tree_file(TreeInput::blocks(input, 16), path, field));
    CHECK_ERROR(invalid_argument, "word 0 is",
                merklize::build_tree_file(TreeInput::blocks(folder.write("data", Bytes(96, 0xff)), 16), path, field));
    CHECK_ERROR(invalid_argument, "word 0 is", merklize::build_tree_file(TreeInput::leaves(input), path, field));
    CHECK_ERROR(invalid_argument, "33 bytes are not",
                merklize::build_tree_file(TreeInput::leaves(folder.write("data", Bytes(33))), path));
    CHECK_ERROR(invalid_argument, "rule",
                merklize::build_tree_file(TreeInput::blocks(folder.write("data", Bytes(30)), 10), path, perfect));
}
