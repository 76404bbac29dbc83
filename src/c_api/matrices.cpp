// Rows of matrices, extensions, and commitments.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "c_api/calls.hpp"

using namespace merklize::c_api;
using merklize::CommitmentForm;
using merklize::ConstraintStep;
using merklize::Digest;
using merklize::Hash;
using merklize::Matrix;
using merklize::MatrixCommitment;

namespace {

static_assert(int{MERKLIZE_ELEMENTS_CANONICAL} == int(merklize::Elements::canonical) &&
              int{MERKLIZE_ELEMENTS_ANY} == int(merklize::Elements::any) &&
              int{MERKLIZE_ELEMENTS_MONTGOMERY} == int(merklize::Elements::montgomery));
static_assert(int{MERKLIZE_FIELD_GOLDILOCKS} == int(merklize::Field::goldilocks) &&
              int{MERKLIZE_FIELD_BABYBEAR} == int(merklize::Field::babybear) &&
              int{MERKLIZE_FIELD_KOALABEAR} == int(merklize::Field::koalabear));
static_assert(int{MERKLIZE_ROW_ORDER_NATURAL} == int(merklize::RowOrder::natural) &&
              int{MERKLIZE_ROW_ORDER_BIT_REVERSED} == int(merklize::RowOrder::bit_reversed));
static_assert(sizeof(merklize_constraint_step) == sizeof(ConstraintStep) &&
              offsetof(merklize_constraint_step, to) == offsetof(ConstraintStep, to) &&
              offsetof(merklize_constraint_step, a) == offsetof(ConstraintStep, a) &&
              offsetof(merklize_constraint_step, b) == offsetof(ConstraintStep, b));
static_assert(int{MERKLIZE_CONSTRAINT_OP_SUM} == int(merklize::ConstraintOp::sum));

Matrix read_matrix(const Call& call, const merklize_matrix& matrix) {
    if (matrix.words != nullptr && matrix.buffer != nullptr) call.invalid("a matrix has words or a buffer, got both");
    Matrix made{.rows = matrix.rows,
                .columns = matrix.columns,
                .word_bytes = matrix.word_bytes,
                .row_stride = matrix.row_stride,
                .column_stride = matrix.column_stride,
                .words = matrix.words,
                .buffer = {},
                .first = matrix.first,
                .elements = static_cast<merklize::Elements>(matrix.elements)};
    if (matrix.buffer != nullptr) made.buffer = matrix.buffer->value;
    return made;
}

std::vector<Matrix> read_matrices(const Call& call, const merklize_matrix* matrices, std::size_t count) {
    std::vector<Matrix> made;
    for (const merklize_matrix& matrix : call.items(matrices, count, "matrices"))
        made.push_back(read_matrix(call, matrix));
    return made;
}

merklize::ExtendForm read_extension(const merklize_extend_form& form) {
    return {.field = static_cast<merklize::Field>(form.field),
            .added_bits = form.added_bits,
            .shift = form.shift,
            .order = static_cast<merklize::RowOrder>(form.order)};
}

CommitmentForm read_form(const Call& call, const merklize_commitment_form* given) {
    const merklize_commitment_form& form = call.need(given, "form");
    CommitmentForm made(call.hash(form.hash), form.arity == 0 ? 2 : form.arity, form.cap_height, form.montgomery);
    made.word_bytes = form.word_bytes;
    return made;
}

// The form of a new commitment, whose words are those of its matrices.
CommitmentForm read_new_form(const Call& call, const merklize_commitment_form* given) {
    CommitmentForm made = read_form(call, given);
    if (made.word_bytes != 0)
        call.invalid("form->word_bytes",
                     "must be 0: each matrix states its own, got " + std::to_string(made.word_bytes));
    return made;
}

std::uint64_t row_bytes_of(const MatrixCommitment& commitment) {
    std::uint64_t columns = 0;
    for (const merklize::MatrixDims& dims : commitment.dims()) columns += dims.columns;
    return commitment.form().word_bytes * columns;
}

template <class Item>
void put(std::span<const Item> from, Item* to) {
    std::ranges::copy(from, to);
}

}  // namespace

merklize_status merklize_hash_rows(const merklize_matrix* matrices, size_t count, merklize_hash_id hash,
                                   uint32_t montgomery, const merklize_mode* mode, merklize_output out,
                                   const merklize_run_options* options) {
    return run("merklize_hash_rows", [&](const Call& call) {
        const Options run(call, options);
        const std::vector<Matrix> given = read_matrices(call, matrices, count);
        const Hash by = call.hash(hash);
        const merklize::RowForm form{by, call.mode(mode, by), montgomery};
        if (call.on_device(out, "out"))
            merklize::hash_rows(given, call.written(out.buffer, "out"), form, run.get());
        else
            merklize::hash_rows(given, call.digests(out, "out"), form, run.get());
        run.finish();
    });
}

merklize_status merklize_extend(const merklize_matrix* matrix, const merklize_extend_form* form, merklize_output out,
                                const merklize_run_options* options) {
    return run("merklize_extend", [&](const Call& call) {
        const Options run(call, options);
        const Matrix given = read_matrix(call, call.need(matrix, "matrix"));
        const merklize::ExtendForm made = read_extension(call.need(form, "form"));
        if (call.on_device(out, "out"))
            merklize::extend(given, call.written(out.buffer, "out"), made, run.get());
        else
            merklize::extend(given, call.bytes(out, "out"), made, run.get());
        run.finish();
    });
}

merklize_status merklize_weighted_sums(const merklize_matrix* matrix, const void* weights, uint64_t weight_bytes,
                                       const merklize_sum_form* form, void* out, uint64_t out_bytes,
                                       const merklize_run_options* options) {
    return run("merklize_weighted_sums", [&](const Call& call) {
        const Options run(call, options);
        const Matrix given = read_matrix(call, call.need(matrix, "matrix"));
        const merklize_sum_form& asked = call.need(form, "form");
        const merklize::SumForm made{.field = static_cast<merklize::Field>(asked.field),
                                     .over = static_cast<merklize::SumOver>(asked.over),
                                     .degree = asked.degree};
        const auto factors = call.bytes(static_cast<const std::uint8_t*>(weights), weight_bytes, "weights");
        merklize::weighted_sums(given, factors, call.bytes(static_cast<std::uint8_t*>(out), out_bytes, "out"), made,
                                run.get());
        run.finish();
    });
}

merklize_status merklize_evaluate_constraints(const merklize_matrix* matrices, size_t count,
                                              const merklize_constraint_form* form, void* out, uint64_t out_bytes,
                                              const merklize_run_options* options) {
    return run("merklize_evaluate_constraints", [&](const Call& call) {
        const Options run(call, options);
        const std::vector<Matrix> given = read_matrices(call, matrices, count);
        const merklize_constraint_form& asked = call.need(form, "form");
        const auto steps = call.items(asked.steps, asked.n_steps, "steps");
        const auto words = [&](const void* first, std::uint64_t bytes, const char* what) {
            return call.bytes(static_cast<const std::uint8_t*>(first), bytes, what);
        };
        const merklize::ConstraintForm made{
            .field = static_cast<merklize::Field>(asked.field),
            .order = static_cast<merklize::RowOrder>(asked.order),
            .next = asked.next,
            .steps = {reinterpret_cast<const ConstraintStep*>(steps.data()), steps.size()},
            .scalars = words(asked.scalars, asked.scalar_bytes, "scalars"),
            .weights = words(asked.weights, asked.weight_bytes, "weights"),
            .degree = asked.degree};
        merklize::evaluate_constraints(given, call.bytes(static_cast<std::uint8_t*>(out), out_bytes, "out"), made,
                                       run.get());
        run.finish();
    });
}

merklize_status merklize_commitment_build(const merklize_matrix* matrices, size_t count,
                                          const merklize_commitment_form* form, const merklize_run_options* options,
                                          merklize_commitment** commitment) {
    return run("merklize_commitment_build", [&](const Call& call) {
        merklize_commitment*& out = call.result(commitment, "commitment");
        const Options run(call, options);
        const CommitmentForm made = read_new_form(call, form);
        out = new merklize_commitment{MatrixCommitment(read_matrices(call, matrices, count), made, run.get(),
                                                       call.flag(form->keep, "form->keep"), form->drop_levels)};
        run.finish();
    });
}

merklize_status merklize_commit_extended(const merklize_extended_matrix* matrices, size_t count,
                                         const merklize_commitment_form* form, const merklize_run_options* options,
                                         merklize_commitment** commitment) {
    return run("merklize_commit_extended", [&](const Call& call) {
        merklize_commitment*& out = call.result(commitment, "commitment");
        const Options run(call, options);
        const CommitmentForm made = read_new_form(call, form);
        std::vector<merklize::ExtendedMatrix> given;
        for (const merklize_extended_matrix& one : call.items(matrices, count, "matrices")) {
            given.push_back(
                {.matrix = read_matrix(call, one.matrix),
                 .form = read_extension(one.form),
                 .out = call.bytes(static_cast<std::uint8_t*>(one.out), one.out_bytes, "out"),
                 .buffer = one.buffer == nullptr ? std::nullopt : std::optional(call.written(one.buffer, "buffer"))});
        }
        out = new merklize_commitment{
            merklize::commit_extended(given, made, run.get(), call.flag(form->keep, "form->keep"), form->drop_levels)};
        run.finish();
    });
}

void merklize_commitment_free(merklize_commitment* commitment) { delete commitment; }

merklize_status merklize_commitment_get_info(const merklize_commitment* commitment, merklize_commitment_info* info) {
    return run("merklize_commitment_get_info", [&](const Call& call) {
        merklize_commitment_info& out = call.need(info, "info");
        const MatrixCommitment& value = call.need(commitment, "commitment").value;
        out = {.hash = to_c(value.form().hash),
               .arity = value.form().arity,
               .cap_height = value.form().cap_height,
               .height = value.height(),
               .n_leaves = value.n_leaves(),
               .cap_size = value.cap().size(),
               .path_length = value.path_length(),
               .row_bytes = row_bytes_of(value),
               .on_device = value.on_device() ? 1u : 0u,
               .keeps_matrices = value.keeps_matrices() ? 1u : 0u,
               .drop_levels = value.drop_levels()};
    });
}

merklize_status merklize_commitment_cap(const merklize_commitment* commitment, merklize_digest* cap, size_t capacity,
                                        size_t* count) {
    return run("merklize_commitment_cap", [&](const Call& call) {
        call.put_digests(call.need(commitment, "commitment").value.cap(), cap, capacity, count);
    });
}

merklize_status merklize_commitment_open(const merklize_commitment* commitment, const uint64_t* indices, size_t count,
                                         const merklize_matrix* matrices, size_t matrix_count, uint8_t* rows,
                                         merklize_digest* siblings) {
    return run("merklize_commitment_open", [&](const Call& call) {
        const MatrixCommitment& value = call.need(commitment, "commitment").value;
        const auto which = call.items(indices, count, "indices");
        const std::size_t path = value.path_length();
        const std::span<Digest> nodes = call.digests(siblings, count * path, "siblings");
        if (rows == nullptr) {
            const std::vector<Digest> found = value.siblings(which, read_matrices(call, matrices, matrix_count));
            return put(std::span(found), nodes.data());
        }
        const std::vector<merklize::MatrixOpening> openings =
            value.open(which, read_matrices(call, matrices, matrix_count));
        for (std::size_t i = 0; i < count; i++) {
            put(std::span(openings[i].rows), reinterpret_cast<std::byte*>(rows) + i * openings[i].rows.size());
            put(std::span(openings[i].siblings), nodes.data() + i * path);
        }
    });
}

merklize_status merklize_commitment_open_together(const merklize_commitment* commitment, const uint64_t* indices,
                                                  size_t count, const merklize_matrix* matrices, size_t matrix_count,
                                                  uint8_t* rows, merklize_digest* siblings, size_t capacity,
                                                  size_t* needed) {
    return run("merklize_commitment_open_together", [&](const Call& call) {
        const MatrixCommitment& value = call.need(commitment, "commitment").value;
        const auto which = call.items(indices, count, "indices");
        const std::vector<Matrix> given = read_matrices(call, matrices, matrix_count);
        if (rows == nullptr) return call.put_digests(value.siblings_together(which, given), siblings, capacity, needed);
        const merklize::MatrixMultiOpening opening = value.open_together(which, given);
        call.put_digests(opening.siblings, siblings, capacity, needed);
        put(std::span(opening.rows), reinterpret_cast<std::byte*>(rows));
    });
}

merklize_status merklize_verify_opening(const uint64_t* indices, size_t count, const uint8_t* rows, size_t row_bytes,
                                        const merklize_digest* siblings, size_t sibling_count,
                                        const merklize_digest* cap, size_t cap_count, const merklize_matrix_dims* dims,
                                        size_t dims_count, const merklize_commitment_form* form, int* valid) {
    return run("merklize_verify_opening", [&](const Call& call) {
        int& out = call.result(valid, "valid");
        const CommitmentForm made = read_form(call, form);
        std::vector<merklize::MatrixDims> shapes;
        for (const merklize_matrix_dims& one : call.items(dims, dims_count, "dims"))
            shapes.push_back({one.rows, one.columns});
        const auto which = call.items(indices, count, "indices");
        const auto words = call.bytes(rows, row_bytes, "rows");
        const auto nodes = call.digests(siblings, sibling_count, "siblings");
        const merklize::MatrixMultiOpening opening{
            {which.begin(), which.end()}, {words.begin(), words.end()}, {nodes.begin(), nodes.end()}};
        out = merklize::verify(opening, call.digests(cap, cap_count, "cap"), shapes, made) ? 1 : 0;
    });
}
