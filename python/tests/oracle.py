"""The references of the tests: the official BLAKE3, hashlib, and the definitions in docs/, written out."""

import functools
import hashlib
import json
import pathlib
import struct

import blake3
import numpy as np

VECTORS = pathlib.Path(__file__).parents[2] / "tests" / "vectors"
P = 2**64 - 2**32 + 1
RESCUE_HASHES = ("rp64_256_v1", "rp64_256_v2", "rp64_256_v3")
# Plonky3's hashes over a field: the instance for rows, its rate, the instance for merges.
PLONKY3 = {
    "poseidon2_goldilocks_8": ("goldilocks", 8, 4, 8),
    "poseidon2_goldilocks_12": ("goldilocks", 12, 8, 8),
    "poseidon2_babybear_16": ("babybear", 16, 8, 16),
    "poseidon2_babybear_24": ("babybear", 24, 16, 16),
    "poseidon2_koalabear_16": ("koalabear", 16, 8, 16),
    "poseidon2_koalabear_24": ("koalabear", 24, 16, 16),
    "poseidon_goldilocks_8": ("goldilocks", 8, 4, 8),
    "poseidon_goldilocks_12": ("goldilocks", 12, 8, 8),
    "poseidon_babybear_16": ("babybear", 16, 8, 16),
    "poseidon_babybear_24": ("babybear", 24, 16, 16),
    "poseidon_koalabear_16": ("koalabear", 16, 8, 16),
    "poseidon_koalabear_24": ("koalabear", 24, 16, 16),
}
MIDEN = ("rpo256", "rpx256", "poseidon2_miden")
JIVE = "rpjive64_256"
MODULI = {"goldilocks": P, "babybear": 0x78000001, "koalabear": 0x7F000001}
# The words of a field hash: dtype, words of a digest, modulus.
WORDS = {**dict.fromkeys((*RESCUE_HASHES, *MIDEN, JIVE), (np.uint64, 4, P)), "eidos": (np.uint64, 4, 2**63)}
for _name, (_field, *_) in PLONKY3.items():
    WORDS[_name] = (np.uint64, 4, P) if _field == "goldilocks" else (np.uint32, 8, MODULI[_field])
FIELD_HASHES = tuple(WORDS)
HASHES = (
    *("blake3", *RESCUE_HASHES, "eidos", "sha256_rfc6962", "sha256d", "keccak256_sorted"),
    *("rpo256", JIVE, "poseidon2_goldilocks_12", "poseidon2_babybear_24", "blake3_parent"),
)
"""The hashes in the suites of trees and proofs: one of each kind that differs in more than its arithmetic."""
IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
_PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
_MIXES = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))  # fmt: skip
CHUNK_START, CHUNK_END, PARENT, ROOT_FLAG = 1, 2, 4, 8
KEYED_HASH, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL = 16, 32, 64
KNOWN_ROOTS = {
    2: "ac5319ace433dd60ba5ffd206b27f3136ec357b69ca08f44eda8ffcc52a4a65f",
    2**10: "a10cdf376affe2cf843d72b664faa33e37ed4e3d01e3dea214850fa7679879f4",
    2**20: "ede5e0f06e7f756c19cc86c73599183cef05c130613a1ae1faf1d7c564ce2696",
}


def pattern(length):
    """Bytes that differ from chunk to chunk: byte i is i mod 251."""
    return (bytes(range(251)) * (length // 251 + 1))[:length]


def byte_leaves(n):
    return np.frombuffer(blake3.blake3(b"leaves").digest(length=32 * n), np.uint8).reshape(n, 32)


def word_leaves(n, seed=1):
    """Field elements, with the extreme ones among them."""
    words = np.random.default_rng(seed).integers(0, P, (n, 4), np.uint64)
    words[0] = (0, 1, P - 1, P - 2)
    return words


def elements(rng, shape, hash):
    """Random words of a field hash."""
    dtype, _, modulus = WORDS[hash]
    return rng.integers(0, modulus, shape, dtype)


def leaves(n, hash):
    if hash not in FIELD_HASHES:
        return byte_leaves(n)
    dtype, words, modulus = WORDS[hash]
    if dtype == np.uint64:
        return word_leaves(n)
    result = elements(np.random.default_rng(1), (n, words), hash)
    result[0, :4] = (0, 1, modulus - 1, modulus - 2)
    return result


@functools.cache
def _constants(hash):
    if hash == JIVE:
        constants = json.loads((VECTORS / "rpjive64_256_constants.json").read_text())
        return constants["MDS"], constants["ARK1"], constants["ARK2"]
    constants = json.loads((VECTORS / "rescue_prime_constants.json").read_text())
    if hash == "rp64_256_v3":
        row = [7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8]
        mds = [[row[(j - i) % 12] for j in range(12)] for i in range(12)]
    else:
        mds = constants["MDS_v1_v2"]
    return mds, constants["ARK1"], constants["ARK2"]


def permutation(state, hash):
    mds, ark1, ark2 = _constants(hash)
    for first, second in zip(ark1, ark2):
        for exponent, ark in ((7, first), (10540996611094048183, second)):
            state = [pow(x, exponent, P) for x in state]
            state = [(sum(m * x for m, x in zip(row, state)) + a) % P for row, a in zip(mds, ark)]
    return state


def _rescue_prime(elements, hash):
    """The sponge: rate, length cell and digest cells of each variant."""
    rate, length, digest = (0, 11, 0) if hash == "rp64_256_v1" else (4, 0, 4)
    state = [0] * 12
    state[length] = len(elements)
    for start in range(0, len(elements), 8):
        for i, element in enumerate(elements[start : start + 8]):
            state[rate + i] = (state[rate + i] + element) % P
        state = permutation(state, hash)
    return state[digest : digest + 4]


def _rpjive_row(elements):
    """The sponge of 4 elements a block. In a last partial block a one and zeros replace what the other cells had."""
    rest = len(elements) % 4
    state = [int(rest != 0)] + [0] * 7
    for start in range(0, len(elements), 4):
        block = elements[start : start + 4]
        added = [(cell + element) % P for cell, element in zip(state[4:], block)]
        state = permutation([*state[:4], *added, *[1, 0, 0][: 4 - len(block)]], JIVE)
    return state[4:]


def _rpjive_merge(words):
    """Jive: the halves of the state before and after the permutation, added."""
    after = permutation(words, JIVE)
    return [sum(cells) % P for cells in zip(words[:4], words[4:], after[:4], after[4:])]


@functools.cache
def _poseidon2_constants(field, width):
    constants = json.loads((VECTORS / "poseidon2_constants.json").read_text())
    return constants["fields"][field]["alpha"], constants["instances"][f"{field}_w{width}"]


def poseidon2(state, field, width):
    """The permutation, by its matrices."""
    p = MODULI[field]
    alpha, instance = _poseidon2_constants(field, width)
    m4 = ((2, 3, 1, 1), (1, 2, 3, 1), (1, 1, 2, 3), (3, 1, 1, 2))

    def external(state):
        t = [sum(m * x for m, x in zip(m4[i % 4], state[i // 4 * 4 : i // 4 * 4 + 4])) for i in range(width)]
        return [(t[i] + sum(t[i % 4 :: 4])) % p for i in range(width)]

    def full_rounds(state, rounds):
        for constants in rounds:
            state = external([pow(x + c, alpha, p) for x, c in zip(state, constants)])
        return state

    state = full_rounds(external(state), instance["external_initial"])
    for constant in instance["internal"]:
        state = [pow(state[0] + constant, alpha, p), *state[1:]]
        total = sum(state)
        state = [(total + d * x) % p for d, x in zip(instance["diag_minus_one"], state)]
    return full_rounds(state, instance["external_terminal"])


def poseidon(state, field, width, instance=None):
    """The permutation, by its matrix, with the published constants or those of an instance."""
    p = MODULI[field]
    constants = json.loads((VECTORS / "poseidon_constants.json").read_text())
    alpha = constants["fields"][field]["alpha"]
    instance = instance or constants["instances"][f"{field}_w{width}"]
    row = instance["mds_first_row"]
    for kind in ("initial", "partial", "terminal"):
        for added in instance[kind]:
            state = [x + c for x, c in zip(state, added)]
            sboxes = 1 if kind == "partial" else width
            state = [pow(x, alpha, p) for x in state[:sboxes]] + state[sboxes:]
            state = [sum(row[(j - i) % width] * x for j, x in enumerate(state)) % p for i in range(width)]
    return state


def plonky3(state, hash, width):
    """The permutation of `width` cells of a hash of Plonky3."""
    permute = poseidon if hash.startswith("poseidon_") else poseidon2
    return permute(state, PLONKY3[hash][0], width)


@functools.cache
def _rpo_constants():
    constants = json.loads((VECTORS / "rpo_constants.json").read_text())
    return constants["MDS"], constants["ARK1"], constants["ARK2"]


def rpo(state, hash):
    """The permutation of rpo256 or rpx256."""
    mds, ark1, ark2 = _rpo_constants()

    def linear(state, ark):
        return [(sum(m * x for m, x in zip(row, state)) + a) % P for row, a in zip(mds, ark)]

    def cubic(a, b):
        c = [0] * 5
        for i in range(3):
            for k in range(3):
                c[i + k] += a[i] * b[k]
        return [(c[0] + c[3]) % P, (c[1] + c[3] + c[4]) % P, (c[2] + c[4]) % P]  # x^3 = x + 1

    for r in range(7):
        if hash == "rpx256" and r == 6:
            return linear(state, ark1[r])
        if hash == "rpx256" and r % 2:
            state = [(x + a) % P for x, a in zip(state, ark1[r])]
            triples = [state[i : i + 3] for i in range(0, 12, 3)]
            state = [word for a in triples for word in functools.reduce(cubic, [a] * 7)]
            continue
        state = [pow(x, 7, P) for x in linear(state, ark1[r])]
        state = [pow(x, 10540996611094048183, P) for x in linear(state, ark2[r])]
    return state


def hash_elements(elements, hash):
    """The digest of a row of field elements."""
    if hash in RESCUE_HASHES:
        return _rescue_prime(elements, hash)
    if hash == JIVE:
        return _rpjive_row(elements)
    if hash == "eidos":
        return np.frombuffer(eidos(0xA01, len(elements), np.array(elements, "<u8").tobytes()), "<u8").tolist()
    state, digest_words = [0] * 12, WORDS[hash][1]
    if hash in MIDEN:
        state[8] = len(elements) % 8
        elements = [*elements, *[0] * (-len(elements) % 8)]
        rate = 8
    else:
        _, width, rate, _ = PLONKY3[hash]
        state = [0] * width
    for start in range(0, len(elements), rate):
        block = elements[start : start + rate]
        state[: len(block)] = block
        if hash in PLONKY3:
            state = plonky3(state, hash, width)
        else:
            state = poseidon2(state, "goldilocks", 12) if hash == "poseidon2_miden" else rpo(state, hash)
    return state[:digest_words]


def blake3_compress(cv, block, counter, flags):
    """A new chaining value. The package shows no chaining values inside a tree, and no large counters."""
    tail = (counter & 0xFFFFFFFF, counter >> 32, len(block), flags)
    return _blake3_rounds([*cv, *IV[:4], *tail], struct.unpack("<16I", block.ljust(64, b"\0")))


def _blake3_rounds(v, m):
    for _ in range(7):
        for i, (a, b, c, d) in enumerate(_MIXES):
            for word, first, second in ((m[2 * i], 16, 12), (m[2 * i + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & 0xFFFFFFFF
                v[d] = _rotate(v[d] ^ v[a], 32 - first, 32)
                v[c] = (v[c] + v[d]) & 0xFFFFFFFF
                v[b] = _rotate(v[b] ^ v[c], 32 - second, 32)
        m = [m[k] for k in _PERMUTATION]
    return [v[k] ^ v[k + 8] for k in range(8)]


def blake3_parents(values, key=IV, flags=0):
    """The level above `values`: an odd node moves up unchanged."""
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


def eidos(tag, length, message):
    """Eidos of bytes: BLAKE3's compression with constants for its parameters, 31 bits of each odd word."""
    cv = [tag, IV[1], length, IV[3], 0, IV[5], 0, IV[7]]
    for block in np.frombuffer(message + bytes(max(-len(message) % 64, 64 * (message == b""))), "<u4").reshape(-1, 16):
        words = enumerate(_blake3_rounds([*cv, *IV], block.tolist()))
        cv = [word & (0x7FFFFFFF if i % 2 else 0xFFFFFFFF) for i, word in words]
    return np.array(cv, "<u4").tobytes()


def merge(left, right, hash):
    """One merge of 32-byte digests, by nothing of merklize."""
    if hash == "blake3":
        return blake3.blake3(left + right).digest()
    if hash == "blake3_parent":
        return struct.pack("<8I", *blake3_compress(IV, left + right, 0, PARENT))
    if hash == "sha256_rfc6962":
        return hashlib.sha256(b"\1" + left + right).digest()
    if hash == "sha256":
        return hashlib.sha256(left + right).digest()
    if hash == "sha256_trunc254":
        digest = hashlib.sha256(left + right).digest()
        return digest[:31] + bytes([digest[31] % 64])
    if hash == "sha256d":
        return hashlib.sha256(hashlib.sha256(left + right).digest()).digest()
    if hash == "blake2s":
        return hashlib.blake2s(left + right).digest()
    if hash == "sha3_256":
        return hashlib.sha3_256(left + right).digest()
    if hash == "keccak256":
        return keccak256(left + right)
    if hash == "keccak256_sorted":
        return keccak256(min(left, right) + max(left, right))
    if hash == "eidos":
        return eidos(0, 0, left + right)
    words = np.frombuffer(left + right, WORDS[hash][0]).tolist()
    if hash in PLONKY3:
        digest = plonky3(words, hash, PLONKY3[hash][3])[: len(words) // 2]
    else:
        digest = _rpjive_merge(words) if hash == JIVE else hash_elements(words, hash)
    return np.array(digest, WORDS[hash][0]).tobytes()


def row_digest(row, hash):
    """The digest of a row of bytes."""
    if hash in ("blake3", "blake3_parent"):
        return blake3.blake3(row).digest()
    if hash == "sha256_rfc6962":
        return hashlib.sha256(b"\0" + row).digest()
    if hash == "sha256d":
        return hashlib.sha256(hashlib.sha256(row).digest()).digest()
    if hash == "blake2s":
        return hashlib.blake2s(row).digest()
    if hash == "sha3_256":
        return hashlib.sha3_256(row).digest()
    if hash == "keccak256_sorted":
        return keccak256(row)
    if hash == "keccakf64":
        return keccakf64(row)
    dtype = WORDS[hash][0]
    return np.array(hash_elements(np.frombuffer(row, dtype).tolist(), hash), dtype).tobytes()


def keccak256(message):
    """Keccak-256 with the original padding, by its definition."""
    padded = bytearray(message) + b"\1" + bytes(135 - len(message) % 136)
    padded[-1] |= 0x80
    return _keccak_sponge(padded, lambda lane, word: lane ^ word)


def keccakf64(row):
    """The sponge without padding: words of 64 bits replace the lanes."""
    return _keccak_sponge(bytes(row) + bytes(-len(row) % 8), lambda _, word: word)


def _keccak_sponge(data, taken):
    words = np.frombuffer(bytes(data), "<u8").tolist()
    lanes = [[0] * 5 for _ in range(5)]
    for at in range(0, len(words), 17):
        for i, word in enumerate(words[at : at + 17]):
            lanes[i % 5][i // 5] = taken(lanes[i % 5][i // 5], word)
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


def _rotate(x, n, bits=64):
    return (x << n | x >> (bits - n)) & (2**bits - 1)


def nodes(leaves, hash, merge=merge):
    """All nodes of a tree in heap order, from single merges."""
    n = len(leaves)
    result = [bytes(32)] * n + [leaf.tobytes() for leaf in leaves]
    for i in range(n - 1, 0, -1):
        result[i] = merge(result[2 * i], result[2 * i + 1], hash)
    return result


RULES = ("left_full", "pad", "duplicate_last")


def levels(leaves, hash, rule, padding=bytes(32), merge=merge):
    """All levels of a tree, leaves first, by the rule's own definition. `leaves`: an array of digests."""
    level = [leaf.tobytes() for leaf in leaves]
    n, result = len(level), [level]
    height = (n - 1).bit_length()
    if rule == "pad":
        level = level + [padding] * ((1 << height) - n)
    while len(result) <= height:
        if rule == "left_full":
            step = 1 << len(result)
            level = [rfc6962_root(result[0][i : i + step], hash, merge) for i in range(0, n, step)]
        else:
            if len(level) % 2:
                level = [*level, level[-1]]
            level = [merge(level[i], level[i + 1], hash) for i in range(0, len(level), 2)]
        result.append(level[: ((n - 1) >> len(result)) + 1])
    return result


def rfc6962_root(leaves, hash, merge=merge):
    """RFC 6962, section 2.1."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return merge(rfc6962_root(leaves[:split], hash, merge), rfc6962_root(leaves[split:], hash, merge), hash)


def keyed_merge(key=None, context=None):
    """The merge of trees with a key or a context."""
    if key is not None:
        return lambda left, right, _: blake3.blake3(left + right, key=key).digest()
    return lambda left, right, _: blake3.blake3(left + right, derive_key_context=context).digest()
