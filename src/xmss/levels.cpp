#include "xmss/levels.hpp"

namespace merklize::inline v0::xmss {
namespace {

constexpr std::size_t at_once = 256;  // messages

}  // namespace

Levels::Levels(unsigned base, unsigned top, std::uint32_t first, std::uint32_t last)
    : base_(base), top_(top), first_(first), last_(last) {
    std::uint64_t nodes = 0;
    for (unsigned level = base; level <= top; level++) {
        starts_.push_back(nodes);
        nodes += end(level) - begin(level);
    }
    nodes_.resize(nodes);
}

void Levels::climb(std::span<Levels*> levels, std::span<const runtime::XmssSecret* const> secrets) {
    if (levels.empty()) return;
    const Levels& shape = *levels[0];
    SecretBytes memory(Tweaked::bytes_of(at_once, seed_bytes));
    std::vector<Node> lefts(levels.size()), rights(levels.size());
    for (unsigned level = shape.base_; level < shape.top_; level++) {
        // The fillers beside the first and the last node of the level, if their parents need them.
        const std::uint64_t before = shape.begin(level) - 1, behind = shape.end(level);
        const auto fill = [&](std::uint64_t index, std::vector<Node>& to) {
            Tweaked fillers(memory, seed_bytes);
            for (std::size_t k = 0, done = 0; k < levels.size(); k++) {
                add_filler(fillers, *secrets[k], level, index);
                if (!fillers.is_full() && k + 1 < levels.size()) continue;
                fillers.hash();
                for (std::size_t i = 0; done <= k; done++) to[done] = fillers.node(i++);
            }
        };
        if (before % 2 == 0) fill(before, lefts);
        if (behind % 2 != 0) fill(behind, rights);
        std::vector<Node*> parents;
        Tweaked merges(memory, 2 * node_bytes);
        const auto flush = [&] {
            merges.hash();
            for (std::size_t i = 0; i < parents.size(); i++) *parents[i] = merges.node(i);
            parents.clear();
        };
        for (std::size_t k = 0; k < levels.size(); k++) {
            Levels& tree = *levels[k];
            for (std::uint64_t i = tree.begin(level + 1); i < tree.end(level + 1); i++) {
                const Node& left = tree.has(level, 2 * i) ? tree.at(level, 2 * i) : lefts[k];
                const Node& right = tree.has(level, 2 * i + 1) ? tree.at(level, 2 * i + 1) : rights[k];
                std::byte* pair =
                    merges.add({MKZ_XMSS_NODE, level + 1, static_cast<std::uint32_t>(i)}, parameter_of(*secrets[k]));
                std::memcpy(pair, left.data(), node_bytes);
                std::memcpy(pair + node_bytes, right.data(), node_bytes);
                parents.push_back(&tree.at(level + 1, i));
                if (merges.is_full()) flush();
            }
        }
        flush();
    }
}

}  // namespace merklize::inline v0::xmss
