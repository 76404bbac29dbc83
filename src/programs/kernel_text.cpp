#include "programs/kernel_text.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

std::string source_text(const std::string& name) {
    for (const KernelSource& source : kernel_sources()) {
        if (source.name != name) continue;
        std::string text;
        for (const std::string_view piece : source.pieces) text += piece;
        return text;
    }
    throw Error(ErrorCode::internal, "the core's text '" + name + "' is not in this build");
}

// Removes `start` and the blanks after it from the front of `line`, if it is there.
bool skip(std::string_view& line, std::string_view start) {
    if (!line.starts_with(start)) return false;
    line.remove_prefix(start.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return true;
}

// The name in a line #include "name"; of another line nothing.
std::optional<std::string_view> included(std::string_view line) {
    if (!skip(line, "") || !skip(line, "#") || !skip(line, "include") || !line.starts_with('"')) return std::nullopt;
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    if (end == line.npos || line.find_first_not_of(" \t", end + 1) != line.npos) return std::nullopt;
    return line.substr(0, end);
}

// The guards of the core's headers: #ifndef MKZ_..._H.
bool is_guard(std::string_view line) { return line.starts_with("#ifndef MKZ_") && line.ends_with("_H"); }

// Appends the text of `name`; `once` are the guarded files that are in it already.
void flatten(const std::string& name, std::set<std::string>& once, std::string& out) {
    if (once.contains(name)) return;
    const std::string text = source_text(name);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        if (is_guard(line)) once.insert(name);
        if (const auto other = included(line)) {
            const std::filesystem::path folder = std::filesystem::path(name).parent_path();
            flatten((folder / *other).lexically_normal().generic_string(), once, out);
        } else {
            out += line;
        }
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
}

// A hash's own line of hashes.def, which kernels.h takes instead of the whole list.
std::string_view hash_line(Hash hash) {
    switch (hash) {
#define MKZ_HASH(id, name, prefix, lane, kind) \
    case Hash::name: return "MKZ_HASH(" #id ", " #name ", " #prefix ", " #lane ", " #kind ")";
#include <merklize/hashes.def>
    }
    throw Error(ErrorCode::invalid_argument, "unknown hash id " + std::to_string(static_cast<unsigned>(hash)));
}

}  // namespace

const std::string& kernel_text() {
    // Never destroyed: a program may be compiled while the process ends.
    static const std::string& text = *[] {
        auto made = std::make_unique<std::string>();
        std::set<std::string> once;
        flatten("core/entry.h", once, *made);
        return made.release();
    }();
    return text;
}

std::string program_text(std::span<const std::pair<std::string, std::string>> defines, std::optional<Hash> hash) {
    std::string text;
    for (const auto& [name, value] : defines)
        text.append("#define ").append(name).append(" ").append(value).append("\n");
    text += "#define MKZ_HASHES";
    if (hash) text.append(" ").append(hash_line(*hash));
    return text.append("\n").append(kernel_text());
}

}  // namespace merklize::runtime
