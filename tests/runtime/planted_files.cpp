// Files that other users put beside a tree file, under the library's names, in a folder where all may create files.
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <functional>

#include "child.hpp"
#include "files/atomic_file.hpp"
#include "runtime/changed_tree.hpp"
#include "runtime/disk_model.hpp"

using namespace disk_faults;
using namespace support;
using merklize::TreeFile;
using merklize::TreeWriter;

namespace {

constexpr uid_t owner = 12345, other = 23456;  // not in the user database

bool has_users() {
    if (::geteuid() == 0) return true;
    std::cout << "skipped: acts as several users, which only root can" << std::endl;
    return false;
}

/// The result of `body` in a child with the rights of this user and group alone.
int as_user(uid_t user, gid_t group, const std::function<int()>& body) {
    return child::in_fork([&] {
        try {
            if (::setgroups(0, nullptr) != 0 || ::setgid(group) != 0 || ::setuid(user) != 0) return 98;
            return body();
        } catch (const std::exception& error) {
            std::cerr << "child: " << error.what() << std::endl;
            return 99;
        }
    });
}
int as_user(uid_t user, const std::function<int()>& body) { return as_user(user, user, body); }

/// A tree file of `owner` in a folder with the sticky bit, a change of it, and the journal of that change.
struct Planted : Changed {
    Planted() {
        ::chmod(folder.path().c_str(), 01777);
        begin();
        const Disk before = Disk::of(folder.path());
        const std::vector<Call> made = recorded([&] { update(); });
        after = read_file(path);
        Random random(1);
        after_failure(before, made, made.size() / 2, Fault::none, random).put(folder.path());
        journal = read_file(name);
        torn = read_file(path);
        std::filesystem::remove(name);
        old_root = merklize::merkle_root(old_leaves, form, cpu());
        root = merklize::merkle_root(updated(), form, cpu());
    }

    void put(const std::filesystem::path& file, const Bytes& bytes, uid_t user, gid_t group, mode_t mode) const {
        std::filesystem::remove_all(file);
        folder.write(file.filename().string(), bytes);
        CHECK_EQ(::chown(file.c_str(), user, group), 0);
        CHECK_EQ(::chmod(file.c_str(), mode), 0);
    }
    void put_tree(const Bytes& bytes, mode_t mode = 0644, gid_t group = owner) const {
        put(path, bytes, owner, group, mode);
    }
    void put_journal(uid_t user, mode_t mode = 0644) const { put(name, journal, user, user, mode); }

    /// Whether the changed tree opens unchanged for its owner, for root and for a reader.
    void check_unharmed() const {
        for (const uid_t user : {owner, uid_t{0}, uid_t{77}}) {
            CHECK_EQ(as_user(user,
                             [&] {
                                 const TreeFile file(path);
                                 return file.root() == root && file.check(1, cpu()).empty() ? 0 : 1;
                             }),
                     0);
        }
        CHECK(read_file(path) == after);
    }
    /// The error of opening the file; empty if there is none.
    std::string refusal() const try {
        const TreeFile file(path);
        return {};
    } catch (const merklize::Error& error) {
        return error.what();
    }

    std::filesystem::path name = merklize::runtime::journal_of(path);
    Bytes journal{}, torn{}, after{};
    Digest old_root{}, root{};
};

bool says(const std::string& text, std::string_view part) {
    if (contains(text, part)) return true;
    std::cout << "  \"" << part << "\" is not in: " << text << '\n';
    return false;
}

}  // namespace

TEST("planted: a journal of another user changes nothing, and the tree can be changed beside it") {
    if (!has_users()) return;
    const Planted one;
    if (!has_leases(one.folder.path())) return;
    one.put_tree(one.after);
    one.put_journal(other);
    one.check_unharmed();
    // All calls that change the file fail, too.
    const Digest leaf = one.old_leaves[3];
    CHECK_EQ(as_user(owner,
                     [&] {
                         TreeFile file(one.path);
                         file.update(one.indices, one.new_leaves, cpu());
                         if (file.root() != one.root) return 1;
                         file.append(std::span(&leaf, 1), cpu());
                         std::vector<Digest> all = one.updated();
                         all.push_back(leaf);
                         if (file.root() != merklize::merkle_root(all, form, cpu())) return 2;
                         merklize::save_tree(merklize::MerkleTree(all, form, cpu()), one.path);
                         return TreeFile(one.path).root() == file.root() ? 0 : 3;
                     }),
             0);
    CHECK(read_file(one.name) == one.journal);
    // A journal of an unknown version, and one of another file.
    for (const std::size_t at : {8, 16}) {
        one.put_tree(one.after);
        Bytes odd(one.journal.begin(), one.journal.end() - 32);
        odd[at] = 2;
        Digest check;
        merklize::hash(std::as_bytes(std::span(odd)), std::span(check.bytes));
        const Bytes last = to_bytes(check);
        odd.insert(odd.end(), last.begin(), last.end());
        one.put(one.name, odd, other, other, 0644);
        one.check_unharmed();
        CHECK(read_file(one.name) == odd);
    }
}

TEST("planted: a change that another user's journal tells of is neither rolled back nor read over") {
    if (!has_users()) return;
    const Planted one;
    one.put_tree(one.torn);
    one.put_journal(other);
    const auto refused = [&] {
        const std::string text = one.refusal();
        return says(text, "t.mkl.journal belongs to user 23456") && says(text, "t.mkl to user 12345") ? 0 : 1;
    };
    for (const uid_t user : {owner, uid_t{0}, uid_t{77}}) CHECK_EQ(as_user(user, refused), 0);
    CHECK(read_file(one.path) == one.torn);
    CHECK(read_file(one.name) == one.journal);
    // If the file is replaced as a whole, the journal does not belong to it.
    CHECK_EQ(as_user(owner,
                     [&] {
                         merklize::save_tree(merklize::MerkleTree(one.old_leaves, form, cpu()), one.path);
                         return TreeFile(one.path).root() == one.old_root ? 0 : 1;
                     }),
             0);
}

TEST("planted: what is no journal under a journal's name neither counts nor keeps anybody waiting") {
    if (!has_users()) return;
    const Planted one;
    one.put_tree(one.after);
    const auto own = one.folder.path() / "own";
    one.put(own, one.journal, owner, owner, 0644);
    // The other user makes each of these, as far as the system allows it.
    const std::vector<std::function<int()>> plants = {
        [&] { return ::mkfifo(one.name.c_str(), 0666); },
        [&] { return ::symlink(own.c_str(), one.name.c_str()); },
        [&] { return ::symlink("/dev/tty", one.name.c_str()); },
        [&] { return ::symlink(one.name.c_str(), one.name.c_str()); },
        [&] { return ::mkdir(one.name.c_str(), 0777); },
        [&] {
            const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::strncpy(address.sun_path, one.name.c_str(), sizeof address.sun_path - 1);
            return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        },
        [&] {
            one.folder.write(one.name.filename().string(), one.journal);
            return ::chmod(one.name.c_str(), 0);
        },
    };
    for (const auto& plant : plants) {
        std::filesystem::remove_all(one.name);
        CHECK_EQ(as_user(other, plant), 0);
        one.check_unharmed();
        CHECK_EQ(as_user(owner,
                         [&] {
                             TreeFile file(one.path);
                             file.update(one.indices, one.new_leaves, cpu());
                             return file.root() == one.root ? 0 : 1;
                         }),
                 0);
        one.put_tree(one.after);
    }
    // A second link to a journal that counted before, if the system lets others make one.
    std::filesystem::remove_all(one.name);
    CHECK_EQ(::link(own.c_str(), one.name.c_str()), 0);
    one.check_unharmed();
}

TEST("planted: nobody waits for locks and leases of the one who planted a journal") {
    if (!has_users()) return;
    const Planted one;
    if (!has_leases(one.folder.path())) return;
    one.put_tree(one.after);
    one.put_journal(other);
    std::array<int, 2> ready{}, done{};
    CHECK_EQ(::pipe(ready.data()) + ::pipe(done.data()), 0);
    const pid_t holder = child::start([&] {
        ::signal(SIGIO, SIG_IGN);
        if (::setgroups(0, nullptr) != 0 || ::setgid(other) != 0 || ::setuid(other) != 0) return 98;
        const int tree = ::open(one.path.c_str(), O_RDONLY), journal = ::open(one.name.c_str(), O_RDWR);
        const bool holds = ::flock(tree, LOCK_EX) == 0 && ::fcntl(journal, F_SETLEASE, F_WRLCK) == 0;
        char byte = holds ? '1' : '0';
        (void)!::write(ready[1], &byte, 1);
        ::close(done[1]);
        return ::read(done[0], &byte, 1) == 0 ? 0 : 1;  // until the test has ended
    });
    char byte = 0;
    CHECK_EQ(::read(ready[0], &byte, 1), 1);
    CHECK_EQ(byte, '1');
    CHECK_EQ(as_user(owner, [&] { return TreeFile(one.path).root() == one.root ? 0 : 1; }), 0);
    ::close(done[1]);
    CHECK_EQ(child::end_of(holder), 0);
    for (const int end : {ready[0], ready[1], done[0]}) ::close(end);
}

TEST("planted: a journal is read no further than it can be long") {
    const Changed one;
    one.begin();
    const auto journal = merklize::runtime::journal_of(one.path);
    const auto bytes_read = [] {
        std::ifstream counts("/proc/self/io");
        std::string word;
        std::uint64_t n = 0;
        counts >> word >> n;
        return n;
    };
    if (bytes_read() == 0) return;
    // A valid beginning of a journal of this file, with the longest possible change.
    Bytes head;
    const std::uint64_t words[] = {1, std::filesystem::file_size(one.path), 1, 0, std::filesystem::file_size(one.path)};
    for (const char c : std::string("MKLJRNL\0", 8)) head.push_back(static_cast<std::uint8_t>(c));
    for (const std::uint64_t word : words)
        for (unsigned i = 0; i < 8; i++) head.push_back(static_cast<std::uint8_t>(word >> 8 * i));
    one.folder.write("t.mkl.journal", head);
    std::filesystem::resize_file(journal, std::uint64_t{1} << 40);
    const std::uint64_t before = bytes_read();
    CHECK_EQ(TreeFile(one.path).n_leaves(), one.old_leaves.size());
    CHECK(bytes_read() - before < (1 << 20));
    CHECK(!std::filesystem::exists(journal));
}

TEST("planted: whose journal counts") {
    if (!has_users()) return;
    const Planted one;
    // A user of the user database, with that user's group.
    const passwd* known = ::getpwnam("nobody");
    const uid_t member = known == nullptr ? 0 : known->pw_uid;
    const gid_t group = known == nullptr ? 0 : known->pw_gid;
    struct Case {
        const char* what;
        mode_t tree_mode;
        gid_t tree_group;
        uid_t journal_owner;
        gid_t journal_group;
        mode_t journal_mode;
        bool counts;
    };
    std::vector<Case> cases = {
        {"the owner's", 0644, owner, owner, owner, 0644, true},
        {"root's", 0644, owner, 0, 0, 0644, true},
        {"another user's", 0644, owner, other, other, 0644, false},
        {"another user's where the group may write", 0664, owner, other, owner, 0664, false},
        {"anybody's where anybody may write", 0666, owner, other, other, 0666, true},
        {"the owner's, but anybody may write it", 0644, owner, owner, owner, 0646, false},
        {"the owner's, but its group may write it", 0644, owner, owner, owner, 0664, false},
        {"the owner's, but another group may write it", 0664, owner, owner, other, 0664, false},
        {"the owner's, and the same group may write it", 0664, owner, owner, owner, 0664, true},
    };
    if (known != nullptr) {
        cases.push_back({"a member's where the group may write", 0664, group, member, group, 0664, true});
        cases.push_back({"a member's where the group may only read", 0644, group, member, group, 0644, false});
    }
    for (const Case& it : cases) {
        one.put_tree(one.torn, it.tree_mode, it.tree_group);
        one.put(one.name, one.journal, it.journal_owner, it.journal_group, it.journal_mode);
        const std::string text = one.refusal();
        const bool counts = text.empty() && TreeFile(one.path).root() == one.old_root;
        if (counts != it.counts) std::cout << "  " << it.what << ": " << text << '\n';
        CHECK_EQ(counts, it.counts);
        CHECK_EQ(std::filesystem::exists(one.name), !it.counts);
    }
    // A journal of the effective user.
    one.put_tree(one.torn, 0664, other);
    one.put(one.name, one.journal, other, other, 0664);
    CHECK_EQ(as_user(other, [&] { return TreeFile(one.path).root() == one.old_root ? 0 : 1; }), 0);
    // With an access control list, the group's bits of the mode are a mask. Here one more user may write, and the group
    // may not.
    if (known == nullptr) return;
    one.put_tree(one.torn, 0664, group);
    one.put(one.name, one.journal, member, group, 0644);
    const std::uint32_t no_id = 0xffffffff;
    Bytes list = {2, 0, 0, 0};  // linux/posix_acl_xattr.h: version; tag, rights, id
    const auto entry = [&](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
        for (unsigned i = 0; i < 2; i++) list.push_back(static_cast<std::uint8_t>(tag >> 8 * i));
        for (unsigned i = 0; i < 2; i++) list.push_back(static_cast<std::uint8_t>(rights >> 8 * i));
        for (unsigned i = 0; i < 4; i++) list.push_back(static_cast<std::uint8_t>(id >> 8 * i));
    };
    entry(0x01, 6, no_id);  // the owner
    entry(0x02, 6, 77);     // a user
    entry(0x04, 4, no_id);  // the group
    entry(0x10, 6, no_id);  // the mask
    entry(0x20, 4, no_id);  // others
    if (::setxattr(one.path.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0) {
        std::cout << "not tested: this file system has no access control lists" << std::endl;
        return;
    }
    CHECK(says(one.refusal(), "is not rolled back"));
}

namespace {

struct stat seen{};
std::filesystem::path kept;

}  // namespace

TEST("planted: a journal has the rights of its file, and is written only where everybody will believe it") {
    if (!has_users()) return;
    const Planted one;
    if (!has_leases(one.folder.path())) return;
    merklize::runtime::DiskCalls calls = merklize::runtime::disk_calls;
    calls.unlink = [](const char* path) {
        ::lstat(path, &seen);
        return ::unlink(path);
    };
    const With with(calls);
    const auto inode = [&] {
        struct stat info{};
        ::stat(one.path.c_str(), &info);
        return info.st_ino;
    };
    for (const mode_t mode : {0644, 0664, 0640, 0600, 0666}) {
        one.put_tree(one.after, mode, other);
        const ino_t before = inode();
        one.update();
        CHECK_EQ(inode(), before);
        CHECK_EQ(seen.st_mode & 07777, mode);
        CHECK_EQ(seen.st_gid, other);
    }
    // A user with this group, but not in the user database, so that others cannot know of the membership.
    one.put_tree(one.after, 0664, other);
    const ino_t before = inode();
    CHECK_EQ(as_user(77, other,
                     [&] {
                         TreeFile file(one.path);
                         try {
                             file.update(one.indices, one.new_leaves, cpu());
                         } catch (const merklize::Error&) {}  // this user may not replace the file either
                         return 0;
                     }),
             0);
    CHECK_EQ(inode(), before);
    CHECK(read_file(one.path) == one.after);
}

TEST("planted: another link to a journal does not undo the change later") {
    const Changed one;
    if (!has_leases(one.folder.path())) return;
    one.begin();
    kept = one.folder.path() / "kept";
    merklize::runtime::DiskCalls calls = merklize::runtime::disk_calls;
    calls.unlink = [](const char* path) {
        std::error_code exists;
        if (std::string_view(path).ends_with(".journal")) std::filesystem::create_hard_link(path, kept, exists);
        return ::unlink(path);
    };
    {
        const With with(calls);
        one.update();
    }
    CHECK(std::filesystem::exists(kept));
    std::filesystem::rename(kept, merklize::runtime::journal_of(one.path));
    CHECK(one.state(one.updated()));
}

TEST("planted: a .partial file is the user's own, with one link") {
    if (!has_users()) return;
    const Planted one;
    const auto partial = one.folder.path() / "new.mkl.partial", target = one.folder.path() / "new.mkl";
    const auto refused = [&](std::string_view part) {
        return as_user(owner, [&] {
            try {
                TreeWriter(target, one.old_leaves.size(), form, {}, true, cpu());
            } catch (const merklize::Error& error) {
                return says(error.what(), part) ? 0 : 1;
            }
            return 2;
        });
    };
    // Another user begins the file and makes it writable for all.
    CHECK_EQ(as_user(other,
                     [&] {
                         TreeWriter writer(target, one.old_leaves.size(), form, {}, true, cpu());
                         writer.append(std::span(one.old_leaves).first(10));
                         writer.checkpoint();
                         return ::chmod(partial.c_str(), 0666);
                     }),
             0);
    const Bytes begun = read_file(partial);
    CHECK_EQ(refused("must have one link and belong to user 12345 or root, but it has 1 and belongs to user 23456"), 0);
    CHECK(read_file(partial) == begun);
    // A link to another file of the user.
    const auto own = one.folder.path() / "own";
    one.put(own, one.journal, owner, owner, 0644);
    std::filesystem::remove(partial);
    std::filesystem::create_hard_link(own, partial);
    CHECK_EQ(refused("it has 2"), 0);
    std::filesystem::remove(partial);
    std::filesystem::create_symlink(own, partial);
    CHECK_EQ(refused("cannot open"), 0);
    CHECK(read_file(own) == one.journal);
    std::filesystem::remove(partial);
    CHECK_EQ(::mkfifo(partial.c_str(), 0666), 0);
    ::chmod(partial.c_str(), 0666);
    CHECK_EQ(refused("not a regular file"), 0);
    std::filesystem::remove(partial);
    // A file that the user began is resumed.
    CHECK_EQ(as_user(owner,
                     [&] {
                         {
                             TreeWriter writer(target, one.old_leaves.size(), form, {}, true, cpu());
                             writer.append(std::span(one.old_leaves).first(10));
                         }
                         TreeWriter writer(target, one.old_leaves.size(), form, {}, true, cpu());
                         if (writer.written() != 10) return 1;
                         writer.append(std::span(one.old_leaves).subspan(10));
                         return writer.finish() == one.old_root ? 0 : 2;
                     }),
             0);
}

TEST("planted: a hidden name that another user has taken is not needed") {
    if (!has_users()) return;
    const Planted one;
    one.put_tree(one.after);
    const auto hidden = one.folder.path() / ".t.mkl.0.tmp";
    one.put(hidden, one.journal, other, other, 0644);
    merklize::runtime::changes_in_place = false;
    CHECK_EQ(as_user(owner,
                     [&] {
                         TreeFile file(one.path);
                         const std::uint64_t index = 3;
                         file.update({&index, 1}, std::span(one.new_leaves).first(1), cpu());
                         return file.root() == one.root ? 1 : 0;
                     }),
             0);
    merklize::runtime::changes_in_place = true;
    CHECK(read_file(hidden) == one.journal);
    CHECK_EQ(std::distance(std::filesystem::directory_iterator(one.folder.path()), {}), 2);
}
