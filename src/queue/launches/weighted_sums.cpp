// Sums with weights: some rows at a time, if the matrix is on the host. The host adds the sums of parts of the rows.
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/core/kernels/weighted_sums.h"
#include "merklize/error.hpp"
#include "queue/launches/field_words.hpp"
#include "queue/launches/pack.hpp"

namespace merklize::runtime {
namespace {

// Rows of the host that are on the device at a time, and sums.
constexpr std::uint64_t sums_piece_bytes = 64 << 20;
// Enough to keep a large GPU busy. Each adds a sum of its own to what the host adds up.
constexpr std::uint64_t items_at_once = 256 << 10;
// Neighbouring items read a whole line of memory.
constexpr std::uint64_t line_bytes = 128;

// Adds the sums of all parts to those in `out`.
template <class Word>
void add_parts(const std::vector<std::byte>& parts, std::uint64_t n, std::uint64_t p, std::byte* out) {
    for (std::uint64_t k = 0; k < n; k++) {
        Word all = 0, one = 0;
        std::memcpy(&all, out + sizeof(Word) * k, sizeof(Word));
        for (std::uint64_t at = k; at < parts.size() / sizeof(Word); at += n) {
            std::memcpy(&one, &parts[sizeof(Word) * at], sizeof(Word));
            all = sum_below(all, one, static_cast<Word>(p));
        }
        std::memcpy(out + sizeof(Word) * k, &all, sizeof(Word));
    }
}

mkz_sums_shape shape_of(const WeightedSums& job, const Kernel& kernel, std::uint64_t word) {
    mkz_sums_shape shape{};
    shape.terms = job.terms();
    shape.sums = job.sums();
    shape.modulus = find_field(job.field)->modulus;
    shape.degree = job.degree;
    shape.is_across = job.over_rows ? 0 : 1;
    shape.is_checked = job.is_checked ? 1 : 0;
    const auto log_of = [](std::uint64_t n) { return static_cast<std::uint32_t>(std::bit_width(n - 1)); };
    const std::uint32_t log_items =
        std::min<std::uint32_t>(MKZ_SUMS_LOG_ITEMS, static_cast<std::uint32_t>(std::bit_width(kernel.group_size)) - 1);
    if (job.over_rows) {
        shape.log_sums = std::min(log_items, log_of(shape.sums));
        shape.log_slices = log_items - shape.log_sums;
        const std::uint64_t groups = divide_up(shape.sums, std::uint64_t{1} << shape.log_sums);
        shape.parts = std::clamp<std::uint64_t>((items_at_once >> log_items) / groups, 1,
                                                divide_up(shape.terms, std::uint64_t{1} << shape.log_slices));
    } else {
        shape.log_slices = std::min({log_items, log_of(line_bytes / word), log_of(shape.terms)});
        shape.log_sums = log_items - shape.log_slices;
        shape.parts = 1;
    }
    return shape;
}

// piece_bytes  of the rows that lie on the device, or whose sums do, at once
bool sum_in_pieces(DeviceCall& call, const WeightedSums& a, std::uint64_t piece_bytes, const Tick& tick) {
    const FieldFacts& field = *find_field(a.field);
    const std::uint64_t word = field.word_bytes, sum_bytes = word * a.degree, row_bytes = word * a.in.columns;
    require_aligned_words(call, a.in, word);
    const Kernel kernel =
        call.free_kernel(data_variant(), word == 8 ? bodies::weighted_sums64 : bodies::weighted_sums32);
    const Lease weights = call.scratch(a.terms() * sum_bytes), flag = call.scratch(sizeof(std::uint32_t));
    call.upload(weights.place(), a.weights, a.terms() * sum_bytes);
    const std::uint32_t none = 0;
    call.send(flag.place(), &none, sizeof none);
    const bool is_there = a.in.first.on_device;
    const std::uint64_t most = std::max(is_there ? 1 : row_bytes, a.over_rows ? 1 : sum_bytes);
    const std::uint64_t per_piece =
        is_there && a.over_rows ? a.rows : std::clamp<std::uint64_t>(piece_bytes / most, 1, a.rows);
    const Lease room = is_there ? Lease() : call.scratch(per_piece * row_bytes);
    std::vector<std::byte> packed, parts;
    if (a.over_rows) std::memset(a.out, 0, a.in.columns * sum_bytes);
    for (std::uint64_t first = 0; first < a.rows; first += per_piece) {
        WeightedSums piece = a;
        piece.rows = std::min(per_piece, a.rows - first);
        piece.in = from_row(a.in, first);
        if (room) piece.in = upload_rows(call, piece.in, field.word_bytes, piece.rows, room.place(), packed);
        mkz_sums_shape shape = shape_of(piece, kernel, word);
        const auto row_stride = static_cast<std::uint64_t>(piece.in.row_stride / static_cast<std::int64_t>(word)),
                   column_stride = static_cast<std::uint64_t>(piece.in.column_stride / static_cast<std::int64_t>(word));
        const Range in = range_of(piece.in.first);
        shape.in_offset = in.offset / word;
        shape.term_stride = a.over_rows ? row_stride : column_stride;
        shape.sum_stride = a.over_rows ? column_stride : row_stride;
        shape.first_weight = a.over_rows ? first * a.degree : 0;
        const std::uint64_t bytes = shape.parts * shape.sums * sum_bytes;
        const Lease sums = call.scratch(bytes);
        call.enqueue(kernel, shape.parts * divide_up(shape.sums, std::uint64_t{1} << shape.log_sums),
                     {in.memory, range_of(weights).memory, range_of(sums).memory, range_of(flag).memory, shape});
        if (a.over_rows) {
            parts.resize(bytes);
            call.download(parts.data(), sums.place(), bytes);
            const std::uint64_t n = shape.sums * a.degree;
            word == 8 ? add_parts<std::uint64_t>(parts, n, field.modulus, a.out)
                      : add_parts<std::uint32_t>(parts, n, field.modulus, a.out);
        } else {
            call.download(a.out + first * sum_bytes, sums.place(), bytes);
        }
        if (tick && !tick(static_cast<double>(first + piece.rows) / static_cast<double>(a.rows))) return false;
    }
    std::uint32_t found = 0;
    call.copy_to_host(&found, flag.place(), sizeof found);
    call.synchronize_main();
    if (found != 0) refuse_words(call, words_of(a));
    return true;
}

}  // namespace

// With little memory a device takes smaller pieces. If it has none, the processors add up.
bool DeviceCall::launch(const WeightedSums& a, const Tick& tick) {
    constexpr std::uint64_t least_piece_bytes = 64 << 10;
    for (std::uint64_t piece_bytes = sums_piece_bytes;; piece_bytes /= 4) {
        try {
            return sum_in_pieces(*this, a, piece_bytes, tick);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        free_scratch();
        if (piece_bytes <= least_piece_bytes) break;
    }
    const std::uint32_t word = find_field(a.field)->word_bytes;
    WeightedSums here = a;
    const HostBlock given = on_host(*this, a.in, word, a.rows);
    if (a.in.first.on_device) here.in = packed_at(host_place(given.data()), a.in.columns, word);
    return HostExecutor(threads()).launch(here, tick);
}

}  // namespace merklize::runtime
