#pragma once

#include "drivers/table.hpp"

namespace merklize::opencl {
extern const mkz_backend backend;
}

namespace table {

inline const mkz_backend& backend() { return merklize::opencl::backend; }

inline const Fixture& fixture() {
    static constexpr Fixture opencl = {
        .language = MKZ_LANGUAGE_OPENCL,
        .isa = "OpenCL C ",
        .harmless_option = "-cl-fast-relaxed-math",
        .prelude = R"(
#define KERNEL kernel void
#define GLOBAL global
#define SHARED(type, name, n) local type name[n]
#define LOCAL_INDEX get_local_id(0)
#define INDEX get_global_id(0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
typedef uint u32;
typedef ulong u64;
)",
        .native_is_address = false,
        .checks_argument_sizes = false,  // PoCL 3.1 takes any size
    };
    return opencl;
}

}  // namespace table
