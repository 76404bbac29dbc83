#include "manifests/find.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "host/input_file.hpp"
#include "manifests/names.hpp"
#include "manifests/safetensors.hpp"

namespace merklize::inline v0::manifests {
namespace {

std::vector<char32_t> characters(std::string_view text) {
    std::vector<char32_t> out;
    for (std::size_t wrong = 0; !text.empty();) {
        const std::size_t length = character_at(text, wrong);
        // A byte that is not UTF-8 becomes a character that no text has.
        out.push_back(length == 0 ? 0xdc00 + static_cast<unsigned char>(text[0]) : code_point(text.substr(0, length)));
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

// Whether a character is in the set that begins after the '[' at `at`; `at` moves past the ']'. nullopt: there is no
// ']'.
std::optional<bool> in_set(char32_t c, const std::vector<char32_t>& pattern, std::size_t& at) {
    std::size_t first = at;
    const bool is_not = first < pattern.size() && pattern[first] == '!';
    first += is_not;
    std::size_t end = first + (first < pattern.size() && pattern[first] == ']');
    while (end < pattern.size() && pattern[end] != ']') end++;
    if (end >= pattern.size()) return {};
    bool found = false;
    for (std::size_t i = first; i < end;) {
        const bool is_range = i + 2 < end && pattern[i + 1] == '-';
        found = found || (is_range ? pattern[i] <= c && c <= pattern[i + 2] : pattern[i] == c);
        i += is_range ? 3 : 1;
    }
    at = end + 1;
    return found != is_not;
}

struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
};

std::string real_path(const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(path, error);
    return error ? path : real.string();
}

// Whether a pattern matches a path or its last part.
// noted  null, or for each pattern whether it ever did
bool is_named(std::string_view path, std::string_view part, const std::vector<std::string>& patterns,
              std::vector<bool>* noted = nullptr) {
    bool any = false;
    for (std::size_t i = 0; i < patterns.size() && (noted != nullptr || !any); i++) {
        if (!matches(path, patterns[i]) && !matches(part, patterns[i])) continue;
        any = true;
        if (noted != nullptr) (*noted)[i] = true;
    }
    return any;
}

class Below {
public:
    Below(const std::string& folder, const std::vector<std::string>& ignore, bool follow, const std::string& own)
        : folder_(folder), ignore_(ignore), has_matched_(ignore.size()), follow_(follow) {
        if (own.empty()) return;
        own_ = real_path(own);
        own_name_ = std::filesystem::path(own_).filename();
    }

    std::vector<std::string> names() {
        std::vector<std::string> prefixes = {""};
        while (!prefixes.empty()) {
            const std::string prefix = std::move(prefixes.back());
            prefixes.pop_back();
            const std::string path = joined(folder_, prefix);
            const std::unique_ptr<DIR, CloseFolder> open(opendir(path.c_str()));
            if (!open) cannot_read(path, errno);
            for (errno = 0; const dirent* entry = readdir(open.get()); errno = 0) {
                const std::string_view name = entry->d_name;
                if (name == "." || name == "..") continue;
                take(prefix, name, entry->d_type, prefixes);
            }
            if (errno != 0) cannot_read(path, errno);
        }
        std::ranges::sort(names_);
        return std::move(names_);
    }

    std::vector<std::string> unmatched() const {
        std::vector<std::string> patterns;
        for (std::size_t i = 0; i < ignore_.size(); i++)
            if (!has_matched_[i]) patterns.push_back(ignore_[i]);
        return patterns;
    }

private:
    void take(const std::string& prefix, std::string_view entry, unsigned char type,
              std::vector<std::string>& prefixes) {
        const std::string name = prefix + std::string(entry);
        if (is_named(name, entry, ignore_, &has_matched_)) return;
        if (!is_utf8(name)) invalid("the name of a file must be text that UTF-8 can hold, got " + in_quotes(name));
        const std::string path = joined(folder_, name);
        bool is_link = type == DT_LNK, is_folder = type == DT_DIR, is_file = type == DT_REG;
        if (!is_folder && !is_file) {
            struct stat info{};
            if (type == DT_UNKNOWN) is_link = lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
            const bool there = stat(path.c_str(), &info) == 0;
            if (!there && is_link && follow_) {
                invalid(path + " is a symbolic link that leads to nothing (" + strerror(errno) +
                        "); remove it, or leave it out when the manifest is made");
            }
            is_folder = there && S_ISDIR(info.st_mode);
            is_file = there && S_ISREG(info.st_mode);
        }
        if (is_link && !follow_) {
            invalid(path +
                    " is a symbolic link, whose file may lie outside of the folder; follow links, or "
                    "leave it out when the manifest is made");
        }
        if (is_link && is_folder) invalid(path + " is a symbolic link to a folder, which is never followed");
        if (is_folder) {
            prefixes.push_back(name + "/");
        } else if (!is_file) {
            invalid(path +
                    " is neither a file nor a folder; remove it, or leave it out when the "
                    "manifest is made");
        } else if (entry != own_name_ || real_path(path) != own_) {
            require_path(name);
            names_.push_back(name);
        }
    }

    const std::string& folder_;
    const std::vector<std::string>& ignore_;
    std::vector<bool> has_matched_;
    const bool follow_;
    std::string own_{}, own_name_{};
    std::vector<std::string> names_{};
};

std::vector<std::pair<std::string, std::string>> weights_of(std::string_view text, const std::string& path) {
    const auto refuse = [&](const std::string& why) { invalid(path + ": not an index of shards: " + why); };
    json::Value whole;
    try {
        whole = json::read(text, most_separators);
    } catch (const Error& error) {
        refuse(error.what());
    }
    const auto* fields = whole.as<json::Members>();
    const json::Value* map = fields == nullptr ? nullptr : json::find(*fields, "weight_map");
    const auto* members = map == nullptr ? nullptr : map->as<json::Members>();
    if (members == nullptr) refuse("weight_map must map names of tensors to files");
    std::vector<std::pair<std::string, std::string>> weights;
    for (const auto& [name, value] : *members) {
        const auto* shard = value.as<std::string>();
        if (shard == nullptr) refuse("weight_map must map names of tensors to files");
        weights.emplace_back(name, *shard);
    }
    if (weights.empty()) invalid(path + ": the index names no tensor");
    for (const auto& [_, shard] : weights) require_path(shard);
    return weights;
}

}  // namespace

bool matches(std::string_view name, std::string_view pattern) {
    const std::vector<char32_t> text = characters(name), wanted = characters(pattern);
    std::size_t at = 0, p = 0, star = wanted.size() + 1, star_at = 0;  // the last star, and the end of what it matches
    while (at < text.size()) {
        bool fits = false;
        std::size_t next = p + 1;
        if (p < wanted.size() && wanted[p] == '*') {
            star = p++;
            star_at = at;
            continue;
        }
        if (p < wanted.size() && wanted[p] == '[') {
            std::size_t behind = p + 1;
            const auto in = in_set(text[at], wanted, behind);
            fits = in ? *in : text[at] == '[';
            if (in) next = behind;
        } else if (p < wanted.size()) {
            fits = wanted[p] == '?' || wanted[p] == text[at];
        }
        if (fits) {
            at++;
            p = next;
        } else if (star < wanted.size()) {
            p = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (p < wanted.size() && wanted[p] == '*') p++;
    return p == wanted.size();
}

bool is_ignored(std::string_view path, const std::vector<std::string>& patterns) {
    for (std::size_t begin = 0, end = 0; end != path.npos; begin = end + 1) {
        end = path.find('/', begin);
        const std::string_view above = path.substr(0, end);
        if (is_named(above, above.substr(begin), patterns)) return true;
    }
    return false;
}

std::string plain_pattern(std::string_view pattern) {
    while (pattern.starts_with("./")) pattern.remove_prefix(2);
    while (pattern.size() > 1 && pattern.ends_with('/')) pattern.remove_suffix(1);
    if (pattern.starts_with("**/") && pattern.find('/', 3) == pattern.npos) pattern.remove_prefix(3);
    return std::string(pattern);
}

std::vector<std::string> plain_patterns(const std::vector<std::string>& patterns) {
    std::vector<std::string> plain;
    for (const std::string& pattern : patterns) plain.push_back(plain_pattern(pattern));
    return plain;
}

std::string joined(const std::string& folder, std::string_view name) {
    return folder + (folder.empty() || folder.ends_with('/') ? "" : "/") + std::string(name);
}

bool is_folder(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

void take_index(Source& found, std::string_view text, const std::string& path) {
    found.weights = weights_of(text, path);
    for (const auto& [_, shard] : found.weights) found.shards.push_back(shard);
    std::ranges::sort(found.shards);
    found.shards.erase(std::unique(found.shards.begin(), found.shards.end()), found.shards.end());
}

void take_folder(Source& found, const std::vector<std::string>& names) {
    for (const std::string& name : names) require_path(name);
    require_distinct(names);
    for (const std::string& name : names) (name.ends_with(".safetensors") ? found.shards : found.files).push_back(name);
}

Kind kind_of_file(std::string_view name) {
    require_path(name);
    if (!is_utf8(name)) invalid("the name of a file must be text that UTF-8 can hold, got " + in_quotes(name));
    return name.ends_with(".index.json") ? Kind::index : Kind::file;
}

Source find_source(const std::string& path, const std::vector<std::string>& ignore, bool follow_links,
                   const std::string& own, const runtime::ByteStream::Wait& wait) {
    refuse_empty_path(path);
    Source found;
    if (is_folder(path)) {
        found.folder = path;
        Below below(path, ignore, follow_links, own);
        take_folder(found, below.names());
        found.unmatched = below.unmatched();
        return found;
    }
    const std::size_t slash = path.rfind('/');
    found.name = slash == path.npos ? path : path.substr(slash + 1);
    found.folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    found.kind = kind_of_file(found.name);
    if (found.kind == Kind::file) {
        found.shards.push_back(found.name);
        return found;
    }
    take_index(found, content_of(runtime::InputFile(path), wait), path);
    return found;
}

}  // namespace merklize::inline v0::manifests
