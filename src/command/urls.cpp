#include "command/urls.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "command/endings.hpp"
#include "command/settings.hpp"
#include "host/input_file.hpp"

namespace merklize::command {

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
        if (is_escape && std::from_chars(rest.data() + at + 1, end, value, 16).ptr == end) {
            if (value == 0) throw UsageError{"a file:// URL cannot name a zero byte"};
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
        const std::string begin(texts::begin_of_no_url(file));
        if (!begin.empty() && access(file.c_str(), F_OK) != 0)
            throw UsageError{"'" + begin + "...' is no file, and no URL such as https://host/name"};
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

std::unique_ptr<runtime::InputFile> open_file(Call& call, const std::string& word) {
    if (word == standard_input_name)
        return std::make_unique<runtime::InputFile>(call.standard_input(), "standard input");
    return std::make_unique<runtime::InputFile>(word);
}

std::unique_ptr<runtime::ByteSource> open_input(Call& call, const std::string& word, std::uint64_t first) {
    if (is_url(word)) return call.caller().opener()->open(word, first);
    return open_file(call, word);
}

std::unique_ptr<runtime::ByteSource> open_for_ranges(Call& call, const std::string& word, std::uint64_t first,
                                                     const runtime::SpooledSource::Most& most) {
    return runtime::with_ranges(open_input(call, word, first), std::filesystem::temp_directory_path(), call.waiting(),
                                most);
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

std::vector<std::byte> read_all(Call& call, const runtime::ByteSource& source, std::uint64_t most,
                                const MayBe& may_be) {
    std::vector<std::byte> data;
    const auto stream = source.stream();
    for (auto piece = stream->next(call.waiting()); !piece.empty() && data.size() <= most;
         piece = stream->next(call.waiting())) {
        const std::size_t checked = data.size();
        data.insert(data.end(), piece.begin(), piece.end());
        const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
        if (may_be && !may_be(text, checked)) return data;
    }
    if (source.file() == nullptr) source.require_unchanged({});
    return data;
}

}  // namespace merklize::command
