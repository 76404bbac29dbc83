#include "hashes/merge_one.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "hashes/hash_info.hpp"
#include "host/invalid.hpp"
#include "merklize/core/context.h"
#include "merklize/core/hashes.h"
#include "merklize/core/names.h"
#include "merklize/core/parts.h"

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
    const UnitOf of(hash);
    switch (of.unit) {
#define MKZ_WITH_PARTS
#define MKZ_EACH_HASH "hashes/merge_one_unit.inc"
#include <merklize/core/hashes.h>
        default: return {};
    }
}

bool takes(Hash hash, const Mode& mode) noexcept {
    return is_listed(hash) && (mode.flags() == 0 || info(hash).is_keyed);
}

void require_merges(Hash hash, const Mode& mode, const char* what) {
    const mkz_hash_info& facts = info(hash);
    if (takes(hash, mode)) return;
    if (!is_listed(hash)) invalid(what, std::string("'") + facts.name + "' is a part of other hashes");
    std::string keyed;
    for (const HashTraits& t : hashes()) {
        if (info(t.hash).is_keyed) keyed += (keyed.empty() ? "'" : ", '") + std::string(t.name) + "'";
    }
    invalid(what, "keys and contexts are of the hash " + keyed + ", not of '" + facts.name + "'");
}

}  // namespace merklize::runtime
