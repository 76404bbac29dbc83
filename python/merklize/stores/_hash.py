"""Digests of objects, several at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..errors import Error, FileError
from ..extensions import Progress, Source, file_error, shown
from ._limits import limits
from ._objects import open_object
from ._progress import Part, Report
from ._ranges import ObjectSource, Readers


def hash_urls(
    urls: Sequence[str], begin: Callable[[Part], Callable[[Source], bytes]], progress: Progress
) -> list[bytes | FileError]:
    """Return the digests of objects, several at once; the FileError of one that fails.

    begin  called in this thread with the progress function of each object; returns what hashes the object in any thread
    """
    report = Report(progress, None)
    parts = [Part(report) for _ in urls]
    hashing = [begin(part) for part in parts]
    stop = threading.Event()

    def digest(url: str, hash_source: Callable[[Source], bytes], part: Part) -> bytes | FileError:
        if stop.is_set():
            return file_error(shown(url), "not read: the call ended before")
        try:
            stored = open_object(url)
            part.begin(stored.size or 0)
            found = hash_source(ObjectSource(stored, readers))
            part(1.0)
        except FileError as error:
            return error
        except Error:  # cancelled, or no extra: it ends the call
            stop.set()
            raise
        return found

    with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
        try:
            return list(pool.map(digest, urls, hashing, parts))
        except BaseException:
            stop.set()
            raise
