#include "hashes/merge_one.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "hashes/hash_info.hpp"
#include "hashes/sha256_instructions.hpp"
#include "host/blake3/rows.hpp"
#include "host/invalid.hpp"
#include "merklize/core/context.h"
#include "merklize/core/hashes.h"
#include "merklize/core/hashes/blake3.h"
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

// By the chain that the processor computes fastest.
Digest merge_blake3(const Digest& left, const Digest& right, const Mode& mode) noexcept {
    const Digest blocks[] = {left, right};
    Node<std::uint32_t> node;
    std::copy_n(mode.key_words(), std::size(node.words), node.words);
    blake3_chain(node.words, {blocks, 1, 0, mode.flags() | MKZ_BLAKE3_MERGE});
    return node.digest();
}

}  // namespace

Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode) noexcept {
    if (hash == Hash::blake3) return merge_blake3(left, right, mode);
    if (is_on_sha256(hash) && sha256_instructions() != nullptr) {
        Digest pair[] = {left, right};
        sha256_merges(hash, reinterpret_cast<const std::uint8_t*>(pair), 1, reinterpret_cast<std::uint8_t*>(pair));
        return pair[0];
    }
    const UnitOf of(hash);
    switch (of.unit) {
#define MKZ_WITH_PARTS
#define MKZ_EACH_HASH "hashes/merge_one_unit.inc"
#include <merklize/core/hashes.h>
        default: return {};
    }
}

bool takes(Hash hash, const Mode& mode) noexcept {
    if (!is_listed(hash)) return false;
    const mkz_hash_info& facts = info(hash);
    return mode.flags() == 0 || (facts.is_keyed != 0 && mode.is_blake2s() == (facts.has_chunk_tree == 0));
}

Mode claimed_mode(ByteView key, Hash claimed) {
    if (key.empty() || key.size() > 32) invalid("key must be 1 to 32 bytes, got " + std::to_string(key.size()));
    return Mode::keyed(key, key.size() != 32 || has_short_digests(claimed) ? Hash::blake2s : Hash::blake3);
}

void require_merges(Hash hash, const Mode& mode) {
    const mkz_hash_info& facts = info(hash);
    if (takes(hash, mode)) return;
    if (!is_listed(hash)) invalid_call(std::string("'") + facts.name + "' is a part of other hashes");
    const std::string name = std::string("'") + facts.name + "'";
    if (facts.is_keyed == 0)
        invalid_call(
            "mode",
            "must be left out: keys are of the hashes 'blake3' and 'blake2s', and contexts of 'blake3', not of " +
                name);
    if (mode.flags() == MKZ_BLAKE3_DERIVE_KEY_MATERIAL)
        invalid_call("contexts are of the hash 'blake3', not of " + name);
    invalid_call(std::string("the key is of the hash ") + (mode.is_blake2s() ? "'blake2s'" : "'blake3'") + ", not of " +
                 name + "; Mode::keyed(key, hash) makes one for each");
}

}  // namespace merklize::runtime
