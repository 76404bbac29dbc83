#include "hashes/merge_one.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "hashes/hash_info.hpp"
#include "hashes/sha256_instructions.hpp"
#include "host/blake3/rows.hpp"
#include "host/invalid.hpp"
#include "merklize/core/context.h"
#include "merklize/core/hashes.h"
#include "merklize/core/hashes/blake3.h"
#include "merklize/core/hashes/sha256_compression.h"
#include "merklize/core/hashes/sha256_rfc6962.h"
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

// A hash on SHA-256 by the processor's instructions: how the bytes left || right become a digest.
struct Sha256Merge {
    bool has_prefix, is_padded, is_twice, is_cut;
};
std::optional<Sha256Merge> sha256_merge(Hash hash) noexcept {
    switch (hash) {
        case Hash::sha256: return {{.has_prefix = false, .is_padded = true, .is_twice = false, .is_cut = false}};
        case Hash::sha256_rfc6962: return {{.has_prefix = true, .is_padded = true, .is_twice = false, .is_cut = false}};
        case Hash::sha256d: return {{.has_prefix = false, .is_padded = true, .is_twice = true, .is_cut = false}};
        case Hash::sha256_compress:
            return {{.has_prefix = false, .is_padded = false, .is_twice = false, .is_cut = false}};
        case Hash::sha256_trunc254:
            return {{.has_prefix = false, .is_padded = true, .is_twice = false, .is_cut = true}};
        default: return {};
    }
}

// Of the first `bytes` of two blocks, which are zeros behind them and get the padding there, or of one block.
Digest sha256_of(const Sha256Instructions& sha, std::uint8_t blocks[128], std::size_t bytes, bool is_padded) noexcept {
    std::size_t n = 1;
    if (is_padded) {
        n = (bytes + 8) / MKZ_SHA256_BLOCK_LEN + 1;
        std::uint8_t* end = blocks + MKZ_SHA256_BLOCK_LEN * n;
        blocks[bytes] = 0x80;
        end[-2] = static_cast<std::uint8_t>(bytes >> 5);
        end[-1] = static_cast<std::uint8_t>(bytes << 3);
    }
    std::uint32_t state[8];
    mkz_sha256_iv(state);
    sha.blocks(state, blocks, n);
    Node<std::uint32_t> node;
    mkz_sha256_digest(node.words, state);
    return node.digest();
}

Digest merge_sha256(const Sha256Instructions& sha, const Sha256Merge& how, const Digest& left,
                    const Digest& right) noexcept {
    std::uint8_t blocks[128] = {}, *to = blocks;
    if (how.has_prefix) *to++ = MKZ_SHA256_NODE_PREFIX;
    std::memcpy(to, left.bytes.data(), Digest::size);
    std::memcpy(to + Digest::size, right.bytes.data(), Digest::size);
    Digest digest = sha256_of(sha, blocks, 2 * Digest::size + how.has_prefix, how.is_padded);
    if (how.is_twice) {
        std::uint8_t again[128] = {};
        std::memcpy(again, digest.bytes.data(), Digest::size);
        digest = sha256_of(sha, again, Digest::size, true);
    }
    if (how.is_cut) digest.bytes[Digest::size - 1] &= std::byte{0x3f};
    return digest;
}

}  // namespace

Digest merge_one(Hash hash, const Digest& left, const Digest& right, const Mode& mode) noexcept {
    if (hash == Hash::blake3) return merge_blake3(left, right, mode);
    if (const Sha256Instructions* sha = sha256_instructions()) {
        if (const auto how = sha256_merge(hash)) return merge_sha256(*sha, *how, left, right);
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
