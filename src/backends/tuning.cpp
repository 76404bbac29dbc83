// The tuning defaults of all devices: the one place where a device, a job, a hash and a size become a policy. Each row
// has its evidence; the pages in docs/notes have the alternatives and their results. A new hash often needs no row of
// its own: the rows of its kind apply.
#include "backends/tuning.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "hashes/hash_info.h"

namespace merklize::backends {
namespace {

using enum DeviceClass;

// The hashes of a row: all hashes, one kind, or one hash by its name.
struct Hashes {
    enum Kind { any, of_bytes, of_field, of_small_field } kind = any;
    std::string_view name{};

    bool has(const mkz_hash_info* hash) const {
        if (!name.empty()) return hash != nullptr && hash->name == name;
        // A hash on halves of field elements computes as hashes of bytes do.
        const bool is_field = hash != nullptr && hash->modulus != 0 && hash->element_words == 1;
        if (kind == of_small_field) return is_field && hash->modulus >> 32 == 0;
        return kind == any || (kind == of_field) == is_field;
    }
};
constexpr Hashes all_hashes{}, of_bytes{Hashes::of_bytes}, of_field{Hashes::of_field};
constexpr Hashes of_small_field{Hashes::of_small_field};  // words of 32 bits
constexpr Hashes only(std::string_view name) { return {Hashes::any, name}; }

// Sets of devices and of jobs, as bits.
constexpr std::uint32_t operator|(DeviceClass a, DeviceClass b) {
    return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b);
}
constexpr std::uint32_t operator+(DeviceClass a) { return static_cast<std::uint32_t>(a); }
constexpr std::uint32_t operator|(std::uint32_t a, DeviceClass b) { return a | static_cast<std::uint32_t>(b); }
constexpr std::uint32_t processors = intel_processor | sycl_processor | pocl_processor;
constexpr std::uint32_t bit(mkz_kernel kernel) { return 1u << kernel; }
constexpr std::uint32_t every_job = ~0u;
constexpr std::uint32_t of_chunks = bit(MKZ_KERNEL_HASH_CHUNKS) | bit(MKZ_KERNEL_HASH_ROWS);

constexpr std::uint64_t any_size = ~std::uint64_t{0};
constexpr std::uint64_t power(unsigned log2) { return std::uint64_t{1} << log2; }

// A policy. A row sets some of its fields.
struct Values {
#define MKZ_POLICY(field, chooser, values, greatest, part, macro) std::uint32_t field = 0;
#include "merklize/policy.def"
};

// `fill` goes into the fields that are still 0, so the first row that fits decides a field.
struct Row {
    std::uint32_t devices;
    std::uint32_t jobs;
    Hashes hashes;
    std::uint64_t below;  // the n of tune() must be less
    Values fill;
    Values where{};              // fields other than 0 must have these values by now
    std::uint64_t from = 0;      // the n of tune() must be at least this
    bool if_group_open = false;  // only while group_size is open, because `fill` was measured with its own group size
};

constexpr Row rows[] = {
    // NVIDIA's GPUs, through CUDA and through OpenCL alike. Measured on an H200 (sm_90) on 2026-11-21. One lane: a
    // thread is a lane already.
    {+nvidia_gpu, every_job, all_hashes, any_size, {.lanes = 1, .constants = MKZ_CONSTANTS_constant}},
    // A field hash goes level by level while the level is wide. Below 2^14 nodes (2^13 with the dense MDS), a team
    // of 16 threads does a merge, and a launch does four levels: 30 us a level where single threads take 136.
    {+nvidia_gpu, every_job, only("rp64_256_v3"), power(14), {.levels_per_launch = 4}},
    {+nvidia_gpu, every_job, of_field, power(13), {.levels_per_launch = 4}},
    {+nvidia_gpu, every_job, of_field, any_size, {.levels_per_launch = 1}},
    {.devices = +nvidia_gpu,
     .jobs = every_job,
     .hashes = of_field,
     .below = any_size,
     .fill = {.group_size = 128, .cells = 6, .min_groups = 4},
     .if_group_open = true},
    // Chunks: two levels in the group that hashed them. Reading a block ahead takes registers: large inputs fall from
    // 1.82 to 1.73 TB/s. Small inputs, which do not fill the device, rise from 1.05 to 1.13 TB/s. Smaller groups spread
    // few chunks over more multiprocessors: 1.3 times as fast at 256 KiB and 4 MiB.
    {+nvidia_gpu, of_chunks, of_bytes, any_size, {.levels_per_launch = 2}},
    {+nvidia_gpu, of_chunks, of_bytes, power(18), {.read_ahead = 1}},
    {+nvidia_gpu, of_chunks, of_bytes, power(11), {.group_size = 32}},
    {+nvidia_gpu, of_chunks, of_bytes, power(15), {.group_size = 128}},
    {+nvidia_gpu, of_chunks, of_bytes, power(18), {.group_size = 256}},
    {+nvidia_gpu, of_chunks, of_bytes, any_size, {.group_size = 128}},
    // Merges of blake3 go level by level at 31 G merges/s down to 2^17 nodes. Below that, a group does 9 levels:
    // launches would cost more than idle threads. sha256_rfc6962 does the same, unmeasured. One group does all of 2^10
    // leaves: a launch costs more than the second round of merges in its lowest level.
    {+nvidia_gpu, every_job, of_bytes, power(10), {.levels_per_launch = 10}},
    {+nvidia_gpu, every_job, of_bytes, power(17), {.levels_per_launch = 9}},
    {+nvidia_gpu, every_job, of_bytes, any_size, {.levels_per_launch = 1, .group_size = 256}},

    // Any other GPU, through OpenCL or SYCL; not measured. Groups of 256 are a multiple of every vendor's width.
    {+gpu,
     every_job,
     all_hashes,
     any_size,
     {.levels_per_launch = 8, .group_size = 256, .lanes = 1, .constants = MKZ_CONSTANTS_constant}},

    // Processors: measured with Intel's runtimes 2026.0 (OpenCL and SYCL) on an AMD EPYC (Zen 5, AVX-512), 2 cores, on
    // 2026-11-21.
    {processors, every_job, all_hashes, any_size, {.group_size = 64, .constants = MKZ_CONSTANTS_constant}},
    // An item has lanes of its own, with the hint that keeps Intel's compiler from making vectors of neighbouring items
    // (port.h). BLAKE3 has 16 lanes: then the compiler finds the transposition (8 gave 0.66 of the rate for merges,
    // 0.81 for chunks). sha256_rfc6962 is like BLAKE3, unmeasured.
    // PoCL: one lane compiles in a third of the time of 8, which give twice the rate; the CPU backend is faster still.
    {+pocl_processor, of_chunks, of_bytes, any_size, {.lanes = 1}},
    {processors, of_chunks, of_bytes, any_size, {.levels_per_launch = 6, .lanes = 16}},
    {processors, every_job, of_bytes, any_size, {.levels_per_launch = 1, .lanes = 16}},
    // PoCL: constants in the instructions unroll all rounds. With 8 lanes its compiler does not survive that.
    {+pocl_processor, every_job, of_field, any_size, {.lanes = 1}, {.constants = MKZ_CONSTANTS_literal}},
    {+pocl_processor, every_job, of_field, any_size, {.cells = 6}},
    // A field hash has 8 lanes (4 gave 0.54 of the rate, 16 gave 0.9). With one lane Intel's compiler makes vectors by
    // itself if products are made of halves, but that is slower (0.84) and takes four to seven times as long to
    // compile. Words of 32 bits fill a vector with 16 lanes: 1.3 to 1.7 times the rate for trees of both fields, 1.2 to
    // 2.5 for rows (2026-11-22). Through SYCL one lane is best, since the compiler makes vectors by itself: 5 times the
    // rate of 8 or 16 lanes for trees, and 7 times for rows.
    {+intel_processor, every_job, of_small_field, any_size, {.lanes = 16}},
    {+sycl_processor, every_job, of_small_field, any_size, {.lanes = 1}},
    {processors, every_job, of_field, any_size, {.lanes = 8}},
    {intel_processor | sycl_processor, every_job, of_field, any_size, {.mul_by_halves = 1}, {.lanes = 1}},
    // A field hash goes level by level until so few nodes are left that groups of 64 items would leave cores idle. With
    // this row, 2^10 leaves take 0.55 of the time, 2^12 take 0.86 and 2^14 take 0.99.
    {processors, every_job, of_field, power(12) + 1, {.levels_per_launch = 8}},
    {processors, every_job, of_field, any_size, {.levels_per_launch = 1}},
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

}  // namespace

void tune(DeviceClass device, mkz_kernel kernel, std::uint32_t id, std::uint64_t n, std::uint32_t max_group_size,
          mkz_policy* policy) noexcept {
    const mkz_hash_info* hash = mkz_find_hash(id);
    const bool is_group_open = policy->group_size == 0, is_pocl = device == pocl_processor;
    const bool is_tree = kernel == MKZ_KERNEL_MERGE_SUBTREES;
    // PoCL 3.1 takes minutes to compile a merge of several lanes inside a loop over levels. If the caller wants several
    // levels a launch, items have one lane; otherwise each launch makes one level.
    if (is_pocl && is_tree && policy->levels_per_launch > 1) fill(*policy, {.lanes = 1});
    apply_rows(device, kernel, hash, n, *policy);
    if (is_pocl && is_tree && policy->lanes > 1) policy->levels_per_launch = 1;
    if (is_group_open && max_group_size != 0) policy->group_size = std::min(policy->group_size, max_group_size);
}

namespace {

// Trees on the CPU that no row of the table covers: each thread merges subtrees of at most `most_levels` levels. A
// subtree of 2^12 leaves takes 256 KiB with its parents and stays in a core's second-level cache. Field hashes compute
// too long to need the cache; smaller subtrees spread over the threads and stop sooner.
struct CpuRow {
    Hashes hashes;
    std::uint32_t most_levels;
    std::uint64_t least_shared;  // merges; fewer are done by one thread alone
};
constexpr CpuRow cpu_rows[] = {
    {only("blake3"), 12, power(10)},  // done before a second thread wakes up: 12 us by one thread, 16 to 30 us by two
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
    // Small trees are cut finer, so that every thread gets several subtrees.
    constexpr unsigned subtrees_per_thread = 4;
    const bool alone = threads == 1 || n < row.least_shared;
    const unsigned spread = alone ? 0 : std::bit_width(subtrees_per_thread * threads - 1);
    const unsigned height = std::bit_width(n);  // n merges: 2^height - 1 of them
    policy->levels_per_launch = std::min(row.most_levels, height > spread + 4 ? height - spread : height);
}

}  // namespace merklize::backends
