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
namespace options {

inline constexpr std::string_view rules = "left_full, pad, duplicate_last, perfect";
inline constexpr Option leaves{"leaves", 0, {}, "INPUT holds the leaves themselves, 32 bytes each."};

}  // namespace options

/// Functions that the commands of `merklize tree` share.

/// The size of a leaf must be a multiple of so many bytes: those of a field element, or 1.
unsigned word_bytes(Hash hash);

/// Opens a tree file and gives it the mode of the command line.
/// errors  io; Failure (a keyed tree without a key; a key for a tree that has none)
TreeFile open_tree(Call& call, const std::string& path);
TreeFile open_tree(Call& call, const std::string& path, const std::optional<Mode>& mode);
/// The hash of a tree file.
Hash hash_of_tree(Call& call, const std::string& path);

/// Refuses an output that would change an input while it is read, or take its place, under any name of it.
/// output  a path; none and "-" are standard output
/// errors  UsageError
void refuse_input_as_output(Call& call, const std::string& input, const std::optional<std::string>& output);

/// The input of that name: a file, an object of a store, or standard input for "-". leaf_bytes = 0: the input holds the
/// leaves.
/// opened  keeps an object for as long as the input is used
TreeInput tree_input(Call& call, const std::string& name, TreeInput::Kind kind, std::uint64_t leaf_bytes,
                     std::unique_ptr<runtime::ByteSource>& opened);

}  // namespace merklize::command
