#pragma once

#include "merklize/policy.hpp"
#include "seams/backend.h"

namespace merklize::runtime {

/// A caller's policy as mkz_policy, the only struct of tuning values inside the library. Fields that only compilers use
/// stay open.
constexpr mkz_policy to_seam(const Policy& policy) {
    mkz_policy result{};
#define MKZ_COPY_caller(field) result.field = static_cast<std::uint32_t>(policy.field);
#define MKZ_COPY_compiler(field)
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_COPY_##chooser(field)
#include "merklize/policy.def"
#undef MKZ_COPY_caller
    return result;
}

/// The fields that a caller may see.
constexpr Policy from_seam(const mkz_policy& policy) {
    Policy result;
#define MKZ_COPY_caller(field) result.field = decltype(result.field)(policy.field);
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) MKZ_COPY_##chooser(field)
#include "merklize/policy.def"
#undef MKZ_COPY_caller
#undef MKZ_COPY_compiler
    return result;
}

}  // namespace merklize::runtime
