#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merklize/digest.hpp"

namespace merklize::command::manifest {

/// What a manifest says, and what is found in files. docs/manifest-format.md has the bytes. All names are UTF-8.

/// A tensor, wherever it lies.
struct Tensor {
    std::string name{}, dtype{};
    std::vector<std::uint64_t> shape{};
    Digest digest{};
    std::uint64_t size = 0;              ///< bytes
    std::optional<std::string> shard{};  ///< the file that it lies in
    std::uint64_t offset = 0;            ///< its first byte in that file
    std::vector<Digest> pieces{};

    const std::string& key() const noexcept { return name; }
    std::string record() const;  ///< its leaf of the manifest's tree is made of this
};

/// A file that is hashed as a whole.
struct File {
    std::string path{};
    std::uint64_t size = 0;
    Digest digest{};
    std::vector<Digest> pieces{};

    const std::string& key() const noexcept { return path; }
    std::string record() const;  ///< its leaf of the manifest's tree is made of this
};

/// A safetensors file: its header and its tensors are all of its bytes.
struct Shard {
    std::string path{};
    std::uint64_t size = 0;
    Digest header{};  ///< of what comes before the first tensor

    const std::string& key() const noexcept { return path; }
};

/// What it was made of.
enum class Kind { tensors, file, index, folder };
std::string_view name_of(Kind kind) noexcept;

/// All that a check goes by. Lists are sorted by the bytes of their keys, each of which is there once.
struct Manifest {
    Kind kind = Kind::folder;
    std::optional<std::string> name{};  ///< of the file or index
    std::uint64_t piece_size = 0;
    std::vector<Tensor> tensors{};
    std::vector<File> files{};
    std::vector<Shard> shards{};
    std::vector<std::vector<std::string>> aliases{};
    std::vector<std::string> ignore{};
    Digest root{};

    /// Bytes of all tensors and files.
    std::uint64_t bytes() const noexcept;
};

/// The root of the tree over the records of all tensors and files.  errors  Failure (there are none)
Digest root_of(const Manifest& manifest);

/// Reads a manifest's file.
/// errors  Failure (it cannot be read; it says what no manifest says; root or pieces do not fit the digests)
Manifest load(const std::string& path);
/// The same of the text alone.
Manifest parse(std::string_view text);

/// Bits of an element, or 0: no dtype that a manifest has.
unsigned bits_of(std::string_view dtype) noexcept;
/// Bytes of a tensor; none if they are no whole number, or the bits, counted from the left as safetensors does it, 2^64 or more.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, unsigned bits) noexcept;

/// The whole content of a file.  errors  Failure
std::string content_of(const std::string& path);
/// Throws Failure unless the name of a file stays in its folder on every system.
void require_path(std::string_view name);
/// Throws Failure if two names are one on a system that ignores the case of ASCII's letters.
void require_distinct(const std::vector<std::string>& names);
/// A name in quotes, as Python's repr() has it; of a long one the begin.
std::string in_quotes(std::string_view name);
/// Numbers as Python's str() has them; of a long list the begin.
std::string in_brackets(const std::vector<std::uint64_t>& numbers);

}  // namespace merklize::command::manifest
