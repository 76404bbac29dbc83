// Constraints on the CPU: the kernel's own text, a point at a time.
#include "merklize/core/kernels/constraints.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include "host/threads.hpp"
#include "jobs/extension.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

constexpr std::uint64_t points_a_task = 64;

template <class Word>
std::vector<Word> words_at(std::span<const std::byte> bytes) {
    std::vector<Word> words(std::max<std::size_t>(1, bytes.size() / sizeof(Word)));
    if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

template <class Word>
bool evaluate(const Constraints& job, const ThreadCount& threads, const Tick& tick) {
    mkz_constraints_shape shape{};
    std::array<const Word*, MKZ_CONSTRAINT_MATRICES> first{};
    std::vector<std::vector<Word>> packed;
    for (std::size_t m = 0; m < job.matrices.size(); m++) {
        const MatrixAt& matrix = job.matrices[m];
        const auto address = reinterpret_cast<std::uintptr_t>(host_bytes(matrix.first));
        if (address % sizeof(Word) == 0 && matrix.row_stride >= 0 && matrix.column_stride >= 0) {
            first[m] = reinterpret_cast<const Word*>(host_bytes(matrix.first));
            shape.row_stride[m] = static_cast<std::uint64_t>(matrix.row_stride) / sizeof(Word);
            shape.column_stride[m] = static_cast<std::uint64_t>(matrix.column_stride) / sizeof(Word);
            continue;
        }
        const std::uint64_t rows = std::uint64_t{1} << job.log_rows;
        std::vector<Word>& words = packed.emplace_back(rows * matrix.columns);
        pack_rows(matrix, sizeof(Word), rows, reinterpret_cast<std::byte*>(words.data()), matrix.columns * sizeof(Word),
                  sizeof(Word));
        first[m] = words.data();
        shape.row_stride[m] = matrix.columns;
        shape.column_stride[m] = 1;
    }
    shape.next = job.next;
    shape.modulus = find_field(job.field)->modulus;
    shape.n_steps = static_cast<std::uint32_t>(job.steps.size() / MKZ_STEP_WORDS);
    shape.degree = job.degree;
    shape.log_rows = job.log_rows;
    shape.is_reversed = job.is_reversed ? 1 : 0;
    const std::vector<Word> scalars = words_at<Word>(job.scalars), weights = words_at<Word>(job.weights);
    return parallel_for(
        (job.points + points_a_task - 1) / points_a_task, threads,
        [&](std::size_t task) {
            mkz_constraints_shape here = shape;
            here.first = job.first + task * points_a_task;
            here.points = std::min(points_a_task, job.points - task * points_a_task);
            std::array<Word, MKZ_CONSTRAINT_SLOTS> tile;
            std::array<Word, points_a_task * MKZ_CONSTRAINT_DEGREE> sums;
            for (std::uint64_t i = 0; i < here.points; i++) {
                const mkz_work_item item = {.index = i, .group = i, .rank = 0, .group_size = 1};
                if constexpr (sizeof(Word) == 8) {
                    mkz_body_constraints64(item, tile.data(), first[0], first[1], first[2], scalars.data(),
                                           weights.data(), job.steps.data(), sums.data(), here);
                } else {
                    mkz_body_constraints32(item, tile.data(), first[0], first[1], first[2], scalars.data(),
                                           weights.data(), job.steps.data(), sums.data(), here);
                }
            }
            const std::uint64_t sum_bytes = sizeof(Word) * job.degree;
            std::memcpy(job.out + task * points_a_task * sum_bytes, sums.data(), here.points * sum_bytes);
        },
        tick);
}

}  // namespace

bool HostExecutor::launch(const Constraints& job, const Tick& tick) {
    try {
        return find_field(job.field)->word_bytes == 8 ? evaluate<mkz_u64>(job, threads_, tick)
                                                      : evaluate<mkz_u32>(job, threads_, tick);
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::out_of_memory, "cpu: out of memory");
    }
}

}  // namespace merklize::runtime
