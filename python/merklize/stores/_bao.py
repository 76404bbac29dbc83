"""Verified streaming of objects: only what belongs to the ranges asked for is read, and verified as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import _native
from .._settings import settings
from ..bao._calls import Fault, form_of, in_groups
from ..errors import InvalidArgument
from ._failures import CHANGED, file_error
from ._limits import limits
from ._objects import open_object
from ._progress import Report
from ._ranges import Readers

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._types import HostData, Progress


def verify_url(
    url: str,
    ranges: Sequence[tuple[int, int | None]],
    root: Buffer,
    outboard: HostData,
    *,
    format: str,
    group_size: int | None,
    threads: int | None,
    progress: Progress,
) -> tuple[list[Fault], int]:
    """Verify ranges of an object, (start, length) each, widened to groups. A length of None: to the end.

    Returns what is wrong, and the object's size. One object is read, whatever the number of ranges.
    Raises FileError (as every read of an object), InvalidArgument (a range that is not in it), Mismatch.
    """
    form, run = form_of(format, group_size), settings("cpu", threads)
    whole = list(ranges) == [(0, None)]
    stored = open_object(url, None if whole else 0)
    size = stored.size
    if size is None:
        raise file_error(stored.name, "the server does not say its size, by which its tree is known")
    _native.bao_require_outboard(outboard, size, form)  # before anything is read
    group = 1024 << form[0]
    places = []
    for start, length in ranges:
        wanted = max(size - start, 0) if length is None else length
        if wanted and start + wanted > size:
            raise InvalidArgument(f"bytes {start} and {wanted} more are not all in {stored.name}, which has {size}")
        places.append(in_groups(start, wanted, size, group))
    unit = max(group, limits.range_size // group * group)
    report = Report(progress, sum(end - start for start, end in places))
    faults: list[Fault] = []
    with Readers() as readers:
        for start, end in places:
            at = start
            for piece in [b""] if size == 0 else readers.pieces(stored, start, None if whole else end, unit):
                if at + len(piece) > end:
                    break
                _add(faults, _native.bao_verify(piece, at, size, root, outboard, form, run))
                at += len(piece)
                report.add(len(piece))
            if at != end:
                raise file_error(stored.name, f"{CHANGED}: another size than {size} bytes")
    stored.require_same()
    return faults, size


def _add(faults: list[Fault], more: Iterable[tuple[int, int, bool]]) -> None:
    """Join neighbours, as one call on all bytes would."""
    for offset, count, in_outboard in more:
        last = faults[-1] if faults else None
        if last is not None and last.offset + last.length == offset and last.in_outboard == in_outboard:
            faults[-1] = last._replace(length=last.length + count)
        else:
            faults.append(Fault(offset, count, in_outboard))


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
    stored = open_object(url)
    report = Report(progress, stored.size)

    def pieces() -> Iterator[bytes]:
        for piece in readers.pieces(stored):
            report.add(len(piece))
            yield piece

    with Readers() as readers:
        yield InOrder(pieces())
    stored.require_same()
