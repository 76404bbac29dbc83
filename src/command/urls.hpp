#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/call.hpp"
#include "command/line/arguments.hpp"
#include "files/spooled_source.hpp"
#include "host/input_file.hpp"
#include "texts/urls.hpp"

namespace merklize::command {

using texts::is_url;
/// The path that a URL such as file:///data/x names; any other word unchanged.
/// errors  UsageError (a URL that names a file of another machine)
std::string local_name(const std::string& word);

/// Whether any file that a command line names is a URL.
/// errors  UsageError (the command or the option takes no URLs; a word that looks like a misspelt URL)
bool has_urls(const Command& command, const Arguments& arguments);

/// The name of an input without secrets, for texts.
std::string shown_name(Call& call, const std::string& word);
/// A file, or standard input for "-".
std::unique_ptr<runtime::InputFile> open_file(Call& call, const std::string& word);
/// The same, or an object of a store.
/// first  bytes at the start of an object that will surely be read
std::unique_ptr<runtime::ByteSource> open_input(Call& call, const std::string& word, std::uint64_t first = UINT64_MAX);
/// The same as an input that ranges can be read of: a copy in the folder for temporary files, if the input can only be
/// read in order.
/// most  as of SpooledSource: a longer input is copied in part
std::unique_ptr<runtime::ByteSource> open_for_ranges(Call& call, const std::string& word,
                                                     std::uint64_t first = UINT64_MAX,
                                                     const runtime::SpooledSource::Most& most = {});
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

/// An output that must be written as a file of the system. For a URL that is a temporary file, which finish() uploads
/// to the store.
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

/// Whether bytes at the beginning of a source may be those of such a file.
/// checked  bytes that were there in the call before
using MayBe = std::function<bool(std::string_view begin, std::size_t checked)>;
/// Reads a whole source. The result is not whole if it has more than `most` bytes, or cannot be such a file.
std::vector<std::byte> read_all(Call& call, const runtime::ByteSource& source, std::uint64_t most,
                                const MayBe& may_be = {});

}  // namespace merklize::command
