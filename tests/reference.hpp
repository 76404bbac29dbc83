#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Independent, slow witnesses: BLAKE3 by its specification, byte by byte and recursive, and Rescue Prime by its
// definition with `unsigned __int128 % p`. They share no code with the library; tests/conformance/reference.cpp checks
// them against published vectors.
namespace reference {

using Bytes = std::vector<std::uint8_t>;

/// A mode of BLAKE3. Without key and context it is the plain hash.
struct Mode {
    Bytes key{};
    std::string context{};
};

/// `length` bytes of BLAKE3's extendable output from byte `seek` on.
Bytes blake3(const Bytes& data, std::size_t length = 32, std::uint64_t seek = 0, const Mode& mode = {});

/// SHA-256 of a message.
Bytes sha256(const Bytes& data);

/// BLAKE2s of a message: a digest of 1 to 32 bytes, and a key of at most 32.
Bytes blake2s(const Bytes& message, std::size_t length = 32, const Bytes& key = {});

using State = std::array<std::uint64_t, 12>;
using Element4 = std::array<std::uint64_t, 4>;

/// variant  1, 2 or 3 of rp64_256_v1, _v2, _v3; all words canonical
void rescue_permute(int variant, State& state);
Element4 rescue_hash_elements(int variant, const std::vector<std::uint64_t>& elements);

/// An instance of Poseidon2: constants of the external rounds before and after the internal ones, a row each.
struct Poseidon2 {
    std::uint64_t p, alpha;
    std::vector<std::vector<std::uint64_t>> initial, terminal;
    std::vector<std::uint64_t> internal, diagonal;
};
/// field  "goldilocks", "babybear" or "koalabear"
Poseidon2 published_poseidon2(const std::string& field, std::size_t width);
/// PaddingFreeSponge and TruncatedPermutation of Plonky3 with these constants.
Bytes poseidon2_leaf(const Poseidon2& of, std::size_t rate, const Bytes& record);
Bytes poseidon2_merge(const Poseidon2& of, const Bytes& left, const Bytes& right);

/// An instance of Poseidon: constants of all cells in each round, and the matrix.
struct Poseidon {
    std::uint64_t p, alpha;
    std::vector<std::vector<std::uint64_t>> initial, partial, terminal, matrix;
};
Poseidon published_poseidon(const std::string& field, std::size_t width);
Bytes poseidon_leaf(const Poseidon& of, std::size_t rate, const Bytes& record);
Bytes poseidon_merge(const Poseidon& of, const Bytes& left, const Bytes& right);

/// The reference of each hash: NAME_merge and NAME_leaf below. They are here, or in tests/references/NAME.cpp. A hash
/// without a reference does not link.
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                                                       \
    Bytes name##_merge(const Bytes& left, const Bytes& right, const Mode& mode); \
    Bytes name##_leaf(const Bytes& record, const Mode& mode);
#include <merklize/core/hashes.h>

/// Merge of two 32-byte digests. hash  id as in core/hashes.h; mode  for blake3, and for blake2s if it is a key
Bytes merge(int hash, const Bytes& left, const Bytes& right, const Mode& mode = {});

/// Leaf of a message, as of hash_leaves().
Bytes leaf(int hash, const Bytes& record, const Mode& mode = {});

/// All 2n nodes of the tree in heap order (slot 0: zeros), by n-1 single merges.
std::vector<Bytes> tree(int hash, const std::vector<Bytes>& leaves);

using Merge = std::function<Bytes(const Bytes& left, const Bytes& right)>;
using Levels = std::vector<std::vector<Bytes>>;

/// All levels of a tree of any count of leaves, leaves first, each rule by its own definition: RFC 6962's recursion;
/// padding up to a power of two; Bitcoin's copy of a last leaf. Each level has ceil(n / 2^level) nodes.
Levels left_full(const Merge& merge, const std::vector<Bytes>& leaves);
Levels pad(const Merge& merge, const std::vector<Bytes>& leaves, const Bytes& padding);
Levels duplicate_last(const Merge& merge, const std::vector<Bytes>& leaves);

}  // namespace reference
