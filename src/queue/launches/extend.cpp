// Extensions: the passes over some columns at a time. Words of host memory are sent by rows, as many columns as fit, and come back so.
#include <algorithm>
#include <bit>

#include "host/host_block.hpp"
#include "jobs/extension.hpp"
#include "merklize/error.hpp"
#include "queue/launches/field_words.hpp"
#include "queue/launches/pack.hpp"

namespace merklize::runtime {
namespace {

// Coefficients and values of the columns that one pass after another runs over.
constexpr std::uint64_t extend_scratch_bytes = 256 << 20;

MatrixAt some_columns(const MatrixAt& matrix, std::uint64_t first, std::uint64_t columns) {
    MatrixAt part = from_row(matrix, 0, first);
    part.columns = columns;
    return part;
}

// The passes of one job on matrices that are on the device.
class ExtendPasses {
public:
    ExtendPasses(DeviceCall& call, const Extend& job, const ExtensionPlan& plan)
        : call_(call),
          job_(job),
          plan_(plan),
          word_(plan.field().word_bytes),
          kernel_(call.free_kernel(data_variant(), word_ == 8 ? bodies::extend64 : bodies::extend32)),
          roots_(call.scratch(plan.roots().size())),
          scales_(call.scratch(plan.scales().size())),
          flag_(call.scratch(sizeof(std::uint32_t))) {
        const std::uint32_t none = 0;
        call.send(roots_.place(), plan.roots().data(), plan.roots().size());
        call.send(scales_.place(), plan.scales().data(), plan.scales().size());
        call.send(flag_.place(), &none, sizeof none);
        const std::uint64_t row_bytes = tile_columns() * word_;
        const std::uint64_t tiles = std::max<std::uint64_t>(1, extend_scratch_bytes / (2 * job.rows * row_bytes));
        batch_ = std::min(job.in.columns, tiles * tile_columns());
        if (!plan.needs_scratch()) return;
        coefficients_ = call.scratch(word_ * job.rows * batch_);
        values_ = call.scratch(word_ * job.rows * batch_);
    }

    std::uint64_t tile_columns() const noexcept { return MKZ_EXTEND_TILE_BYTES / word_; }

    // done(columns) is called after some columns; false ends the job.
    template <class Done>
    bool run(const MatrixAt& in, const MatrixAt& out, Done done) {
        for (std::uint64_t first = 0; first < in.columns; first += batch_) {
            const std::uint64_t columns = std::min(batch_, in.columns - first);
            enqueue(some_columns(in, first, columns), some_columns(out, first, columns));
            if (!done(columns)) return false;
        }
        return true;
    }

    // Throws if a word was not below the modulus.
    void finish() {
        std::uint32_t found = 0;
        call_.copy_to_host(&found, flag_.place(), sizeof found);
        call_.synchronize_main();
        if (found != 0) refuse_words(call_, words_of(job_));
    }

private:
    void enqueue(const MatrixAt& in, const MatrixAt& out) {
        const auto log_tile = static_cast<std::uint32_t>(std::bit_width(std::min(in.columns, tile_columns()) - 1));
        const auto range_at = [&](ExtensionPlan::At at) {
            switch (at) {
                case ExtensionPlan::At::in: return range_of(in.first);
                case ExtensionPlan::At::coefficients: return range_of(coefficients_);
                case ExtensionPlan::At::values: return range_of(values_);
                case ExtensionPlan::At::out: break;
            }
            return range_of(out.first);
        };
        for (auto& [pass, from, to] : plan_.passes(in.columns, log_tile, {in, out})) {
            const Range source = range_at(from), target = range_at(to);
            pass.in_offset += source.offset / word_;
            pass.out_offset += target.offset / word_;
            call_.enqueue(kernel_,
                          (job_.rows >> pass.levels) * divide_up(in.columns, std::uint64_t{1} << pass.log_tile_columns),
                          {source.memory, target.memory, range_of(roots_).memory, range_of(scales_).memory,
                           range_of(flag_).memory, pass});
        }
    }

    DeviceCall& call_;
    const Extend& job_;
    const ExtensionPlan& plan_;
    const std::uint64_t word_;
    const Kernel kernel_;
    const Lease roots_, scales_, flag_;
    std::uint64_t batch_ = 0;  // columns
    Lease coefficients_{}, values_{};
};

// Room on the device for columns that are on the host: for all of them, or as many as fit.
struct ExtendRoom {
    std::uint64_t columns;
    Lease in{}, out{};
};

ExtendRoom room_for(DeviceCall& call, const Extend& a, std::uint64_t word, std::uint64_t tile_columns) {
    for (std::uint64_t columns = a.in.columns;; columns = tile_columns * divide_up(columns / 2, tile_columns)) {
        const std::uint64_t in_bytes = a.in.first.on_device ? 0 : word * a.rows * columns;
        const std::uint64_t out_bytes = a.out.first.on_device ? 0 : word * (a.rows << a.added_bits) * columns;
        const bool is_last = columns <= tile_columns;
        if (!is_last && std::max(in_bytes, out_bytes) > call.facts().max_allocation) continue;
        try {
            return {columns, in_bytes == 0 ? Lease() : call.scratch(in_bytes),
                    out_bytes == 0 ? Lease() : call.scratch(out_bytes)};
        } catch (const Error& error) {
            if (is_last || error.code() != ErrorCode::out_of_memory) throw;
        }
        call.free_scratch();
    }
}

}  // namespace

bool DeviceCall::launch(const Extend& a, const Tick& tick) {
    const ExtensionPlan plan(a);
    const std::uint32_t word = plan.field().word_bytes;
    require_aligned_words(*this, a.what, a.in, word);
    require_aligned_words(*this, a.what, a.out, word);
    ExtendPasses passes(*this, a, plan);
    const ExtendRoom room = room_for(*this, a, word, passes.tile_columns());
    const std::uint64_t out_rows = a.rows << a.added_bits;
    std::uint64_t done = 0;
    const auto count = [&](std::uint64_t columns) {
        done += columns;
        if (!tick) return true;
        synchronize_main();  // what is reported is done
        return tick(static_cast<double>(done) / static_cast<double>(a.in.columns));
    };
    HostBlock block;
    const auto packed = [&](std::uint64_t bytes) {
        if (block.size() < bytes) block = HostBlock(bytes);
        return static_cast<std::byte*>(block.data());
    };
    for (std::uint64_t first = 0; first < a.in.columns; first += room.columns) {
        const std::uint64_t columns = std::min(room.columns, a.in.columns - first);
        MatrixAt in = some_columns(a.in, first, columns), out = some_columns(a.out, first, columns);
        if (room.in) {
            const std::uint64_t bytes = word * a.rows * columns;
            std::byte* from = host_bytes(in.first);
            if (!has_whole_rows(in, word)) {
                copy_columns(in, word, a.rows, packed(bytes), word * columns, threads());
                from = packed(bytes);
            }
            upload(room.in.place(), from, bytes);
            in = packed_at(room.in.place(), columns, word);
        }
        if (room.out) out = packed_at(room.out.place(), columns, word);
        if (!passes.run(in, out, count)) return false;
        if (!room.out) continue;
        const MatrixAt to = some_columns(a.out, first, columns);
        const std::uint64_t bytes = word * out_rows * columns;
        const bool is_whole = has_whole_rows(to, word);
        std::byte* rows = is_whole ? host_bytes(to.first) : packed(bytes);
        download(rows, room.out.place(), bytes);
        if (is_whole) continue;
        copy_columns(packed_at(host_place(rows), columns, word), word, out_rows, host_bytes(to.first),
                     static_cast<std::uint64_t>(to.row_stride), threads());
    }
    passes.finish();
    return true;
}

}  // namespace merklize::runtime
