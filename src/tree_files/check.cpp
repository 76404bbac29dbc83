// TreeFile::check() compares every node with its children.
#include <algorithm>
#include <tuple>

#include "calls/run.hpp"
#include "digests/file_reads.hpp"
#include "hashes/field.hpp"
#include "host/invalid.hpp"
#include "levels/merges.hpp"
#include "merklize/error.hpp"
#include "tree_files/state.hpp"

namespace merklize::inline v0 {
namespace {

using runtime::host_place;

// The levels above one batch of nodes, all in memory while they are compared.
constexpr unsigned batch_levels = 19;
constexpr std::uint64_t batch_nodes = std::uint64_t{1} << batch_levels;

class Check {
public:
    Check(const runtime::TreeFileReader& reader, const TreeForm& form, std::size_t most, runtime::Run& run)
        : layout_(reader.layout()), merges_(form), most_(most), run_(run), reader_(reader.source(), ranges(reader)) {
        const std::uint64_t largest = std::min(batch_nodes, layout_.n_leaves);
        children_.resize(largest);
        parents_.resize(largest / 2 + 1);
        merged_.resize(largest / 2 + 1);
    }

    std::vector<WrongNode> wrong_nodes() {
        for_each_batch([&](unsigned base, std::uint64_t first, std::uint64_t n) {
            check_above(base, first, n);
            return wrong_.size() < most_;
        });
        const auto place = [](const WrongNode& node) { return std::tuple(node.level, node.index); };
        std::ranges::sort(wrong_, {}, place);
        wrong_.resize(std::min(wrong_.size(), most_));
        return std::move(wrong_);
    }

private:
    // Checks the subtrees above n nodes of level `base`, level by level.
    void check_above(unsigned base, std::uint64_t first, std::uint64_t n) {
        read(n, children_);
        if (base == 0) require_elements(0, first, std::span(children_).first(n), {});
        const unsigned end = top_of(base);
        for (unsigned level = base; level < end; level++, first /= 2, n = (n + 1) / 2) {
            const std::uint64_t n_parents = (n + 1) / 2;
            merge_pairs(n / 2);
            if (n % 2 != 0) merged_[n_parents - 1] = merges_.above_odd_node(children_[n - 1], level);
            read(n_parents, parents_);
            const auto stored = std::span(parents_).first(n_parents), merged = std::span(merged_).first(n_parents);
            if (!std::ranges::equal(stored, merged)) note_different(level + 1, first / 2, stored, merged);
            require_elements(level + 1, first / 2, stored, merged);
            std::swap(children_, parents_);
        }
    }

    // The ranges that check_above() reads, in its order.
    std::vector<runtime::ByteRange> ranges(const runtime::TreeFileReader& reader) const {
        std::vector<runtime::ByteRange> all;
        const auto add = [&](unsigned level, std::uint64_t first, std::uint64_t n) {
            all.push_back({reader.header().offset(level, first), Digest::size * n});
        };
        for_each_batch([&](unsigned base, std::uint64_t first, std::uint64_t n) {
            add(base, first, n);
            for (unsigned level = base; level < top_of(base); level++, first /= 2, n = (n + 1) / 2)
                add(level + 1, first / 2, (n + 1) / 2);
            return true;
        });
        return all;
    }

    unsigned top_of(unsigned base) const { return std::min(base + batch_levels, layout_.height()); }

    // Calls use(base, first, n) for the batches of nodes whose subtrees are checked together, until it says false.
    template <class Use>
    void for_each_batch(Use use) const {
        for (unsigned base = 0; base < layout_.height() || base == 0; base += batch_levels) {
            const std::uint64_t size = layout_.level_size(base);
            for (std::uint64_t first = 0; first < size; first += batch_nodes) {
                if (!use(base, first, std::min(batch_nodes, size - first))) return;
            }
        }
    }

    void read(std::uint64_t n, std::vector<Digest>& out) {
        if (out.size() < n) out.resize(n);
        reader_.fill(std::as_writable_bytes(std::span(out).first(n)), run_, 0);
    }

    void merge_pairs(std::uint64_t n) {
        if (n == 0) return;
        run_.launch(runtime::MergeSubtrees{.hash = merges_.hash(),
                                           .mode = merges_.mode(),
                                           .levels = 1,
                                           .n = 2 * n,
                                           .below = host_place(children_.data()),
                                           .nodes = host_place(merged_.data())},
                    static_cast<double>(n) / static_cast<double>(layout_.n_leaves));
        run_.finish();
    }

    void note_different(unsigned level, std::uint64_t first, std::span<const Digest> stored,
                        std::span<const Digest> merged) {
        for (std::size_t i = 0; i < stored.size() && wrong_.size() < most_; i++) {
            if (stored[i] != merged[i]) wrong_.push_back({level, first + i});
        }
    }

    // A node that is not a digest of the field hash is wrong, whatever is below it. Nodes that differ from `merged`
    // were noted before.
    void require_elements(unsigned level, std::uint64_t first, std::span<const Digest> stored,
                          std::span<const Digest> merged) {
        if (runtime::are_canonical(merges_.info(), stored)) return;
        for (std::size_t i = 0; i < stored.size() && wrong_.size() < most_; i++) {
            const bool noted = !merged.empty() && stored[i] != merged[i];
            if (!noted && !runtime::are_canonical(merges_.info(), {&stored[i], 1}))
                wrong_.push_back({level, first + i});
        }
    }

    const runtime::TreeLayout layout_;
    runtime::Merges merges_;
    const std::size_t most_;
    runtime::Run& run_;
    runtime::SourceReader reader_;
    std::vector<Digest> children_{}, parents_{}, merged_{};
    std::vector<WrongNode> wrong_{};
};

}  // namespace

std::vector<WrongNode> TreeFile::check(std::size_t most, const RunOptions& options) const {
    const PublicCall entry("check");
    runtime::Run run(options);
    auto wrong = Check(state_->reader(), state_->complete_form(), most, run).wrong_nodes();
    if (state_->reader().source().file() == nullptr) state_->reader().source().require_unchanged({});
    return wrong;
}

}  // namespace merklize::inline v0
