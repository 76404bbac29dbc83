// The journal of a change in place: damaged, unreadable, or of another file.
#include <sys/stat.h>
#include <unistd.h>

#include "child.hpp"
#include "runtime/changed_tree.hpp"
#include "runtime/disk_model.hpp"

using namespace disk_faults;
using namespace support;
using merklize::TreeFile;

TEST("disk_faults: journals that are not whole, not readable, or of another file") {
    const Changed one;
    if (!has_leases(one.folder.path())) return;
    one.begin();
    const auto journal = merklize::runtime::journal_of(one.path);
    const Disk before = Disk::of(one.folder.path());
    const std::vector<Call> made = recorded([&] { one.update(); });
    Random random(4);
    const auto third = made.size() / 2;  // between the journal's sync and the file's
    const auto half = [&] {
        after_failure(before, made, third, Fault::none, random).put(one.folder.path());
        CHECK(std::filesystem::exists(journal));
    };
    half();
    const Bytes hot = read_file(journal), changed = read_file(one.path);

    // A user who may not write to the file gets an error; the file stays as it is.
    ::chmod(one.folder.path().c_str(), 0755);
    ::chmod(one.path.c_str(), 0644);
    ::chmod(journal.c_str(), 0644);
    if (::geteuid() == 0) {
        CHECK_EQ(child::in_fork([&] {
                     if (::setuid(65534) != 0) return 98;
                     try {
                         TreeFile file(one.path);
                     } catch (const merklize::Error& error) {
                         const std::string text = error.what();
                         return text.find("a change of it was interrupted") != text.npos ? 0 : 1;
                     }
                     return 2;
                 }),
                 0);
        CHECK(read_file(one.path) == changed);
    }
    CHECK(!one.state(one.updated()));

    const With with(quick());
    // A damaged journal is dropped: the file is changed only after the whole journal is on the disk.
    for (int i = 0; i < 200; ++i) {
        before.put(one.folder.path());
        Bytes damaged = hot;
        if (i % 2 == 0) damaged[random.below(damaged.size())] ^= static_cast<std::uint8_t>(1 + random.below(255));
        if (i % 2 == 1) damaged.resize(random.below(damaged.size()));
        one.folder.write("t.mkl.journal", damaged);
        CHECK(!one.state(one.updated()));
    }

    // Another file has taken the name, so the journal does not belong to it.
    const std::vector<Digest> others = leaves(Hash::blake3, 1500, 9);
    for (const std::size_t n : {1500, 900}) {
        half();
        const merklize::MerkleTree other(std::span<const Digest>(others).first(n), form, cpu());
        const auto beside = one.folder.path() / "other.mkl";
        merklize::save_tree(other, beside);
        std::filesystem::rename(beside, one.path);
        CHECK_EQ(TreeFile(one.path).root(), other.root());
        CHECK(!std::filesystem::exists(journal));
        // The same by save_tree().
        half();
        merklize::save_tree(other, one.path);
        CHECK(!std::filesystem::exists(journal));
        CHECK_EQ(TreeFile(one.path).root(), other.root());
    }

    // Only a part of the file fits the journal, so it is unknown which bytes are right.
    half();
    Bytes mixed = changed;
    mixed[mixed.size() - 1] ^= 1;
    one.folder.write("t.mkl", mixed);
    CHECK_ERROR(io, "cannot be rolled back", TreeFile(one.path));
    CHECK(std::filesystem::exists(journal));
    // A journal of a newer version is left alone.
    before.put(one.folder.path());
    Bytes newer(hot.begin(), hot.end() - 32);
    newer[8] = 2;
    Digest check;
    merklize::hash(std::as_bytes(std::span(newer)), std::span(check.bytes));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(check.bytes.data());
    newer.insert(newer.end(), bytes, bytes + 32);
    one.folder.write("t.mkl.journal", newer);
    CHECK_ERROR(io, "a journal of version 2; this program reads version 1", TreeFile(one.path));
}
