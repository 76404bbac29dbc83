"""Merkle trees in files: a header of 64 bytes, then all 2n nodes in heap order, 32 bytes each.

The header, little endian: "MKZTREE1", hash id u32, flags u32 (zero), n_leaves u64, leaf_size u64 (bytes of a file that
a leaf stands for, or 0), file_size u64 (of that file, or 0), zeros.
"""

from __future__ import annotations

import operator
import os
import stat
import struct
from typing import TYPE_CHECKING, Any, NoReturn

from . import _native
from .errors import Cancelled, FileError, InvalidArgument
from .hashing import hash_elements, hash_many
from .proof import MerkleProof
from .tree import as_nodes

if TYPE_CHECKING:
    from types import TracebackType

    from ._types import Digests, Path, Progress
    from .tree import MerkleTree

_HEADER = struct.Struct("<8sIIQQQ24s")
_MAGIC = b"MKZTREE1"
_PIECE = 1 << 25  # bytes a write or a step of check(): bounds what is in memory, and how long Ctrl-C waits


def write(tree: MerkleTree, path: Path) -> None:
    """Write `tree` to `path`, whole or not at all. Raises FileError."""
    target = os.fsdecode(path)
    header = _HEADER.pack(
        _MAGIC, _native.hash_by_name(tree.hash)[0], 0, tree.n_leaves, tree.leaf_size, tree.file_size, b""
    )
    try:
        if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            raise FileError(f"cannot write the tree to {target}: not a regular file")
        folder, name = os.path.split(target)
        temporary = os.path.join(folder, f".{name}.{os.urandom(8).hex()}.tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                _write_all(file, header)
                _write_all(file, tree._tree.host_nodes().cast("B"))
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        _sync_folder(folder or os.curdir)
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"cannot write the tree to {target}: {error.strerror}") from error


def _write_all(file: Any, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view[:_PIECE]) :]


def _sync_folder(folder: str) -> None:
    # So that the new name outlives a power failure.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class TreeFile:
    """A tree that MerkleTree.save() wrote, read where it lies: opening and proving read only what they need.

    Size and header are checked when it is opened; check() looks at every node. Raises FileError. A context manager.
    """

    _hash: str
    _n_leaves: int
    _leaf_size: int
    _file_size: int

    def __init__(self, path: Path) -> None:
        """Open the file and check its header."""
        self.path: str = os.fsdecode(path)
        try:
            self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115  closed by close()
        except OSError as error:
            raise FileError(f"cannot open the tree file {self.path}: {error.strerror}") from error
        try:
            self._read_header()
            self._root = self._node(1)
        except BaseException:
            self.close()
            raise

    def _read_header(self) -> None:
        header = self._read(0, _HEADER.size, "too short for a tree file")
        magic, hash_id, flags, n, leaf_size, file_size, rest = _HEADER.unpack(header)
        if magic != _MAGIC:
            self._fail("not a tree file: it does not start with MKZTREE1")
        names = {number: name for number, name, _ in _native.hashes()}
        if hash_id not in names:
            self._fail(f"unknown hash id {hash_id}")
        if flags or any(rest):
            self._fail("unknown flags; written by a newer version?")
        if n < 2 or n & (n - 1):
            self._fail(f"the header says {n} leaves, which is not a power of two of at least 2")
        if (leaf_size == 0 and file_size) or (leaf_size and -(-file_size // leaf_size) != n):
            self._fail(f"the header says {n} leaves of {leaf_size} bytes for a file of {file_size} bytes")
        expected, size = _HEADER.size + 64 * n, os.fstat(self._file.fileno()).st_size
        if size != expected:
            self._fail(f"a tree of {n} leaves takes {expected} bytes, but the file has {size}")
        self._hash, self._n_leaves, self._leaf_size, self._file_size = names[hash_id], n, leaf_size, file_size

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return self._root

    @property
    def n_leaves(self) -> int:
        """Count of leaves."""
        return self._n_leaves

    @property
    def hash(self) -> str:
        """Name of the hash."""
        return self._hash

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
        """All nodes as MerkleTree.nodes, mapped from the file: read on access, read-only."""
        import numpy as np

        return as_nodes(np.memmap(self._file, mode="r", offset=_HEADER.size, shape=(64 * self.n_leaves,)), self.hash)

    def prove(self, index: int) -> MerkleProof:
        """Return the proof that leaf `index` is in the tree; reads log2(n_leaves) + 1 nodes."""
        index = operator.index(index)
        if not 0 <= index < self.n_leaves:
            raise InvalidArgument(f"prove: index must be less than {self.n_leaves}, the count of leaves, got {index}")
        position = self.n_leaves + index
        leaf, siblings = self._node(position), []
        while position > 1:
            siblings.append(self._node(position ^ 1))
            position >>= 1
        return MerkleProof(self.hash, index, self.n_leaves, leaf, tuple(siblings))

    def check(self, *, device: str = "auto", threads: int | None = None, progress: Progress = None) -> None:
        """Compute every parent again from its children and raise FileError naming the first node that differs.

        progress  called with the share that is done, 0 to 1; returning False raises Cancelled

        Reads the file once or twice, 32 MiB at a time; n_leaves - 1 merges.
        """
        import numpy as np

        is_field = _native.hash_by_name(self.hash)[2]
        if any(self._node(0)):
            self._fail("slot 0 is not zeros")
        end, done = self.n_leaves, 0  # parents are checked from the last one down, level by level
        while end > 1:
            begin = max(1 << ((end - 1).bit_length() - 1), end - _PIECE // 64)
            pairs = self._read(_HEADER.size + 64 * begin, 64 * (end - begin))
            try:
                if is_field:
                    words = np.frombuffer(pairs, np.uint64).reshape(-1, 8)
                    merged = hash_elements(words, self.hash, device=device, threads=threads).view(np.uint8)
                else:
                    rows = np.frombuffer(pairs, np.uint8).reshape(-1, 64)
                    merged = hash_many(rows, device=device, threads=threads)
            except InvalidArgument as error:
                self._fail(f"the children of nodes {begin} to {end - 1}: {error}")
            stored = np.frombuffer(self._read(_HEADER.size + 32 * begin, 32 * (end - begin)), np.uint8).reshape(-1, 32)
            differs = np.flatnonzero((merged != stored).any(axis=1))
            if differs.size:
                self._fail(f"node {begin + int(differs[0])} is not the merge of its children")
            done += end - begin
            if progress is not None and progress(done / (self.n_leaves - 1)) is False:
                raise Cancelled(f"{self.path}: the check was cancelled")
            end = begin

    def close(self) -> None:
        """Close the file; views of `.nodes` stay valid."""
        self._file.close()

    def __enter__(self) -> TreeFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<TreeFile {self.path}: {self.n_leaves} leaves, {self.hash}, root {self.root.hex()}>"

    def _node(self, position: int) -> bytes:
        return self._read(_HEADER.size + 32 * position, 32)

    def _read(self, offset: int, size: int, complaint: str = "it was cut short while being read") -> bytes:
        pieces = []
        while size:
            try:
                piece = os.pread(self._file.fileno(), size, offset)
            except OSError as error:
                raise FileError(f"cannot read the tree file {self.path}: {error.strerror}") from error
            if not piece:
                self._fail(complaint)
            pieces.append(piece)
            offset, size = offset + len(piece), size - len(piece)
        return b"".join(pieces)

    def _fail(self, complaint: str) -> NoReturn:
        raise FileError(f"{self.path}: {complaint}")
