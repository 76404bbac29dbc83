#include "jobs/merge_one.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "jobs/hash_info.hpp"
#include "merklize/core/blake3.h"
#include "merklize/core/rescue_prime.h"
#include "merklize/core/sha256.h"
#include "merklize/error.hpp"

namespace merklize::runtime {
namespace {

template <class Word>
struct Node {
    Word words[Digest::size / sizeof(Word)];

    Node() = default;
    explicit Node(const Digest& digest) noexcept { std::memcpy(words, digest.bytes.data(), Digest::size); }
    Digest digest() const noexcept {
        Digest digest;
        std::memcpy(digest.bytes.data(), words, Digest::size);
        return digest;
    }
};

template <class Word, class Merge>
Digest merge_by(Merge merge, const Digest& left, const Digest& right) noexcept {
    const Node<Word> l(left), r(right);
    Node<Word> out;
    merge(out.words, l.words, r.words);
    return out.digest();
}

}  // namespace

Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode) noexcept {
    if (hash == Hash::blake3 && mode.flags() != 0) {
        return merge_by<mkz_u32>(
            [&](mkz_u32* out, const mkz_u32* l, const mkz_u32* r) {
                mkz_blake3_merge_keyed(out, l, r, mode.key_words(), mode.flags());
            },
            left, right);
    }
    switch (hash) {
#define MKZ_HASH(id, name, prefix, lane, kind) \
    case Hash::name: return merge_by<mkz_u##lane>(prefix##_merge, left, right);
#include <merklize/hashes.def>
    }
    return {};
}

bool takes(Hash hash, const Mode& mode) noexcept {
    const mkz_hash_info* facts = find_info(hash);
    return facts != nullptr && (mode.flags() == 0 || facts->is_keyed);
}

void require_merges(Hash hash, const Mode& mode, const char* what) {
    const mkz_hash_info& facts = info(hash);
    if (takes(hash, mode)) return;
    std::string keyed;
    for (const HashTraits& t : hashes()) {
        if (info(t.hash).is_keyed) keyed += (keyed.empty() ? "'" : ", '") + std::string(t.name) + "'";
    }
    throw Error(ErrorCode::invalid_argument,
                std::string(what) + ": keys and contexts are of the hash " + keyed + ", not of '" + facts.name + "'");
}

}  // namespace merklize::runtime
