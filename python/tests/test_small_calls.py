"""Small calls beside a peer's on as many bytes, in one process: what a caller pays for each call does not grow unseen.

A ratio is one of the least processor times of many rounds, which the machine's other work does not change. Its bound is
about 1.6 times what was measured, since two builds differ by 1.2.
"""

from __future__ import annotations

import array
import hashlib
import mmap
import time
from collections.abc import Callable

import blake3
import numpy as np
import pytest

import merklize

DATA = bytes(range(64))
MAPPED = mmap.mmap(-1, 64)
MAPPED.write(DATA)
WORDS = array.array("Q", [1, 2, 3, 4, 5, 6, 7, 8])
ARRAY = np.frombuffer(DATA, np.uint8)
VIEW, BYTES = memoryview(DATA * 4)[64:128], bytearray(DATA)
KIB = DATA * 16
MANY = [DATA + bytes([k % 256]) for k in range(500)]
LEAVES = np.frombuffer(DATA * 8, np.uint8).reshape(16, 32)
TREE = merklize.MerkleTree(LEAVES)
PROOF, ROOT = TREE.prove(5), TREE.root
LEFT, RIGHT = LEAVES[:1].copy(), LEAVES[1:2].copy()


def official(data: object) -> bytes:
    return blake3.blake3(data).digest()


def fed(kind: type, times: int) -> bytes:
    hasher = kind()
    for _ in range(times):
        hasher.update(DATA)
    return hasher.digest()


# Our call, the peer's, and the most that ours may take of the peer's time.
CALLS: dict[str, tuple[Callable[[], object], Callable[[], object], float]] = {
    "hash of bytes": (lambda: merklize.hash(DATA), lambda: official(DATA), 0.8),
    "hash of a slice of a memoryview": (lambda: merklize.hash(VIEW), lambda: official(VIEW), 1.0),
    "hash of a bytearray": (lambda: merklize.hash(BYTES), lambda: official(BYTES), 1.0),
    "hash of an mmap": (lambda: merklize.hash(MAPPED), lambda: official(MAPPED), 1.0),
    "hash of an array.array": (lambda: merklize.hash(WORDS), lambda: official(memoryview(WORDS).cast("B")), 1.0),
    "hash of a NumPy array": (lambda: merklize.hash(ARRAY), lambda: official(ARRAY), 1.0),
    "hash of 1 KiB": (lambda: merklize.hash(KIB), lambda: official(KIB), 1.0),
    "sha256 of bytes": (lambda: merklize.hash(DATA, hash="sha256"), lambda: hashlib.sha256(DATA).digest(), 2.8),
    "a Hasher fed eight times": (lambda: fed(merklize.Hasher, 8), lambda: fed(blake3.blake3, 8), 1.8),
    "a Hasher fed 200 times": (lambda: fed(merklize.Hasher, 200), lambda: fed(blake3.blake3, 200), 1.5),
    "hash_each of 16": (lambda: merklize.hash_each([DATA] * 16), lambda: [official(DATA) for _ in range(16)], 1.1),
    "hash_each of 500": (lambda: merklize.hash_each(MANY), lambda: [official(data) for data in MANY], 0.3),
    "merge of a pair": (lambda: merklize.merge(LEFT, RIGHT), lambda: official(DATA), 3.0),
    "hash_rows of a row": (lambda: merklize.hash_rows(LEFT), lambda: official(DATA), 3.0),
    "root of 16 leaves": (lambda: merklize.merkle_root(LEAVES), lambda: [official(DATA) for _ in range(15)], 0.5),
    "a tree of 16 leaves": (lambda: merklize.MerkleTree(LEAVES), lambda: [official(DATA) for _ in range(15)], 1.5),
    "verify": (lambda: merklize.verify(PROOF, ROOT), lambda: [official(DATA) for _ in range(4)], 1.8),
}  # fmt: skip


def least_times(calls: list[Callable[[], object]], rounds: int = 50, repeats: int = 50) -> list[float]:
    """Return the least seconds of processor time that one call of each takes."""
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            begin = time.thread_time_ns()
            for _ in range(repeats):
                call()
            least[i] = min(least[i], (time.thread_time_ns() - begin) / repeats / 1e9)
    return least


@pytest.mark.parametrize("name", CALLS)
def test_a_call_beside_its_peer(name: str) -> None:
    ours, theirs, bound = CALLS[name]
    our_time, their_time = least_times([ours, theirs])
    assert our_time <= bound * their_time, f"{our_time * 1e6:.2f} us, the peer's {their_time * 1e6:.2f}"


def test_the_measure() -> None:
    """A call that does its work twice is seen."""
    once, twice = least_times([lambda: official(KIB), lambda: (official(KIB), official(KIB))])
    assert twice > 1.5 * once
