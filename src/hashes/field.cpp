#include "hashes/field.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "host/invalid.hpp"

namespace merklize::runtime {
namespace {

template <class Word>
Word word_at(const void* words, std::size_t i) noexcept {
    Word word;
    std::memcpy(&word, static_cast<const char*>(words) + sizeof(Word) * i, sizeof word);
    return word;
}

template <class Word>
std::size_t first_at_least(Word modulus, const void* words, std::size_t n) noexcept {
    // Checks blocks without a branch inside, so that valid input, the usual case, runs at memory speed. `any` is a
    // word, because compilers would narrow each comparison to a bool.
    constexpr std::size_t block = 256;
    for (std::size_t start = 0; start < n; start += block) {
        const std::size_t end = std::min(start + block, n);
        Word any = 0;
        for (std::size_t i = start; i < end; i++) any |= word_at<Word>(words, i) >= modulus ? 1 : 0;
        if (any == 0) continue;
        for (std::size_t i = start; i < end; i++) {
            if (word_at<Word>(words, i) >= modulus) return i;
        }
    }
    return n;
}

}  // namespace

std::size_t first_not_below(std::uint64_t modulus, unsigned word_bytes, const void* words, std::size_t n) noexcept {
    if (word_bytes == 4) {
        return modulus > UINT32_MAX ? n : first_at_least(static_cast<std::uint32_t>(modulus), words, n);
    }
    return first_at_least<std::uint64_t>(modulus, words, n);
}

std::size_t first_not_canonical(const mkz_hash_info& hash, const void* words, std::size_t n) noexcept {
    return is_field(hash) ? first_not_below(hash.modulus, hash.word_bits / 8, words, n) : n;
}

void require_canonical(const mkz_hash_info& hash, const void* words, std::size_t n, const char* argument,
                       std::uint64_t first_index) {
    const std::size_t i = first_not_canonical(hash, words, n);
    if (i == n) return;
    const std::uint64_t word =
        hash.word_bits == 32 ? word_at<std::uint32_t>(words, i) : word_at<std::uint64_t>(words, i);
    invalid_call(std::string(argument) + (*argument == 0 ? "" : ": ") + "word " + std::to_string(first_index + i) +
                 " is " + std::to_string(word) +
                 ", not a field element: it must be below p = " + std::to_string(hash.modulus));
}

void require_canonical(Hash hash, std::span<const Digest> digests, const char* argument, std::uint64_t first) {
    const mkz_hash_info& facts = info(hash);
    const unsigned words = node_words(facts);
    require_canonical(facts, digests.data(), words * digests.size(), argument, words * first);
}

bool are_canonical(const mkz_hash_info& hash, std::span<const Digest> digests) noexcept {
    const std::size_t words = node_words(hash) * digests.size();
    return first_not_canonical(hash, digests.data(), words) == words;
}

}  // namespace merklize::runtime
