// Compiled programs on disk: damaged files, foreign files, several processes, and the choice of the folder.

#include <chrono>
#include <csignal>
#include <iterator>
#include <set>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.hpp"
#include "environment.hpp"
#include "files/kept_files.hpp"
#include "support.hpp"

using namespace support;
using namespace merklize::runtime;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t header_bytes = 52;

std::string key(const std::string& text) { return kept_key({text, "", "compiler", "1.0"}); }

/// A cache in a folder of its own that does not exist yet.
struct Fixture {
    TemporaryFolder folder;
    fs::path path = folder.path() / "cache" / "kernels";
    KeptFiles cache{{path, {}}};

    fs::path file(const std::string& key) const { return path / (key + ".bin"); }
    void put(const std::string& key, const Bytes& content) const {
        fs::remove_all(file(key));
        folder.write("cache/kernels/" + key + ".bin", content);
        fs::permissions(file(key), fs::perms::owner_read | fs::perms::owner_write);
    }
    Bytes raw(const std::string& key) const {
        std::ifstream in(file(key), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

bool holds(const KeptFiles& cache, const std::string& key, const Bytes& program) {
    const auto found = cache.load(key);
    return found && std::ranges::equal(*found, view(program));
}

fs::perms mode(const fs::path& path) { return fs::status(path).permissions(); }

}  // namespace

TEST("kernel_cache: what is stored is found, by any process") {
    const Fixture f;
    CHECK(!f.cache.load(key("a")));
    CHECK_EQ(f.cache.why_unusable(), "");
    CHECK(!fs::exists(f.path.parent_path()));  // load() creates no folder
    for (const std::size_t size : {0, 1, 31, 1024, 1025, 100000, 3000000}) {
        const Bytes program = Random(size).bytes(size);
        CHECK_EQ(f.cache.store(key("a"), view(program)), "");  // replaces the program before
        CHECK(holds(f.cache, key("a"), program));
        CHECK(holds(KeptFiles({f.path, {}}), key("a"), program));
        CHECK_EQ(f.files(), std::size_t{1});
        CHECK_EQ(fs::file_size(f.file(key("a"))), header_bytes + size);
    }
    CHECK(!f.cache.load(key("b")));
    using fs::perms;
    CHECK(mode(f.path) == perms::owner_all);
    CHECK(mode(f.path.parent_path()) == perms::owner_all);
    CHECK(mode(f.file(key("a"))) == (perms::owner_read | perms::owner_write));
}

TEST("kernel_cache: every part of a program's identity is in its key") {
    const std::vector<KeptIdentity> identities = {
        {"text", "options", "compiler", "version", "driver"},
        {"Text", "options", "compiler", "version", "driver"},
        {"text", "Options", "compiler", "version", "driver"},
        {"text", "options", "Compiler", "version", "driver"},
        {"text", "options", "compiler", "Version", "driver"},
        {"text", "options", "compiler", "version", "Driver"},
        // The same letters, divided otherwise.
        {"texto", "ptions", "compiler", "version", "driver"},
        {"textoptions", "", "compiler", "version", "driver"},
        {"", "textoptions", "compiler", "version", "driver"},
        {"text", "options", "compiler", "versiondriver", ""},
        {"text", "options", "compiler", "", "versiondriver"},
        {std::string_view("text\0", 5), "options", "compiler", "version", "driver"},
        {"", "", "", "", ""},
    };
    std::set<std::string> keys;
    for (const KeptIdentity& identity : identities) {
        const std::string key = kept_key(identity);
        CHECK_EQ(key, kept_key(identity));
        CHECK(merklize::Digest::from_hex(key).has_value());
        keys.insert(key);
    }
    CHECK_EQ(keys.size(), identities.size());
    // The encoding itself, by another BLAKE3: a change of it needs a new format.
    Bytes encoded;
    const auto append = [&](const std::string& part) {
        for (std::size_t i = 0; i < 8; ++i) encoded.push_back(static_cast<std::uint8_t>(part.size() >> 8 * i));
        encoded.insert(encoded.end(), part.begin(), part.end());
    };
    append("mkzkern\n");
    append(std::string("\1\0\0\0", 4));
    for (const char* part : {"text", "options", "compiler", "version", "driver"}) append(part);
    CHECK_EQ(kept_key(identities[0]), hex(reference::blake3(encoded)));
}

TEST("kernel_cache: no name but a key reaches a file") {
    const Fixture f;
    const Bytes program = pattern(10);
    CHECK_EQ(f.cache.store(key("a"), view(program)), "");
    const Bytes raw = f.raw(key("a"));
    f.folder.write("cache/outside.bin", raw);
    for (const std::string& name : {std::string(), std::string("../outside"), key("a").substr(1), key("a") + "0",
                                    "/" + key("a").substr(1), std::string(64, 'g')}) {
        CHECK(!f.cache.load(name));
        CHECK(contains(f.cache.store(name, view(program)), "is not the name"));
    }
    CHECK_EQ(f.files(), std::size_t{1});
    CHECK(fs::exists(f.folder.path() / "cache/outside.bin"));
}

TEST("kernel_cache: a damaged file is nothing, and is removed") {
    const Fixture f;
    const std::string k = key("a");
    const Bytes program = pattern(40);
    CHECK_EQ(f.cache.store(k, view(program)), "");
    const Bytes good = f.raw(k);
    // The format, by another BLAKE3: a change of it needs a new number.
    const merklize::Digest name = merklize::Digest::from_hex(k).value_or(merklize::Digest());
    Bytes expected = {'m', 'k', 'z', 'k', 'e', 'r', 'n', '\n', 1, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0};
    for (const Bytes& part : {reference::blake3(program, 32, 0, {.key = to_bytes(name)}), program})
        expected.insert(expected.end(), part.begin(), part.end());
    CHECK_EQ(hex(good), hex(expected));
    const auto refused = [&](const Bytes& content) {
        f.put(k, content);
        return !f.cache.load(k) && !fs::exists(f.file(k));
    };
    for (std::size_t size = 0; size < good.size(); ++size) {
        CHECK(refused(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))));
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const int flip : {0x01, 0x80, 0xff}) {
            Bytes bad = good;
            bad[i] = static_cast<std::uint8_t>(bad[i] ^ flip);
            CHECK(refused(bad));
        }
    }
    for (const std::size_t more : {1, 7, 100000}) {
        Bytes longer = good;
        longer.resize(good.size() + more);
        CHECK(refused(longer));
    }
    CHECK(refused(Bytes(1000)));
    // A sparse file whose length is larger than all memory.
    f.put(k, good);
    fs::resize_file(f.file(k), std::uintmax_t{1} << 42);
    CHECK(!f.cache.load(k));
    CHECK(!fs::exists(f.file(k)));
    // A good file under another name.
    f.put(key("b"), good);
    CHECK(!f.cache.load(key("b")));
    // The good file is still good, and a damaged one can be replaced.
    f.put(k, good);
    CHECK(holds(f.cache, k, program));
    f.put(k, Bytes(3));
    CHECK_EQ(f.cache.store(k, view(program)), "");
    CHECK(holds(f.cache, k, program));
}

TEST("kernel_cache: something else in the place of a file") {
    const Fixture f;
    const std::string k = key("a");
    const Bytes program = pattern(100);
    CHECK_EQ(f.cache.store(k, view(program)), "");
    const Bytes good = f.raw(k);
    const auto refused_and_stored_anew = [&] {
        const bool refused = !f.cache.load(k);
        return refused && f.cache.store(k, view(program)).empty() && holds(f.cache, k, program);
    };

    fs::remove(f.file(k));
    fs::create_directory(f.file(k));
    CHECK(refused_and_stored_anew());

    fs::remove(f.file(k));
    CHECK_EQ(::mkfifo(f.file(k).c_str(), 0600), 0);
    CHECK(refused_and_stored_anew());

    const fs::path outside = f.folder.write("outside", good);
    fs::permissions(outside, fs::perms::owner_read | fs::perms::owner_write);
    fs::remove(f.file(k));
    fs::create_symlink(outside, f.file(k));
    CHECK(refused_and_stored_anew());
    CHECK_EQ(fs::file_size(outside), good.size());

    // A folder with content is not removed: nothing is stored, and no temporary file stays.
    fs::remove(f.file(k));
    fs::create_directories(f.file(k) / "inside");
    CHECK(!f.cache.load(k));
    CHECK(contains(f.cache.store(k, view(program)), "cannot write: Is a directory"));
    CHECK(fs::exists(f.file(k) / "inside"));
    CHECK_EQ(f.files(), std::size_t{1});
}

TEST("kernel_cache: a folder that cannot be used is a reason, not an error") {
    const TemporaryFolder folder;
    const Bytes program = pattern(100);
    const auto reason = [&](const fs::path& path) {
        const KeptFiles cache({path, {}});
        CHECK(!cache.load(key("a")));
        return cache.store(key("a"), view(program));
    };
    const fs::path file = folder.write("file", pattern(3));
    CHECK(contains(reason(file), "file: cannot open the folder: Not a directory"));
    CHECK(contains(reason(file / "kernels"), "kernels: cannot "));
    fs::create_symlink(folder.path() / "nowhere", folder.path() / "link");
    CHECK(contains(reason(folder.path() / "link"), "cannot open the folder: No such file"));
    CHECK(contains(reason("/proc/merklize/kernels"), "cannot make the folder"));
    CHECK_EQ(fs::file_size(file), std::uintmax_t{3});

    const KeptFiles none({{}, "no folder, as was wished"});
    CHECK(!none.load(key("a")));
    CHECK_EQ(none.store(key("a"), view(program)), "no folder, as was wished");
    CHECK_EQ(none.why_unusable(), "no folder, as was wished");
}

TEST("kernel_cache: nothing is taken from where others can write") {
    const Fixture f;
    const std::string k = key("a");
    const Bytes program = pattern(100);
    CHECK_EQ(f.cache.store(k, view(program)), "");
    const Bytes good = f.raw(k);
    for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(f.path, others, fs::perm_options::add);
        CHECK(!f.cache.load(k));
        CHECK(contains(f.cache.why_unusable(), "may write"));
        CHECK(contains(f.cache.store(key("b"), view(program)), "may write"));
        CHECK_EQ(f.files(), std::size_t{1});
        fs::permissions(f.path, fs::perms::owner_all);
        CHECK_EQ(f.cache.why_unusable(), "");
        CHECK(holds(f.cache, k, program));

        fs::permissions(f.file(k), others, fs::perm_options::add);
        CHECK(!f.cache.load(k));
        f.put(k, good);
        CHECK(holds(f.cache, k, program));
    }
    if (::geteuid() != 0) return;  // only root can give files away and take another user's rights
    const uid_t somebody = 12345;
    CHECK_EQ(::chown(f.file(k).c_str(), somebody, ~gid_t{0}), 0);
    CHECK(!f.cache.load(k));
    f.put(k, good);
    CHECK_EQ(::chown(f.path.c_str(), somebody, ~gid_t{0}), 0);
    CHECK(!f.cache.load(k));
    CHECK(contains(f.cache.store(key("b"), view(program)), "other users own it"));
    // A user who may not search the folder, or not read the file; and a user who may read root's programs, but not
    // write.
    const auto as_somebody = [&](auto body) {
        return child::end_of(
            child::start([&] { return ::setgid(somebody) == 0 && ::setuid(somebody) == 0 && body(); }));
    };
    CHECK_EQ(::chown(f.path.c_str(), 0, ~gid_t{0}), 0);
    for (const fs::path& path : {f.folder.path(), f.path.parent_path()}) fs::permissions(path, fs::perms{0755});
    CHECK_EQ(as_somebody([&] {
                 return !f.cache.load(k) &&
                        contains(f.cache.store(k, view(program)), "cannot open the folder: Permission denied");
             }),
             0);
    fs::permissions(f.path, fs::perms{0755});
    CHECK_EQ(as_somebody([&] { return !f.cache.load(k); }), 0);
    CHECK(fs::exists(f.file(k)));
    fs::permissions(f.file(k), fs::perms{0644});
    CHECK_EQ(as_somebody([&] {
                 return holds(f.cache, k, program) &&
                        contains(f.cache.store(k, view(program)), "cannot make a file: Permission denied");
             }),
             0);
}

TEST("kernel_cache: those not used for longest go first") {
    const Fixture f;
    const std::size_t file_bytes = header_bytes + 1000;
    const KeptFiles cache({f.path, {}}, 4 * file_bytes);
    const auto age = [&](const fs::path& path, std::chrono::hours hours) {
        fs::last_write_time(path, fs::file_time_type::clock::now() - hours);
    };
    const auto store = [&](int i) { CHECK_EQ(cache.store(key(std::to_string(i)), view(Random(i).bytes(1000))), ""); };
    const auto there = [&] {
        std::string out;
        for (int i = 0; i < 9; ++i) {
            if (fs::exists(f.file(key(std::to_string(i))))) out += std::to_string(i);
        }
        return out;
    };
    for (int i = 0; i < 4; ++i) {
        store(i);
        age(f.file(key(std::to_string(i))), std::chrono::hours(10 - i));
    }
    CHECK_EQ(there(), "0123");
    // Files of other names and young temporary files do not count and stay; old temporary files are removed.
    f.folder.write("cache/kernels/notes.txt", Bytes(100000));
    f.folder.write("cache/kernels/" + std::string(64, 'x') + ".bin", Bytes(100000));
    f.folder.write("cache/kernels/.tmp-1-2-3", Bytes(100000));
    f.folder.write("cache/kernels/.tmp-1-2-4", Bytes(100000));
    age(f.path / ".tmp-1-2-3", std::chrono::hours(23));
    age(f.path / ".tmp-1-2-4", std::chrono::hours(25));
    age(f.path / "notes.txt", std::chrono::hours(1000));
    store(4);
    CHECK_EQ(there(), "1234");
    CHECK(fs::exists(f.path / "notes.txt"));
    CHECK(fs::exists(f.path / (std::string(64, 'x') + ".bin")));
    CHECK(fs::exists(f.path / ".tmp-1-2-3"));
    CHECK(!fs::exists(f.path / ".tmp-1-2-4"));
    CHECK(holds(cache, key("1"), Random(1).bytes(1000)));  // a load makes it the newest
    store(5);
    CHECK_EQ(there(), "1345");
    // A large program replaces as many as it must. One that is larger than the cache replaces none.
    age(f.file(key("5")), std::chrono::hours(1));
    CHECK_EQ(cache.store(key("6"), view(Bytes(2 * file_bytes + 1))), "");
    CHECK_EQ(there().size(), std::size_t{2});
    CHECK(there().ends_with('6'));
    CHECK(contains(cache.store(key("7"), view(Bytes(4 * file_bytes))), "too many"));
    CHECK_EQ(there().size(), std::size_t{2});
    // A cache with a smaller limit. The clock is set back, so the new program looks older than all others.
    for (const auto& entry : fs::directory_iterator(f.path)) age(entry.path(), std::chrono::hours(-5));
    CHECK_EQ(KeptFiles({f.path, {}}, 500).store(key("8"), view(Bytes(10))), "");
    CHECK_EQ(there(), "8");
}

TEST("kernel_cache: a limit on file sizes does not kill the process") {
    const Fixture f;
    const auto body = [&] {
        const rlimit limit{1000, 1000};
        return ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && f.cache.store(key("a"), view(Bytes(900))).empty() &&
               contains(f.cache.store(key("b"), view(Bytes(1000))), "too many");
    };
    CHECK_EQ(child::end_of(child::start(body)), 0);
    CHECK_EQ(f.files(), std::size_t{1});
}

namespace {

// The program that `writer` stores under key k. It names its writer, so that a reader can check all of it.
Bytes program_of(std::uint64_t k, std::uint64_t writer) {
    Bytes program = Random(1000 * k + writer + 7).bytes(200 + 3000 * k + 500 * writer);
    program[0] = static_cast<std::uint8_t>(writer);
    return program;
}

/// Stores and loads. False if a load gave anything except a whole program of its key.
bool use(const KeptFiles& cache, std::uint64_t writer, int rounds, const child::Steps* stored = nullptr) {
    Random random(writer);
    for (int i = 0; i < rounds; ++i) {
        const std::uint64_t k = random.below(5);
        const std::string name = key(std::to_string(k));
        if (random.below(3) == 0) {
            if (!cache.store(name, view(program_of(k, writer))).empty()) return false;
            if (stored != nullptr) stored->tell();
        }
        const auto found = cache.load(name);
        if (!found) continue;  // not stored yet, or removed as too old
        if (found->empty()) return false;
        if (!std::ranges::equal(*found, view(program_of(k, std::to_integer<std::uint64_t>((*found)[0]))))) return false;
    }
    return true;
}

}  // namespace

TEST("kernel_cache: processes that use one folder at once never see a part of a program") {
    const Fixture f;
    const KeptFiles small({f.path, {}}, 20000);  // room for two or three programs, so some are always removed
    for (const KeptFiles* cache : {&f.cache, &small}) {
        std::vector<pid_t> children;
        for (std::uint64_t writer = 1; writer <= 4; ++writer) {
            children.push_back(child::start([&] { return use(*cache, writer, 500); }));
        }
        for (const pid_t child : children) CHECK_EQ(child::end_of(child), 0);
    }
    for (const auto& entry : fs::directory_iterator(f.path)) CHECK_EQ(entry.path().extension(), ".bin");
}

TEST("kernel_cache: processes that are killed while they store leave whole files or none") {
    const Fixture f;
    Random random(1);
    for (std::uint64_t i = 0; i < 30; ++i) {
        child::Steps stored;
        const pid_t child = child::start([&] { return use(f.cache, 1 + i % 4, 1 << 30, &stored); });
        CHECK(stored.wait());
        ::usleep(static_cast<useconds_t>(random.below(5000)));
        ::kill(child, SIGKILL);
        CHECK_EQ(child::end_of(child), -1);
    }
    std::size_t n_files = 0;
    for (std::uint64_t k = 0; k < 5; ++k) {
        const std::string name = key(std::to_string(k));
        const bool there = fs::exists(f.file(name));
        CHECK_EQ(there, f.cache.load(name).has_value());
        n_files += there ? 1 : 0;
    }
    CHECK(n_files > 0);
    CHECK(use(f.cache, 9, 100));
}

TEST("kernel_cache: threads use one cache at once") {
    const Fixture f;
    const KeptFiles small({f.path, {}}, 20000);
    std::vector<std::thread> users;
    for (std::uint64_t writer = 1; writer <= 4; ++writer) {
        users.emplace_back([&small, writer] { CHECK(use(small, writer, 300)); });
    }
    for (std::thread& user : users) user.join();
}

TEST("kernel_cache: the environment names the folder") {
    using Value = Environment::Value;
    const auto folder = [](const Value& own, const Value& cache, const Value& home) {
        const Environment environment{{"MERKLIZE_CACHE_DIR", own}, {"XDG_CACHE_HOME", cache}, {"HOME", home}};
        const KeptFolder found = kept_folder();
        CHECK_EQ(found.path.empty(), !found.why_none.empty());
        return found.path.empty() ? found.why_none : found.path.string();
    };
    CHECK_EQ(folder("/own", "/cache", "/home"), "/own/kernels");
    CHECK_EQ(folder("own", "/cache", "/home"), (fs::current_path() / "own/kernels").string());
    CHECK(contains(folder("", "/cache", "/home"), "MERKLIZE_CACHE_DIR is empty"));
    CHECK_EQ(folder({}, "/cache", "/home"), "/cache/merklize/kernels");
    CHECK_EQ(folder({}, {}, "/home"), "/home/.cache/merklize/kernels");
    CHECK_EQ(folder({}, "", "/home"), "/home/.cache/merklize/kernels");
    CHECK_EQ(folder({}, "relative", "/home"), "/home/.cache/merklize/kernels");
    CHECK(contains(folder({}, {}, {}), "HOME is set"));
    CHECK(contains(folder({}, "", "relative"), "HOME is set"));
}
