#pragma once

#include <cstdint>

#include "seams/driver.h"

namespace merklize::opencl {

mkz_status copy_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                          std::uint64_t bytes, mkz_event** event) noexcept;
mkz_status copy_to_host(mkz_stream* stream, void* to, mkz_memory* from, std::uint64_t offset, std::uint64_t bytes,
                        mkz_event** event) noexcept;
mkz_status copy_on_device(mkz_stream* stream, mkz_memory* to, std::uint64_t to_offset, mkz_memory* from,
                          std::uint64_t from_offset, std::uint64_t bytes, mkz_event** event) noexcept;

}  // namespace merklize::opencl
