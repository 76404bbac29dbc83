"""Verified streaming of objects: only what belongs to the ranges asked for is read, and verified as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import _native
from ..bao._calls import Fault
from ._progress import Report
from ._ranges import opened_source

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._types import HostData, Progress


def verify_url(
    url: str,
    ranges: Sequence[tuple[int, int | None]],
    root: Buffer,
    outboard: HostData,
    form: tuple[int, bool, bool],
    run: _native.Settings,
) -> tuple[list[Fault], int]:
    """Verify ranges of an object, (start, length) each, widened to groups. A length of None: to the end.

    Returns what is wrong, and the object's size. The object is opened once, whatever the number of ranges.
    Raises FileError (as every read of an object), InvalidArgument (a range that is not in it), Mismatch.
    """
    whole = list(ranges) == [(0, None)]
    faults: list[Fault] = []
    with opened_source(url, None if whole else 0) as source:
        for start, length in ranges:
            wanted = max((source.size or 0) - start, 0) if length is None else length
            found = _native.bao_verify_source(source, start, wanted, root, outboard, form, run)
            faults += [Fault(*fault) for fault in found]
        return faults, source.size or 0


class InOrder:
    """Pieces that come one after another, as a file open for reading."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        """Read nothing yet."""
        self._pieces = pieces
        self._left = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; none at the end."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left = memoryview(piece)
        part, self._left = self._left[:size], self._left[size:]
        return bytes(part)

    def read_all(self) -> bytes:
        """Return all that is left."""
        return b"".join([self._left, *self._pieces])


@contextmanager
def opened_in_order(url: str, progress: Progress = None) -> Iterator[InOrder]:
    """Open an object to be read once, from its beginning. Raises FileError, also at the end: it changed."""
    with opened_source(url) as source:
        report = Report(progress, source.size)

        def pieces() -> Iterator[bytes]:
            for piece in source.pieces(None):
                report.add(len(piece))
                yield piece

        yield InOrder(pieces())
        source.require_same()
