#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/jobs.hpp"
#include "merklize/xmss.hpp"
#include "xmss/tweaked.hpp"

namespace merklize::inline v0::xmss {

inline Parameter parameter_of(const runtime::XmssSecret& secret) {
    return Parameter(reinterpret_cast<const std::byte*>(secret.parameter), node_bytes);
}

/// The nodes of levels [base, top] of a key that have an epoch of [first, last] below them.
class Levels {
public:
    Levels(unsigned base, unsigned top, std::uint32_t first, std::uint32_t last);

    std::uint64_t begin(unsigned level) const noexcept { return first_ >> level; }
    std::uint64_t end(unsigned level) const noexcept { return (last_ >> level) + 1; }
    bool has(unsigned level, std::uint64_t index) const noexcept {
        return level >= base_ && level <= top_ && index >= begin(level) && index < end(level);
    }
    Node& at(unsigned level, std::uint64_t index) noexcept {
        return nodes_[starts_[level - base_] + (index - begin(level))];
    }
    const Node& at(unsigned level, std::uint64_t index) const noexcept {
        return nodes_[starts_[level - base_] + (index - begin(level))];
    }
    /// Level `base`, which the caller fills.
    std::span<Node> lowest() noexcept { return std::span(nodes_).first(end(base_) - begin(base_)); }

    /// Makes the levels above the lowest level, for several keys of the same epochs.
    /// levels, secrets  one for each key
    static void climb(std::span<Levels*> levels, std::span<const runtime::XmssSecret* const> secrets);

private:
    unsigned base_, top_;
    std::uint64_t first_, last_;           // 64 bits, so that a shift by 32 gives 0
    std::vector<std::uint64_t> starts_{};  // of each level
    std::vector<Node> nodes_{};
};

/// Adds the message of a filler: a node without an epoch of the key below it.
inline void add_filler(Tweaked& fillers, const runtime::XmssSecret& secret, unsigned level, std::uint64_t index) {
    std::byte* payload = fillers.add({MKZ_XMSS_FILLER, level, static_cast<std::uint32_t>(index)}, parameter_of(secret));
    std::memcpy(payload, secret.seed, seed_bytes);
}

}  // namespace merklize::inline v0::xmss
