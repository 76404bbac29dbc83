#pragma once

#include "driver_table.hpp"
#include "jobs/plugins.hpp"

// The tables of the SYCL plug-in, which this program does not link.
namespace table {

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
inline const char* required_by() { return "MERKLIZE_REQUIRE_RUNTIMES"; }

inline const char* kernels() {
    return R"(
#define KERNEL extern "C" SYCL_EXTERNAL \
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>)) void
typedef unsigned uint;
typedef unsigned long ulong;
struct key_type { uint w[8]; };
static ulong index() { return sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_global_id(0); }
KERNEL fill(uint *out, uint first, ulong n) { if (index() < n) out[index()] = first + (uint)index(); }
KERNEL add(uint *x, uint by, ulong n) { if (index() < n) x[index()] += by; }
KERNEL slow(uint *x, uint rounds) {
    uint s = index();
    for (uint i = 0; i < rounds; i++) s = s * 1664525u + 1013904223u;
    x[index()] = s | 1;
}
KERNEL kinds(ulong *out, uint a, ulong b, key_type key, const uint *in, uint never) {
    if (index() != 0) return;
    out[0] = a;
    out[1] = b;
    for (int i = 0; i < 8; i++) out[2 + i] = key.w[i];
    out[10] = in == nullptr ? 0 : in[1];
}
KERNEL turn(uint *x) {
    static sycl::ext::oneapi::experimental::work_group_static<uint[64]> shared;
    uint(&held)[64] = shared;
    auto item = sycl::ext::oneapi::this_work_item::get_nd_item<1>();
    held[item.get_local_id(0)] = x[index()];
    sycl::group_barrier(item.get_group());
    x[index()] = held[63 - item.get_local_id(0)];
}
)";
}

}  // namespace table
