// Rows of several matrices side by side.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "host/threads.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/error.hpp"
#include "queue/launches/field_words.hpp"
#include "queue/launches/pack.hpp"
#include "queue/launches/rows.hpp"

namespace merklize::runtime {
namespace {

// That keep a large device busy.
constexpr std::uint64_t enough_rows = 1 << 16;

// The layout of n rows of a host matrix on the device. Contiguous columns stay contiguous if kernels read words.
MatrixAt staged(const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n, const Place& at) {
    const auto word = static_cast<std::int64_t>(job.word_bytes);
    const bool down = is_field(info(job.hash)) && matrix.row_stride == word && matrix.column_stride != word;
    const auto rows = static_cast<std::int64_t>(n), columns = static_cast<std::int64_t>(matrix.columns);
    return down ? MatrixAt{at, matrix.columns, word, rows * word} : MatrixAt{at, matrix.columns, columns * word, word};
}

// Packs rows [first, first + count) of a host matrix into the layout of staged(), by all threads. Each thread takes
// contiguous lines: columns or rows.
void pack_staged(const MatrixAt& matrix, const HashMatrices& job, unsigned threads, std::uint64_t first,
                 std::uint64_t count, std::byte* to) {
    const MatrixAt part = from_row(matrix, first), as = staged(matrix, job, count, {});
    const bool down = as.row_stride == job.word_bytes && matrix.columns > 1;
    const std::uint64_t lines = down ? matrix.columns : count, parts = std::min<std::uint64_t>(lines, 64);
    const auto row_stride = static_cast<std::uint64_t>(as.row_stride),
               column_stride = static_cast<std::uint64_t>(as.column_stride);
    parallel_for(parts, threads, [&](std::size_t k) {
        const std::uint64_t begin = lines * k / parts, some = lines * (k + 1) / parts - begin;
        MatrixAt lines_at = down ? from_row(part, 0, begin) : from_row(part, begin);
        if (down) lines_at.columns = some;
        runtime::pack_rows(lines_at, job.word_bytes, down ? count : some,
                           to + begin * (down ? column_stride : row_stride), row_stride, column_stride);
    });
}

// Whether the job's kernels can read these rows in place.
bool is_readable(const HashMatrices& job, const MatrixAt& matrix) {
    if (job.matrices.size() != 1 || job.montgomery || job.from_montgomery) return false;
    if (!is_field(info(job.hash))) return has_whole_rows(matrix, job.word_bytes);
    const auto fits = [&](std::int64_t stride) { return stride >= 0 && stride % job.word_bytes == 0; };
    return fits(matrix.row_stride) && fits(matrix.column_stride);
}

// Whether rows must be packed side by side before they are hashed.
bool is_panel_needed(DeviceCall& call, const HashMatrices& a) {
    if (a.matrices.empty()) return false;
    const MatrixAt& first = a.matrices[0];
    if (!first.first.on_device) return !is_readable(a, staged(first, a, a.n, {}));
    return !is_readable(a, first) || !call.is_aligned(range_of(first.first), row_unit(a.hash));
}

// Rows of matrices that are all on the device.
// panel  room for the rows side by side, if is_panel_needed()
void hash_here(DeviceCall& call, const HashMatrices& a, const std::vector<MatrixAt>& matrices, std::uint64_t n,
               const Range& panel, const Range& out) {
    const std::uint64_t unit = row_unit(a.hash), row_bytes = a.row_bytes();
    const bool is_field_hash = is_field(info(a.hash));
    if (panel.memory == nullptr && is_field_hash && matrices.size() == 1) {
        const MatrixAt& only = matrices[0];
        const UnitRows rows{range_of(only.first), static_cast<std::uint64_t>(only.row_stride) / unit,
                            static_cast<std::uint64_t>(only.column_stride) / unit, only.columns};
        return launch_rows(call, a.hash, a.n, rows, n, out);
    }
    // Side by side: columns of words one after another, or rows of bytes.
    const std::uint64_t row_stride = is_field_hash ? unit : row_bytes,
                        column_stride = is_field_hash ? unit * n : a.word_bytes;
    Range to = panel;
    for (const MatrixAt& matrix : matrices) {
        if (panel.memory == nullptr) break;
        pack_matrix(call, matrix, a.word_bytes, n, new_form(a), to, row_stride, column_stride);
        to.offset += column_stride * matrix.columns;
    }
    const Range rows = panel.memory != nullptr || matrices.empty() ? panel : range_of(matrices[0].first);
    if (is_field_hash) return launch_rows(call, a.hash, a.n, {rows, 1, n, row_bytes / unit}, n, out);
    call.launch(
        HashRows{.hash = a.hash, .rows = rows.place(), .n = n, .length = row_bytes, .mode = a.mode, .out = out.place()},
        {});
}

// Rows of a panel, where rows lie side by side: many, if all matrices are on a device with memory of its own. Those of
// the host come in smaller pieces.
std::uint64_t rows_of_panel(DeviceCall& call, const HashMatrices& a, bool is_small) {
    constexpr std::uint64_t least_bytes = 64 << 20, most_bytes = std::uint64_t{2} << 30;
    const auto rows_in = [&](std::uint64_t bytes) { return std::clamp<std::uint64_t>(bytes / a.row_bytes(), 1, a.n); };
    const bool is_there = std::ranges::all_of(a.matrices, [](const MatrixAt& one) { return one.first.on_device; });
    if (is_small || !is_there || call.facts().unified != 0) return rows_in(least_bytes);
    return std::max(rows_in(least_bytes), std::min(rows_in(most_bytes), enough_rows));
}

// A job whose matrices are all on the device, in these blocks.
struct Sent {
    HashMatrices job;
    std::vector<Lease> blocks{};
};

// Sends whole matrices of the host to the device as they lie. A staged piece holds few wide rows, too few to fill a
// device: 2^17 rows of 2633 words took 1257 ms in pieces on an H200, where sending them takes 50 and hashing them 48.
// returns  nothing where pieces do better, or the matrices do not fit
std::optional<Sent> send_whole(DeviceCall& call, const HashMatrices& a) {
    const std::uint64_t rows_of_a_piece = Staging::piece_bytes / std::max<std::uint64_t>(1, a.row_bytes());
    if (call.facts().unified != 0 || a.n <= rows_of_a_piece || rows_of_a_piece >= enough_rows) return {};
    // Matrices that are on the device already are the caller's, so their words cannot be converted, and a job has one
    // form for all.
    const auto is_there = [](const MatrixAt& matrix) { return matrix.first.on_device; };
    if (a.from_montgomery && std::ranges::any_of(a.matrices, is_there)) return {};
    Sent sent{a};
    try {
        for (MatrixAt& matrix : sent.job.matrices) {
            const std::uint64_t bytes = a.n * a.word_bytes * matrix.columns;
            if (matrix.first.on_device || bytes == 0) continue;
            if (!has_whole_rows(matrix, a.word_bytes)) return {};
            sent.blocks.push_back(call.scratch(bytes));
            call.upload(sent.blocks.back().place(), host_bytes(matrix.first), bytes);
            matrix.first = sent.blocks.back().place();
            if (!a.from_montgomery) continue;
            pack_matrix(call, matrix, a.word_bytes, a.n, new_form(a), range_of(matrix.first),
                        static_cast<std::uint64_t>(matrix.row_stride), a.word_bytes);
        }
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
        return {};
    }
    sent.job.from_montgomery = false;
    return sent;
}

}  // namespace

bool DeviceCall::launch(const HashMatrices& given, const Tick& tick) {
    const std::optional<Sent> sent = send_whole(*this, given);
    const HashMatrices& a = sent ? sent->job : given;
    const std::uint64_t row_bytes = a.row_bytes();
    require_row_length(*this, a.hash, row_bytes / row_unit(a.hash));
    std::vector<Staging::Operand> operands;
    for (const MatrixAt& matrix : a.matrices) {
        if (matrix.first.on_device) continue;
        const std::uint64_t item = a.word_bytes * matrix.columns;
        operands.push_back({matrix.first, item, a.n * item, {}});
        if (has_whole_rows(matrix, a.word_bytes)) continue;
        operands.back().pack = [&](std::uint64_t first, std::uint64_t count, std::byte* to) {
            pack_staged(matrix, a, threads(), first, count, to);
        };
    }
    operands.push_back({a.out, 32, 32 * a.n, {}});
    const bool has_panel = is_panel_needed(*this, a);
    const Lease flag = a.modulus != 0 ? scratch(sizeof(std::uint32_t)) : Lease();
    std::uint32_t found = 0;
    if (flag) copy_to_device(flag.place(), &found, sizeof found);
    const auto hash_by = [&](std::uint64_t per_piece) {
        const Lease panel = has_panel ? scratch(per_piece * row_bytes) : Lease();
        return batch(
            a.n, operands, per_piece,
            [&](std::uint64_t first, std::uint64_t count, const std::vector<Range>& at) {
                std::vector<MatrixAt> here;
                std::size_t next = 0;
                for (const MatrixAt& matrix : a.matrices) {
                    here.push_back(matrix.first.on_device ? from_row(matrix, first)
                                                          : staged(matrix, a, count, at[next++].place()));
                    if (flag) check_matrix(*this, here.back(), a, count, range_of(flag).memory);
                }
                hash_here(*this, a, here, count, range_of(panel), at.back());
            },
            tick);
    };
    // With little memory a panel has fewer rows.
    const auto hash_all = [&] {
        if (!has_panel) return hash_by(a.n);
        const std::uint64_t many = rows_of_panel(*this, a, false), few = rows_of_panel(*this, a, true);
        if (many == few) return hash_by(few);
        try {
            return hash_by(many);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
        }
        free_scratch();
        return hash_by(few);
    };
    const bool finished = hash_all();
    if (!flag) return finished;
    copy_to_host(&found, flag.place(), sizeof found);
    synchronize_main();
    if (found != 0) refuse_words(*this, a);
    return finished;
}

}  // namespace merklize::runtime
