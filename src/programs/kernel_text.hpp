#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "merklize/hash.hpp"

namespace merklize::runtime {

/// One header of the core as it was when the library was built. `name` is its place below include/merklize:
/// "core/port.h".
struct KernelSource {
    std::string_view name;
    std::span<const std::string_view> pieces;  // in order
};

/// Every header of the core. Defined in a source that src/cmake/embed_core.cmake writes.
std::span<const KernelSource> kernel_sources() noexcept;

/// The text for a device compiler, which has none of the library's files: core/entry.h with every #include "..."
/// replaced by that file's text. Guarded headers come once, the others each time. It has one hash of the list, or none;
/// without a hash it has only the kernels that need none. Made at the first call.
/// errors  invalid_argument (no such hash)
const std::string& kernel_text(std::optional<Hash> hash);

/// The text of one program: a line "#define NAME VALUE" for each of `defines`, then kernel_text().
/// errors  invalid_argument (no such hash)
std::string program_text(std::span<const std::pair<std::string, std::string>> defines, std::optional<Hash> hash);

}  // namespace merklize::runtime
