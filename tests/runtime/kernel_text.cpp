// The core's text in the library: a device compiler gets the same text as a compiler that reads the headers.

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

#include "child.hpp"
#include "programs/kernel_text.hpp"
#include "programs/variant.hpp"
#include "support.hpp"

using namespace support;
using namespace merklize::runtime;

namespace {

using Defines = std::vector<std::pair<std::string, std::string>>;

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string joined(const KernelSource& source) {
    std::string text;
    for (const std::string_view piece : source.pieces) text += piece;
    return text;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

/// Each program of the core: one for each hash, and one without a hash.
[[maybe_unused]] std::vector<std::optional<Hash>> programs() {
    std::vector<std::optional<Hash>> all = {std::nullopt};
    for (const merklize::HashTraits& traits : merklize::hashes()) all.emplace_back(traits.hash);
    return all;
}

}  // namespace

TEST("kernel_text: the embedded sources are the headers, byte for byte") {
    const std::filesystem::path root = MERKLIZE_INCLUDE "/merklize";
    std::vector<std::string> expected;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "core")) {
        if (entry.path().extension() == ".h")
            expected.push_back(entry.path().lexically_relative(root).generic_string());
    }
    std::vector<std::string> found;
    for (const KernelSource& source : kernel_sources()) {
        found.emplace_back(source.name);
        CHECK_EQ(joined(source), read_text(root / source.name));
        for (const std::string_view piece : source.pieces) CHECK(!piece.empty() && piece.size() <= 16000);
    }
    std::ranges::sort(expected);
    std::ranges::sort(found);
    CHECK(expected.size() > 5);
    CHECK_EQ(found, expected);
}

TEST("kernel_text: headers come once, texts of several words or places each time, and one hash alone") {
    for (const auto& program : programs()) {
        const std::string& text = kernel_text(program);
        CHECK_EQ(&text, &kernel_text(program));
        CHECK_EQ(count(text, "#include \""), std::size_t{0});
        for (const KernelSource& source : kernel_sources()) {
            std::string guard = "\n#ifndef MKZ_" + std::string(source.name.substr(source.name.rfind('/') + 1)) + "\n";
            std::ranges::transform(guard.begin() + 9, guard.end(), guard.begin() + 9,
                                   [](unsigned char c) { return static_cast<char>(c == '.' ? '_' : std::toupper(c)); });
            const bool guarded = joined(source).find(guard) != std::string::npos;
            if (guarded) CHECK(count(text, guard) <= 1);
        }
        CHECK_EQ(count(text, "lanes_of_nodes.h: several"), std::size_t{2});
        for (const merklize::HashTraits& traits : merklize::hashes()) {
            const std::string fact = "\n#define MKZ_UNIT_NAME " + std::string(traits.name) + "\n";
            CHECK_EQ(count(text, fact), std::size_t{program == traits.hash});
        }
    }
}

TEST("kernel_text: a program is its macros and the text") {
    const Defines defines = {{"MKZ_GROUP_SIZE", "64"}, {"MKZ_ALIGN", "16"}};
    const std::string start = "#define MKZ_GROUP_SIZE 64\n#define MKZ_ALIGN 16\n";
    for (const auto& program : programs()) CHECK_EQ(program_text(defines, program), start + kernel_text(program));
    CHECK_ERROR(invalid_argument, "unknown hash id 200", program_text({}, static_cast<Hash>(200)));
}

#ifdef MERKLIZE_CXX
namespace {

/// Runs the compiler that built this program. Returns its exit status.
int compile(std::vector<std::string> arguments) {
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    return child::in_fork([&] {
        ::execvp(argv[0], argv.data());
        return 127;
    });
}

/// `text` after the preprocessor. One blank stands for any run of blanks and line ends.
std::string preprocessed(const TemporaryFolder& folder, const std::string& text, const std::string& option) {
    const std::string in = folder.write("in.cpp", Bytes(text.begin(), text.end())).string();
    const std::string out = (folder.path() / "out.cpp").string();
    CHECK_EQ(compile({MERKLIZE_CXX, "-std=c++20", "-E", "-P", option, in, "-o", out}), 0);
    std::string result;
    for (const char c : read_text(out)) {
        const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!blank || (!result.empty() && result.back() != ' ')) result += blank ? ' ' : c;
    }
    return result;
}

}  // namespace

TEST("kernel_text: a compiler sees the same in the text and in the headers") {
    // Host C++ has no entry points, so these macros stand for those of a device compiler.
    const Defines defines = {{"MKZ_ENTRY(name)", "void name"}, {"MKZ_THIS_ITEM()", "mkz_work_item{}"}};
    const TemporaryFolder folder;
    for (const auto& program : programs()) {
        const std::string text = program_text(defines, program);
        // A program that includes the headers chooses its hash by MKZ_HASH_LIST.
        const std::string unit = program ? "hashes/" + std::string(merklize::traits(*program).name) : "port";
        const std::string start = text.substr(0, text.size() - kernel_text(program).size()) +
                                  "#define MKZ_HASH_LIST <merklize/core/" + unit + ".h>\n";
        const std::string flat = preprocessed(folder, text, "-nostdinc");
        CHECK_EQ(flat, preprocessed(folder, start + "#include <merklize/core/entry.h>\n", "-I" MERKLIZE_INCLUDE));
        // The text has the kernels of this hash alone.
        for (const merklize::HashTraits& traits : merklize::hashes()) {
            const std::size_t once = program == traits.hash ? 1 : 0;
            const bool has_chunks = traits.hash == Hash::blake3 || traits.hash == Hash::blake3_parent;
            const std::size_t once_if_chunks = has_chunks ? once : 0;
            const auto kernels = [&](const std::string& body) {
                return count(flat, "void mkz_" + body + "_" + std::string(traits.name) + " (");
            };
            for (const char* body : {"merge_level", "merge_subtree", "merge_at", "hash_rows"})
                CHECK_EQ(kernels(body), once);
            for (const char* body : {"hash_chunks", "hash_parents"}) CHECK_EQ(kernels(body), once_if_chunks);
        }
        // A kernel that is compiled alone brings none of the kernels without a hash.
        const std::string alone = preprocessed(folder, "#define MKZ_ONLY 1\n" + text, "-nostdinc");
        CHECK_EQ(count(alone, "void mkz_merge_level_"), count(flat, "void mkz_merge_level_"));
        for (const Body& body :
             {bodies::gather_nodes, bodies::scatter_nodes, bodies::order_parents, bodies::gather_strided,
              bodies::check_words32, bodies::check_words64, bodies::pack_matrix, bodies::check_matrix}) {
            const std::string head = "void " + std::string(body.name) + " (";
            CHECK_EQ(count(flat, head), std::size_t{1});
            CHECK_EQ(count(alone, head), std::size_t{0});
        }
        const std::string in = folder.write("program.cpp", Bytes(text.begin(), text.end())).string();
        CHECK_EQ(compile({MERKLIZE_CXX, "-std=c++20", "-w", "-fsyntax-only", in}), 0);
    }
}
#endif
