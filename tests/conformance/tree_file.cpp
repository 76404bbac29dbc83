// Tree files: written, read, proved, checked, changed; the bytes that docs/file-format.md shows.

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include "asked_often.hpp"
#include "forms.hpp"
#include "tree_files/save.hpp"
#include "written_trees.hpp"

using namespace support;
using merklize::LeafSource;
using merklize::TreeFile;
using merklize::TreeInput;
using merklize::TreeWriter;

namespace {

void check_levels(const std::filesystem::path& path, const std::vector<std::vector<Digest>>& levels) {
    const TreeFile file(path);
    CHECK_EQ(file.height() + 1, levels.size());
    CHECK_EQ(file.root(), levels.back()[0]);
    for (unsigned l = 0; l < levels.size(); ++l) {
        std::vector<Digest> nodes(levels[l].size());
        file.read(l, 0, nodes);
        CHECK_EQ(nodes, levels[l]);
    }
}

/// The documented dump as bytes.
Bytes documented_file() {
    std::ifstream doc(MERKLIZE_SOURCE "/docs/file-format.md");
    Bytes out;
    bool inside = false;
    for (std::string line; std::getline(doc, line);) {
        if (line.starts_with("```")) inside = line == "```hexdump";
        if (!inside || line.starts_with("```")) continue;
        for (std::size_t at = line.find("  ") + 2; at + 1 < line.size(); at += 3)
            out.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(at, 2), nullptr, 16)));
    }
    return out;
}

std::vector<Digest> repeated_leaves() {
    std::vector<Digest> out(3);
    for (std::size_t i = 0; i < 3; ++i) out[i].bytes.fill(static_cast<std::byte>(0x11 * (i + 1)));
    return out;
}

}  // namespace

TEST("tree_file: the bytes that the format's page shows") {
    const TemporaryFolder folder;
    const Bytes expected = documented_file();
    write_tree(folder.path() / "t.mkl", repeated_leaves(), TreeForm(Hash::blake3, TreeRule::left_full));
    CHECK_EQ(expected.size(), 128u + 6 * 32);
    CHECK_EQ(hex(read_all(folder.path() / "t.mkl")), hex(expected));
    // The page's own arithmetic, by the witness.
    const Bytes checksum = reference::blake3(Bytes(expected.begin(), expected.begin() + 120), 8);
    CHECK(std::equal(checksum.begin(), checksum.end(), expected.begin() + 120));
    CHECK(std::equal(expected.begin() + 88, expected.begin() + 120, expected.end() - 32));
}

TEST("tree_file: every node of every form; proofs hold") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    Random random(1);
    for (const TestForm& f : test_forms()) {
        for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 33, 64, 100, 257, 1000}) {
            if (!fits(f, n) || (merklize::traits(f.form.hash).is_field && n > 257)) continue;
            const std::vector<Digest> all = leaves(f.form.hash, n, n);
            CHECK_EQ(write_tree(path, all, f.form), witness_levels(f, all).back()[0]);
            check_levels(path, witness_levels(f, all));
            TreeFile file(path);
            CHECK_EQ(file.is_keyed(), f.form.mode.flags() != 0);
            file.set_mode(f.form.mode);
            CHECK_EQ(file.n_leaves(), n);
            CHECK_EQ(static_cast<int>(file.form().rule), static_cast<int>(f.form.rule));
            CHECK(file.check().empty());
            const merklize::MerkleTree tree(all, f.form);
            for (const std::size_t k : {std::size_t{0}, n / 2, n - 1}) {
                CHECK_EQ(file.prove(k), tree.prove(k));
                CHECK(merklize::verify(file.prove(k), file.root(), {}, f.form.mode));
            }
            std::vector<std::uint64_t> indices;
            for (std::uint64_t k = 0; k < n; ++k) {
                if (random.below(3) == 0 || k == n - 1) indices.push_back(k);
            }
            std::ranges::reverse(indices);
            CHECK_EQ(file.prove_together(indices), tree.prove_together(indices));
            CHECK(merklize::verify(file.prove_together(indices), file.root(), {}, f.form.mode));
            if (f.form.rule != TreeRule::left_full) continue;
            for (std::uint64_t old = 1; old <= n; old += 1 + old / 5) {
                const Digest old_root = merklize::merkle_root(std::span(all).first(old), f.form);
                CHECK_EQ(file.prove_consistency(old), tree.prove_consistency(old));
                CHECK(merklize::verify(file.prove_consistency(old), {old_root, file.root()}, f.form.mode));
            }
        }
    }
}

TEST("tree_file: save_tree writes what the writer writes; in pieces and of unknown count, too") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", other = folder.path() / "other.mkl";
    Random random(2);
    for (const TestForm& f : test_forms()) {
        const std::size_t n = f.form.rule == TreeRule::perfect ? 256 : 1 + random.below(600);
        const std::vector<Digest> all = leaves(f.form.hash, n, n);
        const LeafSource source{10, 10 * n - 3};
        merklize::save_tree(merklize::MerkleTree(all, f.form), path, source);
        write_tree(other, all, f.form, source);
        CHECK_EQ(hex(read_all(path)), hex(read_all(other)));
        CHECK_EQ(TreeFile(path).source().total_bytes, source.total_bytes);

        TreeWriter unknown(other, 0, f.form, {10, 0});
        for (std::size_t first = 0; first < n;) {
            const std::size_t count = std::min<std::size_t>(random.below(100), n - first);
            unknown.append(std::span(all).subspan(first, count));
            first += count;
        }
        CHECK_EQ(unknown.written(), n);
        unknown.finish(source.total_bytes);
        CHECK_EQ(hex(read_all(path)), hex(read_all(other)));
    }
    CHECK(!std::filesystem::exists(folder.path() / "other.mkl.partial"));
    CHECK_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST("tree_file: several batches, known and unknown") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    for (const std::size_t n : {(1u << 19) - 1, 1u << 19, (1u << 19) + 1, 3 * (1u << 19) + 1234}) {
        const std::vector<Digest> all = leaves(Hash::blake3, n);
        const TreeForm form(Hash::blake3, TreeRule::duplicate_last);
        const Digest expected = merklize::merkle_root(all, form);
        CHECK_EQ(write_tree(path, all, form), expected);
        CHECK(TreeFile(path).check().empty());
        TreeWriter writer(path, 0, form);
        writer.append(all);
        CHECK_EQ(writer.finish(), expected);
        CHECK(TreeFile(path).check().empty());
    }
}

TEST("tree_file: a writer that ends is taken up again") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", partial = folder.path() / "t.mkl.partial";
    const TreeForm form(Hash::blake3, TreeRule::pad);
    constexpr std::size_t n = 3 * (1 << 18) + 77;
    const std::vector<Digest> all = leaves(Hash::blake3, n);
    const std::vector<Digest> few(all.begin(), all.begin() + 5);
    const Digest old_root = write_tree(path, few, form);
    for (const std::size_t total : {n, std::size_t{0}}) {
        std::filesystem::remove(partial);
        std::size_t first = 0;
        for (const std::size_t end : {std::size_t{100}, std::size_t{100}, std::size_t{1} << 19, n - 1}) {
            TreeWriter writer(path, total, form, {}, true);
            CHECK_EQ(writer.written(), first);
            writer.append(std::span(all).subspan(first, end - first));
            first = end;
        }
        CHECK_EQ(TreeFile(path).root(), old_root);  // as it was
        CHECK_ERROR(io, "unfinished", TreeFile(partial));
        TreeWriter writer(path, total, form, {}, true);
        CHECK_EQ(writer.written(), n - 1);
        CHECK_ERROR(io, "another build is writing it", TreeWriter(path, total, form));
        writer.append(std::span(all).last(1));
        CHECK_EQ(writer.finish(), merklize::merkle_root(all, form));
        CHECK(TreeFile(path).check().empty());
        write_tree(path, few, form);
    }
    // Not resumed: another form, count, key or source, or a caller that does not want it.
    const Bytes key = pattern(32), other_key = Bytes(32);
    const TreeForm keyed(Hash::blake3, TreeRule::pad, Mode::keyed(view(key)));
    const auto begin = [&] {
        std::filesystem::remove(partial);
        TreeWriter(path, n, keyed).append(std::span(all).first(1000));
    };
    const auto found = [&](std::size_t total, const TreeForm& wanted, const LeafSource& source = {},
                           bool resume = true) {
        begin();
        return TreeWriter(path, total, wanted, source, resume).written();
    };
    CHECK_EQ(found(n, keyed), 1000u);
    CHECK_EQ(found(n + 1, keyed), 0u);
    CHECK_EQ(found(0, keyed), 0u);
    CHECK_EQ(found(n, keyed, {1, n}), 0u);
    CHECK_EQ(found(n, keyed, {}, false), 0u);
    CHECK_EQ(found(n, form), 0u);
    CHECK_EQ(found(n, TreeForm(Hash::blake3, TreeRule::pad, Mode::keyed(view(other_key)))), 0u);
    CHECK_EQ(found(n, TreeForm(Hash::blake3, TreeRule::left_full, keyed.mode)), 0u);
    CHECK_EQ(found(n, TreeForm(Hash::blake3, TreeRule::pad, keyed.mode, all[0])), 0u);
    // If a note is torn, the note before it counts. The note of 0 leaves is at 88, that of 1000 at 104, that of 1500 at
    // 88.
    for (const auto& [at, left] : {std::pair{88, 1000}, std::pair{104, 1500}}) {
        begin();
        { TreeWriter(path, n, keyed, {}, true).append(std::span(all).subspan(1000, 500)); }
        Bytes bytes = read_all(partial);
        bytes[static_cast<std::size_t>(at)] ^= 1;
        folder.write("t.mkl.partial", bytes);
        CHECK_EQ(TreeWriter(path, n, keyed, {}, true).written(), static_cast<std::uint64_t>(left));
    }
}

TEST("tree_file: a writer goes on from what an earlier one left only if it is asked to") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const std::vector<Digest> stale = leaves(Hash::blake3, 6);
    std::vector<Digest> fresh = stale;
    std::ranges::reverse(fresh);
    for (const std::size_t n : {std::size_t{0}, std::size_t{6}}) {
        {
            TreeWriter(path, n, Hash::blake3).append(std::span(stale).first(3));
        }
        TreeWriter writer(path, n, Hash::blake3);
        CHECK_EQ(writer.written(), 0u);
        writer.append(fresh);
        CHECK_EQ(writer.finish(), merklize::merkle_root(fresh));
    }
}

TEST("tree_file: check finds the nodes that are wrong, and says which") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    for (const std::size_t n : {std::size_t{100}, std::size_t{1} << 12, std::size_t{(1 << 19) + 300}}) {
        const TreeForm form(Hash::blake3, TreeRule::left_full);
        write_tree(path, leaves(Hash::blake3, n), form);
        const TreeFile file(path);
        const Bytes good = read_all(path);
        const auto found = [&](unsigned level, std::uint64_t index) {
            Bytes bytes = good;
            bytes[file.level_offset(level) + 32 * index + 5] ^= 0x10;
            folder.write("bad.mkl", bytes);
            std::vector<std::pair<unsigned, std::uint64_t>> out;
            for (const merklize::WrongNode& node : TreeFile(folder.path() / "bad.mkl").check())
                out.emplace_back(node.level, node.index);
            return out;
        };
        using Wrong = std::vector<std::pair<unsigned, std::uint64_t>>;
        CHECK_EQ(found(0, 7), (Wrong{{1, 3}}));  // a wrong leaf differs from its parent only
        CHECK_EQ(found(0, n - 1), (Wrong{{1, (n - 1) / 2}}));
        CHECK_EQ(found(2, 3), (Wrong{{2, 3}, {3, 1}}));  // a wrong node differs from its children, too
        CHECK_EQ(found(file.height() - 1, 1), (Wrong{{file.height() - 1, 1}, {file.height(), 0}}));
    }
    // No more wrong nodes than asked for; words that are no field elements.
    Bytes bytes = read_all(path);
    for (std::size_t at = 128; at < 128 + 32 * 5000; at += 32) bytes[at] ^= 1;
    folder.write("bad.mkl", bytes);
    CHECK_EQ(TreeFile(folder.path() / "bad.mkl").check().size(), 1000u);
    CHECK_EQ(TreeFile(folder.path() / "bad.mkl").check(7).size(), 7u);
    const std::vector<Digest> field = leaves(Hash::rp64_256_v3, 9);
    write_tree(path, field, TreeForm(Hash::rp64_256_v3, TreeRule::left_full));
    bytes = read_all(path);
    std::fill_n(bytes.begin() + 128 + 32 * 4, 8, 0xff);
    folder.write("bad.mkl", bytes);
    const auto wrong = TreeFile(folder.path() / "bad.mkl").check();
    CHECK_EQ(wrong.size(), 2u);
    CHECK(wrong[0].level == 0 && wrong[0].index == 4 && wrong[1].level == 1 && wrong[1].index == 2);
}

TEST("tree_file: update and append are a rebuild") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", fresh = folder.path() / "fresh.mkl";
    Random random(3);
    for (const TestForm& f : test_forms()) {
        std::size_t n = f.form.rule == TreeRule::perfect ? 128 : 1 + random.below(400);
        std::vector<Digest> all = leaves(f.form.hash, n, n);
        write_tree(path, all, f.form, {1, n});
        TreeFile file(path);
        const TreeFile before(path);
        const Digest old_root = before.root();
        file.set_mode(f.form.mode);
        for (const std::size_t count : {std::size_t{1}, n / 3 + 1, n}) {
            std::vector<std::uint64_t> indices(n);
            for (std::size_t i = 0; i < n; ++i) indices[i] = i;
            for (std::size_t i = n; i > 1; --i) std::swap(indices[i - 1], indices[random.below(i)]);
            indices.resize(count);
            const std::vector<Digest> changed = leaves(f.form.hash, count, random());
            for (std::size_t i = 0; i < count; ++i) all[indices[i]] = changed[i];
            file.update(indices, changed);
            write_tree(fresh, all, f.form, {1, n});
            CHECK_EQ(hex(read_all(path)), hex(read_all(fresh)));
            CHECK_EQ(file.root(), TreeFile(fresh).root());
        }
        std::vector<Digest> first(1);
        before.read(0, 0, first);  // root of the file that it has open
        CHECK_EQ(first[0], leaves(f.form.hash, n, n)[0]);
        CHECK_EQ(before.root(), old_root);
        if (f.form.rule != TreeRule::left_full) {
            CHECK_ERROR(invalid_argument, "left_full", file.append(all));
            continue;
        }
        for (const std::size_t count : {1, 2, 30, 500}) {
            const std::vector<Digest> more = leaves(f.form.hash, count, random());
            all.insert(all.end(), more.begin(), more.end());
            file.append(more);
            write_tree(fresh, all, f.form);
            CHECK_EQ(hex(read_all(path)), hex(read_all(fresh)));
            CHECK_EQ(file.n_leaves(), all.size());
        }
    }
}

TEST("tree_file: built from files of data and of leaves, and from pipes") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    for (const std::size_t leaf_bytes : {1, 7, 64, 1024, 5000, 300000, 1000000}) {
        for (const std::size_t size :
             {std::size_t{0}, std::size_t{1}, leaf_bytes, 3 * leaf_bytes + 1, std::size_t{200001}}) {
            if (size / leaf_bytes > 100000) continue;
            const Bytes data = Random(size).bytes(size);
            const auto input = folder.write("data", data);
            std::vector<Digest> all;
            for (std::size_t at = 0; at < size || all.empty(); at += leaf_bytes) {
                all.push_back(merklize::hash(view(data).subspan(at, std::min(leaf_bytes, size - at))));
            }
            const Digest expected = merklize::merkle_root(all, form);
            CHECK_EQ(merklize::build_tree_file(TreeInput::blocks(input, leaf_bytes), path, form).root, expected);
            CHECK_EQ(TreeFile(path).source().total_bytes, size);
            const Bytes whole = read_all(path);
            const auto pipe = folder.path() / "pipe";
            CHECK_EQ(::mkfifo(pipe.c_str(), 0600), 0);
            std::thread writer([&] {
                std::ofstream(pipe, std::ios::binary)
                    .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(size));
            });
            CHECK_EQ(merklize::build_tree_file(TreeInput::blocks(pipe, leaf_bytes), path, form).root, expected);
            writer.join();
            std::filesystem::remove(pipe);
            CHECK_EQ(hex(read_all(path)), hex(whole));
        }
    }
    for (const merklize::HashTraits& t : hashes_here()) {  // records of 48 bytes, and leaves as they are
        const TreeForm of(t.hash, TreeRule::pad);
        const std::vector<Digest> words = leaves(t.hash, 3 * 500);
        Bytes data;
        for (const Digest& d : words)
            for (const std::uint8_t byte : to_bytes(d)) data.push_back(byte);
        const auto input = folder.write("data", data);
        std::vector<Digest> all(1000);
        merklize::hash_leaves(view(data), 48, all, t.hash);
        CHECK_EQ(merklize::build_tree_file(TreeInput::blocks(input, 48), path, of).root,
                 merklize::merkle_root(all, of));
        CHECK_EQ(merklize::build_tree_file(TreeInput::leaves(input), path, of).root, merklize::merkle_root(words, of));
        CHECK_EQ(TreeFile(path).source().leaf_bytes, 0u);
    }
    const Bytes key = pattern(32);
    const TreeForm keyed(Hash::blake3, TreeRule::pad, Mode::keyed(view(key)));
    const Bytes data = Random(9).bytes(100000);
    std::vector<Digest> all(100);
    merklize::hash_leaves(view(data), 1000, all, Hash::blake3, keyed.mode);
    CHECK_EQ(merklize::build_tree_file(TreeInput::blocks(folder.write("data", data), 1000), path, keyed).root,
             merklize::merkle_root(all, keyed));
}

TEST("tree_file: one way from an input to a tree: in memory, in a file, the root alone") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", pipe = folder.path() / "pipe";
    CHECK_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Random random(11);
    for (const TestForm& f : test_forms()) {
        const bool is_field = merklize::traits(f.form.hash).is_field, perfect = f.form.rule == TreeRule::perfect;
        const std::uint64_t size = std::array<std::uint64_t, 3>{8, 48, 1000}[random.below(3)];
        const std::size_t n = perfect ? 32 : 1 + random.below(200);
        const Bytes data =
            is_field ? random_elements(merklize::traits(f.form.hash), n * size, random) : random.bytes(n * size);
        const auto rows = folder.write("rows", data);
        Bytes cut = data;
        if (!is_field) cut.resize(data.size() - random.below(size));
        const auto pieces = folder.write("pieces", cut);
        const std::vector<Digest> given = leaves(f.form.hash, n, n);
        Bytes bytes;
        for (const Digest& d : given)
            for (const std::uint8_t byte : to_bytes(d)) bytes.push_back(byte);
        const auto ready = folder.write("leaves", bytes);
        const auto made = [&](const Bytes& from) {
            std::vector<Digest> out(n);
            for (std::size_t i = 0; i < n; ++i) {
                const auto piece = view(from).subspan(i * size, std::min<std::size_t>(size, from.size() - i * size));
                merklize::hash_leaves(piece, piece.size(), {&out[i], 1}, f.form.hash, f.form.mode);
            }
            return out;
        };
        for (auto& [input, content, all] : {std::tuple(TreeInput::blocks(pieces, size), cut, made(cut)),
                                            std::tuple(TreeInput::rows(rows, size), data, made(data)),
                                            std::tuple(TreeInput::leaves(ready), bytes, given)}) {
            const Digest expected = witness_levels(f, all).back()[0];
            const merklize::MerkleTree tree = merklize::MerkleTree::from_file(input, f.form);
            CHECK_EQ(tree.root(), expected);
            CHECK_EQ(tree.n_leaves(), n);
            const LeafSource source =
                input.kind == TreeInput::Kind::leaves ? LeafSource{} : LeafSource{size, content.size()};
            CHECK_EQ(tree.source().leaf_bytes, source.leaf_bytes);
            CHECK_EQ(tree.source().total_bytes, source.total_bytes);
            const auto check_facts = [&](const merklize::TreeFacts& facts) {
                CHECK_EQ(facts.root, expected);
                CHECK_EQ(facts.n_leaves, n);
                CHECK_EQ(facts.height, tree.height());
                CHECK_EQ(facts.bytes, content.size());
                CHECK(facts.hash == f.form.hash && facts.rule == f.form.rule);
            };
            check_facts(merklize::merkle_root_file(input, f.form));
            check_facts(merklize::build_tree_file(input, path, f.form));
            check_levels(path, witness_levels(f, all));
            const Bytes whole = read_all(path);
            merklize::save_tree(tree, path);
            CHECK_EQ(hex(read_all(path)), hex(whole));
            // A pipe, and a descriptor that is not at its beginning.
            TreeInput piped = input;
            piped.path = pipe;
            for (const bool to_file : {true, false}) {
                std::thread writer([&] {
                    std::ofstream(pipe, std::ios::binary)
                        .write(reinterpret_cast<const char*>(content.data()),
                               static_cast<std::streamsize>(content.size()));
                });
                check_facts(to_file ? merklize::build_tree_file(piped, path, f.form)
                                    : merklize::merkle_root_file(piped, f.form));
                writer.join();
            }
            CHECK_EQ(hex(read_all(path)), hex(whole));
            Bytes shifted(77, 1);
            shifted.insert(shifted.end(), content.begin(), content.end());
            const int fd = ::open(folder.write("shifted", shifted).c_str(), O_RDONLY);
            CHECK_EQ(::lseek(fd, 77, SEEK_SET), off_t{77});
            TreeInput open = input;
            open.descriptor = fd;
            CHECK_EQ(merklize::MerkleTree::from_file(open, f.form).root(), expected);
            check_facts(merklize::build_tree_file(open, path, f.form));
            ::close(fd);
        }
    }
    CHECK_ERROR(io, "not a regular file", merklize::MerkleTree::from_file(TreeInput::blocks("/dev/null", 30)));
}

TEST("tree_file: a tree of more leaves than memory has room for is refused before anything is read") {
    const TemporaryFolder folder;
    const auto path = folder.write("data", Bytes(1));
    std::filesystem::resize_file(path, std::uint64_t{1} << 42);
    CHECK_ERROR(out_of_memory, "a tree of 4398046511104 leaves takes 281474976710656 bytes of memory, there are ",
                merklize::MerkleTree::from_file(TreeInput::blocks(path, 1)));
}

TEST("tree_file: nodes that are not there are refused before memory is taken for them") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const std::vector<Digest> all = leaves(Hash::blake3, 8);
    write_tree(path, all, TreeForm(Hash::blake3, TreeRule::left_full));
    const TreeFile file(path);
    CHECK_EQ(file.read(0, 2, 6), std::vector<Digest>(all.begin() + 2, all.end()));
    for (const std::uint64_t count : {std::uint64_t{9}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        CHECK_ERROR(invalid_argument, "within the 8 nodes of level 0, got 0 and " + std::to_string(count),
                    file.read(0, 0, count));
        CHECK_ERROR(invalid_argument, "within 8 leaves", file.prove_range(0, count));
    }
    CHECK_ERROR(invalid_argument, "above the root", file.read(4, 0, 1));
    CHECK_ERROR(invalid_argument, "within 8 leaves, got [5, 5)", file.prove_range(5, 5));
    const std::uint64_t some[] = {3, 4, 5};
    CHECK_EQ(file.prove_range(3, 6), file.prove_together(some));
}

TEST("tree_file: a change is made to the file as it is, not as it was when it was opened") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    std::vector<Digest> all = leaves(Hash::blake3, 50);
    const std::vector<Digest> other = leaves(Hash::blake3, 10, 77);
    write_tree(path, all, form);
    TreeFile one(path), two(path), three(path);
    const std::uint64_t first = 3, second = 40, late = 52;
    one.update({&first, 1}, std::span(other).first(1));
    two.update({&second, 1}, std::span(other).subspan(1, 1));
    one.append(std::span(other).subspan(2, 4));
    three.update({&late, 1}, std::span(other).subspan(6, 1));  // a leaf that the file did not have before
    all[3] = other[0];
    all[40] = other[1];
    all.insert(all.end(), other.begin() + 2, other.begin() + 6);
    all[52] = other[6];
    CHECK_EQ(three.root(), merklize::merkle_root(all, form));
    CHECK_EQ(TreeFile(path).root(), three.root());
    write_tree(path, all, TreeForm(Hash::blake3, TreeRule::pad));
    CHECK_ERROR(io, "a tree of another hash, rule, mode, padding or leaf size, or over other data, has replaced it",
                one.update({&first, 1}, std::span(other).first(1)));
    // More leaves from a file.
    write_tree(path, all, form, {1, all.size()});
    TreeFile grown(path);
    CHECK_EQ(grown.append(TreeInput::blocks(folder.write("data", pattern(25)), 10)), 3u);
    CHECK_EQ(grown.n_leaves(), all.size() + 3);
    CHECK(grown.check().empty());
}

TEST("tree_file: a change that any call of the progress function cancels leaves the file as it is") {
    const AskedOften often;
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    const auto all = leaves(Hash::blake3, 70000), more = leaves(Hash::blake3, 3000, 2);
    const std::vector<std::uint64_t> one{7};
    std::vector<std::uint64_t> many(more.size());
    std::iota(many.begin(), many.end(), 0);
    const merklize::MerkleTree saved(all, form), other(more, form);
    folder.write("more", pattern(1000));
    using Change = std::function<void(const merklize::RunOptions&)>;
    const std::vector<Change> changes = {
        [&](const auto& options) { TreeFile(path).append(more, options); },
        [&](const auto& options) { TreeFile(path).append(TreeInput::blocks(folder.path() / "more", 10), options); },
        [&](const auto& options) { TreeFile(path).update(many, more, options); },
        [&](const auto& options) { TreeFile(path).update(one, std::span(more).first(1), options); },
        [&](const auto& options) { merklize::save_tree(other, path, {}, options.progress); },
        [&](const auto& options) {
            merklize::TreeWriter writer(path, more.size(), form, {}, false, options);
            writer.append(more);
            writer.finish();
        },
        [&](const auto& options) {
            merklize::TreeWriter writer(path, 0, form, {}, false, options);
            writer.append(more);
            writer.finish();
        }};
    for (const Change& change : changes) {
        int asked = 0, last = INT_MAX;
        merklize::RunOptions options = support::on_cpu(1);
        options.progress = [&](double) { return ++asked < last; };
        merklize::save_tree(saved, path);
        change(options);
        const int n = asked;
        CHECK(n > 1);
        CHECK(TreeFile(path).root() != saved.root());
        merklize::save_tree(saved, path);
        for (last = 1; last <= n; last++) {
            asked = 0;
            CHECK_ERROR(cancelled, "cancelled by the caller's progress function", change(options));
            CHECK_EQ(asked, last);
            CHECK_EQ(TreeFile(path).root(), saved.root());
        }
    }
}

TEST("tree_file: work of many short batches can be cancelled between them") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const auto some = leaves(Hash::blake3, 100);
    merklize::RunOptions options = support::on_cpu(1);
    options.progress = [](double) { return false; };
    merklize::TreeWriter writer(path, some.size(), {}, {}, false, options);
    writer.append(some);
    CHECK_ERROR(cancelled, "cancelled", writer.finish());
    CHECK(!std::filesystem::exists(path));
    CHECK_ERROR(cancelled, "cancelled", writer.finish());  // and nothing is lost
    CHECK_EQ(writer.written(), some.size());
}

TEST("tree_file: a cancelled build goes on, of the same data alone") {
    const AskedOften often;
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", input = folder.path() / "data";
    folder.write("data", Random(4).bytes(64 << 20));
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    const Digest expected = merklize::build_tree_file(TreeInput::blocks(input, 64), path, form).root;
    merklize::RunOptions options;
    double most = 0, first = 2;
    options.progress = [&](double done) {
        first = std::min(first, done);
        most = std::max(most, done);
        return done < 0.5;
    };
    options.threads = 1;
    const auto cancelled = [&] {
        try {
            merklize::build_tree_file(TreeInput::blocks(input, 64), path, form, true, options);
            return false;
        } catch (const merklize::Error& error) {
            return error.code() == merklize::ErrorCode::cancelled;
        }
    };
    CHECK(cancelled());
    CHECK(most >= 0.5);
    options.progress = [&](double done) {
        first = std::min(first, done);
        return true;
    };
    first = 2;
    CHECK_EQ(merklize::build_tree_file(TreeInput::blocks(input, 64), path, form, true, options).root, expected);
    CHECK(first > 0.3);
    CHECK(TreeFile(path).check().empty());
    // A source that was written to meanwhile is read from the beginning.
    options.progress = [&](double done) { return done < 0.5; };
    CHECK(cancelled());
    folder.write("data", Random(5).bytes(64 << 20));
    const Digest changed = merklize::build_tree_file(TreeInput::blocks(input, 64), path, form).root;
    CHECK_EQ(changed, merklize::build_tree_file(TreeInput::blocks(input, 64), path, form, false).root);
    CHECK(TreeFile(path).check().empty());
    CHECK(changed != expected);
}

TEST("tree_file: permissions are those of the file that is replaced") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl", link = folder.path() / "link.mkl";
    const std::vector<Digest> all = leaves(Hash::blake3, 10);
    write_tree(path, all, TreeForm(Hash::blake3, TreeRule::left_full));
    std::filesystem::permissions(path, std::filesystem::perms(0640));
    std::filesystem::create_symlink(path, link);
    const auto mode = [&] { return static_cast<unsigned>(std::filesystem::status(path).permissions()); };
    TreeFile file(link);
    file.append(all);
    CHECK_EQ(mode(), 0640u);
    CHECK(std::filesystem::is_symlink(link));
    write_tree(link, all, TreeForm(Hash::blake3, TreeRule::left_full));
    CHECK_EQ(mode(), 0640u);
    CHECK(std::filesystem::is_symlink(link));
    CHECK_EQ(TreeFile(path).n_leaves(), 10u);
}
