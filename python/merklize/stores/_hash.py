"""Digests of objects."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from .._urls import shown
from ..errors import Error, FileError
from ._failures import file_error
from ._limits import limits
from ._objects import Stored, open_object
from ._progress import Report
from ._ranges import Readers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .. import _native
    from .._types import Progress


class How(Protocol):
    """How hash_file() hashes."""

    @property
    def length(self) -> int:
        """Bytes of output."""

    @property
    def seek(self) -> int:
        """Where they start in it."""

    def hasher(self) -> _native.Hasher:
        """Return a new hasher."""


def hash_url(url: str, how: How, progress: Progress) -> bytes:
    """Return the digest of an object, as hash_file() gives it."""
    with Readers() as readers:
        return _digest(url, how, readers, Report(progress, None))


def _digest(url: str, how: How, readers: Readers, report: Report) -> bytes:
    stored = open_object(url)
    report.add_total(stored.size or 0)
    return digest_of(stored, how, readers, report)


def digest_of(stored: Stored, how: How, readers: Readers, report: Report) -> bytes:
    """Return the digest of an object that is open."""
    hasher = how.hasher()
    for piece in readers.pieces(stored):
        hasher.update(piece)
        report.add(len(piece))
    stored.require_same()
    return hasher.digest(how.length, how.seek)


def hash_urls(urls: Sequence[str], how: How, progress: Progress) -> list[bytes | FileError]:
    """Return the digests of objects, several at once; the FileError of one that fails."""
    report = Report(progress, None)
    stop = threading.Event()

    def digest(url: str) -> bytes | FileError:
        if stop.is_set():
            return file_error(shown(url), "not read: the call ended before")
        try:
            return _digest(url, how, readers, report)
        except FileError as error:
            return error
        except Error:  # cancelled, or no extra: it ends the call
            stop.set()
            raise

    with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
        try:
            return list(pool.map(digest, urls))
        except BaseException:
            stop.set()
            raise
