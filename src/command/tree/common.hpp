#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "command/settings.hpp"
#include "command/urls.hpp"
#include "merklize/tree_file.hpp"

namespace merklize::command {

/// What the commands of `merklize tree` share.

/// Bytes of which a leaf must be a multiple: those of a field element, or 1.
unsigned word_bytes(Hash hash);

/// A tree file, with its mode where that matters: a tree that needs a key gets it, and one that has none is not given any.
/// errors  io; Failure (a key too many, or none)
TreeFile open_tree(Call& call, const std::string& path);
TreeFile open_tree(Call& call, const std::string& path, const std::optional<Mode>& mode);

/// errors  UsageError (the output is the input itself)
void refuse_input_as_output(const std::string& input, const std::string& output);

/// The input of that name: a file, an object of a store, or standard input for "-". 0 leaf bytes: it holds the leaves.
/// opened  keeps an object for as long as the input is used
TreeInput tree_input(Call& call, const std::string& name, TreeInput::Kind kind, std::uint64_t leaf_bytes,
                     std::unique_ptr<runtime::ByteSource>& opened);

}  // namespace merklize::command
