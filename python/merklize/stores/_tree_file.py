"""Tree files in stores: opening and proving read only the nodes that they need.

What was read lies in a sparse file without a name, at the places that it has in the object; the reader of tree files
does the rest. So proofs and their rules are in one place.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from .. import _native
from ..errors import FileError, InvalidArgument
from ..proof import ConsistencyProof, MerkleProof, MultiProof
from ._failures import file_error
from ._limits import limits
from ._objects import open_object
from ._progress import Report
from ._ranges import Readers

_T = TypeVar("_T")

HEADER, NODE = 128, 32
GAP = 1 << 16
"""Bytes between two wanted places that are read rather than asked for apart."""


class RemoteTreeFile:
    """What _native.TreeFile is, of an object; it is never changed."""

    def __init__(self, url: str) -> None:
        """Read the header and the root."""
        self._stored = open_object(url, HEADER)
        if not self._stored.ranges:
            self._stored.read(0, HEADER)  # which says so
        self.name = self._stored.name
        size = self._stored.size or 0
        if size < HEADER:
            raise file_error(self.name, f"not a tree file: it must have at least {HEADER} bytes, got {size}")
        self._copy = tempfile.TemporaryFile(prefix="merklize-")  # noqa: SIM115  # open as long as this object
        self._there: set[tuple[int, int]] = set()
        self._copy.truncate(size)
        self._load([(0, HEADER), (max(HEADER, size - NODE), size)])
        self._file = self._named(lambda: _native.open_tree_file(os.fsencode(f"/proc/self/fd/{self._copy.fileno()}")))

    def _named(self, work: Callable[[], _T]) -> _T:
        """Do it; the errors name the object, not the copy."""
        try:
            return work()
        except FileError as error:
            text = str(error).replace(f"/proc/self/fd/{self._copy.fileno()}", self.name)
            raise FileError._of(text, error.errno or 0, self.name) from None

    def __getattr__(self, name: str) -> Any:
        """What the header says."""
        if name not in ("root", "n_leaves", "height", "hash", "rule", "padding", "is_keyed", "leaf_size", "file_size",
                        "set_mode", "level_offset"):  # fmt: skip
            raise AttributeError(name)
        return getattr(self._file, name)

    # ---- Reading ----

    def _load(self, places: Iterable[tuple[int, int]]) -> None:
        """Read bytes of the object into the copy. Places near each other are read together."""
        joined: list[list[int]] = []
        for start, end in sorted(set(places)):
            if joined and start <= joined[-1][1] + GAP and end - joined[-1][0] <= limits.range_size:
                joined[-1][1] = max(end, joined[-1][1])
            else:
                joined.append([start, end])
        cut = [
            (at, min(at + limits.range_size, end))
            for start, end in joined
            for at in range(start, end, limits.range_size)
        ]
        with Readers() as readers:
            for (start, _), data in zip(cut, readers.places(self._stored, cut)):
                os.pwrite(self._copy.fileno(), data, start)
        self._stored.require_same()

    def _need(self, nodes: Iterable[tuple[int, int]]) -> None:
        """Read nodes, (level, index), that are not in the copy yet."""
        missing = {node for node in nodes if node not in self._there and node[1] < self._width(node[0])}
        offsets = {level: self._file.level_offset(level) for level, _ in missing}
        self._load((offsets[level] + NODE * k, offsets[level] + NODE * (k + 1)) for level, k in missing)
        self._there |= missing

    def _width(self, level: int) -> int:
        return ((self._file.n_leaves - 1) >> level) + 1

    def read(self, level: int, first: int, count: int) -> bytes:
        """Return nodes of a level."""
        if 0 <= level <= self._file.height and first >= 0 and count >= 0 and first + count <= self._width(level):
            start = self._file.level_offset(level) + NODE * first
            self._load([(start, start + NODE * count)])
        return self._named(lambda: self._file.read(level, first, count))

    # ---- Proofs ----

    def prove(self, indices: Any) -> list[_native.MerkleProof]:
        """Return proofs of one leaf each."""
        self._need_paths(map(int, indices))
        proofs = self._file.prove(indices)
        for proof in proofs:
            self._require(MerkleProof._of(proof))
        return proofs

    def prove_together(self, indices: Any) -> _native.MultiProof:
        """Return one proof of several leaves."""
        self._need_paths(map(int, indices))
        proof = self._file.prove_together(indices)
        self._require(MultiProof._of(proof))
        return proof

    def prove_range(self, first: int, last: int) -> _native.MultiProof:
        """Return one proof of leaves first to last - 1."""
        if 0 <= first < last <= self._file.n_leaves:
            self.read(0, first, last - first)
            self._need_paths([first, last - 1])
        proof = self._file.prove_range(first, last)
        self._require(MultiProof._of(proof))
        return proof

    def prove_consistency(self, old_leaves: int) -> _native.ConsistencyProof:
        """Return the proof that the tree grew from its first leaves."""
        n = self._file.n_leaves
        if 1 <= old_leaves <= n:
            self._need_paths([old_leaves - 1, min(old_leaves, n - 1), n - 1])
        proof: _native.ConsistencyProof = ConsistencyProof._of(self._file.prove_consistency(old_leaves))._proof
        return proof

    def _need_paths(self, indices: Iterable[int]) -> None:
        levels, n = range(self._file.height + 1), self._file.n_leaves
        inside = [k for k in indices if 0 <= k < n]
        self._need({(level, (k >> level) ^ side) for k in inside for level in levels for side in (0, 1)})

    def _require(self, proof: MerkleProof | MultiProof) -> None:
        """Refuse a proof that does not hold: the object is damaged. Of keyed trees nobody can tell without the key."""
        if not self._file.is_keyed and not proof.verify(self._file.root):
            raise file_error(self.name, "the nodes do not fit the root: the tree file is damaged")

    def check(self, most: int, run: _native.Settings) -> list[tuple[int, int]]:
        """Read all of it, which takes its size on the disk of temporary files, and compute every parent again."""
        size = self._stored.size or 0
        report = Report(run.progress, 2 * size)
        at = 0
        with Readers() as readers:
            for data in readers.pieces(self._stored):
                os.pwrite(self._copy.fileno(), data, at)
                at += len(data)
                report.add(len(data))
        self._stored.require_same()
        return self._named(lambda: self._file.check(most, run))

    # ---- What an object cannot do ----

    @property
    def descriptor(self) -> int:
        """There is none."""
        raise self._refusal("has no level() to map: read() gives its nodes")

    def update(self, *_: object) -> None:
        """Refuse."""
        raise self._refusal("cannot be changed: change the file, and write it there again")

    append = append_file = update

    def _refusal(self, why: str) -> InvalidArgument:
        return InvalidArgument(f"{self.name}: a tree file in a store {why}")
