"""Whole binary Merkle trees in memory."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, cast, overload

from . import _arrays, _native
from ._diff import differing_leaves
from ._formats import leaf_size_of
from ._inputs import encoded, opened
from ._native import DeviceArray
from ._options import HashOptions, TreeOptions, form_of, mode_of, run_of, signature_of, takes
from ._settings import settings
from ._types import (
    Buffer,
    Data,
    Digest,
    Digests,
    HashName,
    HostData,
    Indices,
    Input,
    Leaves,
    Path,
    Progress,
    Self,
    Tensor,
    Tree,
)
from .errors import FileError, InvalidArgument, in_call, shown
from .hashing import leaves_of
from .proof import ConsistencyProof, MerkleProof, MultiProof

if TYPE_CHECKING:
    from typing_extensions import Unpack


class MerkleTree:
    """A Merkle tree with its nodes: about 64 bytes a leaf. Safe to read from several threads.

    The nodes are in the memory of the device that built it, or on the host where that is the same memory or they do not
    fit.

    leaves    uint8[n, 32], or the same bytes as words: uint64[n, 4], uint32[n, 8] or signed; n >= 1; copied. An
              array of NumPy, or a tensor as hash() takes them: one on a device stays there. Or a list of digests,
              32 bytes or 64 hexadecimal digits each. [] or n = 0 is RFC 6962's empty tree, of "sha256_rfc6962" with
              "left_full" alone: its root is SHA-256 of nothing
    hash      one of HASHES; for field hashes each word is less than the modulus. None: the format's, else "blake3"
    format    the system that verifies the tree: "rfc6962", "bitcoin", "ssz", "bittorrent_v2", "glacier", "winterfell",
              "miden", "plonky3"; it
              fixes hash and rule (docs/formats.md)
    rule      what becomes of the last node of a level with an odd count: "left_full" (it moves up: RFC 6962; also
              "promote"), "pad" (merged with `padding`), "duplicate_last" (merged with itself), "perfect" (n must be a
              power of two). None: "perfect" for field hashes, else "left_full". All agree if n is a power of two
    key       32 bytes: keyed merges, of the hash "blake3"; of "blake2s" 1 to 32
    context   text that names a purpose: derive-key merges, of the hash "blake3"
    padding   of the rule "pad": 32 bytes, zeros by default
    drop_levels  levels at the bottom, leaves included, that are not kept; proofs then need the leaves again
    device    "auto", or an id of devices()
    threads   of the CPU; None is all that the process may use
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled
    stream    the device's queue to run on, as in hash()

    Raises InvalidArgument (shape, dtype, n, a word >= p, unknown names), Unavailable, OutOfMemory.

    >>> tree = merklize.MerkleTree.from_messages([b"a", b"b", b"c"])
    >>> tree.prove(1).verify(tree.root, leaf=merklize.hash(b"b"), n_leaves=3)
    True
    """

    __slots__ = ("__weakref__", "_threads", "_tree")

    _tree: _native.Tree
    _threads: int | None

    @takes(TreeOptions)
    def __init__(
        self,
        leaves: Leaves,
        hash: HashName | None = None,
        *,
        drop_levels: int = 0,
        **options: Unpack[TreeOptions],
    ) -> None:
        """Build the tree."""
        form = form_of(hash, options, drop_levels=_arrays.integer(drop_levels, "drop_levels") or None)
        run = run_of("MerkleTree", options)
        self._take(_native.make_tree(leaves, form.native, drop_levels, run), run)

    def _take(self, tree: _native.Tree, run: _native.Settings) -> None:
        self._tree = tree
        self._threads = run.threads or None

    @classmethod
    def _made(cls, tree: _native.Tree, run: _native.Settings) -> Self:
        self = cls.__new__(cls)
        self._take(tree, run)
        return self

    @classmethod
    @takes(TreeOptions)
    def from_messages(
        cls,
        messages: Iterable[Buffer] | Data,
        hash: HashName | None = None,
        **options: Unpack[TreeOptions],
    ) -> MerkleTree:
        """Build the tree whose leaf k is the digest of message k, as hash_leaves() gives it, or as the format says.

        messages  bytes-likes of any lengths; or an array of messages of equal length, as hash_leaves() takes them

        The options are those of MerkleTree. Raises InvalidArgument, also if the format has leaves that are not hashed.
        """
        form = form_of(hash, options)
        run = run_of("MerkleTree.from_messages", options)
        format = form.format
        leaf_hash = form.hash if format is None else format.leaf_hash
        if leaf_hash is None:
            raise InvalidArgument(
                f"format {shown(format and format.name)} hashes no messages: MerkleTree() takes its leaves, "
                "32 bytes each"
            )
        # Only the tree reports progress.
        hashing = settings(run.device, run.threads or None, None, run.stream)
        leaves = leaves_of("message", messages, leaf_hash, form.key, form.context, hashing)
        return cls._made(_native.make_tree(leaves, form.native, 0, run), run)

    @classmethod
    @takes(TreeOptions)
    def from_rows(
        cls,
        rows: Data,
        hash: HashName | None = None,
        **options: Unpack[TreeOptions],
    ) -> MerkleTree:
        """Build the tree whose leaf k is the digest of row k of a matrix, as hash_leaves() gives it.

        rows  uint8[n, m], for field hashes words as in hash_rows(); in any order of memory: row-major,
              column-major (`columns.T`), sliced. A tensor on a device is hashed there

        The options are those of MerkleTree; key and context are for leaves and merges alike.
        """
        form = form_of(hash, options)
        run = run_of("MerkleTree.from_rows", options)
        array = _native.leaf_rows(rows, "rows", _native.hash_by_name(form.hash), run)
        return cls._made(_native.make_tree_from_rows(array, array.shape[0], form.native, run), run)

    @classmethod
    @takes(TreeOptions)
    def from_file(
        cls,
        input: Input,
        leaf_size: int | None = None,
        hash: HashName | None = None,
        *,
        row_size: int | None = None,
        leaves: bool = False,
        **options: Unpack[TreeOptions],
    ) -> MerkleTree:
        """Build the tree over a regular file or block device.

        input      its path, or a descriptor, read from where it stands; or a URL (docs/stores.md)
        leaf_size  bytes: leaf k is the digest of bytes k leaf_size to (k+1) leaf_size, as hash_leaves() gives it; the
                   last piece may be shorter, but not for field hashes
        row_size   instead: the same, of rows of equal length
        leaves     True, instead: the file has the leaves themselves, 32 bytes each

        One of the three must be given, unless the format says how many bytes are a leaf. The options are those of
        MerkleTree; key and context are for leaves and merges alike. The file is read once and not held. Raises
        FileError (unreadable, or it changed meanwhile), OutOfMemory (before it is read), and as the constructor.
        """
        form = form_of(hash, options)
        leaf_size = leaf_size_of(form.format, leaf_size, row_size, leaves)
        run = run_of("MerkleTree.from_file", options)
        with opened(input, "input") as source:
            tree = _native.make_tree_from_file(source, leaf_size, row_size, form.native, run, form.needs_bytes)
        return cls._made(tree, run)

    @property
    def root(self) -> bytes:
        """The root, 32 bytes."""
        return self._tree.root

    @property
    def n_leaves(self) -> int:
        """Count of leaves."""
        return self._tree.n_leaves

    @property
    def height(self) -> int:
        """Levels above the leaves: log2(n_leaves), rounded up."""
        return self._tree.height

    @property
    def drop_levels(self) -> int:
        """Levels at the bottom that are not kept."""
        return self._tree.drop_levels

    @property
    def hash(self) -> HashName:
        """Name of the hash."""
        return cast("HashName", self._tree.hash)

    @property
    def rule(self) -> str:
        """Name of the rule."""
        return self._tree.rule

    @property
    def device(self) -> str:
        """Id of the device that built the tree."""
        return self._tree.device

    @property
    def policy(self) -> dict[str, int | str]:
        """The tuning values that were used.

        levels_per_launch  levels that one launch builds, as subtrees that stay in a cache (CPU) or a group (GPU)

        On devices also group_size, the items of a group; lanes, the merges that an item computes side by side;
        and constants, where those of field hashes lie: "literal", "constant", "global" or "local".
        """
        return self._tree.policy

    @property
    def on_device(self) -> bool:
        """Whether the nodes are in the memory of `device`, not on the host."""
        return self._tree.on_device

    @property
    def leaf_size(self) -> int:
        """Bytes of the file that a leaf stands for, or 0: not built from a file."""
        return self._tree.leaf_size

    @property
    def file_size(self) -> int:
        """Bytes of the file that the tree is built from, or 0: not known."""
        return self._tree.file_size

    @property
    def nodes(self) -> Digests | DeviceArray:
        """All nodes: uint8[2^height + n, 32], for field hashes words, [..., 4] or [..., 8]. A read-only view, no copy.

        The root is at 1, the children of i at 2i and 2i+1, leaf k at 2^height + k; slots of no node are zeros. A NumPy
        array, or a DeviceArray if they are `on_device`. With dropped levels it ends with the lowest that is kept.
        """
        return self._tree.device_nodes() if self.on_device else _arrays.nodes(self._tree.host_nodes(), self.hash)

    def level(self, level: int) -> Digests | DeviceArray:
        """Return the nodes of a level, left to right: a view, as `.nodes`. 0 is the leaves, `height` the root."""
        level = _arrays.integer(level, "level")
        if not self.drop_levels <= level <= self.height:
            kept = f"{self.drop_levels} to {self.height} for a tree of {self.n_leaves} leaves"
            raise InvalidArgument(f"level must be {kept}, got {shown(level)}")
        first, count = 1 << (self.height - level), ((self.n_leaves - 1) >> level) + 1
        if self.on_device:
            return _native.rows(self._tree.device_nodes(), first, count)
        nodes: Digests = _arrays.nodes(self._tree.host_nodes(), self.hash)[first : first + count]
        return nodes

    def levels(self) -> list[Digests | DeviceArray]:
        """Return all levels that are kept, the lowest first: views, as `.nodes`."""
        return [self.level(level) for level in range(self.drop_levels, self.height + 1)]

    def cap(self, height: int) -> Digests | DeviceArray:
        """Return the level `height` levels below the root: 2^height nodes in a perfect tree. A view, as `.nodes`."""
        height = _arrays.integer(height, "height")
        most = self.height - self.drop_levels
        if not 0 <= height <= most:
            raise InvalidArgument(
                f"height must be 0 to {most} in a tree of {self.n_leaves} leaves, got {shown(height)}"
            )
        return self.level(self.height - height)

    @overload
    def prove(self, index: SupportsIndex, leaves: HostData | Sequence[Digest] | None = None) -> MerkleProof: ...
    @overload
    def prove(
        self, index: Iterable[SupportsIndex], leaves: HostData | Sequence[Digest] | None = None
    ) -> list[MerkleProof]: ...
    def prove(
        self, index: SupportsIndex | Iterable[SupportsIndex], leaves: HostData | Sequence[Digest] | None = None
    ) -> MerkleProof | list[MerkleProof]:
        """Return the proof that leaf `index` is in the tree; for several indices a list of proofs, in order.

        leaves  all leaves again, of a tree with dropped levels

        From a tree on a device only the paths are copied, those of all indices at once.
        Raises InvalidArgument: index >= n_leaves or negative.
        """
        try:
            single = operator.index(cast("SupportsIndex", index))
        except TypeError:
            if not isinstance(index, Iterable):
                raise TypeError(in_call(f"index must be an integer, got {type(index).__name__}")) from None
            several = _arrays.indices(index, "index", self.n_leaves)
            return [MerkleProof._of(proof) for proof in self._tree.prove(several, _arrays.joined(leaves, "leaves"))]
        which = _arrays.indices([single], "index", self.n_leaves)
        return MerkleProof._of(self._tree.prove(which, _arrays.joined(leaves, "leaves"))[0])

    def prove_together(
        self, indices: Iterable[SupportsIndex], leaves: HostData | Sequence[Digest] | None = None
    ) -> MultiProof:
        """Return one proof of several leaves, with each digest that the verifier cannot compute once.

        indices  in any order, no one twice, at least one

        Made where the tree is. Raises InvalidArgument.
        """
        which = _arrays.indices(indices, "indices", self.n_leaves)
        return MultiProof._of(self._tree.prove_together(which, _arrays.joined(leaves, "leaves")))

    def prove_range(self, first: int, last: int, leaves: HostData | Sequence[Digest] | None = None) -> MultiProof:
        """Return one proof of leaves first to last - 1."""
        return MultiProof._of(self._tree.prove_range(first, last, _arrays.joined(leaves, "leaves")))

    def prove_consistency(self, old_leaves: int) -> ConsistencyProof:
        """Return the proof that this tree only adds leaves to the tree of its first `old_leaves` leaves.

        Of trees of the rule left_full. Raises InvalidArgument.
        """
        return ConsistencyProof._of(self._tree.prove_consistency(old_leaves))

    def update(
        self,
        changes: Mapping[int, Digest] | Iterable[SupportsIndex],
        leaves: Leaves | None = None,
        *,
        progress: Progress = None,
    ) -> None:
        """Replace leaves, and hash the paths above them again, in one pass for each level.

        changes  {index: leaf}; or indices, and then `leaves` has as many digests

        Views of the nodes on the host show the new ones. Not to be called beside anything else on this tree.
        Raises InvalidArgument (an index twice or beyond the end, a word >= p); then the tree is as before.
        """
        run = settings(self.device, self._threads, progress, tuned=False)
        if isinstance(changes, Mapping):
            if leaves is not None:
                raise TypeError(in_call("give {index: leaf} or indices and leaves"))
            indices, digests = _arrays.changes(changes, self.n_leaves)
        elif leaves is None:
            raise TypeError(in_call("leaves are missing"))
        else:
            indices = _arrays.indices(changes, "indices", self.n_leaves, any_order=False)
            digests = leaves
        self._tree.update(indices, digests, run)

    def append(self, leaves: Leaves, *, progress: Progress = None) -> None:
        """Add leaves at the end, an array or a list of digests as the class takes them; rule left_full.

        Not to be called beside anything else on this tree. Raises BufferError while views of the nodes on the host
        exist, InvalidArgument.
        """
        run = settings(self.device, self._threads, progress, tuned=False)
        self._tree.append(leaves, run)

    def save(self, path: Path) -> None:
        """Write the tree to a file that TreeFile reads (docs/file-format.md).

        The file appears whole or not at all: on any error the old one, or none, is there. Raises FileError.
        """
        _native.save_tree(self._tree, encoded(path, "path"))

    @classmethod
    @takes(HashOptions)
    def load(
        cls,
        path: Path,
        **options: Unpack[HashOptions],
    ) -> MerkleTree:
        """Return the tree of a file that save() or build_tree_file() wrote, in memory.

        The leaves are read and the nodes above them computed again, so damage is found: FileError. `leaf_size` and
        `file_size` are not taken over. The options are those of MerkleTree. Raises FileError, InvalidArgument (a keyed
        tree without its key).
        """
        from .tree_file import TreeFile

        key, context = mode_of(options)
        run = run_of("MerkleTree.load", options)
        with TreeFile(path, key=key, context=context) as file:
            if file.is_keyed and key is None and context is None:
                raise InvalidArgument(f"{file.path} has keyed merges: its key or context must be given")
            leaves = _arrays.nodes(file.read(0, 0, file.n_leaves), file.hash)
            padding = file.padding if file.rule == "pad" else None
            form = _native.TreeForm(file.hash, file.rule, key, context, padding)
            tree = cls._made(_native.make_tree(leaves, form, 0, run), run)
            if tree.root != file.root:
                raise FileError(f"{file.path}: a damaged tree file: its leaves do not give the root that it states")
            return tree

    def diff(self, other: Tree) -> Indices:
        """Return the indices of leaves that differ from another tree's, also a TreeFile's, or are in one of them alone.

        Walks down from unequal nodes only: a few leaves among millions cost a few hundred comparisons. The nodes of a
        tree on a device are copied to the host. Raises InvalidArgument: another hash or rule, dropped levels.
        """
        return differing_leaves(self, other)

    def _nodes_at(self, level: int, indices: Indices) -> Any:
        if self.drop_levels:
            raise InvalidArgument(f"a tree whose lowest {self.drop_levels} levels were dropped")
        import numpy as np

        first = np.uint64(1 << (self.height - level))
        return _arrays.nodes(self._tree.host_nodes(), "blake3")[indices + first]

    def __eq__(self, other: object) -> bool:
        """Tell whether the trees have the same hash, rule, count of leaves and root, and so the same leaves."""
        if not isinstance(other, MerkleTree):
            return NotImplemented
        return (self.hash, self.rule, self.n_leaves, self.root) == (other.hash, other.rule, other.n_leaves, other.root)

    __hash__ = None  # type: ignore[assignment]  # a tree can change

    def __len__(self) -> int:
        return self.n_leaves

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bytes of the tree's file.

        Raises TypeError: a keyed tree, whose key is never in them, or one with drop_levels, whose leaves are not kept.
        """
        import tempfile

        from .tree_file import TreeFile

        if self.drop_levels:
            raise TypeError(
                f"a tree with drop_levels={self.drop_levels} cannot be pickled: its leaves are not kept; pickle them, "
                "or make the tree without drop_levels"
            )
        with tempfile.TemporaryDirectory(prefix="merklize-") as folder:
            path = os.path.join(folder, "tree.mkl")
            self.save(path)
            with TreeFile(path) as file:
                if file.is_keyed:
                    raise TypeError("a tree of keyed merges cannot be pickled: its key would have to be in the pickle")
            with open(path, "rb") as saved:
                return MerkleTree._of_bytes, (saved.read(),)

    @staticmethod
    def _of_bytes(data: bytes) -> MerkleTree:
        import tempfile

        with tempfile.NamedTemporaryFile(prefix="merklize-", suffix=".mkl") as file:
            file.write(data)
            file.flush()
            try:
                return MerkleTree.load(file.name)
            except (InvalidArgument, FileError) as error:
                text = error.rule if isinstance(error, InvalidArgument) else str(error)
                raise InvalidArgument(text.replace(file.name, "a pickled MerkleTree")) from None

    def __repr__(self) -> str:
        return f"<MerkleTree: {self.n_leaves} leaves, {self.hash}, root {self.root.hex()}>"


@overload
def build_tree(
    nodes: Digests | Tensor,
    hash: HashName | None = None,
    *,
    wait: Literal[True] = True,
    **options: Unpack[TreeOptions],
) -> dict[str, int | str]: ...
@overload
def build_tree(
    nodes: Digests | Tensor,
    hash: HashName | None = None,
    *,
    wait: Literal[False],
    **options: Unpack[TreeOptions],
) -> DeviceArray: ...
@takes(TreeOptions)
def build_tree(
    nodes: Digests | Tensor,
    hash: HashName | None = None,
    *,
    wait: bool = True,
    **options: Unpack[TreeOptions],
) -> dict[str, int | str] | DeviceArray:
    """Build all parents of a tree in your memory, and return the policy that was used.

    nodes  uint8[2^height + n, 32], or words, uint64[..., 4] or uint32[..., 8], writable and in C order, of NumPy or on
           a device, prover.heap_slots(n) of them. Leaf k is at 2^height + k, so n + k for a power of two. Written:
           the parents (the root at 1, the children of i at 2i and 2i+1), and zeros where there is no node

    wait   False: return at once, with the nodes as a DeviceArray that is complete once the work on `stream` is, as in
           hash(). For nodes on a device; `progress` and times are of calls that wait

    The options are those of MerkleTree. After an error the parents are undefined.

    >>> nodes = np.zeros((8, 32), np.uint8)  # 4 leaves, at 4 to 7
    >>> policy = merklize.build_tree(nodes)
    >>> nodes[1].tobytes() == merklize.merkle_root(nodes[4:])
    True
    """
    form = form_of(hash, options)
    run = run_of("build_tree", options, wait=wait)
    array = _arrays.slots(nodes, "nodes", run)
    if wait:
        return _native.build_tree(array, form.native, run)
    _native.enqueue_build_tree(array, form.native, run)
    return cast("DeviceArray", array)


@overload
def merkle_root(
    leaves: Leaves,
    hash: HashName | None = None,
    *,
    wait: Literal[True] = True,
    out: None = None,
    **options: Unpack[TreeOptions],
) -> bytes: ...
@overload
def merkle_root(
    leaves: Leaves,
    hash: HashName | None = None,
    *,
    wait: Literal[False],
    out: Tensor | None = None,
    **options: Unpack[TreeOptions],
) -> DeviceArray: ...
@takes(TreeOptions)
def merkle_root(
    leaves: Leaves,
    hash: HashName | None = None,
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[TreeOptions],
) -> bytes | DeviceArray:
    """Return the root of a tree, 32 bytes, without keeping its nodes. The root of one leaf is that leaf.

    wait, out  wait=False: return at once, with the root as a DeviceArray like a row of the leaves, as in hash(). For
               leaves on a device; `progress` and times are of calls that wait

    The other arguments are those of MerkleTree.

    >>> leaves = merklize.hash_leaves([b"a", b"b"])
    >>> merklize.merkle_root(leaves) == merklize.merge(*leaves).tobytes()
    True
    """
    form = form_of(hash, options)
    run = run_of("merkle_root", options, wait=wait)
    if wait and out is None:
        return _native.merkle_root(leaves, form.native, run)
    if wait:
        raise InvalidArgument("out is for calls with wait=False; others return bytes")
    array = _arrays.digests(leaves, "leaves", run, "n")
    root = _arrays.output(array, out, array.shape[1:], array.dtype, run)
    _native.enqueue_merkle_root(array, root, form.native, run)
    return cast("DeviceArray", root)


if not TYPE_CHECKING:  # as hash() in hashing.py
    merkle_root = _native.quick_merkle_root(merkle_root, signature_of(merkle_root))
