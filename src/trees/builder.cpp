#include "host/invalid.hpp"
#include "merklize/tree_builder.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "calls/run.hpp"
#include "hashes/field.hpp"
#include "levels/build.hpp"
#include "levels/merges.hpp"
#include "levels/peaks.hpp"
#include "levels/right_edge.hpp"

namespace merklize::inline v0 {

using runtime::Batch;
using runtime::Peaks;

class MERKLIZE_LOCAL TreeBuilder::State {
public:
    State(const PublicCall& /*entry*/, const TreeForm& form, const RunOptions& options)
        : peaks_(form), options_(options) {
        runtime::require_no_timings(options);
        runtime::require_no_look(form);
        const runtime::Merges merges(form);  // throws if the form is not valid
    }

    std::uint64_t n_leaves() const { return peaks_.n_leaves() + held_; }

    // root_of(first, n, ...) and copy_to(out, first) read the caller's n leaves. The work is on a copy of the peaks,
    // and the held leaves stay in place until nothing can fail any more.
    template <class RootOf, class CopyTo>
    void append(std::uint64_t n, RootOf root_of, CopyTo copy_to) {
        const std::uint64_t to_fill = held_ == 0 ? 0 : Batch::capacity - held_;
        if (n < to_fill || n + held_ < Batch::capacity) {
            copy_to(batch_.leaves().subspan(held_, n), 0);
            held_ += n;
            return;
        }
        Peaks peaks = peaks_;
        runtime::Progress progress(options_.progress);  // one for all subtrees, because each may be short
        RunOptions part = options_;
        const auto run_part = [&](std::uint64_t taken, auto build) {
            part.progress = progress.begin(share(taken, n));
            build();
            progress.end(progress.tell(share(taken, n)));
        };
        if (to_fill != 0) {
            copy_to(batch_.leaves().subspan(held_, to_fill), 0);
            run_part(to_fill, [&] { batch_.build(peaks.form(), part); });
            batch_.push(peaks);
        }
        std::uint64_t first = to_fill;
        while (n - first >= Batch::capacity) {
            const unsigned level = std::min(peaks.next_level(n - first), most_levels);
            const std::uint64_t taken = std::uint64_t{1} << level;
            run_part(taken, [&] { peaks.push(level, root_of(first, taken, peaks.form(), part)); });
            first += taken;
        }
        std::vector<Digest> rest(n - first);
        copy_to(rest, first);
        std::ranges::copy(rest, batch_.leaves().begin());
        peaks_ = peaks;
        held_ = n - first;
    }

    Digest root() const {
        Peaks peaks = peaks_;
        peaks.push_leaves(batch_.leaves().first(held_), runtime::part_of(options_, 0, 1));
        return peaks.root();
    }

    const TreeForm& form() const { return peaks_.form(); }
    const RunOptions& options() const { return options_; }

private:
    // Bytes of one subtree that is built from the caller's own leaves. Its parents take as many bytes again.
    static constexpr unsigned most_levels = 21;

    static double share(std::uint64_t part, std::uint64_t n) {
        return static_cast<double>(part) / static_cast<double>(n);
    }

    Peaks peaks_;
    RunOptions options_;
    Batch batch_{};
    std::uint64_t held_ = 0;  // leaves in the batch, fewer than its capacity
};

TreeBuilder::TreeBuilder(const TreeForm& form, const RunOptions& options)
    : state_(std::make_unique<State>(PublicCall("TreeBuilder"), form, options)) {}
TreeBuilder::TreeBuilder(TreeBuilder&&) noexcept = default;
TreeBuilder& TreeBuilder::operator=(TreeBuilder&&) noexcept = default;
TreeBuilder::~TreeBuilder() = default;

void TreeBuilder::append(std::span<const Digest> leaves) {
    const PublicCall entry("append");
    runtime::require_canonical(state_->form().hash, leaves, "leaves");
    state_->append(
        leaves.size(),
        [&](std::uint64_t first, std::uint64_t n, const TreeForm& form, const RunOptions& options) {
            return runtime::root_of("leaves", leaves.subspan(first, n), form, options);
        },
        [&](std::span<Digest> out, std::uint64_t first) {
            std::ranges::copy(leaves.subspan(first, out.size()), out.begin());
        });
}

void TreeBuilder::append(const ConstBuffer& leaves) {
    const PublicCall entry("append");
    if (leaves.size() % Digest::size != 0) {
        invalid_call("leaves", "must be a multiple of 32 bytes, got " + std::to_string(leaves.size()) + " bytes");
    }
    const RunOptions& options = state_->options();
    if (leaves.device() != options.device) {
        invalid_call("leaves", "must be on the builder's device, " + options.device.info().id + ", got " +
                                   leaves.device().info().id);
    }
    const std::uint64_t n = leaves.size() / Digest::size;
    if (const mkz_hash_info& hash = runtime::info(state_->form().hash); runtime::is_field(hash)) {
        const RunOptions check = runtime::part_of(options, 0, 0);
        runtime::Run run(check);
        run.on_device().require_canonical(hash, runtime::place_of(leaves), runtime::node_words(hash) * n, "leaves");
    }
    state_->append(
        n,
        [&](std::uint64_t first, std::uint64_t count, const TreeForm& form, const RunOptions& part) {
            return runtime::root_of("leaves", leaves.slice(Digest::size * first, Digest::size * count), form, part);
        },
        [&](std::span<Digest> out, std::uint64_t first) {
            if (out.empty()) return;
            leaves.slice(Digest::size * first, out.size_bytes()).copy_to(std::as_writable_bytes(out), options.stream);
        });
}

std::uint64_t TreeBuilder::n_leaves() const noexcept { return state_->n_leaves(); }
Digest TreeBuilder::root() const {
    const PublicCall entry("root");
    return state_->root();
}

}  // namespace merklize::inline v0
