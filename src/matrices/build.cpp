// Builds a commitment: rows are hashed into their layers, and the layers are merged.
#include "matrices/build.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/matrix_rows.hpp"
#include "levels/build.hpp"
#include "levels/node_store.hpp"

namespace merklize::runtime {
namespace {

void clear_nodes(const Place& nodes, std::uint64_t n, Run& run) {
    if (n == 0) return;
    if (nodes.on_device) return run.on_device().clear_nodes(nodes, n);
    std::memset(host_bytes(nodes), 0, Digest::size * n);
}

/// The kept layers of a plan.
class Builder {
public:
    /// first_leaf  the number of leaf 0, for texts of errors
    /// share       of the call
    Builder(const CommitmentForm& form, const MatrixInput& input, const CommitmentPlan& plan, const Place& nodes,
            std::uint64_t first_leaf, double share, Run& run)
        : form_(form),
          input_(input),
          plan_(plan),
          nodes_(nodes),
          first_leaf_(first_leaf),
          run_(run),
          merges_(TreeForm(form.hash)) {
        double work = 0;
        for (std::size_t l = plan.drop_levels; l < plan.layers.size(); l++)
            work += work_of(plan.layers[l]) + static_cast<double>(plan.layers[l].length);
        share_ = share / std::max(work, 1.0);
    }

    /// All layers, of a plan that drops none.
    void build() {
        hash_rows(plan_.layers[0], at(plan_.layers[0]));
        merge_above(0);
    }
    /// The layers above one whose nodes are there.
    void merge_above(std::size_t l) {
        clear_behind(plan_.layers[l]);
        while (l + 1 < plan_.layers.size()) l = form_.arity == 2 ? merge_pairs(l) : merge_groups(l);
        run_.finish();
    }

private:
    Place at(const CommitmentPlan::Layer& layer) const { return at_node(nodes_, layer.first); }

    // Cost, about, in compressions.
    double work_of(const CommitmentPlan::Layer& layer) const {
        double blocks = 0;
        for (const std::size_t m : layer.matrices)
            blocks += static_cast<double>(input_.at[m].columns * input_.word_bytes) / 64;
        return layer.matrices.empty() ? 0 : (1 + blocks) * static_cast<double>(layer.nodes);
    }
    double share_of(double work) const { return work * share_; }

    // Hashes the rows that belong to a layer.
    void hash_rows(const CommitmentPlan::Layer& layer, const Place& out) {
        if (rows_of(layer) == 0) return;
        HashMatrices job = rows_job({form_.hash, {}, form_.montgomery}, input_, layer.matrices, rows_of(layer));
        job.first_row = first_leaf_ >> plan_.shifts[layer.matrices[0]];
        job.out = out;
        run_.launch(job, share_of(work_of(layer)));
    }
    std::uint64_t rows_of(const CommitmentPlan::Layer& layer) const {
        return plan_.n_leaves == 0 ? 0 : ((plan_.n_leaves - 1) >> plan_.shifts[layer.matrices[0]]) + 1;
    }
    void clear_behind(const CommitmentPlan::Layer& layer) {
        clear_nodes(at_node(at(layer), layer.nodes), layer.length - layer.nodes, run_);
    }

    // Fills a layer with zeros behind its nodes, and hashes rows into the nodes.
    void complete(const CommitmentPlan::Layer& layer) {
        clear_behind(layer);
        if (layer.matrices.empty() || layer.nodes == 0) return;
        std::vector<Digest> host(nodes_.on_device ? 0 : layer.nodes);
        // Digests of the layer's rows, which are then merged into its nodes.
        std::optional<Buffer> block;
        if (nodes_.on_device) block.emplace(run_.options().device, Digest::size * layer.nodes);
        const Place digests = block ? place_of(*block) : host_place(host.data());
        hash_rows(layer, digests);
        const std::uint64_t rows = rows_of(layer);
        clear_nodes(at_node(digests, rows), layer.nodes - rows, run_);
        if (form_.arity == 2) {
            run_.launch(MergePairs{.hash = form_.hash,
                                   .mode = {},
                                   .left = at(layer),
                                   .right = digests,
                                   .n = layer.nodes,
                                   .out = at(layer)});
        } else {
            merge_beside({nodes_row(at(layer), 1), nodes_row(digests, 1)}, 2, layer.nodes, at(layer));
        }
        run_.finish();  // before the digests are freed
    }

    // Merges from layer l up to the next one that needs more than pairs of nodes.  returns  that layer
    std::size_t merge_pairs(std::size_t l) {
        const CommitmentPlan::Layer& from = plan_.layers[l];
        std::size_t to = l + 1;
        const auto is_plain = [&](const CommitmentPlan::Layer& layer) {
            return layer.matrices.empty() && layer.nodes == layer.length;
        };
        while (to + 1 < plan_.layers.size() && is_plain(plan_.layers[to])) to++;
        const auto levels = static_cast<unsigned>(to - l);
        const TreeLayout layout{from.length, levels, from.first};
        build_levels({nodes_, from.first}, nodes_, layout, merges_, run_, share_of(static_cast<double>(from.length)));
        complete(plan_.layers[to]);
        return to;
    }

    // Words of `count` neighbouring nodes as a row.
    MatrixAt nodes_row(const Place& nodes, unsigned count, bool one_for_all = false) const {
        const auto word = static_cast<std::int64_t>(node_unit());
        const std::int64_t bytes = static_cast<std::int64_t>(Digest::size) * count;
        return {nodes, static_cast<std::uint64_t>(bytes / word), one_for_all ? 0 : bytes, word};
    }
    unsigned node_unit() const { return static_cast<unsigned>(std::max<std::uint64_t>(row_unit(quad_hash()), 4)); }
    Hash quad_hash() const { return static_cast<Hash>(info(form_.hash).quad_hash); }

    // Merges of four. The first `inputs` nodes of each lie in these rows; the others are zeros.
    void merge_beside(std::vector<MatrixAt> rows, unsigned inputs, std::uint64_t n, const Place& out) {
        static constexpr Digest zeros[2]{};
        rows.push_back(nodes_row(host_zeros(zeros), form_.arity - inputs, true));
        run_.launch(HashMatrices{
            .hash = quad_hash(), .matrices = std::move(rows), .n = n, .word_bytes = node_unit(), .out = out});
    }
    Place host_zeros(const Digest* zeros) {
        if (!nodes_.on_device) return host_place(zeros);
        if (!zeros_) {
            zeros_.emplace(run_.options().device, Digest::size * 2);
            clear_nodes(place_of(*zeros_), 2, run_);
        }
        return place_of(*zeros_);
    }

    std::size_t merge_groups(std::size_t l) {
        const CommitmentPlan::Layer &from = plan_.layers[l], &to = plan_.layers[l + 1];
        if (to.nodes == 0) {
            // Only zeros, which complete() writes.
        } else if (from.step == form_.arity) {
            run_.launch(HashRows{.hash = quad_hash(),
                                 .rows = at(from),
                                 .n = to.nodes,
                                 .length = from.step * Digest::size / row_unit(quad_hash()),
                                 .mode = {},
                                 .out = at(to)},
                        share_of(static_cast<double>(from.length)));
        } else {
            merge_beside({nodes_row(at(from), from.step)}, from.step, to.nodes, at(to));
        }
        complete(to);
        return l + 1;
    }

    const CommitmentForm& form_;
    const MatrixInput& input_;
    const CommitmentPlan& plan_;
    const Place nodes_;
    const std::uint64_t first_leaf_;
    Run& run_;
    Merges merges_;
    std::optional<Buffer> zeros_{};
    double share_ = 0;
};

/// The matrices from the rows below node `first` of the lowest kept layer on.
MatrixInput from_leaf(const MatrixInput& input, const CommitmentPlan& plan, std::uint64_t leaf) {
    MatrixInput here = input;
    for (unsigned l = 0; l <= plan.drop_levels; l++) {
        for (const std::size_t m : plan.layers[l].matrices) here.at[m] = from_row(input.at[m], leaf >> plan.shifts[m]);
    }
    return here;
}

}  // namespace

void build_blocks(const CommitmentForm& form, const MatrixInput& input, const CommitmentPlan& blocks,
                  const Place& nodes, std::uint64_t first_leaf, double share, Run& run) {
    Builder(form, input, blocks, nodes, first_leaf, share, run).build();
}

void build_commitment(const CommitmentForm& form, const MatrixInput& input, const CommitmentPlan& plan,
                      const Place& nodes, Run& run) {
    if (plan.drop_levels == 0) return Builder(form, input, plan, nodes, 0, 1, run).build();
    // Leaves of a piece: enough rows for a device, and 16 MiB of digests.
    constexpr std::uint64_t piece_leaves = std::uint64_t{1} << 18;
    const CommitmentPlan::Layer& lowest = plan.layers[plan.drop_levels];
    const std::uint64_t size = plan.block_size(0),
                        most = std::min(std::max<std::uint64_t>(piece_leaves / size, 1), lowest.nodes);
    const NodeStore piece(run.options().device, plan_blocks(plan, 0, most).slots);
    for (std::uint64_t first = 0; first < lowest.nodes; first += most) {
        const std::uint64_t count = std::min(most, lowest.nodes - first);
        const CommitmentPlan blocks = plan_blocks(plan, first, count);
        const double share = 0.95 * static_cast<double>(count) / static_cast<double>(lowest.nodes);
        build_blocks(form, from_leaf(input, plan, first * size), blocks, piece.place(), first * size, share, run);
        copy_nodes(at_node(nodes, lowest.first + first), at_node(piece.place(), blocks.layers.back().first), count,
                   run);
        run.finish();
    }
    Builder(form, input, plan, nodes, 0, 0.05, run).merge_above(plan.drop_levels);
}

}  // namespace merklize::runtime
