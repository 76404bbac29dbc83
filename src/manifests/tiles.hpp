#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/safetensors.hpp"
#include "merklize/device.hpp"
#include "merklize/digest.hpp"

namespace merklize::inline v0::manifests {

/// How tiles-v1 reads a tensor: docs/tiles-format.md.
struct TileForm {
    std::vector<std::uint64_t> shape{};  ///< of its storage, without dimensions of 1
    std::uint64_t element_bytes = 1;

    std::uint64_t rows() const noexcept { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
    std::uint64_t columns() const noexcept { return shape.empty() ? 1 : shape.back(); }
    std::uint64_t tile_rows() const noexcept { return shape.size() < 2 ? 1 : 32; }
    std::uint64_t tile_columns() const noexcept { return shape.size() < 2 ? 1024 : 32; }
};

/// errors  invalid_argument (a dtype or size that no manifest has)
TileForm tile_form(std::string_view dtype, const std::vector<std::uint64_t>& shape);

/// The digest of a tensor.
/// tree  the root over its tiles; none: it has no elements
Digest tiles_digest(std::string_view dtype, const std::vector<std::uint64_t>& shape, const std::optional<Digest>& tree);

/// The same of a tensor in a file, which is read by rows of tiles, several at once.
/// readers  how many threads may read at once
/// errors   those of read_at; cancelled; invalid_argument (a device, which reads no files)
Digest digest_by_tiles(const Stored& tensor, const ReadAt& read_at, unsigned readers, const RunOptions& options);

}  // namespace merklize::inline v0::manifests
