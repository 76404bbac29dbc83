#include "programs/kernel_text.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/made_once.hpp"
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

// If `line` begins with `start`, removes it and the blanks after it.
bool skip(std::string_view& line, std::string_view start) {
    if (!line.starts_with(start)) return false;
    line.remove_prefix(start.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return true;
}

// The name in a line #include "name", or nothing for any other line.
std::optional<std::string_view> included(std::string_view line) {
    if (!skip(line, "") || !skip(line, "#") || !skip(line, "include") || !line.starts_with('"')) return std::nullopt;
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    if (end == line.npos || line.find_first_not_of(" \t", end + 1) != line.npos) return std::nullopt;
    return line.substr(0, end);
}

// The guards of the core's headers: #ifndef MKZ_..._H.
bool is_guard(std::string_view line) { return line.starts_with("#ifndef MKZ_") && line.ends_with("_H"); }

// The lists of units: hashes, each with a header of its own, and parts, whose rows begin with their name and end with
// unit.h.
constexpr std::string_view hashes_list = "core/hashes.h", parts_list = "core/parts.h",
                           row_begins = "#define MKZ_UNIT_NAME ", row_ends = "#include \"unit.h\"";

// Appends the text of `name`. `once` has the guarded files that are in `out` already. Of the lists only `unit` is
// included, or nothing if it is empty.
void flatten(const std::string& name, const std::string& unit, std::set<std::string>& once, std::string& out) {
    if (once.contains(name)) return;
    const std::string text = source_text(name);
    bool is_other_unit = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        if (is_guard(line)) once.insert(name);
        if (name == parts_list && line.starts_with(row_begins)) is_other_unit = line.substr(row_begins.size()) != unit;
        if (is_other_unit) {
            is_other_unit = line != row_ends;
        } else if (const auto other = included(line)) {
            const std::filesystem::path folder = std::filesystem::path(name).parent_path();
            const std::string path = (folder / *other).lexically_normal().generic_string();
            if (name != hashes_list || path == parts_list || path == "core/hashes/" + unit + ".h")
                flatten(path, unit, once, out);
        } else {
            out += line;
        }
        if (end < text.size()) out += '\n';
        at = end + 1;
    }
}

}  // namespace

const std::string& kernel_text(std::optional<Hash> hash) {
    static MadeOnce<std::string, std::string> texts;
    const std::string unit(hash ? traits(*hash).name : "");
    return texts.get(unit, [&] {
        std::set<std::string> once;
        std::string text;
        flatten("core/entry.h", unit, once, text);
        return text;
    });
}

std::string program_text(std::span<const std::pair<std::string, std::string>> defines, std::optional<Hash> hash) {
    std::string text;
    for (const auto& [name, value] : defines)
        text.append("#define ").append(name).append(" ").append(value).append("\n");
    return text.append(kernel_text(hash));
}

}  // namespace merklize::runtime
