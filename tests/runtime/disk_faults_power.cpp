// Power failures: a tree file that is opened afterwards is as before a change or as after it.
#include <algorithm>

#include "files/atomic_file.hpp"
#include "files/journal.hpp"
#include "runtime/changed_tree.hpp"
#include "runtime/disk_model.hpp"

using namespace disk_faults;
using namespace support;
using merklize::TreeFile;
using merklize::TreeWriter;

TEST("disk_faults: an update in place, and its rolling back, at every power failure") {
    const Changed one;
    if (!has_leases(one.folder.path())) return;
    one.begin();
    const Disk before = Disk::of(one.folder.path());
    const std::vector<Call> made = recorded([&] { one.update(); });
    CHECK(has_journal(made));
    const auto writes = std::ranges::count(made, Call::write, &Call::kind);
    CHECK(writes > 20);  // the journal, the header and the nodes
    Random random(1);
    unsigned states[2] = {}, rolled_back = 0;
    each_failure(before, made, 24, random, [&](const Disk& disk, std::size_t n) {
        disk.put(one.folder.path());
        const Disk there = Disk::of(one.folder.path());
        bool is_after = false;
        const std::vector<Call> opening = recorded([&] { is_after = one.state(one.updated()); });
        ++states[is_after];
        CHECK(is_after || n < made.size());  // update() has returned: it is on the disk
        if (n + 3 < made.size()) CHECK(!is_after || n > made.size() / 2);
        if (opening.size() < 3) return;
        ++rolled_back;
        if (rolled_back % 16 != 0) return;
        each_failure(there, opening, 3, random, [&](const Disk& again, std::size_t m) {
            again.put(one.folder.path());
            const With with(quick());
            CHECK(!one.state(one.updated()) || m < opening.size());
        });
    });
    CHECK(states[0] > 100 && states[1] > 24 && rolled_back > 100);
}

TEST("disk_faults: files that are replaced, at every power failure") {
    const Changed one;
    merklize::runtime::changes_in_place = false;
    merklize::runtime::unnamed_files = false;
    const std::vector<Digest> longer = [&] {
        std::vector<Digest> all = one.old_leaves;
        all.insert(all.end(), one.new_leaves.begin(), one.new_leaves.end());
        return all;
    }();
    const merklize::MerkleTree other(one.new_leaves, form, cpu());
    Random random(2);
    for (int way = 0; way < 3; ++way) {
        one.begin();
        const Disk before = Disk::of(one.folder.path());
        const std::vector<Call> made = recorded([&] {
            if (way == 0) one.update();
            if (way == 1) TreeFile(one.path).append(one.new_leaves, cpu());
            if (way == 2) merklize::save_tree(other, one.path);
        });
        CHECK(!has_journal(made) && std::ranges::count(made, Call::rename, &Call::kind) == 1);
        const std::vector<Digest> after = way == 0 ? one.updated() : way == 1 ? longer : one.new_leaves;
        unsigned states[2] = {};
        const With with(quick());
        each_failure(before, made, 16, random, [&](const Disk& disk, std::size_t n) {
            disk.put(one.folder.path());
            const bool is_after = one.state(after);
            ++states[is_after];
            CHECK(is_after || n < made.size());
        });
        CHECK(states[0] > 16 && states[1] >= 16);
    }
    merklize::runtime::changes_in_place = true;
    merklize::runtime::unnamed_files = true;
}

TEST("disk_faults: a build goes on after every power failure and makes the same file") {
    const Changed one;
    constexpr std::size_t n_leaves = 3000;
    const std::vector<Digest> all = leaves(Hash::blake3, n_leaves, 5);
    const Digest expected = merklize::merkle_root(all, form, cpu());
    Random random(3);
    for (const bool known : {true, false}) {
        one.begin();
        const Disk before = Disk::of(one.folder.path());
        const auto go_on = [&](bool checkpoints) {
            TreeWriter writer(one.path, known ? n_leaves : 0, form, {}, true, cpu());
            while (writer.written() < n_leaves) {
                writer.append(std::span(all).subspan(writer.written(), std::min(n_leaves - writer.written(), 700ul)));
                if (checkpoints) writer.checkpoint();
            }
            CHECK_EQ(writer.finish(), expected);
        };
        const std::vector<Call> made = recorded([&] { go_on(true); });
        const std::string partial = "t.mkl.partial";
        unsigned resumed = 0;
        const With with(quick());
        each_failure(before, made, 4, random, [&](const Disk& disk, std::size_t n) {
            disk.put(one.folder.path());
            CHECK(one.state(all) || n < made.size());
            if (disk.names.contains(partial)) {
                const std::uint64_t there = TreeWriter(one.path, known ? n_leaves : 0, form, {}, true, cpu()).written();
                resumed += there != 0;
            }
            go_on(false);
            CHECK(one.state(all));
        });
        CHECK(resumed > 6);
    }
}
