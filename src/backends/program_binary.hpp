#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace merklize::backends {

/// The binary of a program of OpenCL for one of its devices; empty if there is none. A program has one for each device
/// of its context.
/// get  clGetProgramInfo() of the program: (what, bytes, to, &size), which throws on failure
template <class Device, class Get>
std::string program_binary(Device device, Get get) {
    // CL_PROGRAM_DEVICES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BINARIES
    constexpr std::uint32_t of_devices = 0x1163, of_sizes = 0x1165, of_binaries = 0x1166;
    std::size_t bytes = 0;
    get(of_devices, 0, nullptr, &bytes);
    std::vector<Device> ids(bytes / sizeof(Device));
    get(of_devices, bytes, static_cast<void*>(ids.data()), nullptr);
    std::vector<std::size_t> sizes(ids.size());
    get(of_sizes, sizes.size() * sizeof(std::size_t), sizes.data(), nullptr);
    const auto ours = static_cast<std::size_t>(std::ranges::find(ids, device) - ids.begin());
    if (ours == ids.size() || sizes[ours] == 0) return {};
    // A null pointer stands for a binary that is not wanted.
    std::string binary(sizes[ours], '\0');
    std::vector<unsigned char*> places(ids.size(), nullptr);
    places[ours] = reinterpret_cast<unsigned char*>(binary.data());
    get(of_binaries, places.size() * sizeof(unsigned char*), static_cast<void*>(places.data()), nullptr);
    return binary;
}

}  // namespace merklize::backends
