// Plain reference of Poseidon2 and Poseidon: the permutations by matrices and `%`, the sponge and the merge of Plonky3,
// and the sponge of miden-crypto over the same permutation. The constants are those of
// tests/vectors/poseidon2_constants.json and poseidon_constants.json.
#include "reference.hpp"

#include <string>

#include "json.hpp"

namespace reference {
namespace {

__extension__ using Wide = unsigned __int128;
using Row = std::vector<std::uint64_t>;

std::uint64_t add(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
    return static_cast<std::uint64_t>((Wide{a} + b) % p);
}
std::uint64_t multiply(std::uint64_t a, std::uint64_t b, std::uint64_t p) {
    return static_cast<std::uint64_t>(Wide{a} * b % p);
}
std::uint64_t power(std::uint64_t x, std::uint64_t exponent, std::uint64_t p) {
    std::uint64_t out = 1;
    for (std::uint64_t i = 0; i < exponent; ++i) out = multiply(out, x, p);
    return out;
}

struct Instance : Poseidon2 {
    std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return reference::add(a, b, p); }
    std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const { return reference::multiply(a, b, p); }
    std::uint64_t sbox(std::uint64_t x) const { return power(x, alpha, p); }
    std::size_t width() const { return diagonal.size(); }

    void external(Row& state) const {
        constexpr std::uint64_t m4[4][4] = {{2, 3, 1, 1}, {1, 2, 3, 1}, {1, 1, 2, 3}, {3, 1, 1, 2}};
        Row t(state.size());
        for (std::size_t i = 0; i < state.size(); ++i) {
            for (std::size_t k = 0; k < 4; ++k) t[i] = add(t[i], multiply(m4[i % 4][k], state[i / 4 * 4 + k]));
        }
        for (std::size_t i = 0; i < state.size(); ++i) {
            state[i] = t[i];
            for (std::size_t j = i % 4; j < state.size(); j += 4) state[i] = add(state[i], t[j]);
        }
    }

    void full_round(Row& state, const Row& constants) const {
        for (std::size_t i = 0; i < state.size(); ++i) state[i] = sbox(add(state[i], constants[i]));
        external(state);
    }

    void permute(Row& state) const {
        external(state);
        for (const Row& constants : initial) full_round(state, constants);
        for (const std::uint64_t constant : internal) {
            state[0] = sbox(add(state[0], constant));
            std::uint64_t sum = 0;
            for (const std::uint64_t cell : state) sum = add(sum, cell);
            for (std::size_t i = 0; i < state.size(); ++i) state[i] = add(sum, multiply(diagonal[i], state[i]));
        }
        for (const Row& constants : terminal) full_round(state, constants);
    }
};

std::vector<Row> rows(const json::Value& of) {
    std::vector<Row> out;
    for (const json::Value& row : of.items) out.push_back(row.numbers());
    return out;
}

const Instance& instance(const std::string& field, std::size_t width) {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/poseidon2_constants.json");
    static thread_local std::map<std::string, Instance> all;
    const std::string name = field + "_w" + std::to_string(width);
    if (!all.contains(name)) {
        const json::Value &of = file["instances"][name], &on = file["fields"][field];
        all[name] = {{on["p"].number, on["alpha"].number, rows(of["external_initial"]), rows(of["external_terminal"]),
                      of["internal"].numbers(), of["diag_minus_one"].numbers()}};
    }
    return all[name];
}

/// Every round adds its constants, has S-boxes, in partial rounds on cell 0 alone, and multiplies by the matrix.
struct PoseidonInstance : Poseidon {
    std::size_t width() const { return matrix.size(); }

    void round(Row& state, const Row& constants, std::size_t n_sboxes) const {
        const std::size_t n = width();
        Row x(n);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = add(state[i], constants[i], p);
            if (i < n_sboxes) x[i] = power(x[i], alpha, p);
        }
        for (std::size_t i = 0; i < n; ++i) {
            state[i] = 0;
            for (std::size_t j = 0; j < n; ++j) state[i] = add(state[i], multiply(matrix[i][j], x[j], p), p);
        }
    }
    void permute(Row& state) const {
        for (const Row& constants : initial) round(state, constants, width());
        for (const Row& constants : partial) round(state, constants, 1);
        for (const Row& constants : terminal) round(state, constants, width());
    }
};

const PoseidonInstance& poseidon(const std::string& field, std::size_t width) {
    static const json::Value file = json::read(MERKLIZE_VECTORS "/poseidon_constants.json");
    static thread_local std::map<std::string, PoseidonInstance> all;
    const std::string name = field + "_w" + std::to_string(width);
    if (!all.contains(name)) {
        const json::Value &of = file["instances"][name], &on = file["fields"][field];
        const Row first = of["mds_first_row"].numbers();
        std::vector<Row> matrix(width, Row(width));
        for (std::size_t i = 0; i < width; ++i) {
            for (std::size_t j = 0; j < width; ++j) matrix[i][j] = first[(width + j - i) % width];
        }
        all[name] = {{on["p"].number, on["alpha"].number, rows(of["initial"]), rows(of["partial"]),
                      rows(of["terminal"]), matrix}};
    }
    return all[name];
}

Row words_of(const Bytes& bytes, std::size_t word_bytes) {
    Row out(bytes.size() / word_bytes);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        out[i / word_bytes] |= std::uint64_t{bytes[i]} << (8 * (i % word_bytes));
    return out;
}

/// The first 32 bytes of the state.
Bytes digest_of(const Row& state, std::size_t word_bytes) {
    Bytes out;
    for (std::size_t i = 0; i < 32; ++i)
        out.push_back(static_cast<std::uint8_t>(state[i / word_bytes] >> (8 * (i % word_bytes))));
    return out;
}

/// PaddingFreeSponge: the length is not part of the state, and a partial last block replaces only as many cells.
template <class Permutation>
Bytes plonky3_leaf(const Permutation& of, std::size_t rate, const Bytes& record) {
    const std::size_t word_bytes = of.p >> 32 != 0 ? 8 : 4;
    const Row words = words_of(record, word_bytes);
    Row state(of.width());
    for (std::size_t i = 0; i < words.size(); ++i) {
        state[i % rate] = words[i];
        if (i % rate == rate - 1 || i + 1 == words.size()) of.permute(state);
    }
    return digest_of(state, word_bytes);
}

/// TruncatedPermutation.
template <class Permutation>
Bytes plonky3_merge(const Permutation& of, const Bytes& left, const Bytes& right) {
    const std::size_t word_bytes = of.p >> 32 != 0 ? 8 : 4;
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    Row state = words_of(both, word_bytes);
    state.resize(of.width());
    of.permute(state);
    return digest_of(state, word_bytes);
}

/// The length mod 8 in cell 8, and zeros up to a full block.
Bytes miden(const Bytes& record) {
    Row words = words_of(record, 8), state(12);
    state[8] = words.size() % 8;
    while (words.size() % 8 != 0) words.push_back(0);
    for (std::size_t i = 0; i < words.size(); ++i) {
        state[i % 8] = words[i];
        if (i % 8 == 7) instance("goldilocks", 12).permute(state);
    }
    return digest_of(state, 8);
}

}  // namespace

Poseidon2 published_poseidon2(const std::string& field, std::size_t width) { return instance(field, width); }
Bytes poseidon2_leaf(const Poseidon2& of, std::size_t rate, const Bytes& record) {
    return plonky3_leaf(Instance{of}, rate, record);
}
Bytes poseidon2_merge(const Poseidon2& of, const Bytes& left, const Bytes& right) {
    return plonky3_merge(Instance{of}, left, right);
}
Poseidon published_poseidon(const std::string& field, std::size_t width) { return poseidon(field, width); }
Bytes poseidon_leaf(const Poseidon& of, std::size_t rate, const Bytes& record) {
    return plonky3_leaf(PoseidonInstance{of}, rate, record);
}
Bytes poseidon_merge(const Poseidon& of, const Bytes& left, const Bytes& right) {
    return plonky3_merge(PoseidonInstance{of}, left, right);
}

#define PLONKY3_BY(make, name, field, width, rate, merge_width)              \
    Bytes name##_merge(const Bytes& left, const Bytes& right, const Mode&) { \
        return plonky3_merge(make(field, merge_width), left, right);         \
    }                                                                        \
    Bytes name##_leaf(const Bytes& record, const Mode&) { return plonky3_leaf(make(field, width), rate, record); }
#define PLONKY3(...) PLONKY3_BY(instance, __VA_ARGS__)
#define POSEIDON(...) PLONKY3_BY(poseidon, __VA_ARGS__)
PLONKY3(poseidon2_goldilocks_quad, "goldilocks", 16, 16, 16)
PLONKY3(poseidon2_babybear_quad, "babybear", 32, 32, 32)
PLONKY3(poseidon2_koalabear_quad, "koalabear", 32, 32, 32)
PLONKY3(poseidon2_goldilocks_8, "goldilocks", 8, 4, 8)
PLONKY3(poseidon2_goldilocks_12, "goldilocks", 12, 8, 8)
PLONKY3(poseidon2_babybear_16, "babybear", 16, 8, 16)
PLONKY3(poseidon2_babybear_24, "babybear", 24, 16, 16)
PLONKY3(poseidon2_koalabear_16, "koalabear", 16, 8, 16)
PLONKY3(poseidon2_koalabear_24, "koalabear", 24, 16, 16)
POSEIDON(poseidon_goldilocks_8, "goldilocks", 8, 4, 8)
POSEIDON(poseidon_goldilocks_12, "goldilocks", 12, 8, 8)
POSEIDON(poseidon_babybear_16, "babybear", 16, 8, 16)
POSEIDON(poseidon_babybear_24, "babybear", 24, 16, 16)
POSEIDON(poseidon_koalabear_16, "koalabear", 16, 8, 16)
POSEIDON(poseidon_koalabear_24, "koalabear", 24, 16, 16)

Bytes poseidon2_miden_merge(const Bytes& left, const Bytes& right, const Mode&) {
    Bytes both = left;
    both.insert(both.end(), right.begin(), right.end());
    return miden(both);
}
Bytes poseidon2_miden_leaf(const Bytes& record, const Mode&) { return miden(record); }

}  // namespace reference
