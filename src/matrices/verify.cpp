// Verification of openings, on the host.
#include <algorithm>
#include <cstring>
#include <optional>

#include "hashes/field.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "jobs/host_executor.hpp"
#include "jobs/matrix_rows.hpp"
#include "matrices/input.hpp"
#include "matrices/plan.hpp"
#include "matrices/state.hpp"
#include "merklize/error.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::CommitmentPlan;

/// What the verifier knows, and how to hash it.
class Verifier {
public:
    Verifier(std::span<const MatrixDims> dims, const CommitmentForm& form)
        : dims_(dims), form_(form), plan_(runtime::plan_commitment(dims, form)) {
        const mkz_hash_info& facts = runtime::info(form.hash);
        if (form_.word_bytes == 0)
            form_.word_bytes = runtime::is_field(facts) ? facts.element_bytes : form.montgomery != 0 ? 4 : 1;
        if (!runtime::is_word_size(form_.word_bytes) ||
            (runtime::is_field(facts) && form_.word_bytes != facts.element_bytes)) {
            invalid_call(std::string("words of '") + facts.name + "' cannot have " + std::to_string(form.word_bytes) +
                         " bytes");
        }
        runtime::require_row_form({form.hash, {}, form.montgomery}, form_.word_bytes);
        modulus_ = runtime::is_field(facts) ? facts.modulus : form.montgomery;
        for (const MatrixDims& matrix : dims) row_bytes_ += form_.word_bytes * matrix.columns;
    }

    // Throws if a matrix is there whose rows no opening shows.
    void require_shown() const {
        for (unsigned l = plan_.cap_layer + 1; l < plan_.layers.size(); l++) {
            if (plan_.layers[l].matrices.empty()) continue;
            invalid_call(
                "matrix " + std::to_string(plan_.layers[l].matrices[0]) +
                " is hashed into a layer above the cap, so nothing shows its rows; cap_height must be at most " +
                std::to_string(plan_.layers.size() - 1 - l));
        }
    }

    bool holds(std::span<const std::uint64_t> indices, std::span<const std::byte> rows,
               std::span<const Digest> siblings, std::span<const Digest> cap) const {
        if (indices.empty() || !are_well_formed(indices, rows, siblings, cap)) return false;
        std::vector<std::uint64_t> here(indices.begin(), indices.end());
        // The first index below each node. Its rows are hashed into the node.
        std::vector<std::size_t> owner(indices.size());
        for (std::size_t i = 0; i < owner.size(); i++) owner[i] = i;
        std::vector<Digest> nodes(indices.size());
        for (std::size_t i = 0; i < nodes.size(); i++) nodes[i] = rows_digest(rows, i, plan_.layers[0]);
        for (unsigned l = 0; l < plan_.cap_layer; l++) {
            const CommitmentPlan::Layer &layer = plan_.layers[l], &above = plan_.layers[l + 1];
            std::size_t groups = 0;
            for (std::size_t i = 0; i < here.size(); groups++) {
                const std::uint64_t group = here[i] / layer.step;
                const std::size_t first = owner[i];
                Digest children[4]{};
                for (unsigned child = 0; child < layer.step; child++) {
                    if (i < here.size() && here[i] == group * layer.step + child) {
                        children[child] = nodes[i];
                        if (!are_same_rows(rows, first, owner[i], l + 1)) return false;
                        i++;
                    } else {
                        if (siblings.empty()) return false;
                        children[child] = siblings[0];
                        siblings = siblings.subspan(1);
                    }
                }
                Digest node = merge(children);
                if (!above.matrices.empty()) {
                    Digest into[4]{node, rows_digest(rows, first, above)};
                    node = merge(into);
                }
                here[groups] = group;
                owner[groups] = first;
                nodes[groups] = node;
            }
            here.resize(groups);
        }
        if (!siblings.empty()) return false;
        for (std::size_t i = 0; i < here.size(); i++) {
            if (here[i] >= cap.size() || nodes[i] != cap[here[i]]) return false;
        }
        return true;
    }

private:
    bool are_well_formed(std::span<const std::uint64_t> indices, std::span<const std::byte> rows,
                         std::span<const Digest> siblings, std::span<const Digest> cap) const {
        const mkz_hash_info& facts = runtime::info(form_.hash);
        if (cap.size() != plan_.cap_size || !runtime::are_canonical(facts, cap) ||
            !runtime::are_canonical(facts, siblings))
            return false;
        for (std::size_t i = 0; i < indices.size(); i++) {
            if (indices[i] >= plan_.n_leaves || (i > 0 && indices[i] <= indices[i - 1])) return false;
        }
        if (row_bytes_ == 0 ? !rows.empty()
                            : rows.size() % row_bytes_ != 0 || rows.size() / row_bytes_ != indices.size())
            return false;
        const std::size_t words = rows.size() / form_.word_bytes;
        return modulus_ == 0 || runtime::first_not_below(modulus_, form_.word_bytes, rows.data(), words) == words;
    }

    // The rows of opening i that belong to a layer, side by side.
    std::vector<std::byte> rows_at(std::span<const std::byte> rows, std::size_t i,
                                   const CommitmentPlan::Layer& layer) const {
        std::vector<std::byte> found;
        std::span<const std::byte> rest = rows.subspan(i * row_bytes_, row_bytes_);
        for (std::size_t m = 0; m < dims_.size(); m++) {
            const auto row = rest.first(form_.word_bytes * dims_[m].columns);
            rest = rest.subspan(row.size());
            if (std::ranges::find(layer.matrices, m) != layer.matrices.end())
                found.insert(found.end(), row.begin(), row.end());
        }
        return found;
    }

    Digest rows_digest(std::span<const std::byte> rows, std::size_t i, const CommitmentPlan::Layer& layer) const {
        std::vector<std::byte> row = rows_at(rows, i, layer);
        if (form_.montgomery != 0) runtime::to_montgomery(row.data(), row.size() / 4, form_.montgomery);
        return hash_row(form_.hash, row);
    }

    // Openings below one node must agree on the rows that are hashed into it and into nodes above it.
    bool are_same_rows(std::span<const std::byte> rows, std::size_t i, std::size_t j, std::size_t from) const {
        if (i == j) return true;
        for (std::size_t l = from; l < plan_.layers.size(); l++) {
            const CommitmentPlan::Layer& layer = plan_.layers[l];
            if (!layer.matrices.empty() && rows_at(rows, i, layer) != rows_at(rows, j, layer)) return false;
        }
        return true;
    }

    static Digest hash_row(Hash hash, std::span<const std::byte> row) {
        Digest digest;
        runtime::HostExecutor(1).launch(runtime::HashRows{.hash = hash,
                                                          .rows = runtime::host_place(row.data()),
                                                          .n = 1,
                                                          .length = row.size() / runtime::row_unit(hash),
                                                          .mode = {},
                                                          .out = runtime::host_place(&digest)},
                                        {});
        return digest;
    }

    Digest merge(const Digest children[4]) const {
        if (form_.arity == 2) return runtime::merge_one(form_.hash, children[0], children[1]);
        return hash_row(static_cast<Hash>(runtime::info(form_.hash).quad_hash), std::as_bytes(std::span(children, 4)));
    }

    std::span<const MatrixDims> dims_;
    CommitmentForm form_;
    CommitmentPlan plan_;
    std::uint64_t modulus_ = 0;
    std::uint64_t row_bytes_ = 0;
};

}  // namespace

bool MatrixCommitment::State::holds(std::span<const std::uint64_t> indices, std::span<const std::byte> rows,
                                    std::span<const Digest> siblings) const {
    return Verifier(dims, form).holds(indices, rows, siblings, cap);
}

bool verify(const MatrixOpening& opening, std::span<const Digest> cap, std::span<const MatrixDims> dims,
            const CommitmentForm& form) {
    const PublicCall entry("verify");
    const Verifier verifier(dims, form);
    verifier.require_shown();
    return verifier.holds({&opening.index, 1}, opening.rows, opening.siblings, cap);
}

bool verify(const MatrixMultiOpening& opening, std::span<const Digest> cap, std::span<const MatrixDims> dims,
            const CommitmentForm& form) {
    const PublicCall entry("verify");
    const Verifier verifier(dims, form);
    verifier.require_shown();
    return verifier.holds(opening.indices, opening.rows, opening.siblings, cap);
}

}  // namespace merklize::inline v0
