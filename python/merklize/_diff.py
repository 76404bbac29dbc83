"""Which leaves of two trees differ."""

from __future__ import annotations

from ._types import Indices, Tree
from .errors import InvalidArgument, in_call


def differing_leaves(one: Tree, other: Tree) -> Indices:
    """Return the indices of leaves that differ between two trees, or are in one of them alone."""
    import numpy as np

    if not hasattr(other, "_nodes_at"):
        raise TypeError(in_call(f"other must be a MerkleTree or a TreeFile, got {type(other).__name__}"))
    if (one.hash, one.rule) != (other.hash, other.rule):
        raise InvalidArgument(
            f"hash and rule must be the same, got {one.hash}, {one.rule} and {other.hash}, {other.rule}"
        )
    common, most = sorted((one.n_leaves, other.n_leaves))
    if common == 0:
        return np.arange(most, dtype=np.uint64)
    top = min(one.height, other.height)
    found = np.arange(((common - 1) >> top) + 1, dtype=np.uint64)
    for level in range(top, -1, -1):
        # A node above leaves that only one tree has tells nothing about the other leaves below it.
        is_whole = (found + np.uint64(1)) << np.uint64(level) <= np.uint64(common)
        is_whole |= common == most
        is_equal = (one._nodes_at(level, found) == other._nodes_at(level, found)).all(axis=1) & is_whole
        found = found[~is_equal]
        if level:
            found = np.stack([2 * found, 2 * found + np.uint64(1)], axis=1).reshape(-1)
            found = found[found <= np.uint64((common - 1) >> (level - 1))]
    return np.concatenate([found, np.arange(common, most, dtype=np.uint64)])
