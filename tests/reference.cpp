#include "reference.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "json.hpp"
#include "references/goldilocks.hpp"

namespace reference {
namespace {

// ---- BLAKE3 ---------------------------------------------------------------------------------------------------------

using Words8 = std::array<std::uint32_t, 8>;
using Words16 = std::array<std::uint32_t, 16>;

constexpr Words8 iv = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
enum : std::uint32_t {
    chunk_start = 1,
    chunk_end = 2,
    parent = 4,
    root = 8,
    keyed = 16,
    context_flag = 32,
    material = 64
};

std::uint32_t rotate_right(std::uint32_t x, int n) { return x >> n | x << (32 - n); }

void quarter_round(Words16& v, int a, int b, int c, int d, std::uint32_t x, std::uint32_t y) {
    v[a] = v[a] + v[b] + x;
    v[d] = rotate_right(v[d] ^ v[a], 16);
    v[c] = v[c] + v[d];
    v[b] = rotate_right(v[b] ^ v[c], 12);
    v[a] = v[a] + v[b] + y;
    v[d] = rotate_right(v[d] ^ v[a], 8);
    v[c] = v[c] + v[d];
    v[b] = rotate_right(v[b] ^ v[c], 7);
}

Words16 compress(const Words8& cv, Words16 m, std::uint64_t counter, std::uint32_t length, std::uint32_t flags) {
    constexpr std::array<int, 16> permutation = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
    Words16 v{};
    std::copy(cv.begin(), cv.end(), v.begin());
    std::copy(iv.begin(), iv.begin() + 4, v.begin() + 8);
    v[12] = static_cast<std::uint32_t>(counter);
    v[13] = static_cast<std::uint32_t>(counter >> 32);
    v[14] = length;
    v[15] = flags;
    for (int r = 0; r < 7; ++r) {
        for (int k = 0; k < 4; ++k) quarter_round(v, k, 4 + k, 8 + k, 12 + k, m[2 * k], m[2 * k + 1]);
        for (int k = 0; k < 4; ++k) {
            quarter_round(v, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4, m[8 + 2 * k], m[9 + 2 * k]);
        }
        Words16 next{};
        for (int k = 0; k < 16; ++k) next[k] = m[permutation[k]];
        m = next;
    }
    for (int k = 0; k < 8; ++k) {
        v[k] ^= v[k + 8];
        v[k + 8] ^= cv[k];
    }
    return v;
}

Words16 block_words(const std::uint8_t* data, std::size_t length) {
    Words16 m{};
    for (std::size_t i = 0; i < length; ++i) m[i / 4] |= std::uint32_t{data[i]} << (8 * (i % 4));
    return m;
}

/// The last compression of a chunk or parent, before it is done. It gives a chaining value or, with the root flag,
/// output.
struct Output {
    Words8 cv;
    Words16 m;
    std::uint64_t counter;
    std::uint32_t length, flags;

    Words8 chaining_value() const {
        const Words16 v = compress(cv, m, counter, length, flags);
        Words8 out{};
        std::copy(v.begin(), v.begin() + 8, out.begin());
        return out;
    }
};

Output chunk_output(const std::uint8_t* data, std::size_t size, std::uint64_t index, const Words8& key,
                    std::uint32_t flags) {
    Words8 cv = key;
    std::uint32_t start = chunk_start;
    for (; size > 64; data += 64, size -= 64, start = 0) {
        cv = Output{cv, block_words(data, 64), index, 64, flags | start}.chaining_value();
    }
    return {cv, block_words(data, size), index, static_cast<std::uint32_t>(size), flags | start | chunk_end};
}

Output subtree_output(const std::uint8_t* data, std::size_t size, std::uint64_t index, const Words8& key,
                      std::uint32_t flags) {
    if (size <= 1024) return chunk_output(data, size, index, key, flags);
    std::size_t left = 1024;  // the largest power of two of chunks that leaves something for the right side
    while (2 * left < size) left *= 2;
    const Words8 l = subtree_output(data, left, index, key, flags).chaining_value();
    const Words8 r = subtree_output(data + left, size - left, index + left / 1024, key, flags).chaining_value();
    Words16 m{};
    std::copy(l.begin(), l.end(), m.begin());
    std::copy(r.begin(), r.end(), m.begin() + 8);
    return {key, m, 0, 64, flags | parent};
}

Bytes root_bytes(const Output& output, std::size_t length, std::uint64_t seek) {
    Bytes out;
    for (std::uint64_t at = seek; at < seek + length; ++at) {
        static thread_local Words16 v;
        if (at == seek || at % 64 == 0) v = compress(output.cv, output.m, at / 64, output.length, output.flags | root);
        out.push_back(static_cast<std::uint8_t>(v[at % 64 / 4] >> (8 * (at % 4))));
    }
    return out;
}

Words8 key_words(const Bytes& key) {
    const Words16 m = block_words(key.data(), 32);
    Words8 out{};
    std::copy(m.begin(), m.begin() + 8, out.begin());
    return out;
}

// ---- SHA-256 --------------------------------------------------------------------------------------------------------

/// The first 32 bits of the fractional part of the square (2) or cube root (3) of n, by integers alone: the largest x
/// with x^root <= n 2^(32 root).
std::uint32_t fraction_of_root(int root, std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    std::uint64_t x = 0;
    for (int bit = 35; bit >= 0; --bit) {  // roots here are below 8
        const std::uint64_t y = x | std::uint64_t{1} << bit;
        const Wide square = Wide{y} * y;
        const bool fits = root == 2 ? square <= Wide{n} << 64 : square <= (Wide{n} << 96) / y;
        if (fits) x = y;
    }
    return static_cast<std::uint32_t>(x);
}

std::vector<std::uint32_t> fractions_of_roots(int root, std::size_t count) {
    std::vector<std::uint32_t> out;
    for (std::uint64_t n = 2; out.size() < count; ++n) {
        bool prime = true;
        for (std::uint64_t d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
        if (prime) out.push_back(fraction_of_root(root, n));
    }
    return out;
}

// ---- Rescue Prime ---------------------------------------------------------------------------------------------------

using goldilocks::Matrix, goldilocks::add, goldilocks::power;

struct Constants {
    std::uint64_t inverse_alpha;
    Matrix dense, circulant, ark1, ark2;
};

const Constants& constants() {
    static const Constants all = [] {
        const json::Value file = json::read(MERKLIZE_VECTORS "/rescue_prime_constants.json");
        const auto matrix = [&](const char* name) { return goldilocks::matrix_of(file[name]); };
        return Constants{file["inv_alpha"].number, matrix("MDS_v1_v2"), matrix("MDS_v3"), matrix("ARK1"),
                         matrix("ARK2")};
    }();
    return all;
}

void half_round(State& state, std::uint64_t exponent, const Matrix& mds, const std::vector<std::uint64_t>& ark) {
    for (std::uint64_t& cell : state) cell = power(cell, exponent);
    goldilocks::linear(state, mds, ark);
}

}  // namespace

Bytes blake3(const Bytes& data, std::size_t length, std::uint64_t seek, const Mode& mode) {
    if (!mode.key.empty()) {
        return root_bytes(subtree_output(data.data(), data.size(), 0, key_words(mode.key), keyed), length, seek);
    }
    if (!mode.context.empty()) {
        const Bytes context(mode.context.begin(), mode.context.end());
        const Bytes key = root_bytes(subtree_output(context.data(), context.size(), 0, iv, context_flag), 32, 0);
        return root_bytes(subtree_output(data.data(), data.size(), 0, key_words(key), material), length, seek);
    }
    return root_bytes(subtree_output(data.data(), data.size(), 0, iv, 0), length, seek);
}

namespace {

// SHA-256's state after whole blocks.
Bytes sha256_blocks(const Bytes& message) {
    static const std::vector<std::uint32_t> start = fractions_of_roots(2, 8), k = fractions_of_roots(3, 64);
    std::vector<std::uint32_t> h = start;
    for (std::size_t block = 0; block < message.size(); block += 64) {
        std::vector<std::uint32_t> w(64);
        for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | message[block + i];
        for (std::size_t t = 16; t < 64; ++t) {
            const std::uint32_t x = w[t - 15], y = w[t - 2];
            w[t] = w[t - 16] + (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + w[t - 7] +
                   (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
        }
        std::vector<std::uint32_t> v = h;  // a to h
        for (std::size_t t = 0; t < 64; ++t) {
            const std::uint32_t s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
            const std::uint32_t s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
            const std::uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[t] + w[t];
            const std::uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            v = {t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]};
        }
        for (std::size_t i = 0; i < 8; ++i) h[i] += v[i];
    }
    Bytes out;
    for (const std::uint32_t word : h) {
        for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(word >> shift));
    }
    return out;
}

}  // namespace

Bytes sha256(const Bytes& data) {
    Bytes message = data;
    message.push_back(0x80);
    while (message.size() % 64 != 56) message.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8)
        message.push_back(static_cast<std::uint8_t>(std::uint64_t{8} * data.size() >> shift));
    return sha256_blocks(message);
}

void rescue_permute(int variant, State& state) {
    const Constants& c = constants();
    const Matrix& mds = variant == 3 ? c.circulant : c.dense;
    for (std::size_t r = 0; r < 7; ++r) {
        half_round(state, 7, mds, c.ark1[r]);
        half_round(state, c.inverse_alpha, mds, c.ark2[r]);
    }
}

Element4 rescue_hash_elements(int variant, const std::vector<std::uint64_t>& elements) {
    const std::size_t rate = variant == 1 ? 0 : 4, length = variant == 1 ? 11 : 0;
    State state{};
    state[length] = elements.size();
    for (std::size_t i = 0; i < elements.size(); ++i) {
        state[rate + i % 8] = add(state[rate + i % 8], elements[i]);
        if (i % 8 == 7 || i + 1 == elements.size()) rescue_permute(variant, state);
    }
    return {state[rate], state[rate + 1], state[rate + 2], state[rate + 3]};
}

namespace {

Bytes join(std::initializer_list<Bytes> parts) {
    Bytes out;
    for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
    return out;
}

Bytes of_elements(int variant, const Bytes& bytes) {
    return goldilocks::bytes_of(rescue_hash_elements(variant, goldilocks::words_of(bytes)).data());
}

}  // namespace

Bytes blake3_merge(const Bytes& left, const Bytes& right, const Mode& mode) {
    return blake3(join({left, right}), 32, 0, mode);
}
Bytes blake3_leaf(const Bytes& record, const Mode& mode) { return blake3(record, 32, 0, mode); }
Bytes blake3_parent_merge(const Bytes& left, const Bytes& right, const Mode&) {
    const Output node{iv, block_words(join({left, right}).data(), 64), 0, 64, parent};
    Bytes out;
    for (const std::uint32_t word : node.chaining_value()) {
        for (int i = 0; i < 4; ++i) out.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
    }
    return out;
}
Bytes blake3_parent_leaf(const Bytes& record, const Mode&) { return blake3(record, 32, 0, {}); }

Bytes sha256_rfc6962_merge(const Bytes& left, const Bytes& right, const Mode&) {
    return sha256(join({{1}, left, right}));
}
Bytes sha256_rfc6962_leaf(const Bytes& record, const Mode&) { return sha256(join({{0}, record})); }
Bytes sha256_merge(const Bytes& left, const Bytes& right, const Mode&) { return sha256(join({left, right})); }
Bytes sha256_leaf(const Bytes& record, const Mode&) { return sha256(record); }
Bytes sha256d_merge(const Bytes& left, const Bytes& right, const Mode&) { return sha256(sha256(join({left, right}))); }
Bytes sha256d_leaf(const Bytes& record, const Mode&) { return sha256(sha256(record)); }
Bytes sha256_compress_merge(const Bytes& left, const Bytes& right, const Mode&) {
    return sha256_blocks(join({left, right}));
}
Bytes sha256_compress_leaf(const Bytes& record, const Mode&) { return sha256(record); }
Bytes sha256_trunc254_leaf(const Bytes& record, const Mode&) {
    Bytes digest = sha256(record);
    digest[31] %= 64;
    return digest;
}
Bytes sha256_trunc254_merge(const Bytes& left, const Bytes& right, const Mode& mode) {
    return sha256_trunc254_leaf(join({left, right}), mode);
}

Bytes rp64_256_v1_merge(const Bytes& left, const Bytes& right, const Mode&) {
    return of_elements(1, join({left, right}));
}
Bytes rp64_256_v1_leaf(const Bytes& record, const Mode&) { return of_elements(1, record); }
Bytes rp64_256_v2_merge(const Bytes& left, const Bytes& right, const Mode&) {
    return of_elements(2, join({left, right}));
}
Bytes rp64_256_v2_leaf(const Bytes& record, const Mode&) { return of_elements(2, record); }
Bytes rp64_256_v3_merge(const Bytes& left, const Bytes& right, const Mode&) {
    return of_elements(3, join({left, right}));
}
Bytes rp64_256_v3_leaf(const Bytes& record, const Mode&) { return of_elements(3, record); }

Bytes merge(int hash, const Bytes& left, const Bytes& right, const Mode& mode) {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                  \
    if constexpr (!MKZ_UNIT_TABLE_IS_GIVEN) \
        if (hash == (id)) return name##_merge(left, right, mode);
#include <merklize/core/hashes.h>
    throw std::invalid_argument("reference: no such hash");
}

Bytes leaf(int hash, const Bytes& record, const Mode& mode) {
#define MKZ_WITH_PARTS
#define MKZ_HASH(id, name)                  \
    if constexpr (!MKZ_UNIT_TABLE_IS_GIVEN) \
        if (hash == (id)) return name##_leaf(record, mode);
#include <merklize/core/hashes.h>
    throw std::invalid_argument("reference: no such hash");
}

std::vector<Bytes> tree(int hash, const std::vector<Bytes>& leaves) {
    std::vector<Bytes> nodes(leaves.size(), Bytes(32));
    nodes.insert(nodes.end(), leaves.begin(), leaves.end());
    for (std::size_t i = leaves.size() - 1; i >= 1; --i) nodes[i] = merge(hash, nodes[2 * i], nodes[2 * i + 1]);
    return nodes;
}

namespace {

// MTH(D[first:last]) of RFC 6962, stored at its place: above 2^level leaves, or above fewer at the end.
Bytes tree_head(const Merge& merge, const std::vector<Bytes>& leaves, std::size_t first, std::size_t last,
                Levels& levels) {
    const std::size_t n = last - first;
    std::size_t level = 0, k = 1;
    while (k < n) k *= 2, ++level;
    Bytes head;
    if (n == 1) {
        head = leaves[first];
    } else {
        k /= 2;
        const Bytes left = tree_head(merge, leaves, first, first + k, levels);
        head = merge(left, tree_head(merge, leaves, first + k, last, levels));
    }
    // The head of the last leaves is the last node of several levels.
    for (; level < levels.size() && (first >> level) << level == first; ++level) {
        if (((last - 1) >> level) != (first >> level)) continue;
        if (last != leaves.size() && last - first != std::size_t{1} << level) break;
        levels[level][first >> level] = head;
    }
    return head;
}

}  // namespace

Levels left_full(const Merge& merge, const std::vector<Bytes>& leaves) {
    Levels levels;
    for (std::size_t size = leaves.size(); levels.empty() || levels.back().size() > 1; size = (size + 1) / 2)
        levels.emplace_back(size);
    tree_head(merge, leaves, 0, leaves.size(), levels);
    return levels;
}

Levels pad(const Merge& merge, const std::vector<Bytes>& leaves, const Bytes& padding) {
    Levels levels = {leaves};
    std::vector<Bytes> full = leaves;
    while ((full.size() & (full.size() - 1)) != 0) full.push_back(padding);
    std::size_t size = leaves.size();
    while (full.size() > 1) {
        std::vector<Bytes> above;
        for (std::size_t i = 0; i < full.size(); i += 2) above.push_back(merge(full[i], full[i + 1]));
        full = above;
        size = (size + 1) / 2;
        levels.emplace_back(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(size));
    }
    return levels;
}

Levels duplicate_last(const Merge& merge, const std::vector<Bytes>& leaves) {
    Levels levels = {leaves};
    while (levels.back().size() > 1) {
        std::vector<Bytes> below = levels.back(), above;
        if (below.size() % 2 != 0) below.push_back(below.back());
        for (std::size_t i = 0; i < below.size(); i += 2) above.push_back(merge(below[i], below[i + 1]));
        levels.push_back(above);
    }
    return levels;
}

}  // namespace reference
