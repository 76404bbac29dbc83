// Packs matrices into the layout and the form that kernels read, on the device or on the way to it.
#include "queue/launches/pack.hpp"

#include <algorithm>
#include <string>

#include "host/host_block.hpp"
#include "host/invalid.hpp"
#include "host/threads.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {

NewForm new_form(const HashMatrices& job) {
    if (job.montgomery) return {.to_montgomery = static_cast<std::uint32_t>(job.modulus)};
    if (!job.from_montgomery) return {};
    return {.from_montgomery = job.word_bytes == 8 ? 1 : static_cast<std::uint32_t>(info(job.hash).modulus)};
}

void pack_matrix(DeviceCall& call, const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n,
                 const NewForm& form, const Range& out, std::uint64_t out_row_stride, std::uint64_t out_column_stride) {
    const Range in = range_of(matrix.first);
    const auto even = [&](std::int64_t stride) { return stride % word_bytes == 0; };
    const bool is_even = call.is_aligned(in, word_bytes) && call.is_aligned(out, word_bytes) &&
                         even(matrix.row_stride) && even(matrix.column_stride);
    const Kernel pack = call.free_kernel(data_variant(is_even ? 16 : 1), bodies::pack_matrix);
    MatrixShape shape(matrix, word_bytes, n);
    shape.out_row_stride = out_row_stride;
    shape.out_column_stride = out_column_stride;
    shape.down = out_row_stride == word_bytes && out_column_stride != word_bytes ? 1 : 0;
    shape.to_montgomery = form.to_montgomery;
    shape.from_montgomery = form.from_montgomery;
    call.enqueue(pack, divide_up(n * matrix.columns, pack.group_size),
                 {in.memory, in.offset, out.memory, out.offset, shape});
}

void DeviceCall::pack_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, const Place& out) {
    const std::uint64_t row_bytes = word_bytes * matrix.columns;
    if (has_whole_rows(matrix, word_bytes)) return copy_on_device(out, matrix.first, n * row_bytes);
    pack_matrix(*this, matrix, word_bytes, n, {}, range_of(out), row_bytes, word_bytes);
}

void DeviceCall::fetch_rows(const MatrixAt& matrix, std::uint32_t word_bytes, std::uint64_t n, std::byte* out) {
    const std::uint64_t row_bytes = word_bytes * matrix.columns, bytes = n * row_bytes;
    if (bytes == 0) return;
    if (has_whole_rows(matrix, word_bytes)) return download(out, matrix.first, bytes);
    try {
        const Lease packed = scratch(bytes);
        pack_rows(matrix, word_bytes, n, packed.place());
        return download(out, packed.place(), bytes);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_memory) throw;
    }
    // Rows, columns or words as they lie, one by one.
    const bool has_columns = matrix.row_stride == word_bytes && matrix.column_stride != word_bytes;
    const std::uint64_t lines = has_columns ? matrix.columns : n;
    const std::uint64_t line_bytes = has_columns ? n * word_bytes : row_bytes;
    const bool is_whole = has_columns || matrix.column_stride == word_bytes;
    const HostBlock turned(has_columns ? bytes : 0);
    std::byte* const to = has_columns ? static_cast<std::byte*>(turned.data()) : out;
    for (std::uint64_t line = 0; line < lines; line++) {
        for (std::uint64_t at = 0; at < line_bytes; at += is_whole ? line_bytes : word_bytes) {
            const Place from =
                (has_columns ? from_row(matrix, 0, line) : from_row(matrix, line, at / word_bytes)).first;
            copy_to_host(to + line * line_bytes + at, from, is_whole ? line_bytes : word_bytes);
        }
    }
    synchronize();
    if (!has_columns) return;
    const MatrixAt columns{host_place(to), matrix.columns, word_bytes, static_cast<std::int64_t>(line_bytes)};
    copy_columns(columns, word_bytes, n, out, row_bytes, threads());
}

void copy_columns(const MatrixAt& from, std::uint32_t word, std::uint64_t n, std::byte* to, std::uint64_t row_stride,
                  unsigned threads) {
    const std::uint64_t per_item = std::max<std::uint64_t>(1, (256 << 10) / (word * from.columns));
    parallel_for(divide_up(n, per_item), threads, [&](std::size_t k) {
        const std::uint64_t first = k * per_item, count = std::min(per_item, n - first);
        pack_rows(from_row(from, first), word, count, to + first * row_stride, row_stride, word);
    });
}

MatrixAt upload_rows(DeviceCall& call, const MatrixAt& from, std::uint32_t word, std::uint64_t n, const Place& to,
                     std::vector<std::byte>& packed) {
    const std::uint64_t row_bytes = word * from.columns;
    const std::byte* rows = host_bytes(from.first);
    if (!has_whole_rows(from, word)) {
        packed.resize(n * row_bytes);
        copy_columns(from, word, n, packed.data(), row_bytes, call.threads());
        rows = packed.data();
    }
    call.upload(to, rows, n * row_bytes);
    return packed_at(to, from.columns, word);
}

void send_columns(DeviceCall& call, Staging::Ring& ring, const MatrixAt& from, std::uint32_t word, std::uint64_t n,
                  const Place& to) {
    auto* const memory = static_cast<mkz_memory*>(to.pointer);
    const std::byte* const host = host_bytes(from.first);
    const std::uint64_t row_bytes = word * from.columns, bytes = n * row_bytes;
    const auto copy_to_device = call.driver().copy_to_device;
    call.end_stretch();
    call.begin();
    const auto enqueue = [&](const auto& copy) {
        CommandEvent event(call.device());
        call.check(copy(event.slot()));
        call.check(call.driver().stream_wait(call.main(), event.get()));
        return event;
    };
    if (has_whole_rows(from, word) && (bytes <= Staging::small_copy || call.is_pinned(host, bytes))) {
        const auto copy = [&](mkz_event** event) {
            return copy_to_device(call.up(), memory, to.offset, host, bytes, event);
        };
        return call.note(enqueue(copy), &Timings::to_device);
    }
    if (from.column_stride == word && call.copies_rows(host, n, row_bytes, from.row_stride)) {
        const mkz_rows rows{.n = n,
                            .bytes = row_bytes,
                            .host_stride = static_cast<std::uint64_t>(from.row_stride),
                            .stride = row_bytes};
        const auto copy = [&](mkz_event** event) {
            return call.driver().copy_rows_to_device(call.up(), memory, to.offset, host, &rows, event);
        };
        return call.note(enqueue(copy), &Timings::to_device);
    }
    const std::uint64_t per_piece = Staging::piece_bytes / row_bytes;
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        std::byte* const pinned = ring.next();
        copy_columns(from_row(from, first), word, count, pinned, row_bytes, call.threads());
        const auto copy = [&](mkz_event** event) {
            return copy_to_device(call.up(), memory, to.offset + first * row_bytes, pinned, count * row_bytes, event);
        };
        ring.sent(enqueue(copy), &Timings::to_device);
    }
}

void fetch_columns(DeviceCall& call, const Place& from, std::uint32_t word, std::uint64_t n, const MatrixAt& to) {
    const std::uint64_t row_bytes = word * to.columns;
    if (has_whole_rows(to, word)) return call.download(host_bytes(to.first), from, n * row_bytes);
    call.in_pieces(
        n, Staging::piece_bytes / row_bytes,
        [&](Staging::Ring& ring, std::uint64_t first, std::uint64_t count, std::byte* pinned) {
            CommandEvent event(call.device());
            call.check(call.driver().copy_to_host(call.main(), pinned, static_cast<mkz_memory*>(from.pointer),
                                                  from.offset + first * row_bytes, count * row_bytes, event.slot()));
            ring.sent(std::move(event), &Timings::to_host, [&call, &to, word, first, count, pinned] {
                copy_columns(packed_at(host_place(pinned), to.columns, word), word, count,
                             host_bytes(from_row(to, first).first), static_cast<std::uint64_t>(to.row_stride),
                             call.threads());
            });
        });
}

void require_aligned_words(DeviceCall& call, const MatrixAt& matrix, std::uint64_t word) {
    if (!matrix.first.on_device || call.is_aligned(range_of(matrix.first), word)) return;
    invalid_call("words on " + call.device().id() + " must begin on a multiple of their " + std::to_string(word) +
                 " bytes, got offset " + std::to_string(matrix.first.offset) + ": copy them to a buffer of their own");
}

}  // namespace merklize::runtime
