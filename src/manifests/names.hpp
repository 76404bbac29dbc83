#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/byte_source.hpp"
#include "host/invalid.hpp"
#include "merklize/manifest.hpp"
#include "texts/json_reader.hpp"
#include "texts/text.hpp"

namespace merklize::inline v0::manifests {

using namespace texts;

/// Rules for names and sizes that readers of manifests, of safetensors files and of folders share.

std::optional<Kind> kind_of(std::string_view name) noexcept;
/// The format of the text.
inline constexpr std::string_view format_name = "merklize-manifest-1";
/// DigestKind::tiles in the text.
inline constexpr std::string_view tiles_name = "tiles-v1";
/// Whether a manifest can have pieces of this size; 0: none.
bool is_piece_size(std::uint64_t size) noexcept;
/// Bits of an element, or 0 for a dtype that no manifest has.
unsigned bits_of(std::string_view dtype) noexcept;
/// Bytes of a tensor. nullopt if they are not a whole number, or if the bits, multiplied from the left as in
/// safetensors, reach 2^64.
std::optional<std::uint64_t> bytes_of(const std::vector<std::uint64_t>& shape, unsigned bits) noexcept;

/// Bytes of the longest text of a manifest or an index.
inline constexpr std::uint64_t most_text = std::uint64_t{1} << 32;
/// The text of a source of JSON. Where it cannot be JSON, it may end behind the place that shows this, so that a file
/// without an end does not fill the memory.
/// wait    as ByteStream::next() calls it
/// errors  io; invalid_argument (more than most_text bytes, or than json::most_streamed without a known size)
std::string content_of(const runtime::ByteSource& source, const runtime::ByteStream::Wait& wait);
/// Throws invalid_argument unless the name of a file stays in its folder on every system.
void require_path(std::string_view name);
/// Throws invalid_argument if two names differ only in the case of ASCII letters, which some systems ignore.
void require_distinct(const std::vector<std::string>& names);
/// Numbers as by Python's str(); a long list is cut.
std::string in_brackets(const std::vector<std::uint64_t>& numbers);
/// Throws io: `path` cannot be read, with the system's text for an errno.
[[noreturn]] void cannot_read(const std::string& path, int reason);

}  // namespace merklize::inline v0::manifests
