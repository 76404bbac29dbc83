"""Manifests of weights that lie in stores: the same entries as of files on a disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from .. import _native
from .._settings import settings
from .._urls import extra_of, file_system, shown
from ..errors import Error, FileError, InvalidArgument
from ..hashing import Hasher
from ._failures import Passing, failure_of, file_error
from ._limits import limits
from ._objects import Stored, open_object
from ._ranges import Readers
from ._write import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._types import Device

    Found = tuple[str, str | None, list[str] | None, bytes | None, str]

INDEX_SUFFIX = ".index.json"
MOST_INDEX_BYTES = 256 << 20
UNIT = 8 << 20
"""Bytes that are hashed at once: a power of two."""


def find_url(url: str, ignore: Iterable[str], exclude: str | None) -> Found:
    """Find the objects of a safetensors file, an index of shards, or a folder.

    Returns the folder, the name of a file or index, the names of a folder, the text of an index, the name for errors.
    """
    folder, _, name = url.rpartition("/")
    if _is_folder(url):
        folder = url.rstrip("/")
        names = [name for name in _below(folder) if not _is_ignored(name, tuple(ignore))]
        return folder, None, [name for name in names if exclude != f"{folder}/{name}"], None, shown(url)
    if "?" in name:
        raise InvalidArgument(f"{shown(url)}: a manifest needs names of objects: a URL with a query string has none")
    index = read_whole(url, MOST_INDEX_BYTES) if name.endswith(INDEX_SUFFIX) else None
    return folder, name, None, index, shown(url)


def _is_folder(url: str) -> bool:
    if extra_of(url) == "http":
        if url.endswith("/"):
            raise file_error(shown(url), "HTTP has no lists of files; name a safetensors file or an index")
        return False
    system, path = file_system(url)
    try:
        return bool(system.isdir(path))
    except Exception as error:
        raise _final(error, url) from None


def _below(folder: str) -> list[str]:
    system, path = file_system(folder)
    try:
        system.invalidate_cache()
        found = [str(name) for name in system.find(path)]
    except Exception as error:
        raise _final(error, folder) from None
    prefix = path.rstrip("/") + "/"
    return sorted((name[len(prefix) :] for name in found if name.startswith(prefix)), key=str.encode)


def _final(error: Exception, url: str) -> BaseException:
    failure = failure_of(error, shown(url), extra_of(url))
    return file_error(shown(url), f"cannot list: {failure}") if isinstance(failure, Passing) else failure


def _is_ignored(name: str, patterns: tuple[str, ...]) -> bool:
    parts = name.split("/")
    paths = ["/".join(parts[: k + 1]) for k in range(len(parts))]
    return any(fnmatchcase(text, pattern) for text in (*paths, *parts) for pattern in patterns)


class Store:
    """The objects of a folder: what a manifest asks of them. Several are opened and read at once."""

    def __init__(self, folder: str, device: Device, threads: int | None) -> None:
        """Take the URL of the folder, and where to hash."""
        self._folder, self._device, self._threads = folder, device, threads
        self._opened: dict[str, Stored] = {}

    @classmethod
    def opener(
        cls, url: str, ignore: Iterable[str], exclude: str | None, device: Device, threads: int | None
    ) -> Callable[[], tuple[Found, Store]]:
        """Return a function that finds the objects of a URL."""

        def find() -> tuple[Found, Store]:
            found = find_url(url, ignore, exclude)
            return found, cls(found[0], device, threads)

        return find

    def shown(self, name: str) -> str:
        """Return the name for error texts."""
        return shown(self._url(name))

    def _url(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def sizes(self, names: list[str]) -> list[int | Error]:
        """Open objects, and return the size of each, or why it cannot be read."""

        def opened(name: str) -> int | Error:
            try:
                stored = open_object(self._url(name), 8)
            except (FileError, InvalidArgument) as error:
                return error
            if not stored.ranges or stored.size is None:
                return file_error(stored.name, "the server ignores ranges, and a manifest needs them")
            self._opened[name] = stored
            return stored.size

        with ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
            return list(pool.map(opened, names))

    def read(self, name: str, start: int, end: int) -> bytes | memoryview:
        """Return bytes start to end - 1 of an object."""
        return self._opened[name].read(start, end)

    def hash(self, name: str, ranges: list[tuple[int, int]], piece_size: int) -> Iterator[tuple[bytes, bytes]]:
        """Give the digest and the values of the pieces of each range (offset, bytes); they are in order."""
        with Readers() as readers:
            yield from self._hash(name, ranges, piece_size, readers)
        self._opened[name].require_same()

    def hash_files(self, names: list[str], piece_size: int) -> Iterator[tuple[bytes, bytes] | Error]:
        """Give the same of each whole object, or why it cannot be read."""

        def digest(name: str) -> tuple[bytes, bytes] | Error:
            try:
                (made,) = self._hash(name, [(0, self._opened[name].size or 0)], piece_size, readers)
                self._opened[name].require_same()
            except (FileError, InvalidArgument) as error:
                return error
            return made

        with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
            yield from pool.map(digest, names)

    def _hash(
        self, name: str, ranges: list[tuple[int, int]], piece_size: int, readers: Readers
    ) -> Iterator[tuple[bytes, bytes]]:
        feed = _Feed(self._opened[name], ranges, readers)
        run = settings(self._device, self._threads)
        for offset, size in ranges:
            if not piece_size or size <= piece_size:
                hasher = Hasher(device=self._device, threads=self._threads)
                for at in range(0, size, UNIT):
                    hasher.update(feed.take(offset + at, offset + min(at + UNIT, size)))
                yield hasher.digest(), b""
                continue
            unit, small = max(piece_size, UNIT), min(piece_size, UNIT)
            pieces = b""
            for first in range(0, size, unit):
                values = b""
                for at in range(first, min(first + unit, size), UNIT):
                    part = feed.take(offset + at, offset + min(at + UNIT, size))
                    values += _native.piece_values(part, at, small, None, None, run)
                pieces += values if small == piece_size else _native.value_of_pieces(values, None, None)
            yield _native.digest_of_pieces(pieces, None, None, 32, 0), pieces


class _Feed:
    """Bytes of an object by their places, in order: read in large ranges, whatever is taken."""

    def __init__(self, stored: Stored, ranges: list[tuple[int, int]], readers: Readers) -> None:
        """Begin to read. ranges  (offset, bytes), in order."""
        runs: list[list[int]] = []
        for offset, size in ranges:
            if runs and offset == runs[-1][1]:
                runs[-1][1] += size
            elif size:
                runs.append([offset, offset + size])
        step = limits.range_size
        self._places = [(at, min(at + step, end)) for start, end in runs for at in range(start, end, step)]
        self._coming = readers.places(stored, self._places)
        self._next = 0
        self._here, self._data = 0, memoryview(b"")

    def take(self, start: int, end: int) -> bytes | memoryview:
        """Return bytes start to end - 1; what was before them is gone."""
        parts = []
        while start < end:
            if start >= self._here + len(self._data):
                self._data = memoryview(next(self._coming))
                self._here = self._places[self._next][0]
                self._next += 1
                continue
            part = self._data[start - self._here : end - self._here]
            parts.append(part)
            start += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
