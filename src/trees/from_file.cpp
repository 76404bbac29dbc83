// Trees over files, kept in memory, and roots of files.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "digests/leaf_reader.hpp"
#include "host/invalid.hpp"
#include "levels/peaks.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"
#include "trees/tree_state.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::Batch;
using runtime::LeafReader;

// The share of the work that is reading and making leaves.
constexpr double file_share = 0.9;

std::string described(const LeafReader& reader, std::uint64_t leaf_bytes) {
    return reader.input().name() + " of " + std::to_string(reader.bytes()) + " bytes, " + std::to_string(leaf_bytes) +
           " bytes a leaf";
}

void require_memory(const LeafReader& reader, std::uint64_t leaf_bytes, const Device& device) {
    const std::uint64_t n = reader.n_leaves(), slots = runtime::TreeLayout{n}.slots();
    // If the nodes lie in a device's own memory, only the leaves pass through the host's.
    const std::uint64_t bytes = Digest::size * (runtime::NodeStore::is_for_device(device, slots) ? n : slots);
    if (bytes <= runtime::host_memory()) return;
    throw Error(ErrorCode::out_of_memory, PublicCall::name(),
                described(reader, leaf_bytes) + ": a tree of " + std::to_string(n) + " leaves takes " +
                    std::to_string(bytes) + " bytes of memory, there are " + std::to_string(runtime::host_memory()) +
                    " in all; build it into a file, or take longer leaves");
}

}  // namespace

MerkleTree MerkleTree::from_file(const TreeInput& input, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("from_file");
    LeafReader reader(input, form.hash, form.mode);
    if (const runtime::InputFile* file = reader.input().file()) file->require_seekable();
    runtime::Run run(options);
    // The input is empty or does not state its size, as one in /proc: only reading shows what is in it.
    std::vector<Digest> leaves;
    if (!reader.has_extent()) leaves = reader.read_all(run);
    const std::uint64_t n = reader.n_leaves();
    runtime::Merges(form).require_count(n, "leaves", described(reader, input.leaf_bytes));
    if (n == 0) {
        MerkleTree empty(std::span<const Digest>(), form, options);
        empty.state_->source = reader.source();
        return empty;
    }
    require_memory(reader, input.leaf_bytes, options.device);
    auto state = std::make_unique<State>(entry, form, n, 0, options.device);
    if (state->nodes.on_device()) leaves.resize(n);
    const std::span<Digest> out = state->nodes.on_device()
                                      ? std::span(leaves)
                                      : std::span(reinterpret_cast<Digest*>(runtime::host_bytes(state->base())), n);
    if (reader.has_extent()) {
        reader.read(out, run, file_share);
    } else if (!state->nodes.on_device()) {
        std::ranges::copy(leaves, out.begin());
    }
    if (state->nodes.on_device()) run.on_device().upload(state->base(), leaves.data(), Digest::size * n);
    state->build_above(run, 1 - file_share);
    state->source = reader.source();
    return MerkleTree(std::move(state));
}

TreeFacts merkle_root_file(const TreeInput& input, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("merkle_root_file");
    runtime::require_no_timings(options);
    LeafReader reader(input, form.hash, form.mode);
    const runtime::Merges merges(form);
    const auto require_count = [&] {
        merges.require_count(reader.n_leaves(), "leaves", described(reader, input.leaf_bytes));
    };
    if (reader.has_extent()) require_count();
    const double n = reader.has_extent() ? static_cast<double>(reader.n_leaves()) : 0;
    const auto share = [n](std::uint64_t leaves) { return n == 0 ? 0 : static_cast<double>(leaves) / n; };

    runtime::Peaks peaks(form);
    runtime::LastNodes last;
    const runtime::NodeSink sink = [&](unsigned level, std::uint64_t, std::span<const Digest> nodes) {
        last.take(level, nodes);
    };
    Batch batch;
    runtime::Run run(options);  // one for all batches, so that progress is reported even if all batches are short
    for (std::uint64_t count = Batch::capacity; count == Batch::capacity;) {
        const double left = 1 - share(peaks.n_leaves());
        count = reader.read(batch.leaves(), run, file_share * std::min(share(Batch::capacity), left));
        RunOptions part = options;
        part.progress = run.progress().begin((1 - file_share) * share(count));
        if (count == Batch::capacity) {
            batch.build(form, part);
            batch.push(peaks, sink);
        } else {
            peaks.push_leaves(batch.leaves().first(count), part, sink);
        }
        run.progress().end(true);
        last.take(0, batch.leaves().first(count));
    }
    if (!reader.has_extent()) require_count();
    const Digest root = peaks.root(sink);
    const std::uint64_t leaves = peaks.n_leaves();
    if (runtime::is_looked_at(form)) {
        runtime::require_unambiguous({leaves}, [&](unsigned level, std::uint64_t, std::span<Digest> out) {
            std::ranges::copy(last.at(level), out.begin());
        });
    }
    return {root, leaves, runtime::TreeLayout{leaves}.height(), reader.bytes(), form.hash, form.rule};
}

}  // namespace merklize::inline v0
