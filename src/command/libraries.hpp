#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace merklize::command {

/// Libraries for devices that pip installed beside this program: the library looks for them where variables say. Called before a
/// device is opened; nothing is looked for if that is the CPU. Variables that are set already are left alone:
/// MERKLIZE_NVRTC_LIBRARY, MERKLIZE_OPENCL_LIBRARY, MERKLIZE_PLUGINS_DIR, OCL_ICD_FILENAMES.
void prepare_libraries(std::string_view device);
/// The same for all devices.
void prepare_libraries();

/// The Python environment that this program is a part of: the folder above its own. Empty if that is not known.
std::filesystem::path python_environment();

}  // namespace merklize::command
