#pragma once

#include <string>

namespace merklize::cuda {

/// Machine code of one architecture (an ELF file), or PTX text that the driver compiles when it loads it.
struct Image {
    bool is_ptx = false;
    std::string bytes{};  // PTX ends with a 0
};

/// Compiles CUDA C++ with NVRTC, which is looked for on first use: MERKLIZE_NVRTC_LIBRARY (a path), then the loader's
/// search path, then the toolkit's usual folders. Needs no GPU.
/// arch     90 for sm_90; one that NVRTC does not know yet gets the PTX of the newest below it
/// options  more options, separated by spaces, or null
/// on       the beginning of error texts
/// errors   MKZ_UNAVAILABLE: no NVRTC, or none for this architecture; MKZ_INTERNAL: the text does not compile, with the
///          log
Image compile(int arch, const char* text, const char* options, const std::string& on);

/// Major version of the NVRTC in use: 13 for 13.0; 0 if there is none.
int nvrtc_major();

}  // namespace merklize::cuda
