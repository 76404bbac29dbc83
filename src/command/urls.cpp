#include "command/urls.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "command/endings.hpp"
#include "command/settings.hpp"
#include "files/spooled_source.hpp"
#include "host/input_file.hpp"

namespace merklize::command {
namespace {

// The protocol of a word that looks like a misspelt URL (`https ://`, `http:/`) and is no file; otherwise empty. Errors show only the
// protocol, because the rest may hold secrets.
std::string protocol_of_no_url(const std::string& word) {
    const std::size_t end = word.find(":/");
    const auto is_of_protocol = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == ' ' || c == '\t';
    };
    const bool is_meant = end != word.npos && end >= 2 && std::ranges::all_of(word.substr(0, end), is_of_protocol);
    return is_meant && !is_url(word) && access(word.c_str(), F_OK) != 0 ? word.substr(0, end + 2) : std::string();
}

}  // namespace

bool is_url(std::string_view word) noexcept {
    const std::size_t end = word.find("://");
    const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
    return end != word.npos && end != 0 && is_letter(word[0]) && std::ranges::all_of(word.substr(0, end), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == ':';
           });
}

std::string local_name(const std::string& word) {
    constexpr std::string_view begin = "file://";
    if (!word.starts_with(begin)) return word;
    const std::string_view rest = std::string_view(word).substr(begin.size());
    const std::size_t slash = rest.find('/');
    const std::string_view host = rest.substr(0, slash);
    if (slash == rest.npos || (!host.empty() && host != "localhost"))
        throw UsageError{"a file:// URL must name a path of this machine: file:///data/x"};
    std::string path;
    for (std::size_t at = slash; at < rest.size(); at++) {
        unsigned value = 0;
        const bool is_escape = rest[at] == '%' && at + 2 < rest.size();
        const char* end = rest.data() + at + 3;
        if (is_escape && std::from_chars(rest.data() + at + 1, end, value, 16).ptr == end && value != 0) {
            path += static_cast<char>(value);
            at += 2;
        } else {
            path += rest[at];
        }
    }
    return path;
}

bool has_urls(const Command& command, const Arguments& arguments) {
    const std::vector<std::string> files = arguments.files();
    for (const std::string& file : files) {
        if (const std::string protocol = protocol_of_no_url(file); !protocol.empty())
            throw UsageError{"'" + protocol + "...' is no file, and no URL such as https://host/name"};
    }
    if (std::ranges::none_of(files, is_url)) return false;
    for (const char* option : {"check", "xet", "recursive", "timings"})
        if (arguments.has(option)) throw UsageError{std::string("--") + option + " is for files, not for URLs"};
    if (!command.takes_urls) throw UsageError{"this command takes files, not URLs"};
    return true;
}

std::string shown_name(Call& call, const std::string& word) {
    return is_url(word) ? call.caller().opener()->shown(word) : word;
}

std::unique_ptr<runtime::ByteSource> open_input(Call& call, const std::string& word, std::uint64_t first) {
    if (is_url(word)) return call.caller().opener()->open(word, first);
    if (word == standard_input_name)
        return std::make_unique<runtime::InputFile>(call.standard_input(), "standard input");
    return std::make_unique<runtime::InputFile>(word);
}

std::unique_ptr<runtime::ByteSource> open_for_ranges(Call& call, const std::string& word, std::uint64_t first) {
    return runtime::with_ranges(open_input(call, word, first), std::filesystem::temp_directory_path(), call.waiting());
}

std::size_t InOrder::read(std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
        if (left_.empty()) left_ = stream_->next(call_.waiting());
        if (left_.empty()) break;
        const std::size_t count = std::min(left_.size(), out.size() - done);
        std::copy_n(left_.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(done));
        left_ = left_.subspan(count);
        done += count;
    }
    return done;
}

OutputFile::OutputFile(Call& call, const std::string& word) : call_(call), word_(word), path_(word) {
    if (!is_url(word)) return;
    call.caller().opener()->require_writable(word);
    folder_ = (std::filesystem::temp_directory_path() / "merklize-XXXXXX").string();
    if (mkdtemp(folder_.data()) == nullptr) throw Failure{folder_ + ": " + strerror(errno)};
    path_ = folder_ + "/made";
}

OutputFile::~OutputFile() {
    std::error_code none;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
}

void OutputFile::finish() {
    if (!folder_.empty()) call_.caller().opener()->upload(path_, word_);
}

std::vector<std::byte> read_all(Call& call, const runtime::ByteSource& source, std::uint64_t most) {
    std::vector<std::byte> data;
    const auto stream = source.stream();
    for (auto piece = stream->next(call.waiting()); !piece.empty() && data.size() <= most;
         piece = stream->next(call.waiting()))
        data.insert(data.end(), piece.begin(), piece.end());
    if (source.file() == nullptr) source.require_unchanged({});
    return data;
}

}  // namespace merklize::command
