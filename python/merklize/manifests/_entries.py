"""What a manifest says of tensors, files and shards, and the tree above them: docs/manifest-format.md has the bytes."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from .. import _native
from ..hashing import hash as digest_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAF_CONTEXT = "merklize 2026-11-22 manifest leaf v1"
"""The purpose by which leaves are derived. Nodes above them are plain merges, so neither passes for the other."""


class Tensor(NamedTuple):
    """A tensor, wherever it lies."""

    name: str
    dtype: str
    """As safetensors names it: "BF16", "F8_E4M3", "BOOL" ..."""
    shape: tuple[int, ...]
    digest: bytes
    """BLAKE3 of its bytes in C order, little endian."""
    size: int
    """Bytes."""
    shard: str | None = None
    """The file that it lies in; None: memory."""
    offset: int | None = None
    """Its first byte in that file."""
    pieces: bytes = b""
    """Values of its pieces, 32 bytes each; none if it is no longer than one."""

    def leaf(self) -> bytes:
        """Return its leaf of the manifest's tree."""
        name = self.name.encode()
        shape = struct.pack(f"<I{len(self.shape)}Q", len(self.shape), *self.shape)
        return _leaf(b"\0" + _text(name) + _text(self.dtype.encode()) + shape + self.digest)


class File(NamedTuple):
    """A file that is hashed as a whole."""

    path: str
    size: int
    digest: bytes
    pieces: bytes = b""

    def leaf(self) -> bytes:
        """Return its leaf of the manifest's tree."""
        return _leaf(b"\1" + _text(self.path.encode()) + struct.pack("<Q", self.size) + self.digest)


class Shard(NamedTuple):
    """A safetensors file: its header and its tensors are all of its bytes."""

    path: str
    size: int
    header: bytes
    """BLAKE3 of what comes before the first tensor."""


class Seen(NamedTuple):
    """What the system said of a file when it was hashed."""

    path: str
    size: int
    mtime_ns: int
    inode: int


def _text(text: bytes) -> bytes:
    return struct.pack("<I", len(text)) + text


def _leaf(record: bytes) -> bytes:
    return digest_of(record, context=LEAF_CONTEXT)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of MerkleTree(leaves), without NumPy: a last node without a sibling goes up."""
    level = list(leaves)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2])
        merged = [_native.merge_one(left, right, "blake3", None, None) for left, right in pairs]
        level = merged + level[len(level) & ~1 :]
    return level[0]


def utf8(name: str) -> bytes:
    """Return the key by which names are sorted."""
    return name.encode()


def bytes_of(shape: Sequence[int], bits: int) -> int | None:
    """Return the bytes of a tensor; None: no whole number, or 2^64 bits or more, multiplied as safetensors does it.

    bits  of an element
    """
    product = 1
    for factor in (*shape, bits):
        product *= factor
        if product >= 2**64:
            return None
    return None if product % 8 else product // 8


def cut(text: str) -> str:
    """Return a text for an error: at most 200 characters of it."""
    return text if len(text) <= 200 else text[:197] + "..."


def shown(value: object) -> str:
    """Return what an error says of a value that a file has."""
    return cut(repr(value))
