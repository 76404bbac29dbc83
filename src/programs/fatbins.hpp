#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "programs/variant.hpp"

namespace merklize::runtime {

/// Programs of CUDA devices that nvcc compiled when the library was built, for all architectures at once. With the CMake option MERKLIZE_CUDA_FATBINS; else there are none, and NVRTC compiles them when they are
/// needed.

struct Fatbin {
    std::string_view name;
    std::span<const std::byte> image;
};

/// The macros of a program and its hash: in one build of the library that is all that a program depends on.
std::string fatbin_name(const Variant& variant);

/// Those in the library, by ascending name. Defined in a source that cmake/embed_fatbins.cmake writes, or in no_fatbins.cpp.
std::span<const Fatbin> fatbins() noexcept;

/// A program's; empty if it is not there.
std::span<const std::byte> find_fatbin(const Variant& variant);

}  // namespace merklize::runtime
