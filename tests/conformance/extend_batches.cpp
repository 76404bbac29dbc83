// Extensions whose columns go to a device by batches, on a device whose memory is not the host's. Runtimes for
// processors reach the host's memory, so here the default device reports that it does not, and which bytes of the host
// it reaches.
#include <atomic>
#include <cstdint>
#include <memory>

#include "asked_often.hpp"
#include "default_device.hpp"
#include "jobs/extension.hpp"
#include "jobs/internals.hpp"
#include "jobs/registry.hpp"
#include "merklize/extend.hpp"
#include "support.hpp"

using namespace support;
using merklize::Device;
using merklize::ExtendedMatrix;
using merklize::ExtendForm;
using merklize::Field;
using merklize::Matrix;
using merklize::RowOrder;

namespace {

// What the device reaches; others are pageable.
std::atomic<const std::byte*> pinned_first{nullptr}, pinned_end{nullptr};
void pin(std::span<const std::byte> bytes) {
    pinned_first = bytes.data();
    pinned_end = bytes.data() + bytes.size();
}
// Copies of rows, and whether one of them fails.
std::atomic<int> ups{0};
std::atomic<bool> is_broken{false};

const mkz_backend& real() { return *merklize::runtime::state_of(Device()).backend; }

std::uint32_t is_pinned(std::uint32_t, const void* host) { return host >= pinned_first && host < pinned_end ? 1 : 0; }

mkz_status facts(std::uint32_t device, mkz_driver_facts* facts) {
    const mkz_status status = real().driver->facts(device, facts);
    facts->unified = 0;
    return status;
}
// row(i, event) copies row i. The event of the last row is that of all, because a stream runs its commands in order.
template <class Row>
mkz_status each_row(const mkz_rows& rows, mkz_event** event, const Row& row) {
    for (std::uint64_t i = 0; i < rows.n; i++) {
        if (const mkz_status status = row(i, i + 1 < rows.n ? nullptr : event); status != MKZ_OK) return status;
    }
    return MKZ_OK;
}
mkz_status copy_rows_to_device(mkz_stream* stream, mkz_memory* to, std::uint64_t offset, const void* from,
                               const mkz_rows* rows, mkz_event** event) {
    if (is_broken) return MKZ_INTERNAL;
    ups++;
    return each_row(*rows, event, [&](std::uint64_t i, mkz_event** its) {
        return real().driver->copy_to_device(stream, to, offset + i * rows->stride,
                                             static_cast<const std::byte*>(from) + i * rows->host_stride, rows->bytes,
                                             its);
    });
}
/// The default device, which must have memory of its own, as one whose memory is not the host's.
/// copies_rows  whether its driver has copies of rows
Device apart(bool copies_rows) {
    static const auto make = [](bool has_rows) {
        auto* const driver = new mkz_driver(*real().driver);
        driver->facts = facts;
        driver->is_pinned = is_pinned;
        driver->copy_rows_to_device = has_rows ? copy_rows_to_device : nullptr;
        auto* const backend = new mkz_backend(real());
        backend->driver = driver;
        backend->last_error = [] { return is_broken ? "the test's failure" : real().last_error(); };
        return merklize::runtime::Internals::device(std::make_shared<merklize::runtime::DeviceState>(
            backend, merklize::runtime::state_of(Device()).index, Device().info()));
    };
    static const Device with = make(true), without = make(false);
    return copies_rows ? with : without;
}

// During the lifetime of an object, batches are a tile wide, or of the least number of columns.
struct SmallBatches {
    SmallBatches() { merklize::runtime::extension_batch_bytes = 1; }
    SmallBatches(const SmallBatches&) = delete;
    SmallBatches& operator=(const SmallBatches&) = delete;
    ~SmallBatches() { merklize::runtime::extension_batch_bytes = 256 << 20; }
};

// Every way of the words of a matrix of several batches, and of its extension.
template <class Word>
void check_batches(Field field, std::uint64_t p) {
    constexpr std::uint64_t rows = 1 << 9;
    constexpr std::uint64_t batch = 512, columns = 3 * batch + 5, stride = columns + 3;
    Random random(columns);
    std::vector<Word> words(rows * stride);
    for (Word& word : words) word = static_cast<Word>(random.element(p));
    Matrix view = Matrix::of_rows(std::span<const Word>(words), rows);
    view.columns = columns;
    std::vector<Word> dense, down;
    for (std::uint64_t i = 0; i < rows; i++)
        dense.insert(dense.end(), words.begin() + i * stride, words.begin() + i * stride + columns);
    for (std::uint64_t k = 0; k < columns; k++) {
        for (std::uint64_t i = 0; i < rows; i++) down.push_back(words[i * stride + k]);
    }
    const std::span<const Word> given[] = {words, dense, down};
    const Matrix matrices[] = {view, Matrix::of_rows(given[1], rows), Matrix::of_columns(given[2], rows)};
    const SmallBatches small;
    for (std::size_t m = 0; m < 3; m++) {
        const ExtendForm form{.field = field, .order = m == 0 ? RowOrder::natural : RowOrder::bit_reversed};
        std::vector<Word> expected(2 * rows * columns);
        merklize::extend(view, std::as_writable_bytes(std::span(expected)), form, on_cpu());
        const Matrix whole = Matrix::of_rows(std::span<const Word>(expected), 2 * rows);
        const merklize::MatrixCommitment committed({&whole, 1}, Hash::blake3, on_cpu());
        for (const bool copies_rows : {true, false}) {
            for (const bool is_given_pinned : {true, false}) {
                const merklize::RunOptions options{.device = apart(copies_rows)};
                std::vector<Word> out(expected.size());
                const auto bytes = std::as_writable_bytes(std::span(out));
                pin(is_given_pinned ? std::as_bytes(given[m]) : bytes);
                ups = 0;
                const auto commit = [&](std::span<std::byte> to) {
                    const ExtendedMatrix asked{matrices[m], form, to};
                    const auto made = merklize::commit_extended({&asked, 1}, Hash::blake3, options);
                    CHECK(std::ranges::equal(made.cap(), committed.cap()));
                };
                commit(bytes);
                CHECK(out == expected);
                CHECK_EQ(ups.load(), copies_rows && is_given_pinned && m < 2 ? 4 : 0);
                commit({});
                std::ranges::fill(out, Word{1});
                merklize::extend(matrices[m], bytes, form, options);
                CHECK(out == expected);
            }
        }
    }
}

}  // namespace

TEST("extend: batches of columns, of every layout, pinned and pageable") {
    if (!has_memory()) return;
    check_batches<std::uint64_t>(Field::goldilocks, p);
    check_batches<std::uint32_t>(Field::koalabear, 0x7f000001);
}

TEST("extend: batches of several matrices, with progress and times; what fails beside") {
    if (!has_memory()) return;
    const SmallBatches small;
    constexpr std::uint64_t rows = 1 << 9, columns = 2400;
    Random random(8);
    std::vector<std::uint64_t> words(2 * rows * columns);
    for (std::uint64_t& word : words) word = random.element();
    const std::span<const std::uint64_t> all(words);
    const Matrix both[] = {Matrix::of_rows(all.first(rows * columns), rows),
                           Matrix::of_rows(all.last(rows * columns), rows)};
    std::vector<std::uint64_t> expected(4 * rows * columns), out(expected.size());
    const std::span to(out);
    const auto half = [](auto span, std::size_t m) { return span.subspan(m * span.size() / 2, span.size() / 2); };
    std::vector<ExtendedMatrix> asked;
    std::vector<Matrix> extended;
    for (std::size_t m = 0; m < 2; m++) {
        const std::span<std::uint64_t> its = half(std::span(expected), m);
        asked.push_back({.matrix = both[m], .out = std::as_writable_bytes(half(to, m))});
        merklize::extend(both[m], std::as_writable_bytes(its), asked[m].form, on_cpu());
        extended.push_back(Matrix::of_rows(std::span<const std::uint64_t>(its), 2 * rows));
    }
    const merklize::MatrixCommitment committed(extended, Hash::blake3, on_cpu());
    const AskedOften often;
    double last = 0;
    unsigned asked_for = 0;
    merklize::Timings timings;
    merklize::RunOptions options{.device = apart(true), .timings = &timings};
    options.progress = [&](double share) {
        CHECK(share >= last && share <= 1.0000001);
        last = share;
        asked_for++;
        return true;
    };
    // One half of what goes up is pinned, so it goes by both ways.
    pin(std::as_bytes(half(all, 1)));
    ups = 0;
    CHECK(std::ranges::equal(merklize::commit_extended(asked, Hash::blake3, options).cap(), committed.cap()));
    CHECK(out == expected);
    CHECK_EQ(ups.load(), 5);  // 2400 columns by 512
    CHECK(asked_for >= 6 && last > 0.99);
    CHECK(!timings.available || (timings.to_device > 0 && timings.kernel > 0));

    unsigned left = 2;
    options.progress = [&](double) { return --left != 0; };
    CHECK_ERROR(cancelled, "cancelled", merklize::commit_extended(asked, Hash::blake3, options));
    options.progress = {};
    is_broken = true;
    CHECK_ERROR(internal, "the test's failure", merklize::commit_extended(asked, Hash::blake3, options));
    is_broken = false;
    // The last batch has the word, and the error has its place in the whole matrix.
    words[rows * columns + 300 * columns + 2398] = p;
    constexpr const char* text = "commit_extended: row 300, column 2398 is 18446744069414584321, not a field element";
    for (const bool copies_rows : {true, false}) {
        options.device = apart(copies_rows);
        for (const auto& bytes : {std::as_bytes(all), std::span<const std::byte>()}) {
            pin(bytes);
            CHECK_ERROR(invalid_argument, text, merklize::commit_extended(asked, Hash::blake3, options));
        }
    }
}
