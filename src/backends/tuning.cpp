// The tuning defaults of all devices: the one place where a device, a job, a hash and a size become a policy. Each row has its evidence;
// docs/performance.md has the alternatives and what they gave. The best row for a new hash is often none: it takes those of its kind.
#include "backends/tuning.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace merklize::backends {
namespace {

using enum DeviceClass;

// The hashes of a row: all, a kind, or one by its name.
struct Hashes {
    enum Kind { any, of_bytes, of_field } kind = any;
    std::string_view name{};

    bool has(const mkz_hash_info* hash) const {
        if (!name.empty()) return hash != nullptr && hash->name == name;
        const bool is_field = hash != nullptr && hash->modulus != 0;
        return kind == any || (kind == of_field) == is_field;
    }
};
constexpr Hashes all_hashes{}, of_bytes{Hashes::of_bytes}, of_field{Hashes::of_field};
constexpr Hashes only(std::string_view name) { return {Hashes::any, name}; }

// Sets, as bits.
constexpr std::uint32_t operator|(DeviceClass a, DeviceClass b) {
    return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator+(DeviceClass a) { return static_cast<std::uint32_t>(a); }
constexpr std::uint32_t bit(mkz_kernel kernel) { return 1u << kernel; }
constexpr std::uint32_t every_job = ~0u;
constexpr std::uint32_t of_chunks = bit(MKZ_KERNEL_HASH_CHUNKS) | bit(MKZ_KERNEL_HASH_ROWS);

constexpr std::uint64_t any_size = ~std::uint64_t{0};
constexpr std::uint64_t power(unsigned log2) { return std::uint64_t{1} << log2; }

// A policy, of which a row names some fields.
struct Values {
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) std::uint32_t field = 0;
#include "merklize/policy.def"
};

// `fill` goes into the fields that are still 0, so the first row that fits decides a field.
struct Row {
    std::uint32_t devices;
    std::uint32_t jobs;
    Hashes hashes;
    std::uint64_t below;  // the n of tune() is less
    Values fill;
    Values where{};              // fields other than 0 must have these values by now
    std::uint64_t from = 0;      // the n of tune() is at least this
    bool if_group_open = false;  // the group is still open: what compilers are told was measured with this one
};

constexpr Row rows[] = {
    // NVIDIA's GPUs, by CUDA and by their OpenCL alike. Measured on an H200 (sm_90) on 2026-11-21. One lane: a thread is a lane already.
    {+nvidia_gpu, every_job, all_hashes, any_size, {.lanes = 1, .constants = MKZ_CONSTANTS_constant}},
    // A field hash goes level by level while the level is wide. From 2^14 nodes on (2^13 with the dense MDS), teams of 16 threads a
    // merge, four levels a launch: 30 us a level where a thread alone takes 136.
    {+nvidia_gpu, every_job, only("rp64_256_v3"), power(14), {.levels_per_launch = 4}},
    {+nvidia_gpu, every_job, of_field, power(13), {.levels_per_launch = 4}},
    {+nvidia_gpu, every_job, of_field, any_size, {.levels_per_launch = 1}},
    {.devices = +nvidia_gpu,
     .jobs = every_job,
     .hashes = of_field,
     .below = any_size,
     .fill = {.group_size = 128, .cells = 6, .min_groups = 4},
     .if_group_open = true},
    // Chunks: two levels in the group that hashed them. Reading a block ahead takes registers from large inputs (1.73 instead of
    // 1.82 TB/s) and gives small ones, which do not fill the device, 1.13 instead of 1.05. Few chunks go to more multiprocessors by
    // smaller groups: 1.3 times as fast at 256 KiB and 4 MiB.
    {+nvidia_gpu, of_chunks, of_bytes, any_size, {.levels_per_launch = 2}},
    {+nvidia_gpu, of_chunks, of_bytes, power(18), {.read_ahead = 1}},
    {+nvidia_gpu, of_chunks, of_bytes, power(11), {.group_size = 32}},
    {+nvidia_gpu, of_chunks, of_bytes, power(15), {.group_size = 128}},
    {+nvidia_gpu, of_chunks, of_bytes, power(18), {.group_size = 256}},
    {+nvidia_gpu, of_chunks, of_bytes, any_size, {.group_size = 128}},
    // Merges of blake3 go level by level at 31 G merges/s down to 2^17 nodes, then 9 levels a group: launches would cost more than idle
    // threads. sha256 does the same, unmeasured.
    {+nvidia_gpu, every_job, of_bytes, power(17), {.levels_per_launch = 9}},
    {+nvidia_gpu, every_job, of_bytes, any_size, {.levels_per_launch = 1, .group_size = 256}},

    // Any other GPU, through OpenCL or SYCL; not measured. Groups of 256 are a multiple of every vendor's width.
    {+gpu,
     every_job,
     all_hashes,
     any_size,
     {.levels_per_launch = 8, .group_size = 256, .lanes = 1, .constants = MKZ_CONSTANTS_constant}},

    // Processors, measured with Intel's runtimes 2026.0 (OpenCL and SYCL) on an AMD EPYC (Zen 5, AVX-512), 2 cores, on 2026-11-21.
    {intel_processor | pocl_processor,
     every_job,
     all_hashes,
     any_size,
     {.group_size = 64, .constants = MKZ_CONSTANTS_constant}},
    // Lanes of an item's own, with the hint that Intel's compiler then makes no vectors of neighbouring items (port.h). For BLAKE3 16,
    // whose transposition it finds then (8 gave 0.66 of the rate for merges, 0.81 for chunks). sha256 as BLAKE3, unmeasured.
    {intel_processor | pocl_processor, of_chunks, of_bytes, any_size, {.levels_per_launch = 6, .lanes = 16}},
    {intel_processor | pocl_processor, every_job, of_bytes, any_size, {.levels_per_launch = 1, .lanes = 16}},
    // PoCL: constants in the instructions unroll all rounds; of 8 lanes that is more than its compiler survives.
    {+pocl_processor, every_job, of_field, any_size, {.lanes = 1}, {.constants = MKZ_CONSTANTS_literal}},
    {+pocl_processor, every_job, of_field, any_size, {.cells = 6}},
    // A field hash 8 lanes (4 gave 0.54 of the rate, 16 0.9). One word of a field hash Intel's compiler makes vectors of by itself, if
    // products are made of halves, more slowly (0.84) and in four to seven times the compile time.
    {intel_processor | pocl_processor, every_job, of_field, any_size, {.lanes = 8}},
    {+intel_processor, every_job, of_field, any_size, {.mul_by_halves = 1}, {.lanes = 1}},
    // A field hash goes level by level until there are so few nodes that groups of 64 items would leave cores idle. 2^10 leaves take
    // 0.55 of the time so, 2^12 0.86, 2^14 0.99.
    {intel_processor | pocl_processor, every_job, of_field, power(12) + 1, {.levels_per_launch = 8}},
    {intel_processor | pocl_processor, every_job, of_field, any_size, {.levels_per_launch = 1}},
};

// Calls f(field of a, field of b) for each field.
template <class Policy, class F>
void for_fields(Policy& a, const Values& b, F f) {
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) f(a.field, b.field);
#include "merklize/policy.def"
}

void fill(mkz_policy& policy, const Values& from) {
    for_fields(policy, from, [](std::uint32_t& to, std::uint32_t value) { to = to == 0 ? value : to; });
}

bool fits(const mkz_policy& policy, const Values& where) {
    bool fit = true;
    for_fields(policy, where, [&](std::uint32_t has, std::uint32_t wanted) { fit &= wanted == 0 || has == wanted; });
    return fit;
}

void apply_rows(DeviceClass device, mkz_kernel kernel, const mkz_hash_info* hash, std::uint64_t n, mkz_policy& policy) {
    for (const Row& row : rows) {
        if ((row.devices & +device) == 0 || (row.jobs & bit(kernel)) == 0 || n < row.from || n >= row.below) continue;
        if (!row.hashes.has(hash) || !fits(policy, row.where)) continue;
        if (!row.if_group_open || policy.group_size == 0) fill(policy, row.fill);
    }
}

// PoCL 3.1 and 5.0 sometimes give wrong values where items with several lanes meet at a barrier and groups run at once, so here they
// never do, whatever the caller wants: chunks have one lane, and so has what copies its constants to the group's memory first, which is
// a barrier, too (3.1 is always wrong with 16 lanes of hash_elements). A tree of several lanes goes level by level.
void avoid_barriers_of_lanes(std::uint32_t jobs, const mkz_hash_info* hash, mkz_policy& policy) {
    if (of_bytes.has(hash) && (jobs & of_chunks) != 0) policy.lanes = 1;
    if (of_field.has(hash) && policy.constants == MKZ_CONSTANTS_local) policy.lanes = 1;
    if (policy.lanes > 1) policy.levels_per_launch = 1;
}

}  // namespace

void tune(DeviceClass device, mkz_kernel kernel, std::uint32_t id, std::uint64_t n, std::uint32_t max_group_size,
          mkz_policy* policy) noexcept {
    const mkz_hash_info* hash = mkz_find_hash(id);
    const bool is_group_open = policy->group_size == 0, is_pocl = device == pocl_processor;
    if (is_pocl && policy->levels_per_launch > 1) fill(*policy, {.lanes = 1});  // the levels that the caller wants
    apply_rows(device, kernel, hash, n, *policy);
    if (is_pocl) avoid_barriers_of_lanes(bit(kernel), hash, *policy);
    if (is_group_open && max_group_size != 0) policy->group_size = std::min(policy->group_size, max_group_size);
}

namespace {

// Trees on the CPU that no row of the table is for: each thread merges subtrees of `most_levels` at most. Those of 2^12 leaves take 256 KiB, leaves and parents: they
// stay in a core's second-level cache. Field hashes compute too long to need the cache; smaller subtrees share out and stop sooner.
struct CpuRow {
    Hashes hashes;
    std::uint32_t most_levels;
    std::uint64_t least_shared;  // merges; fewer are left to one thread
};
constexpr CpuRow cpu_rows[] = {
    {only("blake3"), 12, power(10)},  // merged before another thread is awake: 12 us alone, 16 to 30 by two
    {of_bytes, 12, 0},
    {of_field, 8, 0},
};

}  // namespace

void tune_cpu(mkz_kernel kernel, std::uint32_t hash, std::uint64_t n, std::uint32_t threads,
              mkz_policy* policy) noexcept {
    const std::uint32_t wanted = policy->levels_per_launch;
    *policy = {};
    policy->levels_per_launch = wanted;
    if (kernel != MKZ_KERNEL_MERGE_SUBTREES || wanted != 0) return;
    const mkz_hash_info* info = mkz_find_hash(hash);
    apply_rows(cpu, kernel, info, n, *policy);
    if (policy->levels_per_launch != 0) return;
    const CpuRow& row =
        *std::ranges::find_if(cpu_rows, [&](const Hashes& hashes) { return hashes.has(info); }, &CpuRow::hashes);
    // Small trees are cut finer, so that every thread has several.
    constexpr unsigned subtrees_per_thread = 4;
    const bool alone = threads == 1 || n < row.least_shared;
    const unsigned spread = alone ? 0 : std::bit_width(subtrees_per_thread * threads - 1);
    const unsigned height = std::bit_width(n);  // n merges: 2^height - 1 of them
    policy->levels_per_launch = std::min(row.most_levels, height > spread + 4 ? height - spread : height);
}

}  // namespace merklize::backends
