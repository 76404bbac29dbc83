// Which leaves of a tree file are not those of some data, or of another tree.
#include "tree_files/differences.hpp"

#include <algorithm>
#include <string>

#include "calls/run.hpp"
#include "digests/leaf_reader.hpp"
#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

constexpr std::uint64_t leaves_at_once = 1 << 17;  // 4 MiB of digests on each side
constexpr std::uint64_t nodes_at_once = 1 << 12;   // the same memory for all levels together

void note(LeafDifferences& found, std::size_t most, std::uint64_t leaf) {
    found.count++;
    if (found.leaves.size() < most) found.leaves.push_back(leaf);
}

void require_same_form(const TreeFile& tree, const TreeFile& other) {
    const auto form = [](const TreeFile& file) {
        const TreeForm& of = file.form();
        return std::string(traits(of.hash).name) + (file.is_keyed() ? " with a key, " : ", ") +
               std::string(rule_name(of.rule)) + (of.rule == TreeRule::pad ? " with padding " + of.padding.hex() : "");
    };
    const auto refuse = [&](const std::string& one, const std::string& two) {
        invalid(tree.path().string() + " and " + other.path().string() + " cannot be compared: the first is of " + one +
                ", the second of " + two);
    };
    if (const std::string one = form(tree), two = form(other); one != two) refuse(one, two);
    if (!tree.has_key_of(other)) refuse("one key or context", "another");
    const std::uint64_t one = tree.source().leaf_bytes, two = other.source().leaf_bytes;
    if (one != two && one != 0 && two != 0)
        refuse("blocks of " + std::to_string(one) + " bytes", "blocks of " + std::to_string(two));
}

// Goes down from the top, to the children of unequal nodes.
class TreeDifferences {
public:
    TreeDifferences(const TreeFile& tree, const TreeFile& other, std::size_t most, LeafDifferences& found)
        : tree_(tree),
          other_(other),
          common_(std::min(tree.n_leaves(), other.n_leaves())),
          are_as_long_(tree.n_leaves() == other.n_leaves()),
          most_(most),
          found_(found) {
        const unsigned top = std::min(tree.height(), other.height());
        compare(top, 0, size(top));
    }

private:
    // Nodes of a level that have a leaf of both trees below them.
    std::uint64_t size(unsigned level) const { return ((common_ - 1) >> level) + 1; }

    // A node above leaves that only one tree has tells nothing about the other leaves below it.
    bool is_whole(unsigned level, std::uint64_t node) const { return are_as_long_ || node < common_ >> level; }

    void compare(unsigned level, std::uint64_t first, std::uint64_t end) {
        for (; first < end; first += nodes_at_once) {
            const std::uint64_t n = std::min(nodes_at_once, end - first);
            const auto ours = tree_.read(level, first, n), theirs = other_.read(level, first, n);
            const auto differs = [&](std::uint64_t i) { return ours[i] != theirs[i] || !is_whole(level, first + i); };
            for (std::uint64_t i = 0; i < n; i++) {
                if (!differs(i)) continue;
                std::uint64_t after = i + 1;
                while (after < n && differs(after)) after++;
                if (level == 0) {
                    for (; i < after; i++) note(found_, most_, first + i);
                } else {
                    compare(level - 1, 2 * (first + i), std::min(2 * (first + after), size(level - 1)));
                }
                i = after;  // which does not differ
            }
        }
    }

    const TreeFile &tree_, &other_;
    const std::uint64_t common_;
    const bool are_as_long_;
    const std::size_t most_;
    LeafDifferences& found_;
};

}  // namespace

LeafDifferences leaves_unlike(const TreeFile& tree, const TreeInput& data, std::size_t most,
                              const RunOptions& options) {
    if (tree.is_keyed() && tree.form().mode.flags() == 0)
        invalid(tree.path().string() + " has keyed merges: its key or context must be given first");
    LeafReader reader(data, tree.form().hash, tree.form().mode);
    const std::uint64_t n = tree.n_leaves(), wanted = std::min(n, reader.has_extent() ? reader.n_leaves() : n);
    if (reader.has_extent()) reader.choose(0, wanted);
    Run run(options);
    LeafDifferences found;
    std::vector<Digest> read(std::min(leaves_at_once, wanted + 1)), kept;
    // A stream is asked for one leaf more than the tree has, which shows whether it goes on.
    for (std::uint64_t first = 0, count = 1; count != 0 && first <= n; first += count) {
        const auto room = std::span(read).first(std::min<std::uint64_t>(read.size(), n + 1 - first));
        count = reader.read(room, run, static_cast<double>(room.size()) / static_cast<double>(n + 1));
        found.other_leaves += count;
        const std::uint64_t both = std::min(first + count, n) - std::min(first, n);
        if (both == 0) continue;
        kept.resize(both);
        tree.read(0, first, kept);
        for (std::uint64_t i = 0; i < both; i++)
            if (kept[i] != read[i]) note(found, most, first + i);
    }
    if (reader.has_extent()) found.other_leaves = reader.n_leaves();
    found.other_bytes = reader.bytes();
    return found;
}

LeafDifferences leaves_unlike(const TreeFile& tree, const TreeFile& other, std::size_t most) {
    require_same_form(tree, other);
    LeafDifferences found{.other_leaves = other.n_leaves()};
    const TreeDifferences compared(tree, other, most, found);
    return found;
}

}  // namespace merklize::runtime
