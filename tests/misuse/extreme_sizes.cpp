// Counts, strides and offsets that no memory has: each is refused before anything is multiplied, read or written. UBSan
// watches.
#include <cstdint>
#include <vector>

#include "default_device.hpp"
#include "merklize/constraints.hpp"
#include "merklize/extend.hpp"
#include "merklize/matrix_commitment.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Matrix;

namespace {

constexpr std::uint64_t counts[] = {std::uint64_t{1} << 41, std::uint64_t{1} << 62,       INT64_MAX,
                                    std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, UINT64_MAX};
constexpr std::int64_t strides[] = {
    INT64_MIN, INT64_MIN + 1, -(std::int64_t{1} << 62), std::int64_t{1} << 60, (std::int64_t{1} << 62) + (1 << 20),
    INT64_MAX};

// Gives 8 rows of 8 words in 4096 bytes to each call, with one or two of its fields replaced.
template <class Change>
void refused(const Matrix& sound, const Change& change) {
    Matrix matrix = sound;
    change(matrix);
    std::vector<Digest> digests(8);
    std::vector<std::byte> out(1024), weights(64), sums(64);
    CHECK_ERROR(invalid_argument, "matrix 0", merklize::hash_rows(std::span(&matrix, 1), digests));
    CHECK_ERROR(invalid_argument, "matrix 0", merklize::MatrixCommitment(std::span(&matrix, 1)));
    CHECK_ERROR(invalid_argument, "matrix 0", merklize::extend(matrix, out));
    CHECK_ERROR(invalid_argument, "matrix 0",
                merklize::commit_extended(std::vector<merklize::ExtendedMatrix>{{matrix}}));
    CHECK_ERROR(invalid_argument, "matrix 0", merklize::weighted_sums(matrix, weights, sums, {}));
    CHECK_ERROR(invalid_argument, "matrix 0", merklize::evaluate_constraints({&matrix, 1}, sums, {}));
}

void refuse_all(const Matrix& sound) {
    for (const std::uint64_t n : counts) {
        refused(sound, [&](Matrix& m) { m.rows = n; });
        refused(sound, [&](Matrix& m) { m.columns = n; });
        refused(sound, [&](Matrix& m) { m.rows = m.columns = n; });
        for (const std::int64_t stride : strides) {
            refused(sound, [&](Matrix& m) { m.rows = n, m.row_stride = stride; });
            refused(sound, [&](Matrix& m) { m.columns = n, m.column_stride = stride; });
        }
    }
    for (const std::int64_t stride : strides) {
        refused(sound, [&](Matrix& m) { m.row_stride = stride; });
        refused(sound, [&](Matrix& m) { m.column_stride = stride; });
        refused(sound, [&](Matrix& m) { m.row_stride = stride, m.column_stride = -(stride + 1); });
    }
    if (!sound.buffer) return;
    for (const std::uint64_t first : {std::uint64_t{4096}, std::uint64_t{1} << 62, std::uint64_t{1} << 63, UINT64_MAX})
        refused(sound, [&](Matrix& m) { m.first = first; });
}

}  // namespace

TEST("extreme_sizes: matrices of the host") {
    const std::vector<std::uint64_t> words(512);
    refuse_all(Matrix::of_rows(std::span<const std::uint64_t>(words).first(64), 8));
}

TEST("extreme_sizes: matrices of a device") {
    if (!has_memory()) return;
    Matrix matrix = Matrix::of_rows(Buffer(merklize::Device(), 4096), 8, 8);
    matrix.columns = matrix.row_stride = 8;
    refuse_all(matrix);
}
