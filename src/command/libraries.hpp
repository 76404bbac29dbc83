#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace merklize::command {

/// Points environment variables at the device libraries that pip installed beside this program, because libmerklize
/// looks for libraries where these variables say: MERKLIZE_NVRTC_LIBRARY, MERKLIZE_OPENCL_LIBRARY,
/// MERKLIZE_PLUGINS_DIR, OCL_ICD_FILENAMES. A variable that is set already is kept. Call it before a device is opened;
/// it does nothing for the CPU.
void prepare_libraries(std::string_view device);
/// The same for all devices.
void prepare_libraries();

/// The Python environment of this program: the folder above its own. Empty if unknown.
std::filesystem::path python_environment();

}  // namespace merklize::command
