// Sums of polynomials of rows against the definition, computed by 128-bit division, and programs that are refused.
#include "merklize/constraints.hpp"

#include "default_device.hpp"
#include "little_memory.hpp"
#include "support.hpp"

using namespace support;
using merklize::Buffer;
using merklize::ConstraintForm;
using merklize::ConstraintOp;
using merklize::ConstraintOperand;
using merklize::ConstraintStep;
using merklize::Device;
using merklize::Elements;
using merklize::Field;
using merklize::Matrix;
using merklize::RowOrder;

namespace {

__extension__ using Wide = unsigned __int128;

struct FieldOfWords {
    Field field;
    std::uint64_t p, inverse_of_word;  // 1 / 2^32 of the fields whose words are in Montgomery form; else 1
};
constexpr FieldOfWords fields_of_words[] = {{Field::goldilocks, 0xffffffff00000001, 1},
                                            {Field::babybear, 0x78000001, 943718400},
                                            {Field::koalabear, 0x7f000001, 1057030144}};

std::uint64_t reversed(std::uint64_t i, unsigned bits) {
    std::uint64_t found = 0;
    for (unsigned bit = 0; bit < bits; bit++) found |= (i >> bit & 1) << (bits - 1 - bit);
    return found;
}

// A random program on random matrices, whose words are the greatest and others.
template <class Word>
struct Program {
    const FieldOfWords& of;
    unsigned log_rows;
    ConstraintForm form;
    std::vector<std::uint64_t> columns;
    std::vector<std::vector<Word>> matrices;
    std::vector<Word> scalars, weights;
    std::vector<ConstraintStep> steps;

    Program(const FieldOfWords& field, unsigned log2, std::uint64_t seed) : of(field), log_rows(log2) {
        Random random(seed);
        const bool is_any = of.field == Field::goldilocks;
        const auto words = [&](std::uint64_t n) {
            const std::uint64_t limit = is_any ? static_cast<Word>(~Word{0}) : of.p - 1;
            std::vector<Word> made;
            for (std::uint64_t k = 0; k < n; k++) {
                made.push_back(static_cast<Word>(random.below(3) == 0   ? limit - random.below(2)
                                                 : random.below(4) == 0 ? random.below(2)
                                                                        : random.below(limit)));
            }
            return made;
        };
        form.field = of.field;
        form.order = random.below(2) == 0 ? RowOrder::natural : RowOrder::bit_reversed;
        form.next = random.below(rows() + 1);
        form.degree = 1 + static_cast<unsigned>(random.below(8));
        for (std::uint64_t m = 0; m <= random.below(3); m++) {
            columns.push_back(1 + random.below(random.below(2) == 0 ? 9 : 300));
            matrices.push_back(words(rows() * columns.back()));
        }
        scalars = words(1 + random.below(5));
        const std::uint64_t n_weights = 1 + random.below(5);
        weights = words(n_weights * form.degree);
        // Kernels have groups of other sizes for programs with few slots.
        constexpr std::uint32_t most_slots[] = {1, 16, 17, 32, 33, 64};
        const std::uint32_t slots = most_slots[random.below(std::size(most_slots))];
        std::vector<std::uint32_t> written;
        const auto operand = [&] {
            if (!written.empty() && random.below(2) == 0)
                return ConstraintOperand::slot(written[random.below(written.size())]);
            if (random.below(4) == 0)
                return ConstraintOperand::scalar(static_cast<std::uint32_t>(random.below(scalars.size())));
            const auto m = static_cast<std::uint32_t>(random.below(columns.size()));
            return ConstraintOperand::cell(m, static_cast<std::uint32_t>(random.below(columns[m])),
                                           random.below(2) == 0);
        };
        for (std::uint64_t k = random.below(40); k > 0; k--) {
            ConstraintStep step{.op = static_cast<ConstraintOp>(random.below(4)), .a = operand()};
            if (step.op == ConstraintOp::sum) {
                step.b = {static_cast<std::uint32_t>(random.below(n_weights))};
            } else {
                step.b = operand();
                step.to = random.below(4) == 0 ? slots - 1 : static_cast<std::uint32_t>(random.below(slots));
                written.push_back(step.to);
            }
            steps.push_back(step);
        }
    }

    std::uint64_t rows() const { return std::uint64_t{1} << log_rows; }

    std::uint64_t value(ConstraintOperand operand, std::uint64_t point, const std::vector<std::uint64_t>& slots) const {
        const std::uint32_t kind = operand.bits >> 29, number = operand.bits & ((1u << 29) - 1);
        if (kind == 0) return slots[number];
        if (kind == 1) return scalars[number] % of.p;
        if (kind % 2 == 1) point = (point + form.next) % rows();
        const std::uint64_t row = form.order == RowOrder::natural ? point : reversed(point, log_rows);
        const std::uint32_t m = (kind - 2) / 2;
        return matrices[m][row * columns[m] + number] % of.p;
    }
    std::uint64_t product(std::uint64_t a, std::uint64_t b) const {
        return static_cast<std::uint64_t>(Wide{static_cast<std::uint64_t>(Wide{a} * b % of.p)} * of.inverse_of_word %
                                          of.p);
    }
    std::vector<Word> expected() const {
        std::vector<Word> out;
        for (std::uint64_t point = 0; point < rows(); point++) {
            std::vector<std::uint64_t> slots(64), all(form.degree);
            for (const ConstraintStep& step : steps) {
                const std::uint64_t a = value(step.a, point, slots);
                if (step.op == ConstraintOp::sum) {
                    for (unsigned d = 0; d < form.degree; d++)
                        all[d] = static_cast<std::uint64_t>(
                            (Wide{all[d]} + product(a, weights[step.b.bits * form.degree + d] % of.p)) % of.p);
                    continue;
                }
                const std::uint64_t b = value(step.b, point, slots);
                slots[step.to] = step.op == ConstraintOp::multiply ? product(a, b)
                                 : step.op == ConstraintOp::add
                                     ? static_cast<std::uint64_t>((Wide{a} + b) % of.p)
                                     : static_cast<std::uint64_t>((Wide{a} + of.p - b) % of.p);
            }
            for (const std::uint64_t word : all) out.push_back(static_cast<Word>(word));
        }
        return out;
    }

    std::vector<Matrix> here() const {
        std::vector<Matrix> made;
        for (std::size_t m = 0; m < matrices.size(); m++) {
            made.push_back(Matrix::of_rows(std::span<const Word>(matrices[m]), rows()));
            made.back().elements = of.field == Field::goldilocks ? Elements::any : Elements::montgomery;
        }
        return made;
    }
    // The same words in the memory of the default device.
    std::vector<Matrix> there() const {
        std::vector<Matrix> made = here();
        for (Matrix& matrix : made) {
            const auto words = std::span(static_cast<const Word*>(matrix.words), rows() * matrix.columns);
            matrix.buffer = on_device(std::as_bytes(words), 3 * sizeof(Word));
            matrix.words = nullptr;
        }
        return made;
    }
    std::vector<Word> by(const std::vector<Matrix>& given, const merklize::RunOptions& options = {}) {
        std::vector<Word> out(rows() * form.degree + 1, Word{77});
        form.steps = steps;
        form.scalars = std::as_bytes(std::span(scalars));
        form.weights = std::as_bytes(std::span(weights));
        merklize::evaluate_constraints(given, std::as_writable_bytes(std::span(out).first(out.size() - 1)), form,
                                       options);
        CHECK(out.back() == Word{77});
        out.pop_back();
        return out;
    }
};

template <class Word>
void check_program(const FieldOfWords& of, unsigned log_rows, std::uint64_t seed) {
    Program<Word> program(of, log_rows, seed);
    const std::vector<Word> expected = program.expected();
    CHECK(program.by(program.here(), on_cpu()) == expected);
    CHECK(program.by(program.here()) == expected);
    if (has_memory()) CHECK(program.by(program.there()) == expected);
}

}  // namespace

TEST("constraints: random programs give the sums of the definition") {
    for (const FieldOfWords& of : fields_of_words) {
        for (std::uint64_t seed = 0; seed < 60; seed++) {
            const auto log_rows = static_cast<unsigned>(seed % 8);
            if (of.field == Field::goldilocks)
                check_program<std::uint64_t>(of, log_rows, seed);
            else
                check_program<std::uint32_t>(of, log_rows, seed);
        }
    }
}

TEST("constraints: as many points at a time as there is memory for") {
    if (!has_memory()) return;  // the device has no memory of its own
    const FieldOfWords& of = fields_of_words[0];
    // More points than one launch has with the least memory.
    for (std::uint64_t seed = 100; seed < 103; seed++) {
        Program<std::uint64_t> program(of, 12, seed);
        const std::vector<std::uint64_t> expected = program.expected();
        for (const std::uint64_t kib : {1, 64, 300, 600, 1200, 2400, 4800}) {
            const std::vector<Matrix> there = program.there();
            const LittleMemory little(kib << 10);
            CHECK(program.by(there) == expected);
        }
    }
}

TEST("constraints: strides of any sign, words that are not aligned") {
    const FieldOfWords& of = fields_of_words[0];
    Program<std::uint64_t> program(of, 5, 11);
    std::vector<Matrix> given = program.here();
    std::vector<std::vector<std::byte>> bytes;
    for (std::size_t m = 0; m < given.size(); m++) {
        // The last row first, one byte from where words lie.
        const std::uint64_t columns = program.columns[m];
        bytes.emplace_back(1 + 8 * 32 * columns);
        for (std::uint64_t row = 0; row < 32; row++)
            std::memcpy(&bytes[m][1 + 8 * row * columns], &program.matrices[m][(31 - row) * columns], 8 * columns);
        given[m].words = &bytes[m][1 + 8 * 31 * columns];
        given[m].row_stride = -static_cast<std::int64_t>(columns);
    }
    CHECK(program.by(given, on_cpu()) == program.expected());
    CHECK(program.by(given) == program.expected());
}

TEST("constraints: what is no program is refused, with the step and the rule") {
    using Operand = ConstraintOperand;
    const std::vector<std::uint64_t> words(8 * 3), two(2);
    std::vector<std::byte> out(8 * 8 * 2);
    Matrix matrix = Matrix::of_rows(std::span<const std::uint64_t>(words), 8);
    matrix.elements = Elements::any;
    const auto run = [&](std::vector<ConstraintStep> steps, ConstraintForm form = {.degree = 2}) {
        form.steps = steps;
        if (form.scalars.empty()) form.scalars = std::as_bytes(std::span(two));
        if (form.weights.empty()) form.weights = std::as_bytes(std::span(two));
        merklize::evaluate_constraints({&matrix, 1}, out, form, on_cpu());
    };
    const Operand cell = Operand::cell(0, 2, true), scalar = Operand::scalar(1);
    run({{ConstraintOp::add, 63, cell, scalar}, {ConstraintOp::sum, 0, Operand::slot(63), {0}}});
    const std::pair<ConstraintStep, const char*> wrong[] = {
        {{static_cast<ConstraintOp>(4), 0, cell, cell},
         "of step 1 op must be add (0), subtract (1), multiply (2) or sum (3), got 4"},
        {{ConstraintOp::add, 64, cell, cell}, "of step 1 to must be a slot below 64, got 64"},
        {{ConstraintOp::add, UINT32_MAX, cell, cell}, "to must be a slot below 64"},
        {{ConstraintOp::add, 0, Operand::slot(1), cell}, "of step 1 a must be a slot that a step before wrote, got 1"},
        {{ConstraintOp::add, 1, cell, Operand::slot(1)}, "of step 1 b must be a slot that a step before wrote, got 1"},
        {{ConstraintOp::add, 0, Operand::slot(64), cell}, "a must be a slot below 64, got 64"},
        {{ConstraintOp::add, 0, Operand::slot((1u << 29) - 1), cell}, "a must be a slot below 64"},
        {{ConstraintOp::add, 0, Operand::slot(1u << 29), cell}, "a must be a slot below 64, got 536870911"},
        {{ConstraintOp::add, 0, Operand::slot(UINT32_MAX), cell}, "a must be a slot below 64, got 536870911"},
        {{ConstraintOp::add, 0, Operand::scalar(1u << 29), cell}, "a must be a scalar below 2, got 536870911"},
        {{ConstraintOp::add, 0, Operand::scalar((1u << 30) + 1), cell}, "a must be a scalar below 2, got 536870911"},
        {{ConstraintOp::add, 0, cell, Operand::cell(0, 1u << 29)}, "b must be a column below 3, got 536870911"},
        {{ConstraintOp::add, 0, cell, Operand::cell(0, 7u << 29)}, "b must be a column below 3, got 536870911"},
        {{ConstraintOp::add, 0, cell, Operand::cell(3, 0)}, "b must be a slot below 64"},
        {{ConstraintOp::add, 0, cell, Operand::cell(1u << 31, 0, true)}, "b must be a slot below 64"},
        {{ConstraintOp::add, 0, cell, Operand::scalar(2)}, "b must be a scalar below 2, got 2"},
        {{ConstraintOp::add, 0, cell, Operand::cell(0, 3)}, "b must be a column below 3, got 3"},
        {{ConstraintOp::add, 0, Operand::cell(1, 0), cell}, "a must be a matrix below 1, got 1"},
        {{ConstraintOp::add, 0, {UINT32_MAX}, cell}, "a must be a matrix below 1, got 2"},
        {{ConstraintOp::sum, 0, cell, {1}}, "b must be a weight below 1, got 1"},
        {{ConstraintOp::sum, 1, cell, {0}}, "to must be of a sum below 1, got 1"},
    };
    for (const auto& [step, rule] : wrong)
        CHECK_ERROR(invalid_argument, rule, run({{ConstraintOp::add, 0, cell, scalar}, step}));
    CHECK_ERROR(invalid_argument, "next must be at most the number of rows, 8, got 9",
                run({}, {.next = 9, .degree = 2}));
    CHECK_ERROR(invalid_argument, "degree must be 1 to 8, got 0", run({}, {.degree = 0}));
    CHECK_ERROR(invalid_argument, "degree must be 1 to 8, got 9", run({}, {.degree = 9}));
    CHECK_ERROR(invalid_argument, "out must have 8 bytes for each of 8 rows, got 128", run({}, {.degree = 1}));
    CHECK_ERROR(invalid_argument, "weights must have 16 bytes for each weight, got 8",
                run({}, {.weights = std::as_bytes(std::span(two)).first(8), .degree = 2}));
    CHECK_ERROR(invalid_argument, "scalars must have 8 bytes for each scalar, got 15",
                run({}, {.scalars = std::as_bytes(std::span(two)).first(15), .degree = 2}));
    CHECK_ERROR(invalid_argument, "order must be natural (0) or bit_reversed (1), got 2",
                run({}, {.order = static_cast<RowOrder>(2), .degree = 2}));
    CHECK_ERROR(invalid_argument, "field must be goldilocks (0)",
                run({}, {.field = static_cast<Field>(3), .degree = 2}));
    CHECK_ERROR(invalid_argument, "words of babybear have 4 bytes, got 8", run({}, {.field = Field::babybear}));
    matrix.elements = Elements::canonical;
    CHECK_ERROR(invalid_argument, "elements must be any for matrices over goldilocks", run({}));
    matrix.elements = Elements::any;
    matrix.rows = 7;
    CHECK_ERROR(invalid_argument, "the number of rows must be a power of two up to 2^32, got 7", run({}));
    matrix.rows = 8;
    matrix.columns = 0;
    CHECK_ERROR(invalid_argument, "matrices must have at least 1 column, got 0", run({}));
    const std::vector<Matrix> four(4, matrix);
    CHECK_ERROR(invalid_argument, "matrices must be 1 to 3, got 4", merklize::evaluate_constraints(four, out, {}));
    CHECK_ERROR(invalid_argument, "matrices must be 1 to 3, got 0", merklize::evaluate_constraints({}, out, {}));
    std::vector<std::uint32_t> above = {0x78000001};
    Matrix small = Matrix::of_rows(std::span<const std::uint32_t>(above), 1);
    small.elements = Elements::montgomery;
    const ConstraintForm form{.field = Field::babybear, .next = 0, .scalars = std::as_bytes(std::span(above))};
    CHECK_ERROR(invalid_argument, "word 0 of scalars is not a field element: it must be below p = 2013265921",
                merklize::evaluate_constraints({&small, 1}, std::span(out).first(4), form));
}
