// Changes of tree files that are refused: of damaged files, and of files that another tree has replaced.

#include <functional>

#include "forms.hpp"
#include "written_trees.hpp"

using namespace support;
using merklize::LeafSource;
using merklize::TreeFile;
using merklize::TreeInput;

TEST("tree_file: no change of a damaged file makes a root of what is damaged") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    for (const TestForm& f : test_forms()) {
        const bool is_usual = f.form.hash == Hash::blake3 || f.form.hash == Hash::rp64_256_v3;
        for (const std::size_t n : {8, 13, 150}) {
            if (!fits(f, n) || (n == 150 && !is_usual) || (n == 8 && f.form.rule != TreeRule::perfect)) continue;
            const std::vector<Digest> all = leaves(f.form.hash, n, n), more = leaves(f.form.hash, 100, 5);
            write_tree(path, all, f.form);
            const Bytes good = read_all(path);
            const TreeFile sound(path);
            // Changes of leaf n - 1, of many leaves, and at the end.
            std::vector<Digest> one = all, many = all, grown = all;
            std::vector<std::uint64_t> indices(n / 2 + 1);
            for (std::size_t i = 0; i < indices.size(); i++) many[indices[i] = n - 1 - i] = more[i];
            one[n - 1] = more[0];
            grown.insert(grown.end(), more.begin(), more.end());
            using Change = std::pair<const std::vector<Digest>*, std::function<void(TreeFile&)>>;
            std::vector<Change> changes = {
                {&one, [&](TreeFile& file) { file.update({indices.data(), 1}, {more.data(), 1}); }},
                {&many, [&](TreeFile& file) { file.update(indices, {more.data(), indices.size()}); }},
            };
            if (f.form.rule == TreeRule::left_full)
                changes.push_back({&grown, [&](TreeFile& file) { file.append(more); }});
            for (std::size_t change = 0; change < changes.size(); change++) {
                const auto& [expected, make] = changes[change];
                const Digest root = merklize::merkle_root(*expected, f.form);
                for (unsigned level = 0; level < sound.height(); level++) {
                    const std::uint64_t size = ((n - 1) >> level) + 1;
                    // The last node, which each change needs or leaves alone as a whole, and an earlier one.
                    for (const std::uint64_t k : {size - 1, size / 3}) {
                        Bytes bad = good;
                        // Also a word that is no element of a field.
                        const std::size_t at = sound.level_offset(level) + 32 * k;
                        if (k % 2 == 0) bad[at] ^= 1;
                        if (k % 2 == 1) std::fill_n(bad.begin() + static_cast<std::ptrdiff_t>(at), 32, 0xff);
                        folder.write("bad.mkl", bad);
                        TreeFile file(folder.path() / "bad.mkl");
                        file.set_mode(f.form.mode);
                        std::string refused;
                        try {
                            make(file);
                        } catch (const merklize::Error& error) {
                            CHECK(error.code() == merklize::ErrorCode::io);
                            refused = error.what();
                        }
                        if (refused.empty()) {
                            CHECK_EQ(file.root(), root);  // what is damaged was not needed
                            CHECK(k != size - 1 || change == 2);
                        } else {
                            CHECK(refused.find("bad.mkl: a damaged tree file: level ") != refused.npos);
                            CHECK_EQ(hex(read_all(folder.path() / "bad.mkl")), hex(bad));
                        }
                    }
                }
            }
        }
    }
}

TEST("tree_file: a change is not made to a tree that has replaced the one that was opened") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "t.mkl";
    const TreeForm form(Hash::blake3, TreeRule::left_full);
    const std::vector<Digest> all = leaves(Hash::blake3, 40), other = leaves(Hash::blake3, 1, 7);
    const std::uint64_t index = 3;
    const auto data = folder.write("data", pattern(100));
    const std::pair<std::size_t, LeafSource> replacing[] = {
        {40, {128, 40 * 128}},    // of another leaf size
        {40, {64, 40 * 64 - 1}},  // over data of another size
        {39, {64, 39 * 64}},      // over less data
        {38, {}},                 // the same, which does not say so
    };
    for (const auto& [n, source] : replacing) {
        write_tree(path, all, form, {64, 40 * 64});
        TreeFile file(path);
        write_tree(path, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}, form, source);
        const Bytes before = read_all(path);
        constexpr const char* says = "or over other data, has replaced it since it was opened: open it again";
        CHECK_ERROR(io, says, file.update({&index, 1}, other));
        CHECK_ERROR(io, says, file.append(other));
        CHECK_ERROR(io, says, file.append(TreeInput::blocks(data, 64)));
        CHECK_EQ(hex(read_all(path)), hex(before));
    }
    // Changes of others replace nothing.
    write_tree(path, all, form, {64, 40 * 64});
    TreeFile file(path), two(path), three(path);
    file.append(TreeInput::blocks(data, 64));
    two.append(TreeInput::blocks(data, 64));
    three.update({&index, 1}, other);
    CHECK_EQ(three.n_leaves(), 44u);
    CHECK(three.check().empty());
}
