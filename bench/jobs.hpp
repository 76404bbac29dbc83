#pragma once

#include <array>
#include <cstring>
#include <vector>

#include <merklize/merklize.hpp>

// Shared by the benchmark programs: their input, and the CPU that they compare with.
namespace bench {

/// This library's own CPU backend, on all threads.
inline merklize::RunOptions on_cpu() {
    merklize::RunOptions options;
    options.device = merklize::Device("cpu");
    return options;
}

/// Values that look random: the extendable output of a fixed text, made on the CPU.
template <class T>
std::vector<T> random_values(std::size_t n, const char* seed) {
    std::vector<T> values(n);
    merklize::hash(std::as_bytes(std::span(seed, std::strlen(seed))), std::as_writable_bytes(std::span(values)), 0, {},
                   on_cpu());
    return values;
}

/// n digests that are valid for `hash`: canonical words for field hashes.
inline std::vector<merklize::Digest> random_leaves(std::uint64_t n, merklize::Hash hash) {
    std::vector<merklize::Digest> leaves = random_values<merklize::Digest>(n, "leaves");
    if (!merklize::traits(hash).is_field) return leaves;
    constexpr std::uint64_t p = 0xffffffff00000001;
    for (merklize::Digest& leaf : leaves) {
        std::array<std::uint64_t, 4> words = leaf.words();
        for (std::uint64_t& word : words) word %= p;
        leaf = merklize::Digest::from_words(words);
    }
    return leaves;
}

}  // namespace bench
