// Plug-ins: found, refused, and never searched in forbidden folders. Each case is a process of its own, because a
// process opens a library once.
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "child.hpp"
#include "files/kept_files.hpp"
#include "support.hpp"

namespace {

namespace fs = std::filesystem;

// A folder of the test, removed at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("merklize-plugins-" + std::to_string(getpid()));
    Folder() { fs::create_directory(path); }
    ~Folder() { fs::remove_all(path); }
};

// Compiles a plug-in, then asks a new process why there is no device of its name.
std::string why(const Folder& folder, const std::string& name, const std::string& source) {
    const std::string library = (folder.path / ("libmerklize_" + name + ".so")).string();
    std::ofstream(folder.path / "plugin.cpp") << "#include \"seams/plugin.h\"\n" << source;
    const std::string compile = std::string(MERKLIZE_CXX) + " -std=c++20 -shared -fPIC -I " MERKLIZE_SOURCE "/src -I " +
                                MERKLIZE_INCLUDE + " -o " + library + " " + (folder.path / "plugin.cpp").string();
    // NOLINTNEXTLINE(bugprone-command-processor)
    if (std::system(compile.c_str()) != 0) return "the plug-in does not compile";
    int out[2];
    if (pipe(out) != 0) return "no pipe";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        setenv("MERKLIZE_PLUGINS_DIR", folder.path.c_str(), 1);
        const std::string reason = merklize::why_unavailable(name);
        (void)!write(out[1], reason.data(), reason.size());
        _exit(0);
    }
    close(out[1]);
    std::string text(8192, '\0');
    std::size_t size = 0;
    for (ssize_t n = 0; (n = read(out[0], text.data() + size, text.size() - size)) > 0;)
        size += static_cast<std::size_t>(n);
    close(out[0]);
    text.resize(size);
    return text;
}

bool has(const std::string& text, std::string_view part) {
    if (text.find(part) != text.npos) return true;
    std::cout << "  got: " << text << '\n';
    return false;
}

std::string table(const std::string& fields) {
    return "static const mkz_backend backend = {" + fields +
           "};\nextern \"C\" const mkz_backend *merklize_plugin_backend(void) { return &backend; }\n";
}

}  // namespace

TEST("plugins: one of this ABI is used, others are refused with the reason") {
    const Folder folder;
    const std::string reason = "static const char *reason() { return \"mine: because\"; }\n";
    CHECK(
        has(why(folder, "mine", reason + table(".abi = MKZ_BACKEND_ABI, .name = \"mine\", .why_unavailable = reason")),
            "mine: because"));
    CHECK(has(why(folder, "old", table(".abi = MKZ_BACKEND_ABI + 1, .name = \"old\"")), "another version of merklize"));
    CHECK(has(why(folder, "other", table(".abi = MKZ_BACKEND_ABI, .name = \"sycl\"")), "calls itself 'sycl'"));
    CHECK(has(why(folder, "empty", "int nothing;\n"), "has no merklize_plugin_backend"));
    CHECK(has(why(folder, "lacking",
                  "extern \"C\" void not_there(); " + table(".abi = MKZ_BACKEND_ABI, .name = \"lacking\"") +
                      "void use() { not_there(); }"),
              "not_there"));
    CHECK(has(why(folder, "UPPER", table("")), "unknown device 'UPPER'"));
}

TEST("plugins: one that is missing says how to get it, and the current folder is never searched") {
    const Folder folder;
    std::ofstream(folder.path / "libmerklize_sycl.so") << "";
    const fs::path before = fs::current_path();
    fs::current_path(folder.path);
    const pid_t child = fork();
    if (child == 0) {
        setenv("MERKLIZE_PLUGINS_DIR", ".", 1);
        const bool relative = has(merklize::why_unavailable("sycl"), "not an absolute path");
        _exit(relative ? 0 : 1);
    }
    fs::current_path(before);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
    const pid_t other = fork();
    if (other == 0) {
        setenv("MERKLIZE_PLUGINS_DIR", "/nonexistent", 1);
        const std::string text = merklize::why_unavailable("sycl");
        _exit(has(text, "there is no plug-in /nonexistent/libmerklize_sycl.so") && has(text, "intel-sycl-rt==2026.0")
                  ? 0
                  : 1);
    }
    waitpid(other, &status, 0);
    CHECK_EQ(status, 0);
}

// The program, owned by root and with the set-user-ID bit, started by another user.
TEST("plugins_child: variables that name libraries, with more rights than the user's") {
    if (!child::is_new_process()) return;
    if (getauxval(AT_SECURE) == 0) _exit(77);
    CHECK(!has(merklize::why_unavailable("sycl") + " ", "/nonexistent/plugins"));
    CHECK(!has(merklize::why_unavailable("opencl") + " ", "MERKLIZE_OPENCL_LIBRARY=/nonexistent"));
    CHECK(merklize::runtime::kept_folder().path.empty());
}

TEST("plugins: no variable names a library to a process that has more rights than its user") {
    if (geteuid() != 0) {
        std::cout << "skipped: only root can make a program that has more rights than its user" << std::endl;
        return;
    }
    const Folder folder;
    fs::permissions(folder.path, fs::perms(0755));
    const fs::path program = folder.path / "program";
    fs::copy_file("/proc/self/exe", program);
    chmod(program.c_str(), 04755);
    const int result = child::in_fork([&] {
        setenv("MERKLIZE_TEST_CHILD", "1", 1);
        setenv("MERKLIZE_PLUGINS_DIR", "/nonexistent/plugins", 1);
        setenv("MERKLIZE_OPENCL_LIBRARY", "/nonexistent/library.so", 1);
        if (setgid(65534) != 0 || setuid(65534) != 0) return 98;
        execl(program.c_str(), program.c_str(), "plugins_child", nullptr);
        return 99;
    });
    if (result == 77) {
        std::cout << "not tested: " << folder.path << " is on a file system that gives no rights to programs"
                  << std::endl;
        return;
    }
    CHECK_EQ(result, 0);
}
