"""Digests and roots of data in several arrays on devices, such as tensors sharded over GPUs, by all devices at once.

hash_file_ranges(), piece_values() and value_of_pieces() give chaining values of parts of a message, which may be hashed
anywhere; digest_of_pieces() makes the message's digest of them. plan_tree() is the same for the tree over an input.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from . import _arrays, _native
from ._formats import leaf_size_of, with_format
from ._inputs import numbered, opened, opened_path
from ._native import DeviceArray, TreeFacts
from ._options import HashOptions, RunOptions, mode_of, run_of, takes
from ._settings import settings
from ._types import Buffer, Digests, HashName, Input, Path, Source, Tensor
from .errors import InvalidArgument, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "TreePlan",
    "digest_of_pieces",
    "hash_file_ranges",
    "hash_parts",
    "merkle_root_parts",
    "piece_values",
    "plan_tree",
    "value_of_pieces",
]


def hash_parts(
    parts: Iterable[Tensor | DeviceArray],
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
    threads: int | None = None,
) -> bytes:
    """Return the BLAKE3 digest of the bytes of several arrays, one after another: hash() of their concatenation.

    parts    tensors or DeviceArrays, of one device or several; the bytes of each in C order. Each non-empty part but
             the last must have a multiple of 1024 bytes

    Waits for the work that is enqueued on the parts' default streams; the rest is as in hash(). Devices work at once,
    so timings (merklize.tuning.options) are those of the slowest.
    Raises InvalidArgument: a part on the host, or of another length.
    """
    run = settings("auto", threads)
    return _native.hash_parts(parts, key, context, length, seek, run)


def merkle_root_parts(
    leaves: Iterable[Tensor | DeviceArray],
    hash: HashName = "blake3",
    *,
    threads: int | None = None,
) -> bytes:
    """Return the Merkle root of leaves that lie in several arrays: merkle_root() of their concatenation.

    leaves  2^k tensors or DeviceArrays of equal shape, uint8[n, 32], uint64[n, 4] or uint32[n, 8], n a power of two

    Waits for the work that is enqueued on the parts' default streams; the rest is as in merkle_root().
    Raises InvalidArgument: a part on the host, shapes, dtypes, a word >= p.
    """
    run = settings("auto", threads)
    arrays = [_arrays.digests(part, f"part {k}", run, "n") for k, part in numbered(leaves)]
    if len({_arrays.describe(array) for array in arrays}) > 1:
        shapes = ", ".join(_arrays.describe(array) for array in arrays[:8])
        raise InvalidArgument(f"the parts must be alike, got {shapes}")
    return _native.merkle_root_parts(list(arrays), hash, run)


def digest_of_pieces(
    pieces: Buffer,
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
) -> bytes:
    """Return the BLAKE3 digest of a message from the chaining values of its parts, in order.

    pieces   two or more, 32 bytes each: of parts of 2^k chunks of 1024 bytes, the last one shorter; or the two
             nodes below the root of a tree by "blake3_parent"
    key      32 bytes: the values were made under this key
    context  the values were made by this context
    length   bytes of output, from byte `seek` on

    The host computes it. Raises InvalidArgument: fewer than 2 values.

    >>> leaves = merklize.hash_each([b"a", b"b"])    # stand for chaining values
    >>> merklize.parts.digest_of_pieces(leaves) == merklize.MerkleTree(leaves, "blake3_parent").root
    False
    """
    return _native.digest_of_pieces(pieces, key, context, length, seek)


@takes(RunOptions)
def hash_file_ranges(
    file: Input,
    ranges: Iterable[tuple[int, int]],
    piece_size: int = 0,
    **options: Unpack[RunOptions],
) -> list[tuple[bytes, bytes]]:
    """Return for each range of a file its BLAKE3 digest, and the chaining values of its pieces.

    file        a path, a URL, a Source of merklize.extensions, or a descriptor open for reading
    ranges      (offset, bytes) each, a message of its own
    piece_size  a power of two of at least 256 KiB; 0: no values. A range of one piece has none

    The options are as in hash_file(). Raises FileError, InvalidArgument.

    >>> data = open("data.bin", "rb").read()
    >>> [(digest, values)] = merklize.parts.hash_file_ranges("data.bin", [(16, 32)])
    >>> digest == merklize.hash(data[16:48])
    True
    """
    run = run_of("hash_file_ranges", options)
    with opened(file, "file") as source:
        if isinstance(source, int):
            return _native.hash_file_ranges(source, f"file descriptor {shown(source)}", ranges, piece_size, run)
        return _native.hash_source_ranges(source, ranges, piece_size, run)


@takes(HashOptions)
def piece_values(
    file: Path | Source,
    part: tuple[int, int],
    offset: int,
    piece_size: int,
    **options: Unpack[HashOptions],
) -> bytes:
    """Return the chaining values of the pieces of a part of a longer message, 32 bytes each.

    file        a path, a URL or a Source of merklize.extensions
    part        (begin, bytes) in the file: whole pieces, but for the last one of the message
    offset      bytes of the message before the part: a multiple of piece_size
    piece_size  a power of two of at least 256 KiB; the message is longer

    The options are as in hash(). Raises FileError, InvalidArgument.
    """
    key, context = mode_of(options)
    run = run_of("piece_values", options)
    with opened_path(file, "file") as source:
        return _native.piece_values(source, part, offset, piece_size, key, context, run)


def value_of_pieces(pieces: Buffer, *, key: Buffer | None = None, context: str | None = None) -> bytes:
    """Return the chaining value of 2^k neighbouring pieces that begin at a multiple of 2^k: that of a larger piece.

    pieces  their values, 32 bytes each; fewer at the message's end, but not all of the message

    key and context are as in hash(). Raises InvalidArgument: no piece.
    """
    return _native.value_of_pieces(pieces, key, context)


class TreePlan(NamedTuple):
    """A tree over an input, whose parts may be built anywhere. It can be pickled."""

    n_leaves: int
    hash: HashName
    rule: str
    key: bytes | None
    context: str | None
    padding: bytes | None
    """The leaf that fills the tree, of the rule "pad"; None: zeros."""
    leaf_size: int | None
    row_size: int | None
    """Bytes of a leaf's piece or row; both None: the input has the leaves themselves."""
    file_size: int
    """Bytes of the input."""

    def __repr__(self) -> str:  # without the key
        return f"<TreePlan: {self.n_leaves} leaves, {self.hash}, {self.rule}>"

    def _form(self) -> _native.TreeForm:
        return _native.TreeForm(self.hash, self.rule, self.key, self.context, self.padding)

    @takes(RunOptions)
    def leaves(self, file: Path | Source, first: int, count: int, **options: Unpack[RunOptions]) -> Digests:
        """Return `count` leaves of the input, from the leaf `first` on. Raises FileError, InvalidArgument."""
        run = run_of("TreePlan.leaves", options)
        with opened_path(file, "file") as source:
            sizes = self.leaf_size, self.row_size
            found = _native.leaves_of_input(source, *sizes, first, count, self._form(), run)
        return _arrays.nodes(found, self.hash)

    def facts(self, root: bytes) -> TreeFacts:
        """Return what build_tree_file() returns."""
        height = max(0, self.n_leaves - 1).bit_length()
        return _native.make_tree_facts(root, self.n_leaves, height, self.file_size, self._form())


def plan_tree(
    name: str,
    size: int,
    leaf_size: int | None = None,
    *,
    format: str | None = None,
    hash: HashName | None = None,
    row_size: int | None = None,
    leaves: bool = False,
    rule: str | None = None,
    key: Buffer | None = None,
    context: str | None = None,
    padding: Buffer | None = None,
) -> TreePlan:
    """Return the plan of the tree that build_tree_file() builds over an input with these options.

    name, size  of the input: for texts, and its bytes

    Raises InvalidArgument.

    >>> plan = merklize.parts.plan_tree("data.bin", 4096, 1024)
    >>> tree = merklize.MerkleTree(plan.leaves("data.bin", 0, plan.n_leaves), rule=plan.rule)
    >>> plan.facts(tree.root).root == merklize.merkle_root_file("data.bin", leaf_size=1024).root
    True
    """
    form, hash, rule = with_format(format, hash, rule, key=key, context=context, padding=padding)
    if form is not None and form.is_ambiguous:
        raise InvalidArgument(
            f"of format {shown(form.name)} two lists of leaves may have one root (CVE-2012-2459), for which parts do "
            "not look; build_tree_file() does"
        )
    if form is not None and form.name == "bittorrent_v2" and size == 0:
        raise InvalidArgument(f"{name}: an empty file has no root in BitTorrent v2")
    leaf_size = leaf_size_of(form, leaf_size, row_size, leaves)
    native = _native.TreeForm(hash, rule, key, context, padding)
    n_leaves = _native.count_leaves(name, size, leaf_size, row_size, native)
    rule = _native.default_rule(hash) if rule is None else _native.rule_by_name(rule)
    if rule == "perfect" and n_leaves & (n_leaves - 1):
        raise InvalidArgument(
            f"{name}: the count of leaves must be a power of two under the rule 'perfect', got {n_leaves}; the rules "
            "'left_full', 'pad' and 'duplicate_last' take any count"
        )
    own = None if key is None else bytes(_native.host_bytes(key, "key"))
    fill = None if padding is None else _native.digest(padding, "padding")
    return TreePlan(n_leaves, hash, rule, own, context, fill, leaf_size, row_size, size)
