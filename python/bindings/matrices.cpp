// Matrices of words, as arrays of any strides, and commitments to them.
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "array_facts.hpp"
#include "form.hpp"
#include "host/invalid.hpp"
#include "module.hpp"
#include "run.hpp"
#include "tree.hpp"

namespace merklize::binding {

namespace {

/// Matrices of a call, as a caller gives them: words of one size, of any strides, at one place. Keeps them alive.
class Matrices {
public:
    /// matrices  an iterable, each item of which is checked as it comes, because it may have no end
    Matrices(nb::handle matrices, const HashTraits& hash, const Settings& settings) {
        std::string first_place, first_type;
        for (nb::handle item : nb::iter(matrices)) {
            const std::string name = "matrix " + std::to_string(matrices_.size());
            bool is_transposed = false;
            const ArrayFacts facts =
                facts_of(import_matrix(item, name.c_str(), settings, is_transposed), item, name.c_str());
            require_words(facts, hash, name);
            if (facts.on_device != nullptr) {
                add(*facts.on_device, is_transposed);
            } else {
                add(strided(facts));
            }
            owners_.push_back(facts.array);
            const std::string place = facts.on_device != nullptr ? facts.on_device->device().id : "the host";
            const std::string type = facts.word.substr(facts.word[0] == 'u' ? 1 : 0);
            if (matrices_.size() == 1) {
                first_place = place;
                first_type = type;
            }
            if (place != first_place)
                invalid("matrices must be all on the host or all on one device, got " + first_place + " and " + place);
            if (type != first_type) invalid("matrices must have words of one size, got " + first_type + " and " + type);
        }
        if (matrices_.empty()) invalid("there must be at least 1 matrix, got 0");
    }
    Matrices(const Matrices&) = delete;
    Matrices& operator=(const Matrices&) = delete;

    std::span<const Matrix> all() const noexcept { return matrices_; }
    /// Null if the matrices are on the host.
    const DeviceArray* on_device() const noexcept { return on_device_; }
    /// The first array, as the words' dtype and the place of results.
    const nb::object& first() const { return owners_.front(); }
    /// Rows and columns of each.
    nb::list shapes() const {
        nb::list result;
        for (const Matrix& matrix : matrices_) result.append(nb::make_tuple(matrix.rows, matrix.columns));
        return result;
    }

private:
    static void require_words(const ArrayFacts& facts, const HashTraits& hash, const std::string& name) {
        const std::string field = "uint" + std::to_string(hash.element_bits);
        const bool fits = hash.is_field ? facts.has_words_of(field)
                                        : facts.has_words_of("uint8") || facts.has_words_of("uint32") ||
                                              facts.has_words_of("uint64") || facts.word == "V16";
        if (facts.shape.size() != 2 || !fits)
            invalid(name + " must be " + (hash.is_field ? field : "uint8, uint32, uint64 or V16") + "[n, k], got " +
                    facts.text());
    }
    /// A copy in C order where a stride is no whole number of words.
    static nb::object strided(const ArrayFacts& facts) {
        const auto word_bytes = nb::cast<Py_ssize_t>(facts.array.attr("itemsize"));
        bool is_even = is_true(facts.array.attr("flags").attr("aligned"));
        for (nb::handle stride : facts.array.attr("strides"))
            is_even = is_even && nb::cast<Py_ssize_t>(stride) % word_bytes == 0;
        return is_even ? nb::module_::import_("numpy").attr("asarray")(facts.array) : facts.contiguous();
    }
    void add(const DeviceArray& array, bool is_transposed) {
        const auto rows = static_cast<std::uint64_t>(array.shape[is_transposed ? 1 : 0]);
        const unsigned word_bytes = array.dtype.bits / 8u;
        matrices_.push_back(is_transposed ? Matrix::of_columns(array.buffer, rows, word_bytes)
                                          : Matrix::of_rows(array.buffer, rows, word_bytes));
        matrices_.back().columns = static_cast<std::uint64_t>(array.shape[is_transposed ? 0 : 1]);
        on_device_ = &array;
    }
    void add(nb::handle array) {
        const BufferView& view = views_.emplace_back(array, PyBUF_STRIDES, "matrix");
        matrices_.push_back({.rows = static_cast<std::uint64_t>(view->shape[0]),
                             .columns = static_cast<std::uint64_t>(view->shape[1]),
                             .word_bytes = static_cast<unsigned>(view->itemsize),
                             .row_stride = view->strides[0] / view->itemsize,
                             .column_stride = view->strides[1] / view->itemsize,
                             .words = view->buf});
    }

    std::vector<Matrix> matrices_;
    std::vector<nb::object> owners_;
    std::deque<BufferView> views_;
    const DeviceArray* on_device_ = nullptr;
};

std::uint32_t to_modulus(nb::handle value) { return static_cast<std::uint32_t>(to_u64(value, "words: the modulus")); }

CommitmentForm to_form(nb::handle hash, nb::handle arity, nb::handle cap_height, nb::handle modulus) {
    const int children = to_int(arity, "arity"), cap = to_int(cap_height, "cap_height");
    if (children < 0 || cap < 0) {
        throw Error(ErrorCode::invalid_argument, "arity and cap_height must not be negative, got " +
                                                     std::to_string(children) + " and " + std::to_string(cap));
    }
    return {hash_from_name(to_text(hash, "hash")), static_cast<unsigned>(children), static_cast<unsigned>(cap),
            to_modulus(modulus)};
}

void hash_matrix_rows(const Matrices& matrices, nb::handle out, nb::handle hash, nb::handle key, nb::handle context,
                      nb::handle modulus, const Settings& settings) {
    const Hash which = hash_from_name(to_text(hash, "hash"));
    const RowForm form(which, to_mode(key, context, which), to_modulus(modulus));
    const Run run(settings, matrices.on_device());
    if (matrices.on_device() != nullptr) {
        const Buffer output = bound<DeviceArray>(out).writable();
        return run([&](const RunOptions& options) { merklize::hash_rows(matrices.all(), output, form, options); });
    }
    const OutputBytes output(out);
    run([&](const RunOptions& options) {
        merklize::hash_rows(matrices.all(), as_digests(output.span()), form, options);
    });
}

void extend_matrix(const Matrices& matrix, nb::handle out, nb::handle field, nb::handle added_bits, nb::handle shift,
                   nb::handle is_reversed, const Settings& settings) {
    const int bits = to_int(added_bits, "added_bits");
    if (bits < 0)
        throw Error(ErrorCode::invalid_argument, "added_bits must not be negative, got " + std::to_string(bits));
    const ExtendForm form{.field = static_cast<Field>(to_int(field, "field")),
                          .added_bits = static_cast<unsigned>(bits),
                          .shift = to_u64(shift, "shift"),
                          .order = is_true(is_reversed) ? RowOrder::bit_reversed : RowOrder::natural};
    const Run run(settings, matrix.on_device());
    if (matrix.on_device() != nullptr) {
        const Buffer output = bound<DeviceArray>(out).writable();
        return run([&](const RunOptions& options) { merklize::extend(matrix.all()[0], output, form, options); });
    }
    const OutputBytes output(out);
    run([&](const RunOptions& options) { merklize::extend(matrix.all()[0], output.span(), form, options); });
}

MatrixCommitment make_commitment(const Matrices& matrices, nb::handle hash, nb::handle arity, nb::handle cap_height,
                                 nb::handle modulus, nb::handle keep, nb::handle drop_levels,
                                 const Settings& settings) {
    const CommitmentForm form = to_form(hash, arity, cap_height, modulus);
    const bool keeps = to_flag(keep, "keep");
    const auto dropped = static_cast<unsigned>(to_int(drop_levels, "drop_levels"));
    std::optional<MatrixCommitment> made;
    Run(settings, matrices.on_device())(
        [&](const RunOptions& options) { made.emplace(matrices.all(), form, options, keeps, dropped); });
    return std::move(*made);
}

nb::bytes digests_bytes(std::span<const Digest> digests) { return to_bytes(std::as_bytes(digests)); }

std::span<const Matrix> given(const Matrices* matrices) {
    return matrices == nullptr ? std::span<const Matrix>() : matrices->all();
}

nb::tuple open_each(const MatrixCommitment& self, nb::handle indices, const Matrices* matrices) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    std::vector<MatrixOpening> openings;
    Run::without_gil([&] { openings = self.open(wanted, given(matrices)); });
    nb::list rows, siblings;
    for (const MatrixOpening& opening : openings) {
        rows.append(to_bytes(opening.rows));
        siblings.append(digests_bytes(opening.siblings));
    }
    return nb::make_tuple(rows, siblings);
}

nb::tuple open_together(const MatrixCommitment& self, nb::handle indices, const Matrices* matrices) {
    const std::vector<std::uint64_t> wanted = to_indices(indices);
    MatrixMultiOpening opening;
    Run::without_gil([&] { opening = self.open_together(wanted, given(matrices)); });
    nb::list sorted;
    for (const std::uint64_t index : opening.indices) sorted.append(index);
    return nb::make_tuple(sorted, to_bytes(opening.rows), digests_bytes(opening.siblings));
}

bool verify_opening(nb::handle indices, nb::handle rows, nb::handle siblings, nb::handle cap, const nb::list& dims,
                    nb::handle hash, nb::handle arity, nb::handle cap_height, nb::handle modulus,
                    nb::handle word_bytes) {
    CommitmentForm form = to_form(hash, arity, cap_height, modulus);
    form.word_bytes = static_cast<unsigned>(to_int(word_bytes, "word_bytes"));
    std::vector<MatrixDims> shapes;
    for (nb::handle one : dims) shapes.push_back({to_u64(one[0], "dims: rows"), to_u64(one[1], "dims: columns")});
    const InputBytes words(rows, "rows"), nodes(siblings, "siblings"), top(cap, "cap");
    if (nodes.span().size() % Digest::size != 0 || top.span().size() % Digest::size != 0) return false;
    const auto path = as_digests(nodes.span()), known = as_digests(top.span());
    const MatrixMultiOpening opening{
        to_indices(indices), {words.span().begin(), words.span().end()}, {path.begin(), path.end()}};
    bool holds = false;
    Run::without_gil([&] { holds = verify(opening, known, shapes, form); });
    return holds;
}

}  // namespace

void bind_matrices(nb::module_& m) {
    nb::class_<Matrices>(m, "Matrices", "Matrices of one call, in the memory of their arrays, which it keeps.")
        .def(nb::init<nb::handle, const HashTraits&, const Settings&>(), nb::arg().none(), nb::arg(), nb::arg(),
             nb::sig("def __init__(self, matrices: typing.Iterable[object], hash: HashInfo, settings: Settings, /) -> "
                     "None"))
        .def_prop_ro("shapes", &Matrices::shapes, nb::sig("def shapes(self) -> list[tuple[int, int]]"),
                     "Rows and columns of each.")
        .def_prop_ro("first", &Matrices::first, nb::sig("def first(self) -> typing.Any"), "The first array.");
    nb::class_<MatrixCommitment>(m, "Commitment", "A commitment to matrices.")
        .def_prop_ro(
            "hash", [](const MatrixCommitment& self) { return name_of(self.form().hash); },
            nb::sig("def hash(self) -> str"))
        .def_prop_ro("arity", [](const MatrixCommitment& self) { return self.form().arity; })
        .def_prop_ro("cap_height", [](const MatrixCommitment& self) { return self.form().cap_height; })
        .def_prop_ro("word_bytes", [](const MatrixCommitment& self) { return self.form().word_bytes; })
        .def_prop_ro("n_leaves", &MatrixCommitment::n_leaves)
        .def_prop_ro("height", &MatrixCommitment::height)
        .def_prop_ro("keeps_matrices", &MatrixCommitment::keeps_matrices)
        .def_prop_ro("drop_levels", &MatrixCommitment::drop_levels)
        .def_prop_ro("on_device", &MatrixCommitment::on_device)
        .def_prop_ro("device", [](const MatrixCommitment& self) { return self.device().id; })
        .def_prop_ro(
            "cap", [](const MatrixCommitment& self) { return digests_bytes(self.cap()); },
            nb::sig("def cap(self) -> bytes"))
        .def("open_each", open_each, nb::arg().none(), nb::arg().none(),
             nb::sig("def open_each(self, indices: object, matrices: Matrices | None, /) -> tuple[list[bytes], "
                     "list[bytes]]"))
        .def("open_together", open_together, nb::arg().none(), nb::arg().none(),
             nb::sig("def open_together(self, indices: object, matrices: Matrices | None, /) -> tuple[list[int], "
                     "bytes, bytes]"));
    m.def("hash_matrix_rows", hash_matrix_rows, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg().none(), nb::arg().none(), nb::arg(),
          nb::sig("def hash_matrix_rows(matrices: Matrices, out: object, hash: str, key: object, context: str | None, "
                  "modulus: int, settings: Settings, /) -> None"));
    m.def(
        "extend", extend_matrix, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
        nb::arg().none(), nb::arg(),
        nb::sig("def extend(matrix: Matrices, out: object, field: int, added_bits: int, shift: int, is_reversed: bool, "
                "settings: Settings, /) -> None"));
    m.def("make_commitment", make_commitment, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg(),
          nb::sig("def make_commitment(matrices: Matrices, hash: str, arity: int, cap_height: int, modulus: int, keep: "
                  "bool, drop_levels: int, settings: Settings, /) -> Commitment"));
    m.def("verify_opening", verify_opening, nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::arg().none(),
          nb::sig("def verify_opening(indices: object, rows: object, siblings: object, cap: object, dims: "
                  "list[tuple[int, int]], hash: str, arity: int, cap_height: int, modulus: int, word_bytes: int, /) -> "
                  "bool"));
}

}  // namespace merklize::binding
