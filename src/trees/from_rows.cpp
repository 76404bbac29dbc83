// Trees over rows of a matrix.
#include <string>
#include <utility>
#include <vector>

#include "host/invalid.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {

using runtime::part_of;

namespace {

// The share of hashing rows in the whole work: a row takes a permutation or compression a block, a merge takes one.
double row_share(std::uint64_t row_bytes) {
    const std::uint64_t blocks = row_bytes / 64 + 1;
    return static_cast<double>(blocks) / static_cast<double>(blocks + 1);
}

std::uint64_t row_bytes_of(std::uint64_t bytes, std::uint64_t n_rows, const TreeForm& form) {
    runtime::Merges(form).require_count(n_rows, "n_rows");
    if (n_rows == 0 && bytes == 0) return 0;
    if (n_rows != 0 && bytes % n_rows == 0) return bytes / n_rows;
    invalid_call("rows must be of equal length, got " + std::to_string(bytes) + " bytes for " + std::to_string(n_rows) +
                 " rows");
}

}  // namespace

MerkleTree MerkleTree::from_rows(ByteView rows, std::uint64_t n_rows, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("from_rows");
    const std::uint64_t row_bytes = row_bytes_of(rows.size(), n_rows, form);
    if (n_rows == 0) return MerkleTree(std::span<const Digest>(), form, options);
    auto state = std::make_unique<State>(entry, form, n_rows, 0, options.device);
    const double share = row_share(row_bytes);
    Timings of_rows;
    const RunOptions first = part_of(options, 0, share, options.timings == nullptr ? nullptr : &of_rows);
    std::vector<Digest> leaves(state->nodes.on_device() ? n_rows : 0);
    const std::span out = state->nodes.on_device()
                              ? std::span(leaves)
                              : std::span(reinterpret_cast<Digest*>(runtime::host_bytes(state->base())), n_rows);
    merklize::hash_leaves(rows, row_bytes, out, form.hash, form.mode, first);
    const RunOptions rest = part_of(options, share, 1 - share, options.timings);
    runtime::Run run(rest);
    if (state->nodes.on_device()) run.on_device().upload(state->base(), leaves.data(), Digest::size * n_rows);
    state->build_above(run, 1);
    if (options.timings != nullptr) runtime::add(*options.timings, of_rows);
    return MerkleTree(std::move(state));
}

MerkleTree MerkleTree::from_rows(const ConstBuffer& rows, std::uint64_t n_rows, const TreeForm& form,
                                 const RunOptions& options) {
    const PublicCall entry("from_rows");
    const std::uint64_t row_bytes = row_bytes_of(rows.size(), n_rows, form);
    const RunOptions here = runtime::on_device_of(rows, options);
    if (n_rows == 0) return MerkleTree(std::span<const Digest>(), form, here);
    auto state = std::make_unique<State>(entry, form, n_rows, 0, rows.device());
    const double share = row_share(row_bytes);
    Timings of_rows;
    const RunOptions first = part_of(here, 0, share, options.timings == nullptr ? nullptr : &of_rows);
    if (state->nodes.on_device()) {
        const Buffer leaves =
            state->nodes.buffer().slice(Digest::size * state->layout.leaf_slot, Digest::size * n_rows);
        merklize::hash_leaves(rows, row_bytes, leaves, form.hash, form.mode, first);
    } else {
        const Buffer leaves(rows.device(), Digest::size * n_rows);
        merklize::hash_leaves(rows, row_bytes, leaves, form.hash, form.mode, first);
        leaves.copy_to({runtime::host_bytes(state->base()), leaves.size()});
    }
    const RunOptions rest = part_of(here, share, 1 - share, options.timings);
    runtime::Run run(rest);
    state->build_above(run, 1);
    if (options.timings != nullptr) runtime::add(*options.timings, of_rows);
    return MerkleTree(std::move(state));
}

}  // namespace merklize::inline v0
