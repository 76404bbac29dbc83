// Words that must be field elements. Kernels tell whether all are. The place of a wrong word is seldom needed, so the
// host looks for it.
#include "queue/launches/field_words.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/error.hpp"
#include "queue/launches/pack.hpp"

namespace merklize::runtime {
namespace {

// words  aligned to word_bytes
void check_words(DeviceCall& call, const Range& words, std::uint64_t n, std::uint64_t word_bytes, std::uint64_t modulus,
                 mkz_memory* flag) {
    const Kernel check =
        call.free_kernel(data_variant(), word_bytes == 8 ? bodies::check_words64 : bodies::check_words32);
    call.enqueue(check, divide_up(n, check.group_size), {words.memory, words.offset / word_bytes, n, modulus, flag});
}

[[noreturn]] void fail_changed(const DeviceCall& call) {
    throw Error(ErrorCode::internal, PublicCall::name(),
                "a word that is no field element was there on " + call.device().id() +
                    " and then was not: the memory changed during the call");
}

}  // namespace

void DeviceCall::require_canonical(const mkz_hash_info& hash, const Place& words, std::uint64_t n,
                                   const char* argument) {
    if (n == 0 || !is_field(hash)) return;
    const std::uint64_t word_bytes = hash.word_bits / 8;
    const Lease aligned = aligned_to(range_of(words), word_bytes, word_bytes * n);
    const Range range = range_of(aligned);
    const auto check = [&](mkz_memory* flag) { check_words(*this, range, n, word_bytes, hash.modulus, flag); };
    if (enqueues()) return note_check(argument, hash, check);
    const Lease flag = scratch(sizeof(std::uint32_t));
    std::uint32_t found = 0;
    copy_to_device(flag.place(), &found, sizeof found);
    check(range_of(flag).memory);
    copy_to_host(&found, flag.place(), sizeof found);
    synchronize_main();
    if (found == 0) return;
    constexpr std::uint64_t per_piece = 1 << 20;
    std::vector<std::byte> piece(word_bytes * std::min(per_piece, n));
    for (std::uint64_t first = 0; first < n; first += per_piece) {
        const std::uint64_t count = std::min(per_piece, n - first);
        copy_to_host(piece.data(), moved(range.place(), word_bytes * first), word_bytes * count);
        synchronize_main();
        runtime::require_canonical(hash, piece.data(), count, argument, first);
    }
    fail_changed(*this);
}

void check_matrix(DeviceCall& call, const MatrixAt& matrix, const HashMatrices& job, std::uint64_t n,
                  mkz_memory* flag) {
    const Range in = range_of(matrix.first);
    const std::uint64_t words = n * matrix.columns;
    const bool is_whole = has_whole_rows(matrix, job.word_bytes) || has_whole_columns(matrix, job.word_bytes, n);
    if (is_whole && call.is_aligned(in, job.word_bytes))
        return check_words(call, in, words, job.word_bytes, job.modulus, flag);
    const Kernel check = call.free_kernel(data_variant(1), bodies::check_matrix);
    MatrixShape shape(matrix, job.word_bytes, n);
    shape.down = matrix.row_stride == job.word_bytes ? 1 : 0;
    call.enqueue(check, divide_up(words, check.group_size), {in.memory, in.offset, shape, job.modulus, flag});
}

void refuse_words(DeviceCall& call, const HashMatrices& a) {
    for (std::size_t m = 0; m < a.matrices.size(); m++) {
        const MatrixAt& matrix = a.matrices[m];
        if (!matrix.first.on_device) {
            require_words_below(a, m, matrix, 0, a.n);
            continue;
        }
        const std::uint64_t row_bytes = a.word_bytes * matrix.columns;
        const std::uint64_t per_piece = std::clamp<std::uint64_t>((8 << 20) / row_bytes, 1, a.n);
        const Lease rows = call.scratch(per_piece * row_bytes);
        std::vector<std::byte> host(per_piece * row_bytes);
        for (std::uint64_t first = 0; first < a.n; first += per_piece) {
            const std::uint64_t count = std::min(per_piece, a.n - first);
            call.pack_rows(from_row(matrix, first), a.word_bytes, count, rows.place());
            call.copy_to_host(host.data(), rows.place(), count * row_bytes);
            call.synchronize_main();
            require_words_below(a, m,
                                {host_place(host.data()), matrix.columns, static_cast<std::int64_t>(row_bytes),
                                 static_cast<std::int64_t>(a.word_bytes)},
                                first, count);
        }
    }
    fail_changed(call);
}

}  // namespace merklize::runtime
