// Levels whose nodes below are not kept, and merkle_root().
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "merklize/error.hpp"
#include "merklize/tree.hpp"
#include "runtime/build.hpp"
#include "runtime/host_block.hpp"

namespace merklize {
namespace runtime {
namespace {

// Memory of the run's device, or of the host.
class Scratch {
public:
    Scratch(std::uint64_t nodes, const Run& run) {
        if (nodes == 0) return;
        if (run.on_host()) {
            host_ = HostBlock(Digest::size * nodes);
        } else {
            device_ = std::make_unique<Buffer>(run.options().device, Digest::size * nodes);
        }
    }
    mkz_place place() const { return device_ ? place_of(*device_) : host_place(host_.data()); }

private:
    HostBlock host_{};
    std::unique_ptr<Buffer> device_{};
};

// Enqueued, if the run is on a device.
void copy_nodes(const mkz_place& to, const mkz_place& from, std::uint64_t n, Run& run) {
    constexpr std::uint64_t few = 4096;
    const std::uint64_t bytes = Digest::size * n;
    if (to.on_device) return run.session().copy_on_device(to, from, bytes);
    auto* host = static_cast<std::byte*>(to.pointer) + to.offset;
    if (!from.on_device) {
        std::memcpy(host, static_cast<const std::byte*>(from.pointer) + from.offset, bytes);
    } else if (n <= few) {
        run.session().copy_to_host(host, from, bytes);
    } else {
        run.session().download(host, from, bytes);
    }
}

}  // namespace

void reduce_levels(const LevelAt& leaves, std::uint64_t n, unsigned levels, const TreeForm& form, unsigned below,
                   unsigned part_levels, const mkz_place& out, const TreePolicy& wanted, Run& run, double share) {
    if (levels > part_levels) {
        // The roots of parts, and what is above them.
        std::vector<Digest> roots(((n - 1) >> part_levels) + 1);
        const double top_share = share * static_cast<double>(roots.size()) / static_cast<double>(n);
        reduce_levels(leaves, n, part_levels, form, below, part_levels, host_place(roots.data()), wanted, run,
                      share - top_share);
        return reduce_levels({host_place(roots.data()), 0}, roots.size(), levels - part_levels, form,
                             below + part_levels, part_levels, out, wanted, run, top_share);
    }
    Merges merges(form, below);
    const std::uint64_t part = std::min(std::uint64_t{1} << part_levels, std::bit_ceil(n));
    const bool to_upload = !run.on_host() && !leaves.place.on_device;
    const Scratch above(part, run), uploaded(to_upload ? std::min(part, n) : 0, run);
    for (std::uint64_t first = 0; first < n; first += part) {
        const TreeLayout layout{std::min(part, n - first), levels, part};
        LevelAt at{leaves.place, leaves.first + first};
        if (to_upload) {
            if (!run.tick(0)) run.throw_cancelled();
            const auto* from = static_cast<const std::byte*>(leaves.place.pointer) + leaves.place.offset;
            run.session().upload(uploaded.place(), from + Digest::size * at.first, Digest::size * layout.n_leaves);
            at = {uploaded.place(), 0};
        }
        build_levels(at, above.place(), layout, merges, wanted, run,
                     share * static_cast<double>(layout.n_leaves) / static_cast<double>(n));
        copy_nodes(out + (first >> levels), above.place() + layout.level_offset(levels), layout.level_size(levels),
                   run);
        run.finish();
    }
}

namespace {

// Leaves on the host go to a device in parts of 128 MiB.
constexpr unsigned uploaded_part_levels = 22;

Digest root_of(const mkz_place& leaves, std::uint64_t n, const TreeForm& form, const TreePolicy& policy, Run& run) {
    {
        const Merges merges(form);
        merges.require_count(n, "merkle_root");
        require_leaves(leaves, n, merges, "merkle_root: leaves", run);
    }
    const unsigned height = TreeLayout{n}.height();
    Digest root;
    if (height == 0) {
        copy_nodes(host_place(&root), leaves, 1, run);
        run.finish();
    } else {
        const bool whole = run.on_host() || leaves.on_device;
        reduce_levels({leaves, 0}, n, height, form, 0, whole ? height : uploaded_part_levels, host_place(&root), policy,
                      run);
    }
    return root;
}

}  // namespace
}  // namespace runtime

Digest merkle_root(std::span<const Digest> leaves, const TreeForm& form, const TreePolicy& policy,
                   const RunOptions& options) {
    runtime::Run run(options);
    return runtime::root_of(runtime::host_place(leaves.data()), leaves.size(), form, policy, run);
}

Digest merkle_root(const Buffer& leaves, const TreeForm& form, const TreePolicy& policy, const RunOptions& options) {
    const std::uint64_t n = runtime::digests_in(leaves, "merkle_root: leaves");
    runtime::require_tree_size(n, "merkle_root");
    const RunOptions here = runtime::on_device_of(leaves, options);
    runtime::Run run(here);
    return runtime::root_of(run.session().aligned_nodes(runtime::place_of(leaves), n), n, form, policy, run);
}

}  // namespace merklize
