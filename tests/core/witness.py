"""What the kernels must give, from elsewhere: the package blake3, hashlib, and Rescue Prime from its definition.

Plain Python on big integers, slow and short. The tests check it against the vectors of winter-crypto first.
"""

import functools
import hashlib
import json
import struct

import blake3
import numpy as np

from source_text import ROOT

VECTORS = ROOT / "tests" / "vectors"
P = 2**64 - 2**32 + 1


# ---- Rescue Prime ---------------------------------------------------------------------------------------------------


@functools.cache
def rescue_constants():
    return json.loads((VECTORS / "rescue_prime_constants.json").read_text())


def rescue_table():
    """The buffer of kernels whose constants are an argument: round constants, then limbs of the dense MDS, as words."""
    constants = rescue_constants()
    ark = [halves[half] for halves in zip(constants["ARK1"], constants["ARK2"]) for half in (0, 1)]
    limbs = []
    for m in np.array(constants["MDS_v1_v2"], object).ravel():
        for factor in (int(m), 2**32 * int(m) % P):
            limbs += [factor & 0x3FFFFF, factor >> 22 & 0x1FFFFF, factor >> 43]
    return np.concatenate([np.array(ark, np.uint64).ravel(), np.array(limbs, np.uint32).view(np.uint64)])


@functools.cache
def rescue_vectors(variant, op):
    rows = json.loads((VECTORS / "rescue_prime.json").read_text())
    return [(row["input"], row["digest"]) for row in rows if (row["variant"], row["op"]) == (variant, op)]


def rescue_hash_elements(variant, elements):
    constants = rescue_constants()
    mds = constants["MDS_v3" if variant == "rp64_256_v3" else "MDS_v1_v2"]
    rate, length_cell = (0, 11) if variant == "rp64_256_v1" else (4, 0)
    state = [0] * 12
    state[length_cell] = len(elements)
    for start in range(0, len(elements), 8):
        for k, element in enumerate(elements[start : start + 8]):
            state[rate + k] = (state[rate + k] + element) % P
        for ark1, ark2 in zip(constants["ARK1"], constants["ARK2"]):
            for power, ark in ((7, ark1), (constants["inv_alpha"], ark2)):
                state = [pow(x, power, P) for x in state]
                state = [(sum(m * x for m, x in zip(row, state)) + a) % P for row, a in zip(mds, ark)]
    return state[rate : rate + 4]


# ---- BLAKE3 ---------------------------------------------------------------------------------------------------------

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXES = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))  # fmt: skip
CHUNK_START, CHUNK_END, PARENT, ROOT_FLAG = 1, 2, 4, 8
KEYED_HASH, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = 16, 32, 64


def blake3_compress(cv, block, counter, flags):
    """New chaining value. For what the package does not show: chaining values inside a tree, far counters."""
    v = [*cv, *IV[:4], counter & 0xFFFFFFFF, counter >> 32, len(block), flags]
    m = struct.unpack("<16I", block.ljust(64, b"\0"))
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(MIXES):
            for word, first, second in ((m[2 * i], 16, 12), (m[2 * i + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & 0xFFFFFFFF
                v[d] = ror(v[d] ^ v[a], first)
                v[c] = (v[c] + v[d]) & 0xFFFFFFFF
                v[b] = ror(v[b] ^ v[c], second)
        m = [m[k] for k in PERMUTATION]
    return [v[k] ^ v[k + 8] for k in range(8)]


def ror(x, n):
    return (x >> n | x << (32 - n)) & 0xFFFFFFFF


def blake3_parents(values, key=IV, flags=0):
    """The level above `values`: an odd one goes up as it is."""
    block = struct.Struct("<16I")
    pairs = zip(values[::2], values[1::2])
    odd = values[-1:] if len(values) % 2 else []
    return [blake3_compress(key, block.pack(*left, *right), 0, flags | PARENT) for left, right in pairs] + odd


def blake3_chunk(data, counter, key=IV, flags=0):
    """Chaining value of a chunk of at most 1024 bytes; flags may hold ROOT_FLAG."""
    blocks = [data[k : k + 64] for k in range(0, len(data), 64)] or [b""]
    cv = key
    for k, block in enumerate(blocks):
        first, last = k == 0, k + 1 == len(blocks)
        block_flags = flags & ~ROOT_FLAG | (CHUNK_START if first else 0)
        if last:
            block_flags |= CHUNK_END | flags & ROOT_FLAG
        cv = blake3_compress(cv, block, counter, block_flags)
    return cv


# ---- Keccak-256 -----------------------------------------------------------------------------------------------------


def keccak256(message):
    """Keccak-256 with the original padding, by its definition."""
    padded = bytearray(message) + b"\1" + bytes(135 - len(message) % 136)
    padded[-1] |= 0x80
    lanes = [[0] * 5 for _ in range(5)]
    for at in range(0, len(padded), 136):
        for i, word in enumerate(np.frombuffer(bytes(padded[at : at + 136]), "<u8").tolist()):
            lanes[i % 5][i // 5] ^= word
        _keccak_f(lanes)
    return np.array([lanes[i][0] for i in range(4)], "<u8").tobytes()


def keccakf64(row):
    """The sponge without padding: words of 64 bits replace the lanes."""
    words = np.frombuffer(bytes(row) + bytes(-len(row) % 8), "<u8").tolist()
    lanes = [[0] * 5 for _ in range(5)]
    for at in range(0, len(words), 17):
        for i, word in enumerate(words[at : at + 17]):
            lanes[i % 5][i // 5] = word
        _keccak_f(lanes)
    return np.array([lanes[i][0] for i in range(4)], "<u8").tobytes()


def _keccak_f(lanes):
    """Keccak-f[1600]. The round constants come from their shift register."""
    register = 1
    for _ in range(24):
        parity = [column[0] ^ column[1] ^ column[2] ^ column[3] ^ column[4] for column in lanes]
        for x, column in enumerate(lanes):
            added = parity[x - 1] ^ _rotate(parity[(x + 1) % 5], 1)
            for y in range(5):
                column[y] ^= added
        moved = [column[:] for column in lanes]
        x, y = 1, 0
        for t in range(24):
            turned = _rotate(lanes[x][y], (t + 1) * (t + 2) // 2 % 64)
            x, y = y, (2 * x + 3 * y) % 5
            moved[x][y] = turned
        for x in range(5):
            for y in range(5):
                lanes[x][y] = moved[x][y] ^ (~moved[(x + 1) % 5][y] & moved[(x + 2) % 5][y])
        for j in range(7):
            if register & 1:
                lanes[0][0] ^= 1 << ((1 << j) - 1)
            register <<= 1
            if register & 0x100:
                register ^= 0x171


def _rotate(x, n):
    return (x << n | x >> (64 - n)) & (2**64 - 1)


# ---- Merkle trees ---------------------------------------------------------------------------------------------------


# Merges under a key beside those of the hashes themselves.
KEYED = "blake3 keyed"
KEY = bytes(range(100, 132))
# Of the hashes on SHA-256's compression and on Keccak, those whose merges have more steps than another's.
BYTE_HASHES = ("blake3", "sha256", "sha256d", "keccak256_sorted")
KNOWN = (*BYTE_HASHES, "rp64_256_v1", "rp64_256_v2", "rp64_256_v3")


def is_of_bytes(name):
    return name in (*BYTE_HASHES, KEYED, "keccakf64")


def words_of(name):
    """Word type of a hash's nodes and words of a node."""
    return (np.uint32, 8) if is_of_bytes(name) and not name.startswith("keccak") else (np.uint64, 4)


def merge(name, left, right):
    """Merge of two nodes of 32 bytes."""
    if name == KEYED:
        return blake3.blake3(left + right, key=KEY).digest()
    if name == "blake3":
        return blake3.blake3(left + right).digest()
    if name == "sha256":
        return hashlib.sha256(b"\1" + left + right).digest()
    if name == "sha256d":
        return hashlib.sha256(hashlib.sha256(left + right).digest()).digest()
    if name == "keccak256_sorted":
        return keccak256(min(left, right) + max(left, right))
    return struct.pack("<4Q", *rescue_hash_elements(name, struct.unpack("<8Q", left + right)))


def row_digest(name, row):
    """What hash_rows gives for the bytes of a row."""
    if name == "blake3":
        return blake3.blake3(row).digest()
    if name == "sha256":
        return hashlib.sha256(b"\0" + row).digest()
    if name == "sha256d":
        return hashlib.sha256(hashlib.sha256(row).digest()).digest()
    if name == "keccak256_sorted":
        return keccak256(row)
    if name == "keccakf64":
        return keccakf64(row)
    return struct.pack("<4Q", *rescue_hash_elements(name, struct.unpack(f"<{len(row) // 8}Q", row)))


def parents(name, nodes, lone, fillers=()):
    """The levels above any number of nodes (bytes), the nodes themselves first.

    lone  a lone last node is promoted (0), merged with itself (1) or with its level's filler (2)
    """
    levels = [nodes]
    while len(levels[-1]) > 1:
        below = levels[-1]
        level = [merge(name, *pair) for pair in zip(below[::2], below[1::2])]
        if len(below) % 2:
            sibling = below[-1] if lone < 2 else fillers[len(levels) - 1]
            level.append(below[-1] if lone == 0 else merge(name, below[-1], sibling))
        levels.append(level)
    return levels


def random_words(name, count, seed):
    """`count` words such as the hash takes: for a field hash, elements, some of them at the edges of the field."""
    random = np.random.default_rng(seed)
    if is_of_bytes(name):
        dtype, _ = words_of(name)
        return random.integers(0, np.iinfo(dtype).max, count, dtype, endpoint=True)
    words = random.integers(0, P, count, dtype=np.uint64)
    edges = np.array([0, 1, 2**32 - 1, 2**32, P - 1, P - 2**32], dtype=np.uint64)
    words[::7] = np.resize(edges, len(words[::7]))
    return words


@functools.cache
def tree(name, leaves, seed=1):
    """All nodes of a tree over random leaves in heap order, as [2 leaves, words]; slot 0 is zero. Read-only."""
    dtype, words = words_of(name)
    nodes = [b""] * leaves + [row.tobytes() for row in random_words(name, leaves * words, seed).reshape(leaves, words)]
    for i in range(leaves - 1, 0, -1):
        nodes[i] = merge(name, nodes[2 * i], nodes[2 * i + 1])
    nodes[0] = bytes(32)
    array = np.frombuffer(b"".join(nodes), dtype).reshape(2 * leaves, words)
    array.flags.writeable = False
    return array
