#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "programs/variant.hpp"

namespace merklize::runtime {

/// Programs for CUDA devices that nvcc compiled when the library was built, for all architectures at once. They exist
/// with the CMake option MERKLIZE_CUDA_FATBINS. Without it, NVRTC compiles programs when they are needed.

struct Fatbin {
    std::string_view name;
    std::span<const std::byte> image;
};

/// The macros of a program and its hash. Within one build of the library a program depends on nothing else.
std::string fatbin_name(const Variant& variant);

/// The programs in the library, by ascending name. Defined in a source that src/cmake/embed_fatbins.cmake writes, or in
/// no_fatbins.cpp.
std::span<const Fatbin> fatbins() noexcept;

/// The image of a program. Empty if the library does not have it.
std::span<const std::byte> find_fatbin(const Variant& variant);

}  // namespace merklize::runtime
