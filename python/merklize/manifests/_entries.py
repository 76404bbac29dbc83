"""The entries of a manifest for tensors, files and shards, and the results of a check."""

from __future__ import annotations

from typing import NamedTuple

from .. import _native
from ..errors import Mismatch

LEAF_CONTEXT = "merklize 2026-11-22 manifest leaf v1"
"""The context by which leaves are derived. Nodes are plain merges, so neither can pose as the other."""


class Tensor(NamedTuple):
    """A tensor, wherever it lies."""

    name: str
    dtype: str
    """The dtype, as safetensors names it: "BF16", "F8_E4M3", "BOOL" ..."""
    shape: tuple[int, ...]
    digest: bytes
    """BLAKE3 of its bytes in C order, little endian; in a manifest by tiles its digest by tiles-v1."""
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
        return _native.leaf_of_tensor(self)


class File(NamedTuple):
    """A file that is hashed as a whole."""

    path: str
    size: int
    digest: bytes
    pieces: bytes = b""

    def leaf(self) -> bytes:
        """Return its leaf of the manifest's tree."""
        return _native.leaf_of_file(self)


class Shard(NamedTuple):
    """A safetensors file: its header and its tensors are all of its bytes."""

    path: str
    size: int
    header: bytes
    """BLAKE3 of what comes before the first tensor."""


class Seen(NamedTuple):
    """The system's facts about a file when it was hashed."""

    path: str
    size: int
    mtime_ns: int
    inode: int


class Difference(NamedTuple):
    """One thing that is not as the manifest says. As text, it is a sentence."""

    kind: str
    """"missing", "unexpected", "dtype", "shape", "bytes", "size", "header", "unreadable"."""
    what: str
    """"tensor", "file" or "shard"."""
    name: str
    shard: str | None = None
    """The file that a tensor lies in, if it lies in one."""
    begin: int | None = None
    """For "bytes": the first piece that differs is bytes `begin` to `end` of the tensor or file."""
    end: int | None = None
    detail: str = ""

    def __str__(self) -> str:
        return _native.sentence_of_difference(self.what, self.name, self.shard, self.detail or self.kind)


class TileDifference(Difference):
    """A difference from a manifest by tiles, of a model that ranks hold together."""

    box: tuple[tuple[int, int], ...] | None = None
    """In each dimension where the tiles that differ begin and end, if they are known."""
    ranks: tuple[int, ...] = ()
    """The ranks that hold them, or the tensor. Of a tile that several ranks share, all of these."""


class Report(NamedTuple):
    """The result of a check. True if nothing differs."""

    differences: list[Difference]
    checked: int
    """Tensors and files that were hashed and compared."""
    size: int
    """Their bytes."""
    aliases: tuple[tuple[str, ...], ...] = ()
    """Names of tensors in memory that share memory."""
    neighbours: tuple[str, ...] = ()
    """For check_model(verity=...): tensors that share a block with other bytes of the disk, read from the image."""
    missing: tuple[str, ...] = ()
    """Files that an index of shards in the folder names and that are neither there nor in the manifest."""

    def __bool__(self) -> bool:
        return not self.differences

    def require(self) -> None:
        """Raise Mismatch, with the first differences in its text, unless nothing differs."""
        if self.differences:
            shown = "; ".join(map(str, self.differences[:3]))
            more = f"; and {len(self.differences) - 3} more" if len(self.differences) > 3 else ""
            raise Mismatch(f"{shown}{more}")
