// Low-degree extensions against p3-dft's (tests/vectors/plonky3), and against the definition: the values of each
// column's polynomial, computed by 128-bit division.
#include <algorithm>
#include <array>
#include <string>

#include "asked_often.hpp"
#include "default_device.hpp"
#include "json.hpp"
#include "little_memory.hpp"
#include "merklize/extend.hpp"
#include "support.hpp"
#include "two_adic.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Elements;
using merklize::ExtendForm;
using merklize::Field;
using merklize::Matrix;
using merklize::RowOrder;

namespace {

// The extension by the default device, and by ways through its memory, which must not differ.
// given  the words that a matrix on the host is a view of
template <class Word>
void extend_everywhere(const Matrix& matrix, std::span<const Word> given, std::vector<Word>& out,
                       const ExtendForm& form) {
    const auto bytes = std::as_writable_bytes(std::span(out));
    merklize::extend(matrix, bytes, form);
    if (!has_memory()) return;
    Matrix there = matrix;
    there.buffer = on_device(std::as_bytes(given), 3 * sizeof(Word));
    there.first = static_cast<std::uint64_t>(static_cast<const std::byte*>(matrix.words) -
                                             reinterpret_cast<const std::byte*>(given.data()));
    there.words = nullptr;
    const auto check = [&](const std::vector<Word>& found) { CHECK(found == out); };
    const std::vector<Word> canary(out.size() + 2, static_cast<Word>(0xa5a5a5a5a5a5a5a5));
    for (const Matrix& from : {matrix, there}) {
        const Buffer block = on_device(canary);
        merklize::extend(from, block.slice(sizeof(Word), bytes.size()), form);
        const auto whole = on_host<Word>(block);
        check({whole.begin() + 1, whole.end() - 1});
        CHECK(whole.front() == canary[0] && whole.back() == canary[0]);
    }
    std::vector<Word> found(out.size());
    merklize::extend(there, std::as_writable_bytes(std::span(found)), form);
    check(found);
}

// Columns are polynomials with `terms` terms; terms = rows: all of them.
template <class Word>
void check_extension(const TwoAdicField& of, unsigned log_rows, std::size_t columns, const ExtendForm& form,
                     std::size_t most_terms = 5) {
    const std::uint64_t n = std::uint64_t{1} << log_rows, m = n << form.added_bits;
    const std::uint64_t shift = form.shift == 0 ? of.generator : form.shift;
    Random random(n + columns + form.added_bits);
    std::vector<std::vector<Term>> polynomials(columns);
    for (auto& terms : polynomials) {
        if (n <= most_terms) {
            for (std::uint64_t e = 0; e < n; e++) terms.push_back({e, random.element(of.p)});
        } else {
            terms = {{n - 1, random.element(of.p)}};
            while (terms.size() < most_terms) terms.push_back({random.below(n), random.element(of.p)});
        }
    }
    const auto words_on = [&](std::uint64_t rows, std::uint64_t from, std::uint64_t g, std::uint64_t stride,
                              std::uint64_t row_step) {
        std::vector<Word> words(rows * stride, static_cast<Word>(~Word{0}));
        for (std::uint64_t i = 0; i < rows; i += row_step) {
            const std::uint64_t x = product(from, power(g, i, of.p), of.p);
            for (std::size_t k = 0; k < columns; k++)
                words[i * stride + k] = static_cast<Word>(value_at(polynomials[k], x, of.p));
        }
        return words;
    };
    const std::uint64_t stride = columns + 3;  // a view: three words behind each row are not read
    const std::vector<Word> given = words_on(n, 1, root_of(of, log_rows), stride, 1);
    const std::uint64_t row_step = m * columns > 200000 ? 61 : 1;
    const std::vector<Word> expected = words_on(m, shift, root_of(of, log_rows + form.added_bits), columns, row_step);
    Matrix matrix = Matrix::of_rows(std::span<const Word>(given), n);
    matrix.columns = columns;
    const auto check = [&](const std::vector<Word>& found) {
        std::size_t wrong = 0;
        for (std::uint64_t i = 0; i < m; i += row_step) {
            const std::uint64_t row = form.order == RowOrder::natural ? i : reversed(i, log_rows + form.added_bits);
            for (std::size_t k = 0; k < columns; k++) wrong += found[row * columns + k] != expected[i * columns + k];
        }
        CHECK_EQ(wrong, std::size_t{0});
    };
    std::vector<Word> found(m * columns);
    extend_everywhere(matrix, std::span(given), found, form);
    check(found);
}

void check_field(const TwoAdicField& of, unsigned log_rows, std::size_t columns, ExtendForm form,
                 std::size_t terms = 5) {
    form.field = of.field;
    if (of.field == Field::goldilocks)
        check_extension<std::uint64_t>(of, log_rows, columns, form, terms);
    else
        check_extension<std::uint32_t>(of, log_rows, columns, form, terms);
}

// The input of a case of p3-dft's is the rule in tests/vectors/plonky3.
template <class Word>
void check_recorded(const TwoAdicField& of, const json::Value& given) {
    const std::uint64_t rows = given["rows"].number, columns = given["columns"].number;
    std::vector<Word> words(rows * columns);
    for (std::uint64_t i = 0; i < words.size(); i++) words[i] = static_cast<Word>((i + 1) * 0x9e3779b97f4a7c15 % of.p);
    const Matrix matrix = Matrix::of_rows(std::span<const Word>(words), rows);
    ExtendForm form{.field = of.field,
                    .added_bits = static_cast<unsigned>(given["added_bits"].number),
                    .shift = given["shift"].number};
    std::vector<Word> out(words.size() << form.added_bits);
    const auto bytes = std::as_writable_bytes(std::span(out));
    for (const RowOrder order : {RowOrder::natural, RowOrder::bit_reversed}) {
        form.order = order;
        extend_everywhere(matrix, std::span<const Word>(words), out, form);
        CHECK(std::ranges::equal(std::span(out).first(columns), given["first"].numbers()));
        const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        CHECK_EQ(Digest::from_hex(given[order == RowOrder::natural ? "natural" : "bit_reversed"].text),
                 to_digest(reference::sha256({first, first + bytes.size()})));
    }
}

}  // namespace

TEST("extend: what p3-dft computes") {
    const json::Value file = json::read(MERKLIZE_VECTORS "/p3_extensions.json");
    CHECK_EQ(file["extensions"].items.size(), 108u);
    for (const json::Value& given : file["extensions"].items) {
        if (const std::string& field = given["field"].text; field == "goldilocks")
            check_recorded<std::uint64_t>(two_adic_fields[0], given);
        else
            check_recorded<std::uint32_t>(two_adic_fields[field == "babybear" ? 1 : 2], given);
    }
}

TEST("extend: every small shape, with all coefficients") {
    for (const TwoAdicField& of : two_adic_fields) {
        for (unsigned log_rows = 0; log_rows <= 6; log_rows++) {
            for (unsigned added = 0; added <= 3; added++) {
                const auto order = static_cast<RowOrder>((log_rows + added) % 2);
                check_field(of, log_rows, 1 + log_rows % 3, {.added_bits = added, .order = order}, 64);
            }
        }
    }
}

TEST("extend: one, two and three parts of levels; widths around a tile; shifts") {
    for (const TwoAdicField& of : two_adic_fields) {
        const std::uint64_t shifts[] = {1, 0, of.p - 1, 0x12345};
        for (unsigned k = 0; k < 4; k++) {
            const auto order = static_cast<RowOrder>(k % 2);
            check_field(of, 7 + k, 15 + 9 * k, {.added_bits = k, .shift = shifts[k], .order = order});
            check_field(of, 10, 1 + k, {.added_bits = 1, .shift = shifts[k], .order = order});
        }
        check_field(of, 17, 2, {.order = RowOrder::bit_reversed});
        check_field(of, 17, 1, {.added_bits = 0, .shift = 1});
        check_field(of, 5, 2633, {.order = RowOrder::bit_reversed});
        for (unsigned log_rows = 0; log_rows <= 1; log_rows++) check_field(of, log_rows, 2633, {.added_bits = 2});
        check_field(of, 9, 300, {});
    }
}

// More columns than the working memory of a device takes at once.
TEST("extend: batches of columns") {
    if (Device().info().backend == "cpu") return;
    constexpr std::uint64_t rows = 1 << 15, columns = 530;
    std::vector<std::uint64_t> words(rows * columns), expected(2 * words.size()), found(expected.size());
    Random random(6);
    for (std::uint64_t& word : words) word = random() % p;
    const Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(words), rows);
    const ExtendForm form{.order = RowOrder::bit_reversed};
    merklize::extend(matrix, std::as_writable_bytes(std::span(expected)), form, on_cpu());
    const AskedOften asked;
    double last = 0;
    merklize::RunOptions options;
    options.progress = [&](double share) {
        CHECK(share >= last);
        last = share;
        return true;
    };
    merklize::extend(matrix, std::as_writable_bytes(std::span(found)), form, options);
    CHECK(found == expected);
    CHECK(last > 0);
    options.progress = [](double) { return false; };
    CHECK_ERROR(cancelled, "cancelled",
                merklize::extend(matrix, std::as_writable_bytes(std::span(found)), form, options));
}

TEST("extend: columns in memory, words of other forms, a word that is no element") {
    Random random(9);
    std::vector<std::uint64_t> rows(64 * 5), columns(64 * 5), any(64 * 5);
    for (std::size_t i = 0; i < 64; i++) {
        for (std::size_t k = 0; k < 5; k++) {
            const std::uint64_t x = k == 2 ? i : random.element();
            rows[i * 5 + k] = columns[k * 64 + i] = any[i * 5 + k] = x;
            if (x < 0xffffffff) any[i * 5 + k] += p;
        }
    }
    std::vector<std::uint64_t> expected(128 * 5), found(128 * 5);
    const auto extend = [&](const Matrix& matrix, const std::vector<std::uint64_t>& words) {
        extend_everywhere(matrix, std::span(words), found, {});
    };
    const auto of_rows = [](const std::vector<std::uint64_t>& words) {
        return Matrix::of_rows(std::span<const std::uint64_t>(words), 64);
    };
    merklize::extend(of_rows(rows), std::as_writable_bytes(std::span(expected)), {}, on_cpu());
    extend(of_rows(rows), rows);
    CHECK(found == expected);
    extend(Matrix::of_columns(std::span<const std::uint64_t>(columns), 64), columns);
    CHECK(found == expected);
    Matrix of_any = of_rows(any);
    of_any.elements = Elements::any;
    extend(of_any, any);
    CHECK(found == expected);
    // Rows and columns in reverse.
    std::vector<std::uint64_t> backward(rows.rbegin(), rows.rend());
    Matrix reversed = of_rows(backward);
    reversed.words = backward.data() + backward.size() - 1;
    reversed.row_stride = -5;
    reversed.column_stride = -1;
    extend(reversed, backward);
    CHECK(found == expected);
    CHECK_ERROR(invalid_argument, "extend: row ", extend(of_rows(any), any));
    rows[17 * 5 + 3] = p;
    constexpr const char* text = "extend: row 17, column 3 is 18446744069414584321, not a field element";
    const auto bytes = std::as_writable_bytes(std::span(found));
    CHECK_ERROR(invalid_argument, text, merklize::extend(of_rows(rows), bytes));
    if (!has_memory()) return;
    const Matrix there = Matrix::of_rows(on_device(rows), 64, 8);
    CHECK_ERROR(invalid_argument, text, merklize::extend(there, bytes));
    CHECK_ERROR(invalid_argument, text, merklize::extend(there, Buffer(Device(), bytes.size())));
}

TEST("extend: a word of 31-bit fields that is no element is named by its row and column") {
    for (const TwoAdicField& of : std::span(two_adic_fields).last(2)) {
        for (const auto& [rows, columns, row, column] : std::initializer_list<std::array<std::uint64_t, 4>>{
                 {1, 2633, 0, 2632}, {2, 1, 1, 0}, {1024, 30, 1023, 17}}) {
            std::vector<std::uint32_t> words(rows * columns, static_cast<std::uint32_t>(of.p - 1));
            words[row * columns + column] = static_cast<std::uint32_t>(row == 0 ? of.p : 0xffffffff);
            const std::string text = "row " + std::to_string(row) + ", column " + std::to_string(column) + " is " +
                                     std::to_string(words[row * columns + column]) + ", not a field element";
            std::vector<std::uint32_t> out(2 * words.size());
            const auto bytes = std::as_writable_bytes(std::span(out));
            const ExtendForm form{.field = of.field};
            const auto refuse = [&](const Matrix& matrix) {
                CHECK_ERROR(invalid_argument, "extend: " + text, merklize::extend(matrix, bytes, form));
                const std::vector<merklize::ExtendedMatrix> asked = {{matrix, form}};
                CHECK_ERROR(invalid_argument, "commit_extended: " + text,
                            merklize::commit_extended(asked, Hash::blake3));
            };
            refuse(Matrix::of_rows(std::span<const std::uint32_t>(words), rows));
            if (has_memory()) refuse(Matrix::of_rows(on_device(words), rows, 4));
        }
    }
}

TEST("extend: commitments to extensions of one row, and of two") {
    Random random(15);
    for (const std::uint64_t rows : {1, 2}) {
        for (const std::uint64_t columns : {1, 2633}) {
            std::vector<std::uint64_t> words(rows * columns), extended(4 * words.size());
            for (std::uint64_t& word : words) word = random.element();
            const Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(words), rows);
            const ExtendForm form{.added_bits = 2, .order = RowOrder::bit_reversed};
            merklize::extend(matrix, std::as_writable_bytes(std::span(extended)), form, on_cpu());
            const Matrix whole = Matrix::of_rows(std::span<const std::uint64_t>(extended), 4 * rows);
            const merklize::MatrixCommitment expected(std::span(&whole, 1), Hash::poseidon2_goldilocks_8, on_cpu());
            const std::vector<merklize::ExtendedMatrix> asked = {{matrix, form}};
            const auto made = merklize::commit_extended(asked, Hash::poseidon2_goldilocks_8);
            CHECK(std::ranges::equal(made.cap(), expected.cap()));
        }
    }
}

TEST("extend: commitments to extensions") {
    Random random(12);
    std::vector<std::uint64_t> tall(256 * 9), low(64 * 20);
    for (std::uint64_t& word : tall) word = random.element();
    for (std::uint64_t& word : low) word = random.element();
    const std::vector<Matrix> given = {Matrix::of_rows(std::span<const std::uint64_t>(tall), 256),
                                       Matrix::of_columns(std::span<const std::uint64_t>(low), 64)};
    const std::vector<ExtendForm> forms = {{.added_bits = 2, .order = RowOrder::bit_reversed},
                                           {.added_bits = 2, .shift = 12345, .order = RowOrder::bit_reversed}};
    std::vector<std::vector<std::uint64_t>> extended(2);
    std::vector<Matrix> matrices;
    for (std::size_t m = 0; m < 2; m++) {
        extended[m].resize((given[m].rows << 2) * given[m].columns);
        merklize::extend(given[m], std::as_writable_bytes(std::span(extended[m])), forms[m], on_cpu());
        matrices.push_back(Matrix::of_rows(std::span<const std::uint64_t>(extended[m]), given[m].rows << 2));
    }
    for (const Hash hash : {Hash::poseidon2_goldilocks_8, Hash::blake3}) {
        const merklize::CommitmentForm form(hash, 2, 1);
        const merklize::MatrixCommitment expected(matrices, form, on_cpu());
        const auto check = [&](const std::vector<Matrix>& from, const merklize::RunOptions& options) {
            for (const bool keep : {false, true}) {
                std::vector<std::uint64_t> out(extended[0].size(), 1);
                const std::vector<merklize::ExtendedMatrix> asked = {
                    {from[0], forms[0], std::as_writable_bytes(std::span(out))}, {from[1], forms[1]}};
                const merklize::MatrixCommitment made = merklize::commit_extended(asked, form, options, keep);
                CHECK(std::ranges::equal(made.cap(), expected.cap()));
                CHECK(out == extended[0]);
                CHECK(made.open(77, keep ? std::span<const Matrix>() : matrices) == expected.open(77, matrices));
                CHECK(made.keeps_matrices() == keep);
            }
        };
        check(given, {});
        check(given, on_cpu());
        if (!has_memory()) continue;
        std::vector<Matrix> there = given;
        there[0].buffer = on_device(tall);
        there[1].buffer = on_device(low);
        for (Matrix& matrix : there) matrix.words = nullptr;
        check(there, {});
        // Buffers of the caller get the extensions, too.
        const std::vector<Buffer> buffers = {Buffer(Device(), extended[0].size() * 8),
                                             Buffer(Device(), extended[1].size() * 8)};
        const std::vector<merklize::ExtendedMatrix> kept = {{given[0], forms[0], {}, buffers[0]},
                                                            {given[1], forms[1], {}, buffers[1]}};
        CHECK(std::ranges::equal(merklize::commit_extended(kept, form).cap(), expected.cap()));
        for (std::size_t m = 0; m < 2; m++) CHECK(on_host<std::uint64_t>(buffers[m]) == extended[m]);
        const auto commit_to = [&](std::optional<Buffer> first, std::optional<Buffer> second) {
            merklize::commit_extended(
                std::vector<merklize::ExtendedMatrix>{{given[0], forms[0], {}, std::move(first)},
                                                      {given[1], forms[1], {}, std::move(second)}},
                form);
        };
        CHECK_ERROR(invalid_argument, "all matrices must have a buffer, or none", commit_to(buffers[0], {}));
        CHECK_ERROR(invalid_argument, "out must have 73728 bytes", commit_to(buffers[1], buffers[1]));
        merklize::Timings timings;
        merklize::commit_extended(std::vector<merklize::ExtendedMatrix>{{there[0], forms[0]}}, form,
                                  {.timings = &timings});
        CHECK(!timings.available || timings.kernel > 0);
    }
    std::vector<std::uint64_t> out(5);
    const auto commit = [&](const Matrix& matrix, const ExtendForm& form) {
        const std::vector<merklize::ExtendedMatrix> asked = {{matrix, form, std::as_writable_bytes(std::span(out))}};
        merklize::commit_extended(asked, Hash::poseidon2_goldilocks_8);
    };
    CHECK_ERROR(invalid_argument, "commit_extended: there must be at least 1 matrix, got 0",
                merklize::commit_extended({}));
    CHECK_ERROR(invalid_argument, "commit_extended: out must have 36864 bytes", commit(given[0], {}));
    CHECK_ERROR(invalid_argument, "commit_extended: words of babybear have 4 bytes, got 8",
                commit(given[0], {.field = Field::babybear}));
    out.resize(2 * tall.size());
    tall[5 * 9 + 4] = p;
    CHECK_ERROR(invalid_argument, "commit_extended: row 5, column 4 is 18446744069414584321", commit(given[0], {}));
}

// All columns, some at a time, one, or none, so that the processors extend them: the words, the cap and the openings
// are the same.
TEST("extend: whatever memory the device has") {
    if (!has_memory()) return;
    constexpr std::uint64_t rows = 1 << 10, columns = 40;
    std::vector<std::uint64_t> words(rows * columns);
    Random random(14);
    for (std::uint64_t& word : words) word = random.element();
    const Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(words), rows);
    const ExtendForm form{.order = RowOrder::bit_reversed};
    std::vector<std::uint64_t> expected(2 * words.size());
    merklize::extend(matrix, std::as_writable_bytes(std::span(expected)), form, on_cpu());
    const Matrix whole = Matrix::of_rows(std::span<const std::uint64_t>(expected), 2 * rows);
    const merklize::MatrixCommitment committed(std::span(&whole, 1), Hash::blake3, on_cpu());
    const std::vector<std::uint64_t> indices = {0, 5, 2 * rows - 1};
    const auto openings = committed.open(indices, std::span(&whole, 1));
    const std::vector<std::uint64_t> weights(words.begin(), words.begin() + columns);
    const auto sums_of = [&](const merklize::RunOptions& options) {
        std::vector<std::uint64_t> sums(2 * rows);
        merklize::weighted_sums(whole, std::as_bytes(std::span(weights)), std::as_writable_bytes(std::span(sums)),
                                {.over = merklize::SumOver::columns}, options);
        return sums;
    };
    const std::vector<std::uint64_t> expected_sums = sums_of(on_cpu());

    unsigned on_host = 0, on_the_device = 0;
    for (std::uint64_t kib = 1; kib <= 1 << 20; kib += std::max<std::uint64_t>(1, kib < 8192 ? kib / 2 : 7 * kib)) {
        const LittleMemory little(kib << 10);
        std::vector<std::uint64_t> found(expected.size()), out(expected.size());
        merklize::extend(matrix, std::as_writable_bytes(std::span(found)), form);
        CHECK(found == expected);
        for (const unsigned drop_levels : {0u, 3u}) {
            const std::vector<merklize::ExtendedMatrix> asked = {
                {matrix, form, std::as_writable_bytes(std::span(out))}};
            const auto made = merklize::commit_extended(asked, Hash::blake3, {}, false, drop_levels);
            CHECK(std::ranges::equal(made.cap(), committed.cap()));
            CHECK(out == expected);
            (made.on_device() ? on_the_device : on_host)++;
            Device().set_memory_limit(0);  // those that read nodes in the device's memory need some
            const auto found_openings = made.open(indices, std::span(&whole, 1));
            for (std::size_t i = 0; i < indices.size(); i++) {
                CHECK(found_openings[i].rows == openings[i].rows && found_openings[i].siblings == openings[i].siblings);
            }
            Device().set_memory_limit(memory_in_use() + (kib << 10));
        }
        CHECK(sums_of({}) == expected_sums);
    }
    const bool is_unified = merklize::runtime::state_of(Device()).opened()->facts().unified != 0;
    CHECK(is_unified || (on_host > 0 && on_the_device > 0));
}

TEST("extend: in place, and overlaps") {
    std::vector<std::uint64_t> words(32 * 3 * 3);
    const std::span all(words);
    const auto extend = [&](std::size_t first, std::size_t to, unsigned added_bits) {
        const Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(all.subspan(first, 96)), 32);
        merklize::extend(matrix, std::as_writable_bytes(all.subspan(to, std::size_t{96} << added_bits)),
                         {.added_bits = added_bits});
        if (!has_memory()) return;
        const Buffer block = on_device(words);
        const Matrix there = Matrix::of_rows(block.slice(8 * first, 8 * 96), 32, 8);
        merklize::extend(there, block.slice(8 * to, std::uint64_t{8 * 96} << added_bits), {.added_bits = added_bits});
    };
    extend(0, 96, 1);
    extend(192, 0, 1);
    extend(96, 192, 0);
    CHECK_ERROR(invalid_argument, "out must not overlap matrix 0", extend(96, 96, 0));
    CHECK_ERROR(invalid_argument, "out must not overlap matrix 0", extend(0, 95, 1));
    CHECK_ERROR(invalid_argument, "out must not overlap matrix 0", extend(191, 0, 1));
    if (!has_memory()) return;
    const Buffer block(Device(), 8 * 96 * 4);
    const Matrix there = Matrix::of_rows(block.slice(0, 8 * 96), 32, 8),
                 odd = Matrix::of_rows(block.slice(4, 8 * 96), 32, 8);
    CHECK_ERROR(invalid_argument, "out must not overlap matrix 0",
                merklize::extend(there, block.slice(8 * 95, 8 * 192)));
    CHECK_ERROR(invalid_argument, "must begin on a multiple of their 8 bytes",
                merklize::extend(odd, block.slice(8 * 97 + 4, 8 * 192)));
    CHECK_ERROR(invalid_argument, "must begin on a multiple of their 8 bytes",
                merklize::extend(there, block.slice(8 * 96 + 4, 8 * 192)));
}

TEST("extend: arguments that do not fit") {
    const std::vector<std::uint64_t> words(96);
    std::vector<std::uint64_t> out(128);
    const auto extend = [&](const Matrix& matrix, const ExtendForm& form) {
        merklize::extend(matrix, std::as_writable_bytes(std::span(out)), form, on_cpu());
    };
    const std::span<const std::uint64_t> all(words);
    CHECK_ERROR(invalid_argument, "out must have 1536 bytes", extend(Matrix::of_rows(all, 32), {}));
    CHECK_ERROR(invalid_argument, "order must be natural",
                extend(Matrix::of_rows(all, 32), {.order = static_cast<RowOrder>(2)}));
    CHECK_ERROR(invalid_argument, "field must be goldilocks",
                extend(Matrix::of_rows(all, 32), {.field = static_cast<Field>(3)}));
    if (!has_memory()) return;
    CHECK_ERROR(invalid_argument, "out must have 1536 bytes",
                merklize::extend(Matrix::of_rows(all, 32), Buffer(Device(), 1528)));
}
