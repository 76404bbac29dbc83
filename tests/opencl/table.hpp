#pragma once

#include "driver_table.hpp"

namespace merklize::opencl {
extern const mkz_backend backend;
}

namespace table {

inline const mkz_backend& backend() { return merklize::opencl::backend; }
inline const char* required_by() { return "MERKLIZE_REQUIRE_RUNTIMES"; }

inline const char* kernels() {
    return R"(
typedef struct { uint w[8]; } key_type;
kernel void fill(global uint *out, uint first, ulong n) {
    ulong i = get_global_id(0);
    if (i < n) out[i] = first + (uint)i;
}
kernel void add(global uint *x, uint by, ulong n) {
    ulong i = get_global_id(0);
    if (i < n) x[i] += by;
}
kernel void slow(global uint *x, uint rounds) {
    uint s = get_global_id(0);
    for (uint i = 0; i < rounds; i++) s = s * 1664525u + 1013904223u;
    x[get_global_id(0)] = s | 1;
}
kernel void kinds(global ulong *out, uint a, ulong b, key_type key, global const uint *in) {
    out[0] = a;
    out[1] = b;
    for (int i = 0; i < 8; i++) out[2 + i] = key.w[i];
    out[10] = in == 0 ? 0 : in[1];
}
kernel void last(global ulong *out, ulong n) {
    if (get_global_id(0) == n - 1) out[0] = get_global_id(0);
}
)";
}

/// What error texts begin with.
inline std::string label() {
    mkz_device_facts facts{};
    need(backend().device_facts(device(), &facts));
    return "opencl:" + std::to_string(device()) + " (" + facts.name + ")";
}

}  // namespace table
