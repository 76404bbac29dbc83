// Sums with weights against the definition, computed by 128-bit division.
#include <numeric>

#include "default_device.hpp"
#include "merklize/extend.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::Device;
using merklize::Elements;
using merklize::Field;
using merklize::Matrix;
using merklize::SumForm;
using merklize::SumOver;

namespace {

__extension__ using Wide = unsigned __int128;

struct SummedField {
    Field field;
    std::uint64_t p, inverse_of_word;  // 1 / 2^b, of words of b bits
};
constexpr SummedField summed_fields[] = {{Field::goldilocks, 0xffffffff00000001, 0xfffffffe00000001},
                                         {Field::babybear, 0x78000001, 943718400},
                                         {Field::koalabear, 0x7f000001, 1057030144}};

struct SumShape {
    std::uint64_t rows, columns;
    unsigned degree;
    std::int64_t row_stride = 0, column_stride = 1;  // 0: row after row
};

template <class Word>
struct SumCase {
    const SummedField& of;
    SumShape shape;
    SumOver over;
    Elements elements;
    std::vector<Word> words{}, weights{};
    std::uint64_t first = 0;  // the word of row 0 and column 0

    SumCase(const SummedField& field, const SumShape& wanted, SumOver what, Elements form)
        : of(field), shape(wanted), over(what), elements(form) {
        if (shape.row_stride == 0) shape.row_stride = static_cast<std::int64_t>(shape.columns);
        const auto across = static_cast<std::int64_t>(shape.columns - 1) * shape.column_stride,
                   down = static_cast<std::int64_t>(shape.rows - 1) * shape.row_stride;
        first = static_cast<std::uint64_t>(-(std::min<std::int64_t>(across, 0) + std::min<std::int64_t>(down, 0)));
        const auto last = std::max<std::int64_t>(across, 0) + std::max<std::int64_t>(down, 0);
        Random random(shape.rows + shape.columns + shape.degree);
        // The greatest words, and others.
        const auto fill = [&](std::vector<Word>& words, std::uint64_t n, bool is_any) {
            const std::uint64_t limit = is_any ? static_cast<Word>(~Word{0}) : of.p - 1;
            for (std::uint64_t k = 0; k < n; k++) {
                words.push_back(
                    static_cast<Word>(random.below(3) == 0 ? limit - random.below(2) : random.below(limit)));
            }
        };
        fill(words, first + static_cast<std::uint64_t>(last) + 1, elements != Elements::canonical);
        fill(weights, terms() * shape.degree, elements == Elements::any);
    }

    std::uint64_t terms() const { return over == SumOver::rows ? shape.rows : shape.columns; }
    std::uint64_t sums() const { return over == SumOver::rows ? shape.columns : shape.rows; }
    Matrix matrix() const {
        Matrix made;
        made.rows = shape.rows;
        made.columns = shape.columns;
        made.word_bytes = sizeof(Word);
        made.row_stride = shape.row_stride;
        made.column_stride = shape.column_stride;
        made.words = words.data() + first;
        made.elements = elements;
        return made;
    }
    // The same words in the memory of the default device.
    Matrix there() const {
        Matrix made = matrix();
        made.buffer = on_device(std::as_bytes(std::span(words)), 3 * sizeof(Word));
        made.first = sizeof(Word) * first;
        made.words = nullptr;
        return made;
    }
    SumForm form() const { return {.field = of.field, .over = over, .degree = shape.degree}; }

    std::vector<Word> expected() const {
        std::vector<Word> found;
        for (std::uint64_t sum = 0; sum < sums(); sum++) {
            for (unsigned d = 0; d < shape.degree; d++) {
                std::uint64_t all = 0;
                for (std::uint64_t term = 0; term < terms(); term++) {
                    const auto row = static_cast<std::int64_t>(over == SumOver::rows ? term : sum),
                               column = static_cast<std::int64_t>(over == SumOver::rows ? sum : term);
                    const Word word = words[first + static_cast<std::uint64_t>(row * shape.row_stride +
                                                                               column * shape.column_stride)];
                    all = static_cast<std::uint64_t>((Wide{word} * weights[term * shape.degree + d] + all) % of.p);
                }
                // (2^b x) (2^b y) / 2^b
                if (elements == Elements::montgomery)
                    all = static_cast<std::uint64_t>(Wide{all} * of.inverse_of_word % of.p);
                found.push_back(static_cast<Word>(all));
            }
        }
        return found;
    }
    std::vector<Word> by(const Matrix& matrix, const merklize::RunOptions& options = {}) const {
        std::vector<Word> out(sums() * shape.degree + 1, Word{77});
        merklize::weighted_sums(matrix, std::as_bytes(std::span(weights)),
                                std::as_writable_bytes(std::span(out).first(out.size() - 1)), form(), options);
        CHECK(out.back() == Word{77});
        out.pop_back();
        return out;
    }
};

template <class Word>
void check_sums(const SummedField& of, const SumShape& shape, SumOver over, Elements elements) {
    const SumCase<Word> one(of, shape, over, elements);
    const std::vector<Word> expected = one.expected();
    CHECK(one.by(one.matrix(), on_cpu()) == expected);
    CHECK(one.by(one.matrix()) == expected);
    if (has_memory()) CHECK(one.by(one.there()) == expected);
}

void check_sums(const SummedField& of, const SumShape& shape, Elements elements = Elements::canonical) {
    for (const SumOver over : {SumOver::rows, SumOver::columns}) {
        if (of.field == Field::goldilocks)
            check_sums<std::uint64_t>(of, shape, over, elements);
        else
            check_sums<std::uint32_t>(of, shape, over, elements);
    }
}

}  // namespace

TEST("weighted_sums: shapes, in all forms of words") {
    for (const SummedField& of : summed_fields) {
        for (const Elements elements : {Elements::canonical, Elements::any, Elements::montgomery}) {
            for (const SumShape& shape : std::vector<SumShape>{{1, 1, 1},
                                                               {1, 5, 2},
                                                               {2, 1, 4},
                                                               {2, 2, 8},
                                                               {3, 7, 3},
                                                               {64, 33, 2},
                                                               {1000, 127, 4},
                                                               {129, 128, 5},
                                                               {77, 129, 7}})
                check_sums(of, shape, elements);
        }
    }
}

TEST("weighted_sums: tall and wide matrices") {
    for (const SummedField& of : summed_fields) {
        check_sums(of, {1, 2633, 4});
        check_sums(of, {2, 2633, 2});
        check_sums(of, {40000, 1, 4});
        check_sums(of, {300000, 2, 2}, Elements::any);
        check_sums(of, {3000, 300, 4}, Elements::montgomery);
    }
}

TEST("weighted_sums: matrices of any strides") {
    for (const SummedField& of : summed_fields) {
        check_sums(of, {50, 9, 2, 1, 50});    // columns
        check_sums(of, {50, 9, 2, 12, 1});    // a view
        check_sums(of, {50, 9, 4, -9, 1});    // from the last row on
        check_sums(of, {50, 70, 4, 70, -1});  // from the last column on
        check_sums(of, {50, 9, 3, 0, 1});     // one row, fifty times
        check_sums(of, {21, 90, 3, 180, 2});
    }
}

TEST("weighted_sums: rows of the host go to a device in pieces") {
    const SummedField& of = summed_fields[0];
    const SumCase<std::uint64_t> rows(of, {1 << 14, 600, 2}, SumOver::rows, Elements::any);
    CHECK(rows.by(rows.matrix()) == rows.by(rows.matrix(), on_cpu()));
    const SumCase<std::uint64_t> columns(of, {1 << 14, 600, 2}, SumOver::columns, Elements::any);
    CHECK(columns.by(columns.matrix()) == columns.by(columns.matrix(), on_cpu()));
}

TEST("weighted_sums: a word that is no element, and arguments that do not fit") {
    const SummedField& of = summed_fields[0];
    for (const SumOver over : {SumOver::rows, SumOver::columns}) {
        SumCase<std::uint64_t> one(of, {40, 30, 2}, over, Elements::canonical);
        one.words[17 * 30 + 4] = of.p;
        constexpr const char* text = "weighted_sums: row 17, column 4 is 18446744069414584321, not a field element";
        CHECK_ERROR(invalid_argument, text, one.by(one.matrix()));
        CHECK_ERROR(invalid_argument, text, one.by(one.matrix(), on_cpu()));
        if (has_memory()) CHECK_ERROR(invalid_argument, text, one.by(one.there()));
        one.words[17 * 30 + 4] = 0;
        one.weights[11] = of.p;
        CHECK_ERROR(invalid_argument, "word 1 of weight 5 is not a field element", one.by(one.matrix()));
    }
    SumCase<std::uint64_t> one(of, {40, 30, 2}, SumOver::rows, Elements::canonical);
    std::vector<std::uint64_t> out(60);
    const auto call = [&](std::size_t weights, std::size_t sums, const SumForm& form) {
        merklize::weighted_sums(one.matrix(), std::as_bytes(std::span(one.weights).first(weights)),
                                std::as_writable_bytes(std::span(out).first(sums)), form);
    };
    CHECK_ERROR(invalid_argument, "weights must have 2 words of 8 bytes for each of 40 rows, got 632 bytes",
                call(79, 60, {.degree = 2}));
    CHECK_ERROR(invalid_argument, "out must have 2 words of 8 bytes for each of 30 columns, got 472 bytes",
                call(80, 59, {.degree = 2}));
    CHECK_ERROR(invalid_argument, "degree must be 1 to 8, got 0", call(80, 60, {.degree = 0}));
    CHECK_ERROR(invalid_argument, "degree must be 1 to 8, got 9", call(80, 60, {.degree = 9}));
    CHECK_ERROR(invalid_argument, "over must be rows (0) or columns (1), got 2",
                call(80, 60, {.over = static_cast<SumOver>(2), .degree = 2}));
    CHECK_ERROR(invalid_argument, "words of babybear have 4 bytes, got 8",
                call(80, 60, {.field = Field::babybear, .degree = 2}));
    Matrix empty = one.matrix();
    empty.columns = 0;
    std::vector<std::uint64_t> zeros(80, 1);
    merklize::weighted_sums(empty, {}, std::as_writable_bytes(std::span(zeros)),
                            {.over = SumOver::columns, .degree = 2});
    CHECK(std::accumulate(zeros.begin(), zeros.end(), std::uint64_t{0}) == 0);
    merklize::weighted_sums(empty, std::as_bytes(std::span(one.weights)), {}, {.degree = 2});
}
