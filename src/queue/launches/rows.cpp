// Rows of equal length.
#include "queue/launches/rows.hpp"

#include <string>
#include <vector>

#include "hashes/blake2s.hpp"
#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

bool rows_by_items(DeviceCall& call, const HashRows& a, const Tick& tick) {
    const std::uint64_t unit = row_unit(a.hash), row_bytes = unit * a.length;
    require_row_length(call, a.hash, a.length);
    return call.batch(
        a.n, {{a.rows, row_bytes, a.n * row_bytes}, {a.out, 32, 32 * a.n}}, a.n,
        [&](std::uint64_t, std::uint64_t count, const std::vector<Range>& at) {
            const Lease rows = call.aligned_to(at[0], unit, count * row_bytes);
            launch_rows(call, a.hash, a.n, {range_of(rows), a.length, 1, a.length}, count, at[1], a.mode);
        },
        tick);
}

}  // namespace

void require_row_length(DeviceCall& call, Hash hash, std::uint64_t length) {
    if (length <= UINT32_MAX) return;
    const bool is_bytes = row_unit(hash) == 1;
    invalid(std::string(is_bytes ? "rows of bytes" : "rows of words") + ": rows of at most " +
            std::to_string(UINT32_MAX) + (is_bytes ? " bytes on " : " elements on ") + call.device().id() + ", got " +
            std::to_string(length));
}

void launch_rows(DeviceCall& call, Hash hash, std::uint64_t of, const UnitRows& rows, std::uint64_t n, const Range& out,
                 const Mode& mode) {
    const std::uint64_t unit = row_unit(hash);
    const mkz_kernel kind = is_field(info(hash)) ? MKZ_KERNEL_HASH_ELEMENTS : MKZ_KERNEL_HASH_ROWS;
    const mkz_policy policy = call.chosen(kind, hash, of);
    Variant variant = Kernels::keyed_variant(hash, mode, policy);
    // The caller has aligned words; bytes are read in place, by a slower variant if they are not aligned.
    if (unit == 1 && (rows.row_stride % 16 != 0 || !call.is_aligned(rows.in, 16))) variant.align = 1;
    const Kernel kernel = call.kernel(variant, bodies::hash_rows);
    const Lease digests = call.aligned_out(out, 32 * n);
    const Range to = range_of(digests);
    const Range from = rows.in.memory == nullptr ? Range{to.memory, 0} : rows.in;
    const RowKey key(mode, rows.length);
    call.enqueue(kernel, groups_of(n, policy, kernel),
                 {from.memory, from.offset / unit, rows.row_stride, rows.unit_stride,
                  static_cast<std::uint32_t>(rows.length), to.memory, to.offset / 32, n, call.device().constants(hash)},
                 {key.words(), mode.flags()});
    call.return_out(out, to, 32 * n);
}

bool DeviceCall::launch(const HashRows& job, const Tick& tick) {
    return info(job.hash).has_chunk_tree ? hash_message_rows(*this, job, tick) : rows_by_items(*this, job, tick);
}

}  // namespace merklize::runtime
