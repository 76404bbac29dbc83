#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "merklize/digest.hpp"

namespace merklize::inline v0::manifests {

/// The most commas and opening brackets that a header, or an index of shards, may have.
inline constexpr std::size_t most_separators = std::size_t{1} << 22;

/// A tensor in the header of a safetensors file.
struct Stored {
    std::string name{}, dtype{};
    std::vector<std::uint64_t> shape{};
    std::uint64_t offset = 0;  ///< its first byte in the file
    std::uint64_t size = 0;
};

/// The bytes before the tensors: the length n of the header (8 bytes, little endian), then n bytes of JSON
/// (github.com/huggingface/safetensors). All bytes after them belong to tensors, without holes.
struct Header {
    std::vector<Stored> tensors{};  ///< in the order of their bytes
    Digest digest{};
};

/// Gives `count` bytes of a file from byte `offset` on.
using ReadAt = std::function<std::string(std::uint64_t offset, std::uint64_t count)>;

/// Reads and checks the header of a file.
/// path        for error texts
/// file_bytes  as the system states it; none: the file ends where its tensors do, and what follows is not looked at
/// errors      invalid_argument (lengths, JSON, dtypes, offsets), and those of read_at
Header read_header(const ReadAt& read_at, const std::string& path, std::optional<std::uint64_t> file_bytes);

}  // namespace merklize::inline v0::manifests
