#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "command/endings.hpp"
#include "command/line/arguments.hpp"
#include "command/output/text.hpp"
#include "command/urls.hpp"
#include "host/input_file.hpp"
#include "merklize/bao.hpp"

namespace merklize::command {
namespace options {

inline constexpr Option bao_format{
    "format",
    0,
    "NAME",
    "bao: groups of 1 KiB, size in front (the default); bao_tree: bao-tree's, groups of 16 KiB, "
    "no size; bao_tree_post: the same in post-order, outboards alone.",
    {},
    "bao, bao_tree, bao_tree_post"};
inline constexpr Option bao_group{"group-size", 0, "SIZE", "Bytes of a group, if not the format's: 16K; 1K to 1G."};
inline constexpr Option bao_size{"size", 0, "BYTES",
                                 "Size of the message, if the format does not state it; need not be trusted."};
inline constexpr Option bao_root{"root", 0, "HEX", "The digest of the message that you trust; must be given."};
inline constexpr Option bao_output{"output", 'o', "FILE", "Write to this file instead of standard output."};

}  // namespace options

/// Functions that the commands of `merklize bao` share.

/// --format and --group-size.  errors  UsageError
BaoForm bao_form_of(const Arguments& arguments);
/// All values of --range START,LENGTH.  errors  UsageError
std::vector<FileRange> ranges_of(const Arguments& arguments);
/// The value of --size; 0 if the form stores the size.  errors  UsageError (it is missing, or stored already)
std::uint64_t stated_size(const Arguments& arguments, const BaoForm& form);
/// The value of --output; none for standard output, also for "-".  errors  UsageError (an empty name; the name of an
/// input)
std::optional<std::string> output_of(Call& call, const Arguments& arguments);

/// A message and its outboard.
struct BaoMessage {
    std::unique_ptr<runtime::ByteSource> input;  ///< ranges of it can be read
    runtime::ByteSource::Extent extent;
    std::vector<std::byte> outboard;
};
/// Opens both. Of an input that does not say where it ends, no more is read than the outboard is of.
/// root    an outboard that comes in order is not read on if it is not this root's. Null: any is taken
/// first   bytes at the start of the message that will surely be read
/// errors  BaoMismatch (the outboard is of no message, or of none of this size)
BaoMessage open_message(Call& call, const std::string& name, const std::string& outboard, const BaoForm& form,
                        const Digest* root, std::uint64_t first = UINT64_MAX);
/// A function that reads from an extent of an input, whose first byte has offset 0, or from memory. Both must outlive
/// the function.
BaoReadAt reads_of(const runtime::ByteSource& input, const runtime::ByteSource::Extent& extent);
BaoReadAt reads_of(const std::vector<std::byte>& bytes);

/// A fault as a sentence.
std::string fault_text(const BaoFault& fault);

/// The bytes of a message that were verified.
class Verified {
public:
    void add(const FileRange& range);
    bool is_none() const noexcept { return ranges_.empty(); }
    /// Whether the last bytes of a message of this size are among them. Only these prove the size.
    bool reaches(std::uint64_t size) const noexcept;
    /// In order; adjacent ranges are joined.
    std::vector<FileRange> ranges() const;
    /// "all of 3000 bytes", "bytes 0 to 1024 and 4096 to 6000 of 70000".
    std::string text(std::uint64_t size) const;

private:
    std::vector<FileRange> ranges_{};
};

/// Runs an action. Its BaoMismatch becomes a Failure that names the input.
template <class Action>
auto naming(const std::string& input, const Action& action) try {
    return action();
} catch (const BaoMismatch& error) {
    throw Failure{sentence(input) + ": " + error.what()};
}

}  // namespace merklize::command
