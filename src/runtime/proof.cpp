#include "merklize/proof.hpp"

#include <bit>
#include <cstring>

#include "merklize/core/blake3.h"
#include "merklize/core/rescue_prime.h"
#include "runtime/field.hpp"

namespace merklize {
namespace {

// Merges of the core by hash id: one at a time, and nothing that can fail or allocate, so that verify() is total.
using MergeFunction = void (*)(const Digest& left, const Digest& right, Digest& out);

#define MERGE_FUNCTION(prefix, name, word, words)                             \
    void merge_##name(const Digest& left, const Digest& right, Digest& out) { \
        word l[words], r[words], o[words];                                    \
        std::memcpy(l, left.bytes.data(), 32);                                \
        std::memcpy(r, right.bytes.data(), 32);                               \
        prefix##_merge(o, l, r);                                              \
        std::memcpy(out.bytes.data(), o, 32);                                 \
    }
#define MKZ_HASH(id, name, prefix, lane, is_field) MERGE_FUNCTION(prefix, name, mkz_u##lane, 256 / lane)
#include <merklize/hashes.def>

struct HashEntry {
    std::uint8_t id;
    bool is_field;
    MergeFunction merge;
};
constexpr HashEntry entries[] = {
#define MKZ_HASH(id, name, prefix, lane, is_field) {id, is_field != 0, merge_##name},
#include <merklize/hashes.def>
};

const HashEntry* entry_of(Hash hash) noexcept {
    for (const HashEntry& entry : entries) {
        if (entry.id == static_cast<std::uint8_t>(hash)) return &entry;
    }
    return nullptr;
}

bool canonical(const Digest& digest) noexcept { return runtime::first_not_canonical(digest.bytes.data(), 4) == 4; }

constexpr char magic[4] = {'M', 'K', 'Z', 'P'};
constexpr std::uint8_t format_version = 1;
constexpr std::size_t header_bytes = 24;
constexpr unsigned max_height = 63;

}  // namespace

std::vector<std::byte> MerkleProof::to_bytes() const {
    std::vector<std::byte> bytes(header_bytes + Digest::size * (1 + siblings.size()));
    std::memcpy(bytes.data(), magic, sizeof magic);
    bytes[4] = static_cast<std::byte>(format_version);
    bytes[5] = static_cast<std::byte>(hash);
    std::memcpy(bytes.data() + 8, &index, 8);
    std::memcpy(bytes.data() + 16, &n_leaves, 8);
    std::memcpy(bytes.data() + header_bytes, leaf.bytes.data(), Digest::size);
    if (!siblings.empty()) {
        std::memcpy(bytes.data() + header_bytes + Digest::size, siblings.data(), Digest::size * siblings.size());
    }
    return bytes;
}

std::optional<MerkleProof> MerkleProof::from_bytes(std::span<const std::byte> bytes) noexcept try {
    if (bytes.size() < header_bytes + Digest::size || (bytes.size() - header_bytes) % Digest::size != 0)
        return std::nullopt;
    const std::size_t height = (bytes.size() - header_bytes) / Digest::size - 1;
    if (height > max_height || std::memcmp(bytes.data(), magic, sizeof magic) != 0) return std::nullopt;
    if (bytes[4] != static_cast<std::byte>(format_version) || bytes[6] != std::byte{0} || bytes[7] != std::byte{0}) {
        return std::nullopt;
    }
    MerkleProof proof;
    proof.hash = static_cast<Hash>(bytes[5]);
    if (entry_of(proof.hash) == nullptr) return std::nullopt;
    std::memcpy(&proof.index, bytes.data() + 8, 8);
    std::memcpy(&proof.n_leaves, bytes.data() + 16, 8);
    if (proof.n_leaves != std::uint64_t{1} << height || proof.index >= proof.n_leaves) return std::nullopt;
    std::memcpy(proof.leaf.bytes.data(), bytes.data() + header_bytes, Digest::size);
    proof.siblings.resize(height);
    if (height != 0)
        std::memcpy(proof.siblings.data(), bytes.data() + header_bytes + Digest::size, Digest::size * height);
    return proof;
} catch (...) {  // no memory for the siblings
    return std::nullopt;
}

bool verify(const MerkleProof& proof, const Digest& root) noexcept {
    const HashEntry* entry = entry_of(proof.hash);
    const std::size_t height = proof.siblings.size();
    if (entry == nullptr || height == 0 || height > max_height) return false;
    if (proof.n_leaves != std::uint64_t{1} << height || proof.index >= proof.n_leaves) return false;
    if (entry->is_field && !canonical(proof.leaf)) return false;
    Digest node = proof.leaf;
    for (std::size_t level = 0; level < height; level++) {
        const Digest& sibling = proof.siblings[level];
        if (entry->is_field && !canonical(sibling)) return false;
        Digest parent;
        if ((proof.index >> level & 1) == 0) {
            entry->merge(node, sibling, parent);
        } else {
            entry->merge(sibling, node, parent);
        }
        node = parent;
    }
    return node == root;
}

}  // namespace merklize
