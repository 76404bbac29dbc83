// Extensions: the passes over some columns at a time. Columns of host memory go up by batches, as many as fit, each
// while the one before is extended. A device with little memory takes fewer at a time, and one with none leaves the
// work to the processors.
#include <algorithm>
#include <bit>
#include <optional>

#include "host/host_block.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
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

// The working memory of a job, for some columns of its matrices at a time.
struct ExtendMemory {
    // columns  of the host that lie on the device at once
    // kept     the tables, if the device has them
    ExtendMemory(DeviceCall& call, const Extend& job, const ExtensionPlan& plan, std::uint64_t columns,
                 const std::optional<ExtensionTables>& kept)
        : columns(columns),
          at_once(std::min(columns, most_at_once(job, plan))),
          tables(kept ? *kept : make_tables(call, plan)),
          flag(call.scratch(sizeof(std::uint32_t))) {
        const std::uint64_t column_bytes = plan.field().word_bytes * job.rows;
        if (plan.needs_scratch()) {
            coefficients = call.scratch(column_bytes * at_once);
            values = call.scratch(column_bytes * at_once);
        }
        if (!job.in.first.on_device) in = call.scratch(column_bytes * columns);
        if (!job.out.first.on_device) out = call.scratch((column_bytes << job.added_bits) * columns);
    }

    // No scratch memory, because later calls use them.
    static ExtensionTables make_tables(DeviceCall& call, const ExtensionPlan& plan) {
        const auto block = [&](std::uint64_t bytes) {
            return Block::allocate(call.device().shared_from_this(), bytes);
        };
        return {block(plan.roots_bytes()), block(plan.scales_bytes())};
    }

    static std::uint64_t tile_columns(const ExtensionPlan& plan) noexcept {
        return MKZ_EXTEND_TILE_BYTES / plan.field().word_bytes;
    }
    // Columns that passes work on at once, if there is room.
    static std::uint64_t most_at_once(const Extend& job, const ExtensionPlan& plan) noexcept {
        const std::uint64_t tile_bytes = 2 * job.rows * MKZ_EXTEND_TILE_BYTES;
        return tile_columns(plan) * std::max<std::uint64_t>(1, extension_batch_bytes / tile_bytes);
    }

    std::uint64_t columns, at_once;
    ExtensionTables tables;
    Lease flag;
    Lease coefficients{}, values{}, in{}, out{};
};

// Takes memory for as many columns as the device has room for. Nothing if it has none for one column.
std::optional<ExtendMemory> memory_for(DeviceCall& call, const Extend& job, const ExtensionPlan& plan,
                                       const std::optional<ExtensionTables>& kept) {
    const std::uint64_t word = plan.field().word_bytes, tile = ExtendMemory::tile_columns(plan);
    const bool is_there = job.in.first.on_device && job.out.first.on_device;
    // A row must fit into a piece of the staging.
    std::uint64_t columns =
        std::min(job.in.columns, is_there ? ExtendMemory::most_at_once(job, plan) : Staging::piece_bytes / word);
    const std::uint64_t most_rows = job.out.first.on_device ? job.rows : job.rows << job.added_bits;
    for (;; columns = columns > tile ? tile * divide_up(columns / 2, tile) : columns / 2) {
        if (columns > 1 && word * most_rows * columns > call.facts().max_allocation) continue;
        try {
            return ExtendMemory(call, job, plan, columns, kept);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        call.free_scratch();
        if (columns == 1) return std::nullopt;
    }
}

// If the device has no room for one column, the processors extend it.
bool extend_on_host(DeviceCall& call, const Extend& job, std::uint32_t word, const Tick& tick) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(job.out.row_stride) * (job.rows << job.added_bits);
    Extend here = job;
    const HostBlock given = on_host(call, job.in, word, job.rows);
    if (job.in.first.on_device) here.in = packed_at(host_place(given.data()), job.in.columns, word);
    const HostBlock block(job.out.first.on_device ? bytes : 0);
    if (job.out.first.on_device) here.out.first = host_place(block.data());
    if (!HostExecutor(call.threads()).launch(here, tick)) return false;
    if (job.out.first.on_device) call.upload(job.out.first, block.data(), bytes);
    return true;
}

// The passes of one job on matrices that are on the device.
class ExtendPasses {
public:
    ExtendPasses(DeviceCall& call, const Extend& job, const ExtensionPlan& plan, const ExtendMemory& memory)
        : call_(call),
          job_(job),
          plan_(plan),
          memory_(memory),
          word_(plan.field().word_bytes),
          kernel_(call.free_kernel(data_variant(), word_ == 8 ? bodies::extend64 : bodies::extend32)) {
        const std::uint32_t none = 0;
        call.send(memory.flag.place(), &none, sizeof none);
    }

    void send_tables() {
        const ExtensionPlan::Tables made = plan_.tables();
        call_.send(memory_.tables.roots->at(0), made.roots.data(), made.roots.size());
        call_.send(memory_.tables.scales->at(0), made.scales.data(), made.scales.size());
    }

    void enqueue(const MatrixAt& in, const MatrixAt& out) {
        for (std::uint64_t first = 0; first < in.columns; first += memory_.at_once) {
            const std::uint64_t columns = std::min(memory_.at_once, in.columns - first);
            enqueue_at_once(some_columns(in, first, columns), some_columns(out, first, columns));
        }
    }

    // Throws if a word was not below the modulus.
    void finish() {
        std::uint32_t found = 0;
        call_.copy_to_host(&found, memory_.flag.place(), sizeof found);
        call_.synchronize_main();
        if (found != 0) refuse_words(call_, words_of(job_));
    }

private:
    void enqueue_at_once(const MatrixAt& in, const MatrixAt& out) {
        const auto log_tile =
            static_cast<std::uint32_t>(std::bit_width(std::min(in.columns, ExtendMemory::tile_columns(plan_)) - 1));
        const auto range_at = [&](ExtensionPlan::At at) {
            switch (at) {
                case ExtensionPlan::At::in: return range_of(in.first);
                case ExtensionPlan::At::coefficients: return range_of(memory_.coefficients);
                case ExtensionPlan::At::values: return range_of(memory_.values);
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
                          {source.memory, target.memory, memory_.tables.roots->memory(),
                           memory_.tables.scales->memory(), range_of(memory_.flag).memory, pass});
        }
    }

    DeviceCall& call_;
    const Extend& job_;
    const ExtensionPlan& plan_;
    const ExtendMemory& memory_;
    const std::uint64_t word_;
    const Kernel kernel_;
};

}  // namespace

bool DeviceCall::launch(const Extend& a, const Tick& tick) {
    const ExtensionPlan plan(a);
    const std::uint32_t word = plan.field().word_bytes;
    require_aligned_words(*this, a.in, word);
    require_aligned_words(*this, a.out, word);
    const std::optional<ExtensionTables> kept = device().tables().find(plan.key());
    const std::optional<ExtendMemory> memory = memory_for(*this, a, plan, kept);
    if (!memory) return extend_on_host(*this, a, word, tick);
    const ExtendMemory& room = *memory;
    ExtendPasses passes(*this, a, plan, room);
    if (!kept) passes.send_tables();
    const std::uint64_t out_rows = a.rows << a.added_bits;
    const std::uint64_t batch = std::max(room.at_once, least_columns);
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
    if (!kept) device().tables().keep(plan.key(), room.tables);
    return !tick || tick(1);
}

}  // namespace merklize::runtime
