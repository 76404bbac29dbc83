// Readers of a tree file that others change: each sees a whole tree.
#include <sys/stat.h>

#include "child.hpp"
#include "runtime/changed_tree.hpp"

using namespace disk_faults;
using namespace support;
using merklize::TreeFile;

TEST("disk_faults: a reader keeps its whole old tree; without readers the file is changed in place") {
    const Changed one;
    one.begin();
    const Digest old_root = TreeFile(one.path).root();
    const auto inode = [&] {
        struct stat info;
        CHECK_EQ(::stat(one.path.c_str(), &info), 0);
        return info.st_ino;
    };
    ino_t before = inode();
    {
        const TreeFile reader(one.path);
        one.update();
        CHECK(inode() != before);
        CHECK_EQ(reader.root(), old_root);
        CHECK(reader.check(1, cpu()).empty());
        CHECK(reader.read(0, 0, reader.n_leaves()) == one.old_leaves);
    }
    CHECK(one.state(one.updated()));
    one.begin();
    before = inode();
    one.update();
    CHECK_EQ(inode() == before, has_leases(one.folder.path()));
    CHECK(one.state(one.updated()));
    // The same through a link. The journal is beside the file, not beside the link.
    std::filesystem::create_directory(one.folder.path() / "other");
    std::filesystem::create_symlink("../t.mkl", one.folder.path() / "other" / "link");
    one.begin();
    before = inode();
    TreeFile linked(one.folder.path() / "other" / "link");
    linked.update(one.indices, one.new_leaves, cpu());
    CHECK_EQ(inode() == before, has_leases(one.folder.path()));
    CHECK_EQ(linked.root(), TreeFile(one.path).root());
    CHECK_EQ(linked.path(), one.folder.path() / "other" / "link");
}

TEST("disk_faults: processes that change and read one file see whole trees only") {
    const Changed one;
    one.begin();
    std::vector<pid_t> children;
    for (std::uint64_t who = 0; who < 4; ++who) {
        children.push_back(child::start([&] {
            for (std::uint64_t i = 0; i < 60; ++i) {
                TreeFile file(one.path);
                if (who < 2) {
                    const std::uint64_t index = 10 * i + who;
                    file.update({&index, 1}, std::span(one.new_leaves).first(1), cpu());
                }
                const std::uint64_t index = i;
                if (!merklize::verify(file.prove(index), file.root())) return 1;
                if (i % 10 == 0 && !file.check(1, cpu()).empty()) return 2;
            }
            return 0;
        }));
    }
    for (const pid_t pid : children) CHECK_EQ(child::end_of(pid), 0);
    std::vector<Digest> all = one.old_leaves;
    for (std::uint64_t i = 0; i < 60; ++i) all[10 * i] = all[10 * i + 1] = one.new_leaves[0];
    CHECK_EQ(TreeFile(one.path).root(), merklize::merkle_root(all, form, cpu()));
}
