// Device::set_memory_limit(): what counts, what is freed first, and what is refused.
#include <atomic>
#include <bit>
#include <string>
#include <thread>
#include <vector>

#include "default_device.hpp"
#include "little_memory.hpp"
#include "merklize/constraints.hpp"
#include "merklize/extend.hpp"
#include "merklize/matrix_commitment.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Matrix;
using merklize::Stream;

TEST("memory_limit: memory that calls keep is freed when other memory needs the room") {
    if (!has_memory()) return;
    constexpr std::uint64_t n = 1 << 14, bytes = Digest::size * n;
    const std::vector<Digest> given = leaves(Hash::blake3, n, 3);
    const Buffer there = on_device(given), root(Device(), Digest::size);
    const Stream stream{Device()};
    std::uint64_t before = 0, kept = 0;
    {
        const LittleMemory little(64 * bytes);
        before = memory_in_use();
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        kept = memory_in_use() - before;
        CHECK(kept >= bytes);
        const std::uint64_t limit = memory_in_use() + bytes;
        Device().set_memory_limit(limit);
        CHECK_EQ(Device().memory_limit(), limit);
        CHECK(memory_in_use() < before + 4096);  // a flag is kept
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        CHECK(memory_in_use() >= before + kept);
        CHECK_ERROR(out_of_memory, "bytes: the device's memory limit is " + std::to_string(limit) + " bytes, of which ",
                    Buffer(Device(), 2 * bytes + kept));
        CHECK(memory_in_use() < before + 4096);
        merklize::merkle_root(stream, {.leaves = there, .out = root}).wait();
        const Buffer more(Device(), bytes + kept / 2);
        CHECK(memory_in_use() < before + std::bit_ceil(more.size()) + 4096);  // CUDA's small blocks are powers of two
    }
    CHECK_EQ(Device().memory_limit(), std::uint64_t{0});
    const Buffer most(Device(), 64 * bytes);
}

TEST("memory_limit: it holds for allocations of several threads") {
    if (!has_memory()) return;
    constexpr std::uint64_t bytes = 1 << 20;
    const LittleMemory little(10 * bytes);
    const std::uint64_t most = Device().memory_limit();
    std::atomic<unsigned> allocated{0}, refused{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; i++) {
        threads.emplace_back([&] {
            std::vector<Buffer> buffers;
            for (unsigned k = 0; k < 100; k++) {
                try {
                    buffers.emplace_back(Device(), bytes);
                    allocated++;
                } catch (const merklize::Error& error) {
                    if (error.code() == merklize::ErrorCode::out_of_memory) refused++;
                    buffers.clear();
                }
                if (memory_in_use() > most) refused = 1u << 20;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_EQ(allocated + refused, 400u);
    CHECK(allocated >= 10 && refused > 0);
}

TEST("memory_limit: devices without memory of their own have none") {
    CHECK_ERROR(unavailable, "set_memory_limit: cpu has no memory of its own", Device("cpu").set_memory_limit(1));
    CHECK_EQ(Device("cpu").memory_limit(), std::uint64_t{0});
    if (!has_memory()) return;
    const std::string id = Device().info().id;
    CHECK_ERROR(unavailable, "set the limit of each device that has", Device("cpu," + id).set_memory_limit(1));
    Device().set_memory_limit(std::uint64_t{1} << 40);
    CHECK_EQ(Device(id).memory_limit(), std::uint64_t{1} << 40);
    CHECK_EQ(Device("cpu," + id).memory_limit(), std::uint64_t{0});
    Device().set_memory_limit(0);
}

// A device that others have filled since the matrices and nodes got there: the answers are the same, by pieces or by
// the processors.
TEST("memory_limit: a device that is full") {
    if (!has_memory()) return;
    constexpr std::uint64_t rows = 1 << 8, columns = 5;
    std::vector<std::uint64_t> words(rows * columns);
    Random random(15);
    for (std::uint64_t& word : words) word = random.element();
    const std::span<const std::uint64_t> all(words);
    const Buffer block = on_device(words);
    Matrix by_columns = Matrix::of_rows(all, rows), backwards = by_columns;
    by_columns.row_stride = 1;
    by_columns.column_stride = rows;
    backwards.row_stride = -static_cast<std::int64_t>(columns);
    backwards.words = words.data() + (rows - 1) * columns;
    Matrix apart = Matrix::of_rows(all, rows);  // two columns of each row, neither side by side
    apart.columns = 2;
    apart.column_stride = 3;
    const std::vector<std::uint64_t> indices = {0, 7, 200, rows - 1};
    for (const Matrix& on_host : {Matrix::of_rows(all, rows), by_columns, backwards, apart}) {
        Matrix there = on_host;
        there.words = nullptr;
        there.buffer = block;
        there.first = on_host.words == words.data() ? 0 : 8 * (rows - 1) * columns;
        const auto extend_to = [&](const Matrix& matrix, const merklize::RunOptions& options) {
            std::vector<std::uint64_t> out(2 * rows * on_host.columns);
            merklize::extend(matrix, std::as_writable_bytes(std::span(out)), {}, options);
            return out;
        };
        const auto extend_there = [&](const Buffer& out) {
            merklize::extend(there, out, {});
            std::vector<std::uint64_t> read(out.size() / 8);
            out.copy_to(std::as_writable_bytes(std::span(read)));
            return read;
        };
        const auto sums_of = [&](const Matrix& matrix, bool over_rows, const merklize::RunOptions& options) {
            std::vector<std::uint64_t> sums(over_rows ? on_host.columns : rows);
            merklize::weighted_sums(matrix, std::as_bytes(all.first(over_rows ? rows : on_host.columns)),
                                    std::as_writable_bytes(std::span(sums)),
                                    {.over = over_rows ? merklize::SumOver::rows : merklize::SumOver::columns},
                                    options);
            return sums;
        };
        // The product of the first word and the last one of the next row.
        const auto folded_of = [&](Matrix matrix, const merklize::RunOptions& options) {
            using merklize::ConstraintOperand;
            const auto last = static_cast<std::uint32_t>(matrix.columns - 1);
            const std::vector<merklize::ConstraintStep> steps = {
                {merklize::ConstraintOp::multiply, 0, ConstraintOperand::cell(0, 0),
                 ConstraintOperand::cell(0, last, true)},
                {merklize::ConstraintOp::sum, 0, ConstraintOperand::slot(0), {0}}};
            std::vector<std::uint64_t> folded(rows);
            matrix.elements = merklize::Elements::any;
            merklize::evaluate_constraints({&matrix, 1}, std::as_writable_bytes(std::span(folded)),
                                           {.steps = steps, .weights = std::as_bytes(all.first(1))}, options);
            return folded;
        };
        const auto folded = folded_of(on_host, on_cpu());
        const auto extended = extend_to(on_host, on_cpu());
        const auto sums = sums_of(on_host, true, on_cpu()), dots = sums_of(on_host, false, on_cpu());
        const Buffer out(Device(), 8 * extended.size());
        for (const Hash hash : {Hash::poseidon2_goldilocks_8, Hash::blake3}) {
            const merklize::MatrixCommitment whole(std::span(&on_host, 1), hash, on_cpu());
            const auto openings = whole.open(indices, std::span(&on_host, 1));
            const auto together = whole.open_together(indices, std::span(&on_host, 1));
            const merklize::MatrixCommitment given(std::span(&there, 1), hash, {}, false, 3);
            const merklize::MatrixCommitment kept(std::span(&there, 1), hash, {}, true, 3);
            const merklize::MatrixCommitment copied(std::span(&on_host, 1), hash, {.device = Device()}, true, 3);
            const merklize::MatrixCommitment from_host(std::span(&on_host, 1), hash, {.device = Device()}, false, 3);
            for (const std::uint64_t bytes : {0, 1 << 10, 1 << 16}) {
                const LittleMemory little(bytes);
                const auto is_right = [&](const merklize::MatrixCommitment& made, std::span<const Matrix> matrices) {
                    const auto found = made.open(indices, matrices);
                    for (std::size_t i = 0; i < indices.size(); i++) {
                        CHECK(found[i].rows == openings[i].rows && found[i].siblings == openings[i].siblings);
                    }
                    const auto one = made.open_together(indices, matrices);
                    CHECK(one.rows == together.rows && one.siblings == together.siblings);
                    CHECK(made.siblings_together(indices, matrices) == together.siblings);
                };
                is_right(given, std::span(&there, 1));
                is_right(given, std::span(&on_host, 1));
                is_right(kept, {});
                is_right(copied, {});
                is_right(from_host, std::span(&on_host, 1));
                CHECK(extend_to(there, {}) == extended);
                CHECK(extend_there(out) == extended);
                CHECK(sums_of(there, true, {}) == sums && sums_of(there, false, {}) == dots);
                CHECK(folded_of(there, {}) == folded && folded_of(on_host, {.device = Device()}) == folded);
            }
        }
    }
}
