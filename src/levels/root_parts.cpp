// The root of leaves in the memories of several devices. Each device reduces its own part; the host merges their roots.
#include <algorithm>
#include <bit>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "calls/side_by_side.hpp"
#include "host/invalid.hpp"
#include "levels/build.hpp"
#include "levels/right_edge.hpp"
#include "merklize/error.hpp"
#include "merklize/tree.hpp"

namespace merklize::inline v0 {
namespace {

constexpr const char* leaf_text = "merkle_root_parts: leaves";

// The work of one device, and the copy of its root. Streams, working memory and pinned memory are those of earlier
// calls.
class Part {
public:
    /// Enqueues the first level, if that keeps the device busy while the others get theirs.
    Part(const ConstBuffer& leaves, const TreeForm& form, const Policy& policy)
        : options_{.device = leaves.device(), .policy = policy},
          run_(options_, runtime::Ending::enqueues),
          levels_(leaves, form, leaf_text, run_) {
        constexpr std::uint64_t wide = 1 << 20;
        if (levels_.width() >= wide) levels_.build_level();
    }

    /// Enqueues the other levels.
    Event finish() {
        root_ = run_.on_device().enqueue_fetch(levels_.finish(), Digest::size);
        return run_.end();
    }

    /// The root, once the event is reached.
    Digest root() const {
        Digest root;
        std::copy(root_.begin(), root_.end(), root.bytes.begin());
        return root;
    }

private:
    RunOptions options_;
    runtime::Run run_;
    runtime::EnqueuedRoot levels_;
    std::span<const std::byte> root_{};
};

// One thread enqueues all launches of all devices, and then waits, because waking a thread for each device takes as
// long as a small part.
std::vector<Digest> enqueued_roots(std::span<const ConstBuffer> leaves, const TreeForm& form, const Policy& policy) {
    std::deque<Part> parts;
    for (const ConstBuffer& part : leaves) parts.emplace_back(part, form, policy);
    std::vector<Event> done;
    for (Part& part : parts) done.push_back(part.finish());
    std::vector<Digest> roots;
    for (std::size_t k = 0; k < parts.size(); k++) {
        done[k].wait();
        roots.push_back(parts[k].root());
    }
    return roots;
}

}  // namespace

Digest merkle_root_parts(std::span<const ConstBuffer> leaves, const TreeForm& form, const RunOptions& options) {
    const PublicCall entry("merkle_root_parts");
    runtime::require_no_stream(options);
    runtime::require_no_look(form);
    if (!std::has_single_bit(leaves.size()))
        invalid_call("the count of parts must be a power of two, got " + std::to_string(leaves.size()));
    if (!std::has_single_bit(leaves[0].size() / Digest::size) || leaves[0].size() % Digest::size != 0) {
        invalid_call("the count of 32-byte leaves in a part must be a power of two, got " +
                     std::to_string(leaves[0].size()) + " bytes");
    }
    for (std::size_t k = 0; k < leaves.size(); k++) {
        if (leaves[k].size() == leaves[0].size()) continue;
        invalid_call("parts must have equal counts of leaves; part 0 has " + std::to_string(leaves[0].size()) +
                     " bytes, part " + std::to_string(k) + " has " + std::to_string(leaves[k].size()));
    }
    if (!options.progress && options.timings == nullptr)
        return runtime::root_of(leaf_text, enqueued_roots(leaves, form, options.policy), form,
                                runtime::on_the_cpu(options));
    std::vector<Digest> roots(leaves.size());
    runtime::on_their_devices(leaves, options, [&](std::size_t k, const RunOptions& here) {
        roots[k] = runtime::root_of(leaf_text, leaves[k], form, here);
    });
    return runtime::root_of(leaf_text, roots, form, runtime::on_the_cpu(options));
}

}  // namespace merklize::inline v0
