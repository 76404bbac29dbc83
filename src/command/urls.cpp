#include "command/urls.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "command/endings.hpp"

namespace merklize::command {
namespace {

// The protocol of a word that was perhaps meant as a URL (`https ://`, `http:/`) and is neither one nor a file; else nothing.
// What follows it may hold secrets, so no error shows that.
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

bool has_urls(const Command& command, const Arguments& arguments) {
    std::vector<std::string> files = arguments.words();
    for (const char* option : {"output", "leaf-file", "from", "outboard"})
        for (const std::string& value : arguments.values(option)) files.push_back(value);
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

}  // namespace merklize::command
