"""Whole binary Merkle trees."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, SupportsIndex, cast, overload

from . import _arrays, _native
from ._settings import settings
from .errors import FileError, InvalidArgument
from .proof import MerkleProof

if TYPE_CHECKING:
    from ._native import DeviceArray, Timings
    from ._types import Digests, Path, Policy, Progress, Tensor


class MerkleTree:
    """A Merkle tree with all its nodes: 64 bytes a leaf. Immutable; safe to use from several threads.

    The nodes are in the memory of the device that built it, or on the host where that is the same memory or they do not
    fit.

    leaves    uint8[n, 32], or the same bytes as little-endian words, uint64[n, 4] or int64[n, 4]; n a power of two
              >= 2; copied. An array of NumPy, or a tensor as hash() takes them: one on a device stays there
    hash      one of HASHES; for field hashes each word is less than p = 2^64 - 2^32 + 1
    device    "auto", or an id of devices()
    threads   of the CPU; None is all that the process may use
    policy    tuning values, as in `.policy`; what it lacks, the device's table decides. It never changes a byte.
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled
    stream    the device's queue to run on, as in hash()
    timings   a Timings() to fill

    Raises InvalidArgument (shape, dtype, n, a word >= p, unknown names), Unavailable, OutOfMemory.
    """

    __slots__ = ("_file_size", "_leaf_size", "_timings", "_tree")

    _tree: _native.Tree
    _leaf_size: int
    _file_size: int
    _timings: Timings | None

    def __init__(
        self,
        leaves: Digests | Tensor,
        hash: str = "blake3",
        device: str = "auto",
        threads: int | None = None,
        policy: Policy = None,
        progress: Progress = None,
        stream: object = None,
        timings: Timings | None = None,
    ) -> None:
        """Build the tree."""
        run = settings(device, threads, progress, stream, timings)
        array = _arrays.digests(leaves, "MerkleTree: leaves", run, "n")
        self._tree = _native.make_tree(array, hash, run, policy)
        self._leaf_size = self._file_size = 0
        self._timings = timings

    @classmethod
    def from_file(
        cls,
        path: Path,
        leaf_size: int,
        *,
        device: str = "auto",
        threads: int | None = None,
        policy: Policy = None,
        progress: Progress = None,
        timings: Timings | None = None,
    ) -> MerkleTree:
        """Build the `blake3` tree over a file: leaf k is the BLAKE3 hash of its bytes k leaf_size to (k+1) leaf_size.

        leaf_size  bytes; the last leaf's piece may be shorter. The count of pieces must be a power of two >= 2.

        The file is read once and not held. Raises FileError (unreadable, or its size changed), and as the constructor.
        """
        tree = cls.__new__(cls)
        name = os.fsencode(path)
        run = settings(device, threads, progress, None, timings)
        tree._tree = _native.make_tree_from_file(name, leaf_size, run, policy)
        tree._timings = timings
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
    def policy(self) -> dict[str, int | str]:
        """The tuning values that were used.

        levels_per_launch  levels that one launch builds, as subtrees that stay in a cache (CPU) or a group (GPU)

        On devices also group_size, the items of a group; merges_per_item, merges that an item computes side by side;
        and constants, where those of field hashes lie: "literal", "constant", "global" or "local".
        """
        return self._tree.policy

    @property
    def timings(self) -> Timings | None:
        """The Timings that the tree was built with, or None."""
        return self._timings

    @property
    def on_device(self) -> bool:
        """Whether the nodes are in the memory of `device`, not on the host."""
        return self._tree.on_device

    @property
    def leaf_size(self) -> int:
        """Bytes of the file that a leaf stands for, or 0: not built from a file."""
        return self._leaf_size

    @property
    def file_size(self) -> int:
        """Bytes of the file that the tree is built from, or 0."""
        return self._file_size

    @property
    def nodes(self) -> Digests | DeviceArray:
        """All nodes: uint8[2n, 32], for field hashes uint64[2n, 4]. A read-only view, no copy; it keeps them alive.

        The root is at 1, the children of i at 2i and 2i+1, leaf k at n + k; slot 0 is zeros. A NumPy array, or a
        DeviceArray if they are `on_device`.
        """
        return self._tree.device_nodes() if self.on_device else as_nodes(self._tree.host_nodes(), self.hash)

    def cap(self, height: int) -> Digests | DeviceArray:
        """Return the 2^height nodes at `height` levels below the root, left to right: a view, as `.nodes`."""
        height = operator.index(height)
        levels = self.n_leaves.bit_length() - 1
        if not 0 <= height <= levels:
            raise InvalidArgument(
                f"cap: height must be 0 to {levels} in a tree of {self.n_leaves} leaves, got {height}"
            )
        first = 1 << height
        if self.on_device:
            return _native.rows(self._tree.device_nodes(), first, first)
        cap: Digests = as_nodes(self._tree.host_nodes(), self.hash)[first : 2 * first]
        return cap

    @overload
    def prove(self, index: SupportsIndex) -> MerkleProof: ...
    @overload
    def prove(self, index: Iterable[SupportsIndex]) -> list[MerkleProof]: ...
    def prove(self, index: SupportsIndex | Iterable[SupportsIndex]) -> MerkleProof | list[MerkleProof]:
        """Return the proof that leaf `index` is in the tree; of several indices a list of proofs, in order.

        Of a tree on a device, only the paths leave it, those of all indices at once.
        Raises InvalidArgument: index >= n_leaves or negative.
        """
        try:
            one = operator.index(cast("SupportsIndex", index))
        except TypeError:
            several = list(index) if isinstance(index, Iterable) else [index]
            return [MerkleProof(*proof) for proof in self._tree.prove(several)]
        return MerkleProof(*self._tree.prove([one])[0])

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


def build_tree(
    nodes: Digests | Tensor,
    hash: str = "blake3",
    *,
    device: str = "auto",
    threads: int | None = None,
    policy: Policy = None,
    progress: Progress = None,
    stream: object = None,
    timings: Timings | None = None,
) -> dict[str, int | str]:
    """Build all parents of a tree in memory of yours, and return the policy that was used.

    nodes  uint8[2n, 32], or uint64[2n, 4] or int64[2n, 4], writable and in C order, of NumPy or on a device; leaf k is
           at n + k. Written: the parents, to 1 .. n-1 (the root at 1, the children of i at 2i and 2i+1), and zeros to 0

    The options are those of MerkleTree. After an error the parents are undefined.
    """
    run = settings(device, threads, progress, stream, timings)
    return _native.build_tree(_arrays.slots(nodes, "build_tree: nodes", run), hash, run, policy)


def merkle_root(
    leaves: Digests | Tensor,
    hash: str = "blake3",
    *,
    device: str = "auto",
    threads: int | None = None,
    policy: Policy = None,
    progress: Progress = None,
    stream: object = None,
    timings: Timings | None = None,
) -> bytes:
    """Return the root of a tree, 32 bytes, without keeping its nodes. The root of one leaf is that leaf.

    The arguments are those of MerkleTree, but there may be a single leaf.
    """
    run = settings(device, threads, progress, stream, timings)
    return _native.merkle_root(_arrays.digests(leaves, "merkle_root: leaves", run, "n"), hash, run, policy)
