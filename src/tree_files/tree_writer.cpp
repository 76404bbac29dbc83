// TreeWriter, the public class above writer.hpp.
#include <algorithm>
#include <string>

#include "calls/run.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "jobs/progress.hpp"
#include "merklize/tree_file.hpp"
#include "tree_files/writer.hpp"

namespace merklize::inline v0 {

class MERKLIZE_LOCAL TreeWriter::State {
public:
    State(const PublicCall& /*entry*/, const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form,
          const LeafSource& source, bool resume, const RunOptions& options)
        : output((refuse_empty_path(path.native()), path), n_leaves, form, source, resume),
          hash(form.hash),
          n_leaves(n_leaves),
          source(source),
          options((runtime::require_no_timings(options), options)) {}

    runtime::TreeFileWriter output;
    Hash hash;
    std::uint64_t n_leaves;
    LeafSource source;
    RunOptions options;
};

TreeWriter::TreeWriter(const std::filesystem::path& path, std::uint64_t n_leaves, const TreeForm& form,
                       const LeafSource& source, bool resume, const RunOptions& options)
    : state_(std::make_unique<State>(PublicCall("TreeWriter"), path, n_leaves, form, source, resume, options)) {}
TreeWriter::TreeWriter(TreeWriter&&) noexcept = default;
TreeWriter& TreeWriter::operator=(TreeWriter&&) noexcept = default;
TreeWriter::~TreeWriter() = default;

std::uint64_t TreeWriter::written() const noexcept { return state_->output.taken(); }

void TreeWriter::append(std::span<const Digest> leaves) {
    const PublicCall entry("append");
    State& state = *state_;
    if (state.n_leaves != 0 && leaves.size() > state.n_leaves - written()) {
        invalid_call("the tree file takes " + std::to_string(state.n_leaves) + " leaves and has " +
                     std::to_string(written()) + ", got " + std::to_string(leaves.size()) + " more");
    }
    runtime::require_canonical(state.hash, leaves, "leaves");
    const auto n = static_cast<double>(leaves.size());
    runtime::Progress progress(state.options.progress);  // one for all batches, because each may be short
    for (std::size_t first = 0; first < leaves.size();) {
        const std::span<Digest> room = state.output.room();
        const std::size_t count = std::min(room.size(), leaves.size() - first);
        std::ranges::copy(leaves.subspan(first, count), room.begin());
        const double share = static_cast<double>(count) / n;
        RunOptions part = state.options;
        part.progress = progress.begin(share);
        state.output.take(count, part);
        first += count;
        progress.end(progress.tell(share));
    }
}

void TreeWriter::checkpoint() { state_->output.checkpoint(); }

Digest TreeWriter::finish(std::uint64_t total_bytes) {
    const PublicCall entry("TreeWriter");
    const State& state = *state_;
    if (state.n_leaves != 0 && total_bytes != 0) {
        invalid_call("total_bytes", "must be 0, because the writer was made with n_leaves and its own; got " +
                                        std::to_string(total_bytes));
    }
    const LeafSource source{state.source.leaf_bytes, total_bytes};
    return state_->output.finish(runtime::part_of(state.options, 0, 1), total_bytes != 0 ? &source : nullptr);
}

}  // namespace merklize::inline v0
