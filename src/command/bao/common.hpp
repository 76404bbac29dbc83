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

/// What the commands of `merklize bao` share.

/// --format and --group-size.  errors  UsageError
BaoForm bao_form_of(const Arguments& arguments);
/// --range START,LENGTH: all that are given.  errors  UsageError
std::vector<FileRange> ranges_of(const Arguments& arguments);
/// --root.  errors  UsageError (it must be given)
Digest required_root(const Arguments& arguments);
/// --size; 0 if it is not given, and the form has the size anyway.  errors  UsageError (it must be given)
std::uint64_t stated_size(const Arguments& arguments, const BaoForm& form);
/// --output; none for "-", which is standard output as well.  errors  UsageError (no name; the name of an input)
std::optional<std::string> output_of(const Arguments& arguments);

/// Whether it can be read at any place.
bool is_regular(const runtime::ByteSource& input);
/// An outboard that can be that of a message of `size` bytes.  errors  BaoMismatch
std::vector<std::byte> read_outboard(Call& call, const std::string& name, std::uint64_t size, const BaoForm& form);
/// Reads from what has a size, or from bytes. Both must stay.
BaoReadAt reads_of(const runtime::ByteSource& input);
BaoReadAt reads_of(const std::vector<std::byte>& bytes);

/// A fault as a sentence.
std::string fault_text(const BaoFault& fault);

/// Which bytes of a message were verified.
class Verified {
public:
    void add(const FileRange& range);
    bool is_none() const noexcept { return ranges_.empty(); }
    /// In order, those that touch as one.
    std::vector<FileRange> ranges() const;
    /// "all of 3000 bytes", "bytes 0 to 1024 and 4096 to 6000 of 70000".
    std::string text(std::uint64_t size) const;

private:
    std::vector<FileRange> ranges_{};
};

/// Runs an action; what does not belong to the root becomes a Failure that names the input.
template <class Action>
auto naming(const std::string& input, const Action& action) try {
    return action();
} catch (const BaoMismatch& error) {
    throw Failure{sentence(input) + ": " + error.what()};
}

}  // namespace merklize::command
