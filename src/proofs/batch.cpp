#include <algorithm>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "hashes/merge_one.hpp"
#include "host/invalid.hpp"
#include "merklize/proof.hpp"
#include "proofs/check.hpp"
#include "proofs/shape.hpp"

// Many merges at once: pairs of one level are collected and merged in lanes.

namespace merklize::inline v0 {
namespace {

using runtime::Sibling;

/// The merges of one level, filled and run again and again.
class Pairs {
public:
    Pairs(Hash hash, const Mode& mode, std::size_t most)
        : left_(most),
          right_(most),
          job_{.hash = hash,
               .mode = mode,
               .left = runtime::host_place(left_.data()),
               .right = runtime::host_place(right_.data())} {}
    Pairs(const Pairs&) = delete;
    Pairs& operator=(const Pairs&) = delete;

    std::size_t size() const noexcept { return job_.n; }
    void clear() noexcept { job_.n = 0; }
    void add(const Digest& left, const Digest& right) noexcept {
        left_[job_.n] = left;
        right_[job_.n++] = right;
    }
    /// The job of these merges; the results go to `out`.
    const runtime::MergePairs& into(std::span<Digest> out) noexcept {
        job_.out = runtime::host_place(out.data());
        return job_;
    }

private:
    std::vector<Digest> left_, right_;
    runtime::MergePairs job_;
};

/// Verifies some proofs of one hash, level by level. launch(job, share) runs the merges of a level; `share` is their
/// part of all merges.
template <class Launch>
void verify_piece(std::span<const MerkleProof> proofs, const Digest& root, const Mode& mode,
                  std::span<std::uint8_t> holds, Launch launch) {
    struct Path {
        std::size_t proof;
        unsigned height;
        std::size_t next = 0;
        Digest node;
    };
    std::vector<Path> paths;
    paths.reserve(proofs.size());
    unsigned highest = 0;
    for (std::size_t i = 0; i < proofs.size(); i++) {
        holds[i] = 0;
        if (!runtime::is_checkable(proofs[i], mode)) continue;
        const unsigned height = runtime::TreeLayout{proofs[i].n_leaves}.height();
        highest = std::max(highest, height);
        paths.push_back({i, height, 0, proofs[i].leaf});
    }
    if (paths.empty()) return;
    Pairs pairs(proofs[paths[0].proof].hash, mode, paths.size());
    std::vector<Path*> merged(paths.size());
    std::vector<Digest> parents(paths.size());
    for (unsigned level = 0; level < highest; level++) {
        pairs.clear();
        for (Path& path : paths) {
            if (level >= path.height) continue;
            const MerkleProof& proof = proofs[path.proof];
            merged[pairs.size()] = &path;
            const runtime::TreeLayout layout{proof.n_leaves};
            switch (runtime::sibling_of(proof.index >> level, layout, level, proof.rule)) {
                case Sibling::left: pairs.add(proof.siblings[path.next++], path.node); break;
                case Sibling::right: pairs.add(path.node, proof.siblings[path.next++]); break;
                case Sibling::self: pairs.add(path.node, path.node); break;
                case Sibling::known:  // of several leaves only
                case Sibling::copy: break;
            }
        }
        if (pairs.size() == 0) continue;
        launch(pairs.into(parents), 1.0 / highest);
        for (std::size_t i = 0; i < pairs.size(); i++) merged[i]->node = parents[i];
    }
    for (const Path& path : paths) holds[path.proof] = path.node == root;
}

}  // namespace

}  // namespace merklize::inline v0

namespace merklize::runtime {

std::optional<Digest> root_of(const MultiProof& proof, const Mode& mode) {
    if (!can_merge(proof.hash, mode) || !is_tree(proof.n_leaves, proof.rule) ||
        !are_indices(proof.indices, proof.n_leaves) || proof.leaves.size() != proof.indices.size() ||
        !are_digests(proof.hash, proof.leaves) || !are_digests(proof.hash, proof.siblings)) {
        return std::nullopt;
    }
    const runtime::TreeLayout layout{proof.n_leaves};
    std::vector<std::uint64_t> positions = proof.indices;
    std::vector<Digest> nodes = proof.leaves;
    Pairs pairs(proof.hash, mode, nodes.size());
    std::span<const Digest> siblings = proof.siblings;
    for (unsigned level = 0; level < layout.height(); level++) {
        pairs.clear();
        bool enough = true, has_odd = false;
        runtime::climb(positions, layout, level, proof.rule, [&](Sibling sibling, std::size_t i) {
            const bool takes = runtime::in_proof(sibling);
            enough = enough && (!takes || !siblings.empty());
            if (!enough) return;
            switch (sibling) {
                case Sibling::left: pairs.add(siblings[0], nodes[i]); break;
                case Sibling::right: pairs.add(nodes[i], siblings[0]); break;
                case Sibling::known: pairs.add(nodes[i], nodes[i + 1]); break;
                case Sibling::self: pairs.add(nodes[i], nodes[i]); break;
                case Sibling::copy: has_odd = true; break;  // the last node of the level
            }
            siblings = siblings.subspan(takes);
        });
        if (!enough) return std::nullopt;
        if (has_odd) nodes[pairs.size()] = nodes.back();
        nodes.resize(positions.size());
        // Without a Run: proofs are checked on the CPU, whatever the default device is.
        if (pairs.size() != 0) runtime::HostExecutor(0).launch(pairs.into(nodes), {});
    }
    if (!siblings.empty()) return std::nullopt;
    return nodes[0];
}

}  // namespace merklize::runtime

namespace merklize::inline v0 {

bool verify(const MultiProof& proof, const Digest& root, const Expect& expect, const Mode& mode) noexcept try {
    return runtime::fits(expect, proof) && runtime::root_of(proof, mode) == root;
} catch (...) {  // no memory
    return false;
}

std::vector<std::uint8_t> verify_each(std::span<const MerkleProof> proofs, const Digest& root, const Mode& mode,
                                      const RunOptions& options) {
    const PublicCall entry("verify_each");
    std::vector<std::uint8_t> holds(proofs.size());
    if (proofs.empty()) return holds;
    for (std::size_t i = 1; i < proofs.size(); i++) {
        if (proofs[i].hash == proofs[0].hash) continue;
        invalid_call("all proofs must have the same hash; proof 0 has '" + std::string(traits(proofs[0].hash).name) +
                     "', proof " + std::to_string(i) + " has '" + std::string(traits(proofs[i].hash).name) + "'");
    }
    runtime::Run run(options);
    // On the CPU a piece fits in a core's cache. For a device it is large, but small beside the memory of host and
    // device.
    const std::size_t piece = run.on_host() ? 512 : std::size_t{1} << 20;
    const std::size_t pieces = (proofs.size() + piece - 1) / piece;
    const auto verify_nth = [&](std::size_t i, auto launch) {
        const std::size_t first = i * piece, count = std::min(piece, proofs.size() - first);
        verify_piece(proofs.subspan(first, count), root, mode, std::span(holds).subspan(first, count), launch);
    };
    if (run.on_host()) {
        run.parallel(pieces, [&](std::size_t i) {
            verify_nth(i, [&](const runtime::MergePairs& job, double) { run.launch_here(job); });
        });
        return holds;
    }
    for (std::size_t i = 0; i < pieces; i++) {
        verify_nth(i, [&](const runtime::MergePairs& job, double share) {
            run.launch(job, share / static_cast<double>(pieces));
        });
    }
    run.finish();
    return holds;
}

}  // namespace merklize::inline v0
