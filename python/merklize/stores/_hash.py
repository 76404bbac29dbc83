"""Digests of objects."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from .._settings import is_blake3, settings
from .._urls import shown
from ..errors import Error, FileError
from ._failures import file_error
from ._limits import limits
from ._objects import open_object
from ._progress import Part, Report
from ._ranges import Readers, Source, opened_source

if TYPE_CHECKING:
    from .. import _native
    from .._file_hash import How


def hash_url(url: str, how: How) -> bytes:
    """Return the digest of an object, as hash_file() gives it."""
    with opened_source(url) as source:
        return how.source(source)


def hash_urls(urls: Sequence[str], how: How) -> list[bytes | FileError]:
    """Return the digests of objects, several at once; the FileError of one that fails."""
    report = Report(how.run.progress, None)
    parts = [Part(report) for _ in urls]
    device, threads = how.run.device, how.run.threads or None
    # Made in this thread, because merklize.tuning.options() holds for one thread.
    runs = [settings(device, threads, part, tuned=is_blake3(how.hash), timed=False) for part in parts]
    stop = threading.Event()

    def digest(url: str, run: _native.Settings, part: Part) -> bytes | FileError:
        if stop.is_set():
            return file_error(shown(url), "not read: the call ended before")
        try:
            stored = open_object(url)
            part.begin(stored.size or 0)
            found = how._replace(run=run).source(Source(stored, readers))
            part(1.0)
        except FileError as error:
            return error
        except Error:  # cancelled, or no extra: it ends the call
            stop.set()
            raise
        return found

    with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
        try:
            return list(pool.map(digest, urls, runs, parts))
        except BaseException:
            stop.set()
            raise
