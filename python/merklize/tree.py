"""Whole binary Merkle trees."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any

from . import _arrays, _native
from .errors import FileError, InvalidArgument
from .proof import MerkleProof

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._types import Digests, Path, Progress


class MerkleTree:
    """A Merkle tree with all its nodes in host memory: 64 bytes a leaf. Immutable; safe to use from several threads.

    leaves    uint8[n, 32], or the same bytes as little-endian words, uint64[n, 4]; n a power of two >= 2; copied
    hash      one of HASHES; for field hashes each word is less than p = 2^64 - 2^32 + 1
    device    "auto", or an id of devices()
    threads   None is all that the process may use
    policy    tuning values, as in `.policy`; what it lacks, the device's table decides. It never changes a byte.
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled

    Raises InvalidArgument (shape, dtype, n, a word >= p, unknown names), Unavailable, OutOfMemory.
    """

    __slots__ = ("_file_size", "_leaf_size", "_tree")

    _tree: _native.Tree
    _leaf_size: int
    _file_size: int

    def __init__(
        self,
        leaves: Digests,
        hash: str = "blake3",
        device: str = "auto",
        threads: int | None = None,
        policy: Mapping[str, int] | None = None,
        progress: Progress = None,
    ) -> None:
        """Build the tree."""
        array = _arrays.digests(leaves, "MerkleTree: leaves", "n")
        if array.ndim != 2:
            raise InvalidArgument(
                f"MerkleTree: leaves must be uint8[n, 32] or uint64[n, 4], got {_arrays.describe(array)}"
            )
        self._tree = _native.build_tree(array, hash, device, threads, _dict(policy), progress)
        self._leaf_size = self._file_size = 0

    @classmethod
    def from_file(
        cls,
        path: Path,
        leaf_size: int,
        *,
        device: str = "auto",
        threads: int | None = None,
        policy: Mapping[str, int] | None = None,
        progress: Progress = None,
    ) -> MerkleTree:
        """Build the `blake3` tree over a file: leaf k is the BLAKE3 hash of its bytes k leaf_size to (k+1) leaf_size.

        leaf_size  bytes; the last leaf's piece may be shorter. The count of pieces must be a power of two >= 2.

        The file is read once and not held. Raises FileError (unreadable, or its size changed), and as the constructor.
        """
        tree = cls.__new__(cls)
        name = os.fsencode(path)
        tree._tree = _native.build_tree_from_file(name, leaf_size, device, threads, _dict(policy), progress)
        tree._leaf_size = operator.index(leaf_size)
        tree._file_size = os.stat(name).st_size
        if -(-tree._file_size // tree._leaf_size) != tree.n_leaves:
            raise FileError(f"MerkleTree.from_file: {os.fsdecode(name)} changed its size while being read")
        return tree

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return self._tree.root

    @property
    def n_leaves(self) -> int:
        """Count of leaves."""
        return self._tree.n_leaves

    @property
    def hash(self) -> str:
        """Name of the hash."""
        return self._tree.hash

    @property
    def device(self) -> str:
        """Id of the device that built the tree."""
        return self._tree.device

    @property
    def policy(self) -> dict[str, int]:
        """The tuning values that were used: levels_per_launch, levels built while a subtree is in cache."""
        return self._tree.policy

    @property
    def leaf_size(self) -> int:
        """Bytes of the file that a leaf stands for, or 0: not built from a file."""
        return self._leaf_size

    @property
    def file_size(self) -> int:
        """Bytes of the file that the tree is built from, or 0."""
        return self._file_size

    @property
    def nodes(self) -> Digests:
        """All nodes: uint8[2n, 32], for field hashes uint64[2n, 4]. A read-only view, no copy; it keeps the tree alive.

        The root is at 1, the children of i at 2i and 2i+1, leaf k at n + k; slot 0 is zeros.
        """
        return as_nodes(self._tree.nodes, self.hash)

    def cap(self, height: int) -> Digests:
        """Return the 2^height nodes at `height` levels below the root, left to right: a view, as `.nodes`."""
        height = operator.index(height)
        levels = self.n_leaves.bit_length() - 1
        if not 0 <= height <= levels:
            raise InvalidArgument(
                f"cap: height must be 0 to {levels} in a tree of {self.n_leaves} leaves, got {height}"
            )
        return self.nodes[1 << height : 2 << height]

    def prove(self, index: int) -> MerkleProof:
        """Return the proof that leaf `index` is in the tree. Raises InvalidArgument: index >= n_leaves or negative."""
        return MerkleProof(*self._tree.prove(index))

    def save(self, path: Path) -> None:
        """Write the whole tree to a file that TreeFile reads: 64 + 64 n bytes.

        The file appears whole or not at all: on any error the old one, or none, is there. Raises FileError.
        """
        from .tree_file import write

        write(self, path)

    def __repr__(self) -> str:
        return f"<MerkleTree: {self.n_leaves} leaves, {self.hash}, root {self.root.hex()}>"


def as_nodes(buffer: Any, hash: str) -> Digests:
    """Return nodes in a buffer as an array of the form that goes with the hash."""
    import numpy as np

    if _native.hash_by_name(hash)[2]:
        return np.frombuffer(buffer, np.uint64).reshape(-1, 4)
    return np.frombuffer(buffer, np.uint8).reshape(-1, 32)


def _dict(policy: Mapping[str, int] | None) -> dict[str, int] | None:
    return None if policy is None else dict(policy)
