"""Parts of a tree: the levels above 2^k neighbouring leaves, up to the single node above them.

A tree file has its levels one after another (docs/file-format.md), so a part has one contiguous place on each level:
workers write theirs without knowing of each other.
"""

from __future__ import annotations

import os
import struct
from typing import Any, NamedTuple

from ..errors import FileError
from ..extensions import file_error, hash_info
from ..hashing import hash as digest_of
from ..hashing import merge
from ..parts import TreePlan
from ..stores import ObjectSource, Readers, Stored, write_object
from ..tree import MerkleTree

HEADER, NODE = 128, 32
RULES = {"perfect": 0, "left_full": 1, "pad": 2, "duplicate_last": 3}


class Shape(NamedTuple):
    """All that fixes the bytes of a tree file."""

    plan: TreePlan

    @property
    def n_leaves(self) -> int:
        """Leaves of the tree."""
        return self.plan.n_leaves

    @property
    def padding(self) -> bytes:
        """The leaf that fills the tree."""
        return self.plan.padding or bytes(NODE)

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
        return merge(left, right, self.plan.hash, key=self.plan.key, context=self.plan.context)

    def padding_at(self, level: int) -> bytes:
        """Return the node that replaces a missing one on a level."""
        node = self.padding
        for _ in range(level):
            node = self.merged(node, node)
        return node

    def tree(self, leaves: Any, level: int, device: str, threads: int | None) -> MerkleTree:
        """Build the tree above the nodes of a level, or above some of them that begin a subtree."""
        options: Any = {"key": self.plan.key, "context": self.plan.context, "device": device, "threads": threads}
        options["padding"] = self.padding_at(level) if self.plan.rule == "pad" else None
        return MerkleTree(leaves, self.plan.hash, rule=self.plan.rule, **options)

    def header(self, root: bytes, leaf_bytes: int, total_bytes: int) -> bytes:
        """Return the first 128 bytes of the file."""
        zeros = bytes(NODE)
        mode = 1 if self.plan.key is not None else 2 if self.plan.context is not None else 0
        check = self.merged(zeros, zeros)[:8] if mode else bytes(8)
        fields = struct.pack("<8sIIBB6x", b"MKLTREE", 1, hash_info(self.plan.hash).id, RULES[self.plan.rule], mode)
        fields += struct.pack("<QQQ", self.n_leaves, leaf_bytes, total_bytes) + check
        fields += (self.padding if self.plan.rule == "pad" else zeros) + root
        return fields + digest_of(fields)[:8]


class TreePart(NamedTuple):
    """The part that one task builds."""

    shape: Shape
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

    shape = part.shape
    device = "cuda:0" if ray.get_gpu_ids() else "cpu"
    with Readers() as readers:
        input: Any = stored.name if stored.descriptor is not None else ObjectSource(stored, readers)
        leaves = shape.plan.leaves(input, part.first, part.n_leaves, device=device, threads=part.threads)
    stored.require_same()
    tree = shape.tree(leaves, 0, "cpu", part.threads or 1)
    nodes = [tree.root]
    for level in range(tree.height, part.levels):  # with fewer than 2^levels leaves: up to the other parts' level
        nodes.append(_raised(shape, nodes[-1], level))
    if part.output is not None and part.levels > 0:
        below = [np.ascontiguousarray(level).tobytes() for level in tree.levels()[:-1]]
        write_levels(part, (below + nodes)[: part.levels])
    return nodes[-1]


def _raised(shape: Shape, node: bytes, level: int) -> bytes:
    """Return the parent of a level's last node, which has no sibling."""
    if shape.plan.rule == "pad":
        return shape.merged(node, shape.padding_at(level))
    return shape.merged(node, node) if shape.plan.rule == "duplicate_last" else node


def write_levels(part: TreePart, levels: list[bytes]) -> None:
    """Write the levels of a part: to their places in the file, or one after another to an object."""
    output = part.output or ""
    if "://" in output:
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
