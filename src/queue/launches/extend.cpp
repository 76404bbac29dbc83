// Extensions: the passes over some columns at a time. Columns of host memory go up by batches, as many as fit, each while the one before is
// extended.
#include <algorithm>
#include <bit>

#include "jobs/extension.hpp"
#include "merklize/error.hpp"
#include "queue/launches/field_words.hpp"
#include "queue/launches/pack.hpp"

namespace merklize::runtime {
namespace {

// Of a batch: a launch over fewer columns leaves the device partly idle, and the link is slow for short rows.
constexpr std::uint64_t least_columns = 512;

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
        const std::uint64_t tiles = std::max<std::uint64_t>(1, extension_batch_bytes / (2 * job.rows * row_bytes));
        at_once_ = std::min(job.in.columns, tiles * tile_columns());
        if (!plan.needs_scratch()) return;
        coefficients_ = call.scratch(word_ * job.rows * at_once_);
        values_ = call.scratch(word_ * job.rows * at_once_);
    }

    std::uint64_t tile_columns() const noexcept { return MKZ_EXTEND_TILE_BYTES / word_; }

    // Columns that the working memory takes.
    std::uint64_t columns_at_once() const noexcept { return at_once_; }

    void enqueue(const MatrixAt& in, const MatrixAt& out) {
        for (std::uint64_t first = 0; first < in.columns; first += at_once_) {
            const std::uint64_t columns = std::min(at_once_, in.columns - first);
            enqueue_at_once(some_columns(in, first, columns), some_columns(out, first, columns));
        }
    }

    // Throws if a word was not below the modulus.
    void finish() {
        std::uint32_t found = 0;
        call_.copy_to_host(&found, flag_.place(), sizeof found);
        call_.synchronize_main();
        if (found != 0) refuse_words(call_, words_of(job_));
    }

private:
    void enqueue_at_once(const MatrixAt& in, const MatrixAt& out) {
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
    std::uint64_t at_once_ = 0;  // columns
    Lease coefficients_{}, values_{};
};

// Room on the device for columns that are on the host: for all of them, or as many as fit.
struct ExtendRoom {
    std::uint64_t columns;
    Lease in{}, out{};
};

ExtendRoom room_for(DeviceCall& call, const Extend& a, std::uint64_t word, std::uint64_t tile_columns) {
    // A row must fit into a piece of the staging.
    const std::uint64_t most = Staging::piece_bytes / word;
    for (std::uint64_t columns = std::min(a.in.columns, most);;
         columns = tile_columns * divide_up(columns / 2, tile_columns)) {
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
    const std::uint64_t batch = std::max(passes.columns_at_once(), least_columns);
    Ring ring(*this);
    // Progress is that of the batch before, so that the device always has work.
    CommandEvent before;
    double done = 0;
    for (std::uint64_t first = 0, columns = 0; first < a.in.columns; first += columns) {
        columns = std::min(room.columns, a.in.columns - first);
        const MatrixAt from = some_columns(a.in, first, columns), out = some_columns(a.out, first, columns);
        const MatrixAt to = room.out ? packed_at(room.out.place(), columns, word) : out;
        if (room.in) follow_main(up());
        for (std::uint64_t begin = 0, count = 0; begin < columns; begin += count) {
            count = std::min(batch, columns - begin);
            MatrixAt in = some_columns(from, begin, count);
            if (room.in) {
                const Place there = moved(room.in.place(), word * a.rows * begin);
                send_columns(*this, ring, in, word, a.rows, there);
                in = packed_at(there, count, word);
            }
            passes.enqueue(in, some_columns(to, begin, count));
            if (!tick) continue;
            if (before) {
                check(driver().event_wait(before.get()));
                if (!tick(done)) return false;
            }
            before = CommandEvent(device());
            check(driver().event_record(main(), before.slot()));
            done = static_cast<double>(first + begin + count) / static_cast<double>(a.in.columns);
        }
        ring.settle();
        if (room.out) fetch_columns(*this, to.first, word, out_rows, out);
    }
    passes.finish();
    return !tick || tick(1);
}

}  // namespace merklize::runtime
