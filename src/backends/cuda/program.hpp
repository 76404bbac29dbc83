#pragma once

#include <cstdint>

#include "seams/driver.h"

namespace merklize::cuda {

mkz_status program_build(std::uint32_t device, const char* text, const char* options, mkz_program** program) noexcept;
mkz_status program_binary(mkz_program* program, void (*sink)(void* context, const void* bytes, std::uint64_t size),
                          void* context) noexcept;
mkz_status program_load(std::uint32_t device, const void* binary, std::uint64_t bytes, mkz_program** program) noexcept;
void program_release(mkz_program* program) noexcept;
mkz_status program_function(mkz_program* program, const char* name, mkz_function** function,
                            std::uint32_t* max_group_size) noexcept;

mkz_status launch(mkz_stream* stream, mkz_function* function, std::uint64_t groups, std::uint32_t group_size,
                  std::uint32_t n_arguments, const mkz_argument* arguments, mkz_event** event) noexcept;

}  // namespace merklize::cuda
