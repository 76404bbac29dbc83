// Trees over rows of a matrix.
#include <string>
#include <utility>

#include "levels/peaks.hpp"
#include "merklize/error.hpp"
#include "merklize/hash.hpp"
#include "trees/tree_state.hpp"

namespace merklize {
namespace {

// The two steps of a call as calls of their own: hashing the rows, then the merges. Their times add up.
class Steps {
public:
    Steps(const RunOptions& options, double share)
        : hashing(runtime::part_of(options, 0, share)),
          merging(runtime::part_of(options, share, 1 - share)),
          total_(options.timings) {
        if (total_ != nullptr) hashing.timings = &first_, merging.timings = &second_;
    }

    /// After both.
    void add_times() const {
        if (total_ == nullptr) return;
        *total_ = {first_.available || second_.available, first_.kernel + second_.kernel,
                   first_.to_device + second_.to_device, first_.to_host + second_.to_host};
    }

    RunOptions hashing, merging;

private:
    Timings first_{}, second_{};
    Timings* total_;
};

// Permutations or compressions of the rows, against one a merge.
double row_share(std::uint64_t row_bytes) {
    const std::uint64_t blocks = row_bytes / 64 + 1;
    return static_cast<double>(blocks) / static_cast<double>(blocks + 1);
}

std::uint64_t row_bytes_of(std::uint64_t bytes, std::uint64_t n_rows, const TreeForm& form) {
    runtime::Merges(form).require_count(n_rows, "from_rows");
    if (bytes % n_rows == 0) return bytes / n_rows;
    throw Error(ErrorCode::invalid_argument, "from_rows: " + std::to_string(bytes) + " bytes do not make " +
                                                 std::to_string(n_rows) + " rows of equal length");
}

}  // namespace

MerkleTree MerkleTree::from_rows(std::span<const std::byte> rows, std::uint64_t n_rows, const TreeForm& form,
                                 const RunOptions& options) {
    const std::uint64_t row_bytes = row_bytes_of(rows.size(), n_rows, form);
    auto state = std::make_unique<State>(form, n_rows, 0, options.device);
    const Steps steps(options, row_share(row_bytes));
    const bool on_device = state->nodes.on_device();
    std::vector<Digest> passing(on_device ? n_rows : 0);
    const std::span<Digest> leaves =
        on_device ? std::span(passing)
                  : std::span(reinterpret_cast<Digest*>(runtime::host_bytes(state->base())), n_rows);
    hash_leaves(rows, row_bytes, leaves, form.hash, form.mode, steps.hashing);
    {
        runtime::Run run(steps.merging);
        if (on_device) run.session().upload(state->base(), leaves.data(), leaves.size_bytes());
        state->build_above(run, 1);
    }
    steps.add_times();
    return MerkleTree(std::move(state));
}

MerkleTree MerkleTree::from_rows(const Buffer& rows, std::uint64_t n_rows, const TreeForm& form,
                                 const RunOptions& options) {
    const std::uint64_t row_bytes = row_bytes_of(rows.size(), n_rows, form);
    auto state = std::make_unique<State>(form, n_rows, 0, rows.device());
    const RunOptions here = runtime::on_device_of(rows, options);
    const Steps steps(here, row_share(row_bytes));
    if (state->nodes.on_device()) {
        const Buffer leaves =
            state->nodes.buffer().slice(Digest::size * state->layout.leaf_slot, Digest::size * n_rows);
        hash_leaves(rows, row_bytes, leaves, form.hash, form.mode, steps.hashing);
    } else {
        const Buffer leaves(rows.device(), Digest::size * n_rows);
        hash_leaves(rows, row_bytes, leaves, form.hash, form.mode, steps.hashing);
        leaves.copy_to({runtime::host_bytes(state->base()), leaves.size()});
    }
    {
        runtime::Run run(steps.merging);
        state->build_above(run, 1);
    }
    steps.add_times();
    return MerkleTree(std::move(state));
}

}  // namespace merklize
