#!/usr/bin/env python3
"""Writes the constants of field hashes into their families' headers in include/merklize/core/hashes.

They come from JSON in tests/vectors, which holds the published values:

rescue_prime_constants.json  Rp64_256 (winter-crypto): the dense MDS of variants 1 and 2, the first row of the circulant
                             MDS of variant 3, and the round constants that all three share
rpjive64_256_constants.json  RpJive64_256 (winter-crypto): its circulant MDS and its round constants
rpo_constants.json           Rpo256 and Rpx256 (miden-crypto), whose MDS is that circulant one
poseidon2_constants.json     Poseidon2, the instances of Plonky3
poseidon_constants.json      Poseidon, the instances of Plonky3

The headers have what the core computes with: the dense MDS in limbs, Poseidon's constants folded forward through its
partial rounds, and both Poseidons' constants in the order in which
poseidon2_permutation.h uses them, those of the 31-bit fields in Montgomery form; Poseidon's matrices over the 31-bit
fields in factors. What the headers spell out as shifts, the other circulant matrices and Poseidon2's diagonals, is
checked here.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tests" / "vectors"
HEADERS = ROOT / "include" / "merklize" / "core" / "hashes"
P = 2**64 - 2**32 + 1
LIMB_BITS = (22, 21, 21)
WIDTHS = {"goldilocks": (8, 12, 16), "babybear": (16, 24, 32), "koalabear": (16, 24, 32)}
POSEIDON_WIDTHS = {"goldilocks": (8, 12), "babybear": (16, 24), "koalabear": (16, 24)}
BEGIN = "/* Written by scripts/generate_hash_constants.py; do not edit. */\n/* clang-format off */\n"
END = "/* clang-format on */\n"


def load(name):
    return json.loads((SOURCES / name).read_text())


def table(bits, name, size, words, fmt, per_line):
    text = [fmt % word for word in words]
    lines = ",\n".join("    " + ", ".join(text[i : i + per_line]) for i in range(0, len(text), per_line))
    return f"MKZ_TABLE mkz_u{bits} {name}[{size}] = {{\n{lines},\n}};\n"


def round_constants(name, data):
    words = [word for r in range(7) for word in data["ARK1"][r] + data["ARK2"][r]]
    assert all(word < P for word in words)
    comment = "/* [round][half][cell]: half 0 = ARK1, half 1 = ARK2. Canonical. */\n"
    return comment + table(64, name, f"7 * 2 * {len(data['ARK1'][0])}", words, "MKZ_U64(%d)", 4)


def limbs(value):
    out = []
    for bits in LIMB_BITS:
        out.append(value & ((1 << bits) - 1))
        value >>= bits
    assert value == 0
    return out


def rescue_prime():
    data = load("rescue_prime_constants.json")
    circulant = data["MDS_v3"]
    first = circulant[0]
    assert all(circulant[i][j] == first[(j - i) % 12] for i in range(12) for j in range(12))
    # The circulant product splits mod z^6 - 1 and z^6 + 1, the first again mod z^3 - 1 and z^3 + 1; rescue_prime.h
    # spells out these coefficients as shifts.
    plus = [(first[k] + first[k + 6]) // 2 for k in range(6)]
    minus = [(first[k] - first[k + 6]) // 2 for k in range(6)]
    assert minus == [-1, 8, 1, 2, -4, 1]
    assert [(plus[k] + plus[k + 3]) // 2 for k in range(3)] == [16, 16, 8]
    assert [(plus[k] - plus[k + 3]) // 2 for k in range(3)] == [-8, -1, -1]

    words = []
    for row in data["MDS_v1_v2"]:
        for m in row:
            assert m < P
            words += limbs(m) + limbs(m * 2**32 % P)
    comment = """
/* [row][column][limb]: the dense MDS of variants 1 and 2. For an entry m: three limbs of m, of 22, 21 and 21 bits from
 * the lowest, then three of 2^32 m mod p. */
"""
    dense = table(32, "MKZ_RP_MDS_DENSE", "12 * 12 * 6", words, "%d", 12)
    return round_constants("MKZ_RP_ARK", data) + comment + dense


def rpo():
    data = load("rpo_constants.json")
    assert data["MDS"] == load("rescue_prime_constants.json")["MDS_v3"]
    return round_constants("MKZ_RPO_ARK", data)


def rpjive():
    data = load("rpjive64_256_constants.json")
    first = data["MDS"][0]
    assert all(data["MDS"][i][j] == first[(j - i) % 8] for i in range(8) for j in range(8))
    # The product splits mod z^4 - 1 and z^4 + 1, the first again mod z^2 - 1 and z^2 + 1.
    plus = [(first[k] + first[k + 4]) // 2 for k in range(4)]
    assert [(first[k] - first[k + 4]) // 2 for k in range(4)] == [8, 1, -4, 1]
    assert [(plus[k] + plus[k + 2]) // 2 for k in range(2)] == [16, 8]
    assert [(plus[k] - plus[k + 2]) // 2 for k in range(2)] == [-1, -1]
    return round_constants("MKZ_RPJIVE_ARK", data)


def in_order_of_use(field, instance, width):
    """The constants in the order of poseidon2_permutation.h."""
    if field != "goldilocks":
        rows = instance["external_initial"] + instance["external_terminal"] + [instance["internal"]]
        return [word for row in rows for word in row]
    first, *later = instance["internal"]
    zeros = [0] * width
    rows = [*instance["external_initial"], [first, *zeros[1:]], *instance["external_terminal"][1:], zeros]
    return [word for row in rows for word in row] + later + instance["external_terminal"][0]


def check_diagonal(field, width, instance, p):
    """Check that the core's header has the diagonal of the instance."""
    text = (HEADERS / f"poseidon2_{field}.h").read_text().replace("\\\n", " ")
    of_width = text[text.index(f"#define MKZ_P2_WIDTH {width}\n") :]
    line = re.search(r"#define MKZ_P2_DIAGONAL\(T, H, L\)(.*)", of_width)[1]
    half = (p + 1) // 2
    diagonal = [-2 % p]
    for kind, cell, number in re.findall(r"([THL])\((\d+), (-?\d+)\)", line):
        assert int(cell) == len(diagonal)
        power = pow(half, int(number), p) if kind != "T" else 0
        diagonal.append({"T": int(number) % p, "H": power, "L": -power % p}[kind])
    assert diagonal == instance["diag_minus_one"], (field, width)


def constants_table(field, name, instance, width, p):
    words = in_order_of_use(field, instance, width)
    assert all(word < p for word in words)
    if field == "goldilocks":
        return table(64, name, len(words), words, "MKZ_U64(%d)", 4)
    return table(32, name, len(words), [(word - p) % 2**32 for word in montgomery(words, p)], "%du", 8)


def montgomery(words, p):
    return [(word << 32) % p for word in words]


def poseidon2(field):
    data = load("poseidon2_constants.json")
    p = data["fields"][field]["p"]
    tables = []
    for width in WIDTHS[field]:
        instance = data["instances"][f"{field}_w{width}"]
        check_diagonal(field, width, instance, p)
        tables.append(constants_table(field, f"mkz_p2_{field}_{width}_constants", instance, width, p))
    return "\n".join(tables)


def multiply(matrix, vector, p):
    return [sum(m * x for m, x in zip(row, vector)) % p for row in matrix]


def fold_forward(mds, rounds, p):
    """The constants of cell 0 in each partial round, and what is left to add to all cells behind the last one.

    Constants of the other cells pass a partial round's S-box, so they may be added behind its matrix.
    """
    rest, scalars = [0] * len(mds), []
    for constants in rounds:
        first, *others = ((a + b) % p for a, b in zip(rest, constants))
        scalars.append(first)
        rest = multiply(mds, [0, *others], p)
    return scalars, rest


def inverse(matrix, p):
    """By elimination; every pivot must be invertible in the order of rows or after an exchange."""
    n = len(matrix)
    rows = [[*row, *(int(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for i in range(n):
        k = next(k for k in range(i, n) if rows[k][i] % p)
        rows[i], rows[k] = rows[k], rows[i]
        scale = pow(rows[i][i], -1, p)
        rows[i] = [x * scale % p for x in rows[i]]
        for k in range(n):
            if k != i:
                factor = rows[k][i]
                rows[k] = [(x - factor * y) % p for x, y in zip(rows[k], rows[i])]
    return [row[n:] for row in rows]


def product(a, b, p):
    return [[sum(x * y for x, y in zip(row, column)) % p for column in zip(*b)] for row in a]


def circulant_factors(row, p):
    """The circulant matrix's factors, as poseidon_monty31.h takes them, from the first row of the matrix.

    A product by it is one modulo z^n - 1. Those modulo z^(n/2) - 1 and z^(n/2) + 1 are computed apart, and the first of
    them so again. Joining two takes halves, which are in the factors.
    """
    parts, share = [], 1
    while len(row) > 3 and len(row) % 2 == 0:
        n = len(row) // 2
        share = share * (p + 1) // 2 % p
        odd = [(a - b) * share % p for a, b in zip(row, row[n:])]
        # Row i of the part is the n words from n - 1 - i on.
        parts.append([*(-x % p for x in odd[1:]), *odd, 0])
        row = [(a + b) % p for a, b in zip(row, row[n:])]
    first = [x * share % p for x in row]
    return [word for part in [[*first[1:], *first, 0], *reversed(parts)] for word in part]


def sparse_rounds(mds, n_rounds, p):
    """The matrix that replaces the one before the partial rounds, and for each of these a first row and a first column.

    Let M be the matrix and D its rows and columns from 1 on. M is S diag(1, D), where S has ones on the diagonal from 1
    on and else only a first row and column. diag(1, D) does not touch cell 0, so it may be applied before the round's
    S-box.
    """
    rounds, matrix = [], mds
    for _ in range(n_rounds):
        rest = [row[1:] for row in matrix[1:]]
        first = product([matrix[0][1:]], inverse(rest, p), p)[0]
        rounds.append([matrix[0][0], *first, 0, *(row[0] for row in matrix[1:])])
        before = [[1, *[0] * len(rest)], *([0, *row] for row in rest)]
        matrix = product(before, mds, p)
    return matrix, rounds[::-1]


def matrix_tables(name, row, mds, n_rounds, p):
    """What poseidon_monty31.h takes: the factors of the circulant matrix, and the matrices of partial rounds."""
    dense, rounds = sparse_rounds(mds, n_rounds, p)
    tables = {"factors": circulant_factors(row, p), "matrices": [word for part in [*dense, *rounds] for word in part]}
    return [table(32, f"{name}_{of}", len(words), montgomery(words, p), "%du", 8) for of, words in tables.items()]


def poseidon(field):
    data = load("poseidon_constants.json")
    p = data["fields"][field]["p"]
    tables = []
    for width in POSEIDON_WIDTHS[field]:
        instance = data["instances"][f"{field}_w{width}"]
        row = instance["mds_first_row"]
        mds = [[row[(j - i) % width] for j in range(width)] for i in range(width)]
        internal, rest = fold_forward(mds, instance["partial"], p)
        first, *terminal = instance["terminal"]
        terminal = [[(a + b) % p for a, b in zip(first, rest)], *terminal]
        folded = {"external_initial": instance["initial"], "internal": internal, "external_terminal": terminal}
        tables.append(constants_table(field, f"mkz_pos_{field}_{width}_constants", folded, width, p))
        if field != "goldilocks":
            tables += matrix_tables(f"mkz_pos_{field}_{width}", row, mds, len(internal), p)
    return "\n".join(tables)


def main():
    texts = {"rescue_prime.h": rescue_prime(), "rpo.h": rpo(), "rpjive64_256.h": rpjive()}
    texts |= {f"poseidon2_{field}.h": poseidon2(field) for field in WIDTHS}
    texts |= {f"poseidon_{field}.h": poseidon(field) for field in POSEIDON_WIDTHS}
    for name, text in texts.items():
        header = HEADERS / name
        before, rest = header.read_text().split(BEGIN)
        wanted = before + BEGIN + text + rest[rest.index(END) :]
        if sys.argv[1:] == ["--check"]:
            if header.read_text() != wanted:
                sys.exit(f"{name}: its constants are not what scripts/generate_hash_constants.py writes")
        else:
            header.write_text(wanted)


if __name__ == "__main__":
    main()
