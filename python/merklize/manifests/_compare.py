"""What differs between what a manifest says and what was found."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InvalidArgument, Mismatch
from ._entries import File, Shard, Tensor, cut, shown, utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


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
    """Of "bytes": the first piece that differs is bytes `begin` to `end` of the tensor or file."""
    end: int | None = None
    detail: str = ""

    def __str__(self) -> str:
        place = f" in {cut(self.shard)}" if self.shard is not None else ""
        return f"{self.what} {shown(self.name)}{place}: {self.detail or self.kind}"


class Report(NamedTuple):
    """What a check found. True if nothing differs."""

    differences: list[Difference]
    checked: int
    """Tensors and files that were hashed and compared."""
    size: int
    """Their bytes."""
    aliases: tuple[tuple[str, ...], ...] = ()
    """Names of tensors in memory that share memory."""

    def __bool__(self) -> bool:
        return not self.differences

    def require(self) -> None:
        """Raise Mismatch, with the first differences in its text, unless nothing differs."""
        if self.differences:
            shown = "; ".join(map(str, self.differences[:3]))
            more = f"; and {len(self.differences) - 3} more" if len(self.differences) > 3 else ""
            raise Mismatch(f"{shown}{more}")


class Filter:
    """Which names a check is about: patterns as in a shell, of tensors, files or shards; none means all."""

    def __init__(self, patterns: Iterable[str]) -> None:
        if isinstance(patterns, str):
            raise TypeError("only must be a list of patterns, got a string")
        self._unused = dict.fromkeys(patterns)
        self._patterns = tuple(self._unused)

    def __call__(self, *names: str | None) -> bool:
        if not self._patterns:
            return True
        found = [p for p in self._patterns if any(name is not None and fnmatchcase(name, p) for name in names)]
        for pattern in found:
            self._unused.pop(pattern, None)
        return bool(found)

    def require_used(self) -> None:
        """Refuse a pattern that nothing has: the check would pass though nothing was checked."""
        if self._unused:
            raise InvalidArgument(f"nothing in the manifest is named {next(iter(self._unused))!r}")


def first_piece(expected: Tensor | File, size: int, pieces: bytes, piece_size: int) -> tuple[int, int]:
    """Return where the first piece that differs begins and ends, as far as the pieces of both tell.

    size, pieces  of what was found
    """
    most = max(expected.size, size)
    if not piece_size or size != expected.size or len(pieces) != len(expected.pieces):
        return 0, most
    for at in range(0, len(pieces), 32):
        if expected.pieces[at : at + 32] != pieces[at : at + 32]:
            begin = at // 32 * piece_size
            return begin, min(begin + piece_size, most)
    return 0, most


def bytes_differ(expected: Tensor | File, size: int, pieces: bytes, piece_size: int) -> Difference:
    """Return the difference of two digests."""
    begin, end = first_piece(expected, size, pieces, piece_size)
    detail = f"bytes {begin} to {end} differ (of {expected.size})"
    if isinstance(expected, File):
        return Difference("bytes", "file", expected.path, None, begin, end, detail)
    if expected.offset is not None:
        detail += f", in the file from byte {expected.offset + begin}"
    return Difference("bytes", "tensor", expected.name, expected.shard, begin, end, detail)


def compare_tensor(expected: Tensor, found: Tensor, piece_size: int) -> Difference | None:
    """Compare one tensor of the manifest with one that was found."""
    for kind, one, other in (("dtype", expected.dtype, found.dtype), ("shape", expected.shape, found.shape)):
        if one != other:
            detail = f"{kind} is {_text(other)}, must be {_text(one)}"
            return Difference(kind, "tensor", expected.name, found.shard or expected.shard, detail=detail)
    if expected.digest == found.digest:
        return None
    return bytes_differ(expected, found.size, found.pieces, piece_size)


def _text(value: object) -> str:
    return cut(str(list(value) if isinstance(value, tuple) else value))


def compare_file(expected: File, found: File, piece_size: int) -> Difference | None:
    """Compare one file of the manifest with one that was found."""
    if expected.size != found.size:
        detail = f"has {found.size} bytes, must have {expected.size}"
        return Difference("size", "file", expected.path, detail=detail)
    if expected.digest == found.digest:
        return None
    return bytes_differ(expected, found.size, found.pieces, piece_size)


def compare_shard(expected: Shard, found: Shard, piece_size: int) -> Difference | None:
    """Compare the headers; the tensors are compared one by one."""
    if expected.header == found.header:
        return None
    return Difference("header", "shard", expected.path, detail="the header is not the manifest's")


def compare(
    expected: Mapping[str, Any],
    found: Mapping[str, Any],
    one: Callable[..., Difference | None],
    piece_size: int,
    excused: Iterable[str] = (),
) -> list[Difference]:
    """Compare all tensors, all files, or all shards, by name.

    excused  names for which there is another difference already
    """
    differences = []
    silent = set(excused)
    for name in sorted({*expected, *found}, key=utf8):
        entry = expected.get(name) or found[name]
        what = {Tensor: "tensor", File: "file", Shard: "shard"}[type(entry)]
        shard = entry.shard if isinstance(entry, Tensor) else None
        if name in silent:
            continue
        if name not in found:
            differences.append(Difference("missing", what, name, shard, detail="is not there"))
        elif name not in expected:
            detail = "is not in the manifest"
            differences.append(Difference("unexpected", what, name, shard, detail=detail))
        elif (difference := one(expected[name], found[name], piece_size)) is not None:
            differences.append(difference)
    return differences
