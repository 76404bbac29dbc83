#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/call.hpp"
#include "command/line/arguments.hpp"

namespace merklize::command {

/// Whether a word names an object of a store: "s3://...". "./a://b" is a file.
bool is_url(std::string_view word) noexcept;
/// The path that a URL such as file:///data/x names; any other word as it is.
/// errors  UsageError (a URL that names a file of another machine)
std::string local_name(const std::string& word);

/// Whether any file that a command line names is a URL.
/// errors  UsageError (the command, or an option of it, takes none; a word that was perhaps meant as one)
bool has_urls(const Command& command, const Arguments& arguments);

/// The name of an input as texts may show it.
std::string shown_name(Call& call, const std::string& word);
/// A file, an object of a store, or standard input for "-".
/// first  bytes of an object's beginning that are surely wanted
std::unique_ptr<runtime::ByteSource> open_input(Call& call, const std::string& word, std::uint64_t first = UINT64_MAX);
/// The size of a regular file, or of an object.  errors  io (neither is it)
std::uint64_t size_of(const runtime::ByteSource& input);
/// Reads up to out.size() bytes, fewer only at the end.
class InOrder {
public:
    InOrder(Call& call, const runtime::ByteSource& input) : call_(call), stream_(input.stream()) {}
    std::size_t read(std::span<std::byte> out);

private:
    Call& call_;
    std::unique_ptr<runtime::ByteStream> stream_;
    std::span<const std::byte> left_{};
};

/// Where a file is written that must be a file of the system: of a URL a temporary one, which goes to the store when it is whole.
class OutputFile {
public:
    OutputFile(Call& call, const std::string& word);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& path() const noexcept { return path_; }
    void finish();

private:
    Call& call_;
    const std::string word_;
    std::string folder_{}, path_;
};

/// All of it, or more than `most` bytes.
std::vector<std::byte> read_all(Call& call, const runtime::ByteSource& source, std::size_t most = SIZE_MAX);

}  // namespace merklize::command
