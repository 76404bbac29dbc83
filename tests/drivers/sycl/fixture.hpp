#pragma once

#include "drivers/table.hpp"
#include "jobs/plugins.hpp"

namespace table {

// The tables of the plug-in, which this program does not link.
inline const mkz_backend& backend() {
    const merklize::runtime::Plugin& plugin = merklize::runtime::plugin("sycl");
    if (plugin.backend != nullptr) return *plugin.backend;
    static const mkz_backend missing = [] {
        mkz_backend none{};
        none.why_unavailable = []() noexcept { return merklize::runtime::plugin("sycl").why.c_str(); };
        return none;
    }();
    return missing;
}

inline const Fixture& fixture() {
    static constexpr Fixture sycl = {
        .language = MKZ_LANGUAGE_SYCL,
        .isa = "SYCL, ",
        .harmless_option = "-fno-vectorize",
        .prelude = R"(
#define KERNEL extern "C" SYCL_EXTERNAL \
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void
#define GLOBAL
#define SHARED(type, name, n) \
    static sycl::ext::oneapi::experimental::work_group_static<type[n]> shared; type(&name)[n] = shared
#define ITEM sycl::ext::oneapi::this_work_item::get_nd_item<1>()
#define LOCAL_INDEX ITEM.get_local_id(0)
#define INDEX ITEM.get_global_id(0)
#define BARRIER sycl::group_barrier(ITEM.get_group())
typedef unsigned u32;
typedef unsigned long u64;
)",
    };
    return sycl;
}

}  // namespace table
