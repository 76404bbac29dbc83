"""Verified streaming of objects: only the wanted ranges are read, and verified as they arrive."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _native
from .._types import Buffer, HostData
from ..bao._calls import Fault
from ._ranges import opened_source


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
    size = 0
    with opened_source(url, None if whole else 0) as source:
        for start, length in ranges:
            found, size = _native.bao_verify_source(source, start, length, root, outboard, form, run)
            faults += [Fault(*fault) for fault in found]
        return faults, size
