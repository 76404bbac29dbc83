#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "merklize/device.hpp"

namespace merklize::runtime {

/// Kernels compiled ahead of time to SPIR-V, in $MERKLIZE_MODULES_DIR, else $XDG_DATA_HOME/merklize/modules, else
/// $HOME/.local/share/merklize/modules. An OpenCL device that takes SPIR-V gets a module instead of the text.

/// One program that a device would compile.
struct KernelModule {
    std::string name;  ///< body, hash and policy, for people to read
    std::string text;  ///< OpenCL C 1.2, macros in front
};

/// The programs that the device's own tuning table asks for, over all hashes, jobs and sizes.
/// errors  invalid_argument (not an OpenCL device)
std::vector<KernelModule> kernel_modules(const Device& device);

/// The stored module made of a text, if there is one and it is complete.
std::optional<std::vector<std::byte>> load_module(const std::string& text);

/// Stores the module made of a text.  errors  io (the text says why)
void store_module(const std::string& text, std::span<const std::byte> spirv);

/// Where modules are looked for; empty if the environment names no place.
std::string module_folder();

}  // namespace merklize::runtime
