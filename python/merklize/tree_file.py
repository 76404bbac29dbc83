"""Merkle trees in files (.mkl): docs/file-format.md gives the format byte by byte."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, cast, overload

from . import _arrays, _native
from ._diff import differing_leaves
from ._formats import leaf_size_of
from ._inputs import encoded, opened, output_file
from ._native import TreeFacts, flag
from ._options import RunOptions, TreeOptions, form_of, run_of, takes
from ._types import Buffer, Digest, Digests, HashName, Indices, Input, Leaves, Path, Tree
from ._urls import is_url, plain, stores
from .errors import FileError, InvalidArgument, in_call
from .proof import ConsistencyProof, MerkleProof, MultiProof

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Comparison(NamedTuple):
    """How data differs from the tree over it. As a bool: whether it does not."""

    differing: list[int]
    """Indices of leaves that both have and that differ: the first `most`."""
    n_differing: int
    """Count of all such leaves."""
    n_leaves: int
    """Leaves of the tree."""
    input_leaves: int
    """Leaves of the input."""
    file_size: int
    """Bytes of the data as the tree states them; 0: it does not, or the input is leaves."""
    input_size: int
    """Bytes of the input. Of a stream that goes on behind the tree: those that were read."""

    def __bool__(self) -> bool:
        is_size = self.file_size in (0, self.input_size)
        return self.n_differing == 0 and self.input_leaves == self.n_leaves and is_size


class TreeFile:
    """A tree in a file, read where it lies: opening and proving read only what they need. A context manager.

    Length and header are checked when it is opened; check() looks at every node. Raises FileError.

    path  a path, or a URL (docs/stores.md), of which only what is needed is read; such a file is not changed
    key, context  of a tree of keyed or derive-key merges, for check(), update() and append()

    >>> facts = merklize.build_tree_file("data.bin", "data.mkl", leaf_size=1024)
    >>> with merklize.TreeFile("data.mkl") as tree:
    ...     tree.prove(3).verify(facts.root, n_leaves=4)
    True
    """

    __slots__ = ("__weakref__", "_file", "path")

    _file: _native.TreeFile | None
    path: str

    def __init__(self, path: Path, *, key: Buffer | None = None, context: str | None = None) -> None:
        """Open the file and check its header."""
        path = plain(path)
        self._file = None
        if is_url(path):
            source = stores().tree_file_source(str(path))
            self.path, self._file = source.name, _native.open_tree_source(source)
        else:
            name = encoded(path, "path")
            self.path, self._file = os.fsdecode(name), _native.open_tree_file(name)
        if key is not None or context is not None:
            self._file.set_mode(key, context)

    @property
    def _open(self) -> _native.TreeFile:
        if self._file is None:
            raise FileError(f"{self.path}: the tree file is closed")
        return self._file

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return self._open.root

    @property
    def n_leaves(self) -> int:
        """Count of leaves."""
        return self._open.n_leaves

    @property
    def height(self) -> int:
        """Levels above the leaves."""
        return self._open.height

    @property
    def hash(self) -> HashName:
        """Name of the hash."""
        return cast("HashName", self._open.hash)

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self._open.rule

    @property
    def padding(self) -> bytes:
        """The padding of the rule "pad": 32 bytes."""
        return self._open.padding

    @property
    def is_keyed(self) -> bool:
        """Whether merges are keyed or derive-key ones. The key is not in the file."""
        return self._open.is_keyed

    @property
    def leaf_size(self) -> int:
        """Bytes of the file that a leaf stands for, or 0: not built from a file."""
        return self._open.leaf_size

    @property
    def file_size(self) -> int:
        """Bytes of the file that the tree is built from, or 0: not known."""
        return self._open.file_size

    def level(self, level: int) -> Digests:
        """Return the nodes of a level: a read-only view of the file that is open, read on access. 0 is the leaves.

        The file is mapped, which nothing else here does: if somebody cuts it short, access to the view kills the
        process. (update() and append() do not: while a view exists, they put another file in its place.) read() raises
        FileError instead.
        """
        import numpy as np

        level = _arrays.integer(level, "level")
        offset, count = self._open.level_offset(level), ((self.n_leaves - 1) >> level) + 1
        if count == 0:  # an empty range cannot be mapped
            return _arrays.nodes(b"", self.hash)
        with os.fdopen(os.dup(self._open.descriptor), "rb") as file:
            mapped = np.memmap(file, np.uint8, "r", offset, (32 * count,))
        return _arrays.nodes(mapped, self.hash)

    def read(self, level: int, first: int, count: int) -> bytes:
        """Return nodes first to first + count - 1 of a level, 32 bytes each. Raises InvalidArgument, FileError."""
        return self._open.read(level, first, count)

    @overload
    def prove(self, index: SupportsIndex) -> MerkleProof: ...
    @overload
    def prove(self, index: Iterable[SupportsIndex]) -> list[MerkleProof]: ...
    def prove(self, index: SupportsIndex | Iterable[SupportsIndex]) -> MerkleProof | list[MerkleProof]:
        """Return the proof that leaf `index` is in the tree; reads one node a level. For several indices, a list."""
        if isinstance(index, Iterable):
            several = _arrays.indices(index, "index", self.n_leaves)
            return [MerkleProof._of(proof) for proof in self._open.prove(several)]
        return MerkleProof._of(self._open.prove(_arrays.indices([index], "index", self.n_leaves))[0])

    def prove_together(self, indices: Iterable[SupportsIndex]) -> MultiProof:
        """Return one proof of several leaves, as MerkleTree.prove_together()."""
        which = _arrays.indices(indices, "indices", self.n_leaves)
        return MultiProof._of(self._open.prove_together(which))

    def prove_range(self, first: int, last: int) -> MultiProof:
        """Return one proof of leaves first to last - 1."""
        return MultiProof._of(self._open.prove_range(first, last))

    def prove_consistency(self, old_leaves: int) -> ConsistencyProof:
        """Return the proof that this tree only adds leaves to the tree of its first `old_leaves` leaves."""
        return ConsistencyProof._of(self._open.prove_consistency(old_leaves))

    @takes(RunOptions)
    def check(self, most: int = 1000, **options: Unpack[RunOptions]) -> list[tuple[int, int]]:
        """Compute every parent again; return the nodes that differ, at most `most`, as (level, index in it).

        Reads the file once. Raises FileError, Cancelled.
        """
        return self._open.check(most, run_of("TreeFile.check", options, timed=False))

    @takes(RunOptions)
    def compare(
        self,
        input: Input,
        leaf_size: int | None = None,
        *,
        row_size: int | None = None,
        leaves: bool = False,
        most: int = 1000,
        **options: Unpack[RunOptions],
    ) -> Comparison:
        """Compare the leaves with those of an input, the data that the tree was built from, and say which differ.

        input      as MerkleTree.from_file() takes it, with leaf_size, row_size and leaves; also a pipe. leaf_size is
                   the tree's own, where it states one
        most       indices in the result

        Whether the tree's own nodes are right, check() says, and whether its root is the trusted one, the caller.
        Raises FileError, InvalidArgument, Cancelled.

        >>> facts = merklize.build_tree_file("data.bin", "data.mkl", leaf_size=1024)
        >>> with merklize.TreeFile("data.mkl") as tree:
        ...     bool(tree.compare("data.bin"))
        True
        """
        file = self._open
        if leaf_size is None and row_size is None and not flag(leaves, "leaves"):
            leaf_size = file.leaf_size
            if leaf_size == 0:
                raise InvalidArgument(
                    "compare: the tree does not say what its leaves stand for: give leaf_size, row_size or leaves=True"
                )
        leaf_size = leaf_size_of(None, leaf_size, row_size, leaves)
        run = run_of("TreeFile.compare", options, timed=False)
        with opened(input, "compare: input") as source:
            found = file.compare(source, leaf_size, row_size, most, run)
        differing, count, input_leaves, input_size = found
        return Comparison(differing, count, file.n_leaves, input_leaves, 0 if leaves else file.file_size, input_size)

    @takes(RunOptions)
    def update(self, changes: Mapping[int, Digest], **options: Unpack[RunOptions]) -> None:
        """Replace leaves, {index: leaf}, completely or not at all, even if the process is killed.

        The change is made in a copy that takes the file's place; or, of few leaves of a large file that nobody else has
        open, in the file itself, with a journal (docs/file-format.md), which takes milliseconds.

        Waits for other processes and threads that change the file, and keeps what they changed: the change is made to
        the file as it is then, not as it was when it was opened. A tree of another form, leaf size or data that has
        replaced the file is an OSError, and so is damage among the nodes that the change reads. Then nothing changes.
        """
        run = run_of("TreeFile.update", options, tuned=False, timed=False)
        # The file may have more leaves now than when it was opened.
        indices, leaves = _arrays.changes(changes, 2**64)
        self._open.update(indices, leaves, run)

    @takes(RunOptions)
    def append(self, leaves: Leaves, **options: Unpack[RunOptions]) -> None:
        """Add leaves, an array or a list of digests, at the end, rule left_full, in a copy as update() does."""
        run = run_of("TreeFile.append", options, tuned=False, timed=False)
        self._open.append(leaves, run)

    @takes(RunOptions)
    def append_file(
        self,
        input: Input,
        leaf_size: int | None = None,
        *,
        row_size: int | None = None,
        leaves: bool = False,
        **options: Unpack[RunOptions],
    ) -> int:
        """Add the leaves of an input, as MerkleTree.from_file() makes them, and return their number; also of a pipe.

        An input of no bytes adds none.
        """
        leaf_size = leaf_size_of(None, leaf_size, row_size, leaves)
        run = run_of("TreeFile.append_file", options, tuned=False, timed=False)
        with opened(input, "input") as source:
            return self._open.append_file(source, leaf_size, row_size, run)

    def diff(self, other: Tree) -> Indices:
        """Return the indices of leaves that differ from those of another tree, as MerkleTree.diff().

        Reads only the children of unequal nodes.
        """
        return differing_leaves(self, other)

    def _nodes_at(self, level: int, indices: Indices) -> Any:
        import numpy as np

        out = np.empty((len(indices), 32), np.uint8)
        cuts = np.flatnonzero(np.diff(indices) != 1) + 1
        for run in np.split(np.arange(len(indices)), cuts) if len(indices) else ():
            nodes = self.read(level, int(indices[run[0]]), len(run))
            out[run] = np.frombuffer(nodes, np.uint8).reshape(-1, 32)
        return out

    def __len__(self) -> int:
        return self.n_leaves

    def close(self) -> None:
        """Close the file; views of levels stay valid."""
        self._file = None

    def __enter__(self) -> TreeFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._file is None:
            return f"<TreeFile {self.path}: closed>"
        return f"<TreeFile {self.path}: {self.n_leaves} leaves, {self.hash}, root {self.root.hex()}>"


class TreeBuilder:
    """The root of a tree whose leaves come in pieces: holds one digest a level and a batch of leaves, never the tree.

    The options are those of MerkleTree.

    >>> builder = merklize.TreeBuilder()
    >>> builder.append(merklize.hash_leaves([b"a", b"b"]))
    >>> builder.root() == merklize.MerkleTree.from_messages([b"a", b"b"]).root
    True
    """

    __slots__ = ("__weakref__", "_builder", "_settings")

    @takes(TreeOptions)
    def __init__(
        self,
        hash: HashName | None = None,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Begin with no leaf."""
        form = form_of(hash, options)
        self._settings = run_of("TreeBuilder", options, timed=False)
        self._builder = _native.make_builder(form.native, self._settings)

    def append(self, leaves: Leaves) -> None:
        """Add leaves: uint8[k, 32], as words, or a list of digests; any k. After InvalidArgument nothing was added."""
        self._builder.append(leaves, self._settings)

    @property
    def n_leaves(self) -> int:
        """Leaves so far."""
        return self._builder.n_leaves

    def root(self) -> bytes:
        """Return the root of the leaves so far; more may follow. Raises InvalidArgument for a count, as MerkleTree."""
        return self._builder.root()


class TreeWriter:
    """Builds a tree file from leaves that come in pieces, in little memory. A context manager.

    It writes PATH.partial, which replaces PATH in finish().

    n_leaves   of the whole tree; None: not known before the end
    leaf_size, file_size  of the file that the leaves stand for, to note in the tree's; or 0
    resume     True: go on from the leaves that a killed process left in PATH.partial, if they belong to such a tree.
               You must know that they are its first leaves; `written` is their number. False: discard them

    The rest is as in MerkleTree. Raises FileError, InvalidArgument.

    >>> with merklize.TreeWriter("leaves.mkl", n_leaves=2) as writer:
    ...     writer.append(merklize.hash_leaves([b"a", b"b"]))
    ...     root = writer.finish()
    """

    __slots__ = ("__weakref__", "_settings", "_writer")

    @takes(TreeOptions)
    def __init__(
        self,
        path: Path,
        n_leaves: int | None,
        hash: HashName | None = None,
        *,
        leaf_size: int = 0,
        file_size: int = 0,
        resume: bool = False,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Open PATH.partial."""
        form = form_of(hash, options)
        self._settings = run_of("TreeWriter", options, timed=False)
        source = (leaf_size, file_size)
        self._writer: _native.Writer | None = _native.make_writer(
            encoded(path, "path"),
            0 if n_leaves is None else n_leaves,
            form.native,
            source,
            resume,
            self._settings,
        )

    @property
    def _open(self) -> _native.Writer:
        if self._writer is None:
            raise FileError(in_call("it is closed"))
        return self._writer

    @property
    def written(self) -> int:
        """Leaves so far, which is the index of the next leaf to append."""
        return self._open.written

    def append(self, leaves: Leaves) -> None:
        """Add leaves: uint8[k, 32], words, uint64[k, 4] or uint32[k, 8], or a list of digests; any k."""
        self._open.append(leaves)

    def finish(self) -> bytes:
        """Write the rest, give the file its name and return the root."""
        root = self._open.finish()
        self._writer = None
        return root

    def close(self) -> None:
        """Close the file. Unless it is finished, PATH.partial stays and can be resumed."""
        self._writer = None

    def __enter__(self) -> TreeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


@takes(TreeOptions)
def build_tree_file(
    input: Input,
    output: Path,
    hash: HashName | None = None,
    *,
    leaf_size: int | None = None,
    row_size: int | None = None,
    leaves: bool = False,
    resume: bool = True,
    **options: Unpack[TreeOptions],
) -> TreeFacts:
    """Build the tree over an input into a file, in little memory, and return its root and other facts.

    input      a path or a descriptor; also a pipe, which is read in order; or a URL (docs/stores.md)
    leaf_size  bytes: leaf k is the digest of bytes k leaf_size to (k+1) leaf_size, as hash_leaves() gives it; the last
               piece may be shorter, but not for field hashes
    row_size   instead: the same, of rows of equal length
    leaves     True, instead: the input has the leaves themselves, 32 bytes each. One of the three must be given, unless
               the format says how many bytes are a leaf
    output     appears when it is whole; until then the work is in OUTPUT.partial, and a killed build goes on there. Or
               a URL: the file is made in the folder for temporary files, and goes there when it is whole. A build of or
               to a URL begins with the first leaf

    The rest is as in MerkleTree. Raises FileError (also a disk that is too small, with the numbers, and another build
    of the same output at work), InvalidArgument, Cancelled.

    >>> merklize.build_tree_file("data.bin", "data.mkl", leaf_size=1024).n_leaves
    4
    """
    form = form_of(hash, options)
    leaf_size = leaf_size_of(form.format, leaf_size, row_size, leaves)
    run = run_of("build_tree_file", options, timed=False)
    # Refuses a URL that cannot be written to before the input is opened.
    with output_file(output, "output") as path, opened(input, "input") as source:
        return _native.build_tree_file(source, leaf_size, row_size, path, form.native, resume, run, form.needs_bytes)


@takes(TreeOptions)
def merkle_root_file(
    input: Input,
    hash: HashName | None = None,
    *,
    leaf_size: int | None = None,
    row_size: int | None = None,
    leaves: bool = False,
    **options: Unpack[TreeOptions],
) -> TreeFacts:
    """Return the root of the tree over an input, and other facts, in little memory.

    The arguments are those of build_tree_file().

    >>> merklize.merkle_root_file("data.bin", leaf_size=1024).height
    2
    """
    form = form_of(hash, options)
    leaf_size = leaf_size_of(form.format, leaf_size, row_size, leaves)
    run = run_of("merkle_root_file", options, timed=False)
    with opened(input, "input") as source:
        return _native.merkle_root_file(source, leaf_size, row_size, form.native, run, form.needs_bytes)
