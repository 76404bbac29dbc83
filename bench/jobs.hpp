#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
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

/// Makes words that a field hash takes of any bytes.
inline void make_canonical(std::span<std::byte> bytes, merklize::Hash hash) {
    const merklize::HashTraits& t = merklize::traits(hash);
    const auto reduce = [&]<class Word>(Word word) {
        for (std::size_t i = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
            std::memcpy(&word, bytes.data() + i, sizeof word);
            word = static_cast<Word>(word % t.modulus);
            std::memcpy(bytes.data() + i, &word, sizeof word);
        }
    };
    if (t.element_bits == 64) reduce(std::uint64_t{});
    if (t.element_bits == 32) reduce(std::uint32_t{});
}

/// n digests that are valid for `hash`: canonical words for field hashes.
inline std::vector<merklize::Digest> random_leaves(std::uint64_t n, merklize::Hash hash) {
    std::vector<merklize::Digest> leaves = random_values<merklize::Digest>(n, "leaves");
    make_canonical(std::as_writable_bytes(std::span(leaves)), hash);
    return leaves;
}

/// The value of a flag: "16,20,24".
inline std::vector<unsigned> numbers(const char* text) {
    std::vector<unsigned> values;
    for (char* end = nullptr; *text != 0; text = *end == ',' ? end + 1 : end) {
        values.push_back(static_cast<unsigned>(std::strtoul(text, &end, 10)));
        if (end == text)
            throw merklize::Error(merklize::ErrorCode::invalid_argument, std::string("not a list of numbers: ") + text);
    }
    return values;
}

}  // namespace bench
