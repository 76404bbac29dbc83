"""Objects in order: ranges are fetched in parallel and yielded one after another."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

from ._limits import limits
from ._objects import Stored, open_object

TREE_FILE_HEADER = 128


class Readers:
    """Threads that read ranges, and the limit of ranges in memory, for all objects of one call."""

    def __init__(self) -> None:
        """Start no thread yet."""
        self._pool = ThreadPoolExecutor(limits.parallel, "merklize-range")
        self._slots = threading.Semaphore(limits.parallel + limits.waiting)

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def pieces(self, stored: Stored) -> Iterator[bytes]:
        """Yield all bytes in order."""
        if not stored.ranges:
            return stored.stream()
        end, step = stored.size or 0, limits.range_size
        return self.places(stored, ((at, min(at + step, end)) for at in range(0, end, step)))

    def places(self, stored: Stored, places: Iterable[tuple[int, int]]) -> Iterator[bytes]:
        """Yield bytes start to end - 1 of an object for each (start, end), in order."""
        left = iter(places)
        coming: deque[Future[bytes]] = deque()
        place = next(left, None)
        try:
            while coming or place is not None:
                # A reader without a range waits for one, so that every object makes progress and none takes all slots.
                while place is not None and self._slots.acquire(blocking=not coming):
                    try:
                        coming.append(self._pool.submit(stored.read, *place))
                    except BaseException:
                        self._slots.release()
                        raise
                    place = next(left, None)
                data = coming[0].result()
                coming.popleft()
                try:
                    yield data
                finally:
                    del data
                    self._slots.release()
        finally:
            for future in coming:
                future.cancel()
                self._slots.release()


class ObjectSource:
    """An object as a Source of merklize.extensions."""

    def __init__(self, stored: Stored, readers: Readers | None) -> None:
        """Take an object that is open. Objects of one call share their readers; None: each read has its own."""
        self._stored, self._readers = stored, readers
        self.name, self.descriptor = stored.name, stored.descriptor

    @property
    def size(self) -> int | None:
        """Bytes; None if only reading tells."""
        return self._stored.size

    def pieces(self, ranges: list[tuple[int, int]] | None) -> Iterator[bytes]:
        """Yield the bytes of ranges (start, end) one after another, or all bytes."""
        stored, step = self._stored, limits.range_size
        with nullcontext(self._readers) if self._readers else Readers() as readers:
            if ranges is None or (not stored.ranges and ranges == [(0, stored.size)]):
                yield from readers.pieces(stored)
                return
            places = ((at, min(at + step, end)) for start, end in _joined(ranges) for at in range(start, end, step))
            yield from readers.places(stored, places)

    def require_same(self) -> None:
        """Raise FileError if the object has changed."""
        self._stored.require_same()


@contextmanager
def opened(url: str, first: int | None = None) -> Iterator[ObjectSource]:
    """Open an object, which functions of merklize then read. Raises FileError, Unavailable.

    first  bytes that will surely be read; they may come with the first response. None: many
    """
    with Readers() as readers:
        yield ObjectSource(open_object(url, first), readers)


def tree_file_source(url: str) -> ObjectSource:
    """Open a tree file in a store, to read parts of it. Raises FileError, also if the server ignores ranges."""
    stored = open_object(url, TREE_FILE_HEADER)
    if not stored.ranges:
        stored.read(0, TREE_FILE_HEADER)  # raises the error
    return ObjectSource(stored, None)


def _joined(ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join ranges that follow one another."""
    start = end = 0
    for first, last in ranges:
        if first != end:
            yield start, end
            start = first
        end = last
    yield start, end
