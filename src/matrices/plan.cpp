#include "matrices/plan.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

unsigned log2_up(std::uint64_t n) { return static_cast<unsigned>(std::bit_width(n - 1)); }
std::uint64_t padded(std::uint64_t n, unsigned arity) { return n <= 1 ? n : (n + arity - 1) / arity * arity; }

void require_heights(std::span<const MatrixDims> dims, std::uint64_t tallest) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (tallest > most) invalid_call("a matrix has at most 2^40 rows, got " + std::to_string(tallest));
    for (std::size_t m = 0; m < dims.size(); m++) {
        const std::uint64_t rows = dims[m].rows;
        if (rows == 0) invalid_call("matrix " + std::to_string(m) + ": there must be at least 1 row, got 0");
        if (dims[m].columns > most)
            invalid_call("matrix " + std::to_string(m) + ": at most 2^40 columns, got " +
                         std::to_string(dims[m].columns));
        // Halving and rounding up k times gives ceil(tallest / 2^k).
        std::uint64_t height = tallest;
        while (height > rows) height = (height + 1) / 2;
        if (height == rows) continue;
        invalid_call("matrix " + std::to_string(m) + " has " + std::to_string(rows) + " rows; beside one of " +
                     std::to_string(tallest) +
                     " rows a height must be that number divided by a power of two and rounded up");
    }
}

void require_arity(const CommitmentForm& form) {
    if (form.arity != 2 && form.arity != 4) invalid_call("arity", "must be 2 or 4, got " + std::to_string(form.arity));
    const mkz_hash_info& facts = info(form.hash);
    if (form.arity == 2 || facts.quad_hash >= 0) return;
    std::string known;
    for (const HashTraits& t : hashes()) {
        if (info(t.hash).quad_hash >= 0) known += (known.empty() ? "'" : ", '") + std::string(t.name) + "'";
    }
    invalid_call("arity 4 is of the hashes " + known +
                 ", and of poseidon2() with constants for merges of four, not of '" + facts.name + "'");
}

/// Gives the layers from `lowest` on their slots. With arity 2 throughout in heap order, which launches of several
/// levels take: layer `lowest` begins at slot `heap`. Otherwise one layer after another.
void place_layers(CommitmentPlan& plan, unsigned lowest, std::uint64_t heap) {
    for (std::size_t l = lowest; l < plan.layers.size(); l++) {
        CommitmentPlan::Layer& at = plan.layers[l];
        at.first = plan.arity == 2 ? heap >> (l - lowest) : plan.slots;
        plan.slots = std::max(plan.slots, at.first + at.length);
    }
}

}  // namespace

std::size_t CommitmentPlan::path_length() const noexcept {
    std::size_t length = 0;
    for (unsigned l = 0; l < cap_layer; l++) length += layers[l].step - 1;
    return length;
}

std::uint64_t CommitmentPlan::block_size(unsigned layer) const noexcept {
    std::uint64_t size = 1;
    for (unsigned l = layer; l < drop_levels; l++) size *= layers[l].step;
    return size;
}

CommitmentPlan plan_commitment(std::span<const MatrixDims> dims, const CommitmentForm& form, unsigned drop_levels) {
    require_arity(form);
    if (dims.empty()) invalid_call("there must be at least 1 matrix, got 0");
    const std::uint64_t tallest = std::ranges::max(dims, {}, &MatrixDims::rows).rows;
    require_heights(dims, tallest);
    CommitmentPlan plan;
    plan.n_leaves = tallest;
    plan.arity = form.arity;
    plan.drop_levels = drop_levels;
    const unsigned top = log2_up(tallest), arity = form.arity;
    std::vector<bool> used(dims.size());
    CommitmentPlan::Layer layer{.nodes = tallest, .length = padded(tallest, arity)};
    for (std::size_t m = 0; m < dims.size(); m++) {
        plan.shifts.push_back(top - log2_up(dims[m].rows));
        used[m] = dims[m].rows == tallest;
        if (used[m]) layer.matrices.push_back(m);
    }
    while (layer.length > 1) {
        // A group of four would skip a matrix that belongs to the layer between.
        const auto is_between = [&](std::size_t m) {
            return !used[m] && std::bit_ceil(dims[m].rows) > std::bit_ceil(layer.length / arity);
        };
        bool in_twos = layer.length < arity;
        for (std::size_t m = 0; m < dims.size(); m++) in_twos = in_twos || is_between(m);
        layer.step = in_twos ? 2 : arity;
        CommitmentPlan::Layer above{.nodes = layer.length / layer.step};
        above.length = padded(above.nodes, arity);
        for (std::size_t m = 0; m < dims.size(); m++) {
            if (used[m] || std::bit_ceil(dims[m].rows) != std::bit_ceil(above.nodes)) continue;
            used[m] = true;
            above.matrices.push_back(m);
        }
        plan.layers.push_back(std::move(layer));
        layer = std::move(above);
    }
    plan.layers.push_back(std::move(layer));
    const auto above_leaves = static_cast<unsigned>(plan.layers.size()) - 1;
    if (form.cap_height > above_leaves) {
        invalid_call("cap_height", "must be at most " + std::to_string(above_leaves) + " for " +
                                       std::to_string(tallest) + " rows, got " + std::to_string(form.cap_height));
    }
    plan.cap_layer = above_leaves - form.cap_height;
    plan.cap_size = 1;
    for (unsigned l = plan.cap_layer; l < above_leaves; l++) plan.cap_size *= plan.layers[l].step;
    if (drop_levels > plan.cap_layer) {
        invalid_call("drop_levels", "must be at most " + std::to_string(plan.cap_layer) +
                                        ", the layers below the cap of " + std::to_string(tallest) + " rows, got " +
                                        std::to_string(drop_levels));
    }
    place_layers(plan, drop_levels, std::uint64_t{1} << (above_leaves - drop_levels));
    return plan;
}

CommitmentPlan plan_blocks(const CommitmentPlan& plan, std::uint64_t first, std::uint64_t count) {
    CommitmentPlan blocks;
    blocks.arity = plan.arity;
    blocks.shifts = plan.shifts;
    blocks.layers.assign(plan.layers.begin(), plan.layers.begin() + plan.drop_levels + 1);
    for (unsigned l = 0; l <= plan.drop_levels; l++) {
        const std::uint64_t size = plan.block_size(l), before = first * size;
        const auto inside = [&](std::uint64_t n) { return std::min(n - std::min(n, before), count * size); };
        CommitmentPlan::Layer& layer = blocks.layers[l];
        layer.nodes = inside(layer.nodes);
        layer.length = inside(layer.length);
    }
    CommitmentPlan::Layer& highest = blocks.layers.back();
    highest.length = highest.nodes;
    highest.step = 0;
    blocks.n_leaves = blocks.layers[0].nodes;
    place_layers(blocks, 0, std::bit_ceil(count) * plan.block_size(0));
    return blocks;
}

std::vector<LayerNode> opening_nodes(const CommitmentPlan& plan, std::span<const std::uint64_t> positions) {
    std::vector<LayerNode> nodes;
    std::vector<std::uint64_t> here(positions.begin(), positions.end());
    for (unsigned l = 0; l < plan.cap_layer; l++) {
        const CommitmentPlan::Layer& layer = plan.layers[l];
        std::size_t groups = 0;
        for (std::size_t i = 0; i < here.size();) {
            const std::uint64_t group = here[i] / layer.step;
            for (std::uint64_t child = group * layer.step; child < (group + 1) * layer.step; child++) {
                if (i < here.size() && here[i] == child) {
                    i++;
                } else {
                    nodes.push_back({l, child});
                }
            }
            here[groups++] = group;
        }
        here.resize(groups);
    }
    return nodes;
}

}  // namespace merklize::runtime
