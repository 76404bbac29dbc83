"""Inputs of kernels, and the results that they must have by python/tests/oracle.py."""

import functools
import json

import blake3
import numpy as np

import oracle
from oracle import VECTORS, P


def rescue_table():
    """The buffer of kernels whose constants are an argument: round constants, then limbs of the dense MDS, as words."""
    constants = json.loads((VECTORS / "rescue_prime_constants.json").read_text())
    ark = [halves[half] for halves in zip(constants["ARK1"], constants["ARK2"]) for half in (0, 1)]
    limbs = []
    for m in np.array(constants["MDS_v1_v2"], object).ravel():
        for factor in (int(m), 2**32 * int(m) % P):
            limbs += [factor & 0x3FFFFF, factor >> 22 & 0x1FFFFF, factor >> 43]
    return np.concatenate([np.array(ark, np.uint64).ravel(), np.array(limbs, np.uint32).view(np.uint64)])


@functools.cache
def rescue_vectors(variant, op):
    """Of op "merge" or "hash_elements": pairs of words and their digest, made by winter-crypto."""
    if variant == oracle.JIVE:
        tests = json.loads((VECTORS / f"{variant}.json").read_text())["merges" if op == "merge" else "leaves"]
        texts = [(test.get("record") or test.get("left", "") + test.get("right", ""), test["digest"]) for test in tests]
        return [tuple(np.frombuffer(bytes.fromhex(text), np.uint64).tolist() for text in pair) for pair in texts]
    rows = json.loads((VECTORS / "rescue_prime.json").read_text())
    return [(row["input"], row["digest"]) for row in rows if (row["variant"], row["op"]) == (variant, op)]


# Merges under a key beside those of the hashes themselves.
KEYED = "blake3 keyed"
KEY = bytes(range(100, 132))
# Of the hashes on SHA-256's compression and on Keccak, those whose merges have the most steps.
BYTE_HASHES = ("blake3", "sha256_rfc6962", "sha256d", "keccak256_sorted")
KNOWN = (*BYTE_HASHES, "rp64_256_v1", "rp64_256_v2", "rp64_256_v3", oracle.JIVE)
# Those whose constants may be read from memory.
WITH_TABLES = ("rp64_256_v1", "rp64_256_v2", "rp64_256_v3")


def is_of_bytes(name):
    return name in (*BYTE_HASHES, KEYED, "keccakf64", "blake2s")


def words_of(name):
    """Word type of a hash's nodes and words of a node."""
    return (np.uint32, 8) if is_of_bytes(name) and not name.startswith("keccak") else (np.uint64, 4)


def merge(name, left, right):
    """Merge of two nodes of 32 bytes."""
    if name == KEYED:
        return blake3.blake3(left + right, key=KEY).digest()
    return oracle.merge(left, right, name)


def parents(name, nodes, odd_node, pads=()):
    """The levels above any number of nodes (bytes), the nodes themselves first.

    odd_node  an odd node is promoted (0), merged with itself (1) or with its level's pad (2)
    """
    levels = [nodes]
    while len(levels[-1]) > 1:
        below = levels[-1]
        level = [merge(name, *pair) for pair in zip(below[::2], below[1::2])]
        if len(below) % 2:
            sibling = below[-1] if odd_node < 2 else pads[len(levels) - 1]
            level.append(below[-1] if odd_node == 0 else merge(name, below[-1], sibling))
        levels.append(level)
    return levels


def random_words(name, count, seed):
    """`count` words that the hash takes: for a field hash, elements, some of them at the edges of the field."""
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
