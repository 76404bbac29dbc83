"""Parts of a tree: the levels above 2^k neighbouring leaves, up to the single node above them.

A tree file has its levels one after another (docs/file-format.md), so a part has one contiguous place on each level:
workers write theirs without knowing of each other.
"""

from __future__ import annotations

import os
import struct
from typing import Any, NamedTuple

from .. import _native
from .._settings import settings
from ..errors import FileError
from ..hashing import hash as digest_of
from ..hashing import merge
from ..stores._failures import file_error
from ..stores._objects import LocalObject, Stored
from ..stores._ranges import Readers, Source
from ..tree import MerkleTree

HEADER, NODE = 128, 32
RULES = {"perfect": 0, "left_full": 1, "pad": 2, "duplicate_last": 3}


class Shape(NamedTuple):
    """All that fixes the bytes of a tree file."""

    n_leaves: int
    hash: str
    rule: str
    key: bytes | None
    context: str | None
    padding: bytes

    @property
    def height(self) -> int:
        """Levels above the leaves."""
        return (self.n_leaves - 1).bit_length()

    def width(self, level: int) -> int:
        """Nodes of a level."""
        return ((self.n_leaves - 1) >> level) + 1

    def offset(self, level: int) -> int:
        """Offset of a level in the file."""
        return HEADER + NODE * sum(self.width(below) for below in range(level))

    @property
    def file_bytes(self) -> int:
        """Bytes of the file."""
        return self.offset(self.height) + NODE

    def merged(self, left: bytes, right: bytes) -> bytes:
        """Return the node above two."""
        return merge(left, right, self.hash, key=self.key, context=self.context)

    def padding_at(self, level: int) -> bytes:
        """Return the node that replaces a missing one on a level."""
        node = self.padding
        for _ in range(level):
            node = self.merged(node, node)
        return node

    def tree(self, leaves: Any, level: int, device: str, threads: int | None) -> MerkleTree:
        """Build the tree above the nodes of a level, or above some of them that begin a subtree."""
        options: Any = {"key": self.key, "context": self.context, "device": device, "threads": threads}
        options["padding"] = self.padding_at(level) if self.rule == "pad" else None
        return MerkleTree(leaves, self.hash, rule=self.rule, **options)

    def form(self) -> _native.TreeForm:
        """Return hash, rule and mode as the extension takes them."""
        padding = self.padding if self.rule == "pad" else None
        return _native.TreeForm(self.hash, self.rule, self.key, self.context, padding)

    def header(self, root: bytes, leaf_bytes: int, total_bytes: int) -> bytes:
        """Return the first 128 bytes of the file."""
        zeros = bytes(NODE)
        mode = 1 if self.key is not None else 2 if self.context is not None else 0
        check = self.merged(zeros, zeros)[:8] if mode else bytes(8)
        fields = struct.pack("<8sIIBB6x", b"MKLTREE", 1, _native.hash_by_name(self.hash).id, RULES[self.rule], mode)
        fields += struct.pack("<QQQ", self.n_leaves, leaf_bytes, total_bytes) + check
        fields += (self.padding if self.rule == "pad" else zeros) + root
        return fields + digest_of(fields)[:8]


class TreePart(NamedTuple):
    """The part that one task builds."""

    shape: Shape
    leaf: tuple[int | None, int | None]
    """leaf_size and row_size of build_tree_file()."""
    threads: int | None
    first: int
    """Index of its first leaf: a multiple of 2^levels."""
    n_leaves: int
    levels: int
    """Levels below that of its top node."""
    output: str | None
    """The file for the levels, or a URL for them as one object. None: they are not written."""
    token: bytes
    """The first bytes of the file, if the driver made it."""


def build_part(stored: Stored, part: TreePart) -> bytes:
    """Build the levels of a part, write them, and return the node above them."""
    import numpy as np
    import ray

    shape, leaf = part.shape, part.leaf
    run = settings("cuda:0" if ray.get_gpu_ids() else "cpu", part.threads)
    with Readers() as readers:
        input: Any = os.fsencode(stored.name) if isinstance(stored, LocalObject) else Source(stored, readers)
        leaves = _native.leaves_of_input(input, *leaf, part.first, part.n_leaves, shape.form(), run)
    stored.require_same()
    info = _native.hash_by_name(shape.hash)
    words = np.frombuffer(leaves, f"<u{info.element_bits // 8}" if info.is_field else "u1")
    tree = shape.tree(words.reshape(part.n_leaves, -1), 0, "cpu", part.threads or 1)
    nodes = [tree.root]
    for level in range(tree.height, part.levels):  # with fewer than 2^levels leaves: up to the other parts' level
        nodes.append(_raised(shape, nodes[-1], level))
    if part.output is not None and part.levels > 0:
        below = [np.ascontiguousarray(level).tobytes() for level in tree.levels()[:-1]]
        write_levels(part, (below + nodes)[: part.levels])
    return nodes[-1]


def _raised(shape: Shape, node: bytes, level: int) -> bytes:
    """Return the parent of a level's last node, which has no sibling."""
    if shape.rule == "pad":
        return shape.merged(node, shape.padding_at(level))
    return shape.merged(node, node) if shape.rule == "duplicate_last" else node


def write_levels(part: TreePart, levels: list[bytes]) -> None:
    """Write the levels of a part: to their places in the file, or one after another to an object."""
    output = part.output or ""
    if "://" in output:
        from ..stores._write import write_object

        write_object(b"".join(levels), output)
        return
    try:
        with open(output, "r+b", buffering=0) as file:
            if os.pread(file.fileno(), len(part.token), 0) != part.token:
                raise FileError(f"{output}: on {os.uname().nodename} it is not the driver's file; {SHARED}")
            for level, nodes in enumerate(levels):
                place = part.shape.offset(level) + NODE * (part.first >> level)
                _write_at(file.fileno(), nodes, place)
            os.fsync(file.fileno())
    except OSError as error:
        if isinstance(error, FileError):
            raise
        why = f"cannot write on {os.uname().nodename}: {error.strerror}; {SHARED}"
        raise file_error(output, why, error.errno or 0) from None


SHARED = "out must be on storage that all nodes share, or a URL"


def _write_at(descriptor: int, data: bytes, place: int) -> None:
    view = memoryview(data)
    while view:
        count = os.pwrite(descriptor, view, place)
        view, place = view[count:], place + count
