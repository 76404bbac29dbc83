"""BLAKE3 trees as operations on whole arrays, for PyTorch, CuPy or NumPy, without a kernel of their own.

A merge is the digest of the 64 bytes left || right. Words are int32, which all of these libraries add and shift on all
devices; bits that fall out at the top are lost, as BLAKE3 wants.
"""

from __future__ import annotations

from typing import Any

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
PERMUTATION = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, ROOT = 1, 2, 8
COLUMNS_AND_DIAGONALS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def root(library: Any, leaves: Any) -> Any:
    """The root, int32[8], of a tree over int32[n, 8], n a power of two of at least 2."""
    nodes = leaves
    while nodes.shape[0] > 1:
        nodes = merge(library, nodes.reshape(-1, 16))
    return nodes[0]


def merge(library: Any, blocks: Any) -> Any:
    """Compress int32[n, 16] to int32[n, 8]."""
    words = [blocks[:, i] for i in range(16)]
    zero = words[0] ^ words[0]
    tail = (0, 0, 64, CHUNK_START | CHUNK_END | ROOT)
    state = [zero + _signed(word) for word in (*IV, *IV[:4], *tail)]
    for turn in range(7):
        for i, (a, b, c, d) in enumerate(COLUMNS_AND_DIAGONALS):
            for word, first, second in ((words[2 * i], 16, 12), (words[2 * i + 1], 8, 7)):
                state[a] = state[a] + state[b] + word
                state[d] = _rotated(state[d] ^ state[a], first)
                state[c] = state[c] + state[d]
                state[b] = _rotated(state[b] ^ state[c], second)
        if turn < 6:
            words = [words[i] for i in PERMUTATION]
    return library.stack([state[i] ^ state[i + 8] for i in range(8)], 1)


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _rotated(x: Any, count: int) -> Any:
    # A shift to the right copies the sign.
    return ((x >> count) & ((1 << (32 - count)) - 1)) | (x << (32 - count))
