"""Manifests of weights in stores, with the same entries as for files on a disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import Any, Optional
from urllib.parse import unquote

from ..errors import Error, FileError, InvalidArgument
from ..extensions import Device, Progress, alone, file_error, may_be_json, shown
from ..parts import hash_file_ranges
from ._failures import Passing, extra_of, failure_of
from ._limits import limits
from ._objects import Stored, open_object
from ._ranges import ObjectSource, Readers
from ._systems import file_system
from ._write import read_whole

Found = tuple[str, Optional[str], Optional[list[str]], Optional[bytes], str]  # merklize.manifests.Weights

INDEX_SUFFIX = ".index.json"
MOST_INDEX_BYTES = 256 << 20
_SECRET = frozenset("?;#&")  # what texts do not show of a URL begins with one of these, perhaps escaped


def find_url(url: str, ignore: Iterable[str], exclude: str | None) -> Found:
    """Find the objects of a safetensors file, an index of shards, or a folder.

    Returns the folder, the name of a file or index, the names of a folder, the text of an index, the name for errors.
    """
    folder, _, name = url.rpartition("/")
    if _is_folder(url):
        folder = url.rstrip("/")
        names = [name for name in _below(folder) if not _is_ignored(name, tuple(ignore))]
        return folder, None, [name for name in names if exclude != f"{folder}/{name}"], None, shown(url)
    plain = name
    while plain != (plain := unquote(plain)):
        pass
    if not _SECRET.isdisjoint(plain):
        raise InvalidArgument(
            f"{shown(url)}: a manifest needs the name of an object, and what follows ? ; # & may be a secret; name an "
            "object without these, or its folder"
        )
    index = read_whole(url, MOST_INDEX_BYTES, may_be_json()) if name.endswith(INDEX_SUFFIX) else None
    return folder, name, None, index, shown(url)


@alone
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


@alone
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
    """The objects of a folder, as a manifest needs them. Several are opened and read at once."""

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

    def hash(
        self, name: str, ranges: list[tuple[int, int]], piece_size: int, progress: Progress
    ) -> list[tuple[bytes, bytes]]:
        """Return the digest and the values of the pieces of each range (offset, bytes); they are in order."""
        with Readers() as readers:
            return self._hash(name, ranges, piece_size, readers, progress)

    def hash_files(self, names: list[str], piece_size: int) -> Iterator[tuple[bytes, bytes] | Error]:
        """Yield the same for each whole object, or why it cannot be read."""

        def digest(name: str) -> tuple[bytes, bytes] | Error:
            try:
                (made,) = self._hash(name, [(0, self._opened[name].size or 0)], piece_size, readers, None)
            except (FileError, InvalidArgument) as error:
                return error
            return made

        with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
            yield from pool.map(digest, names)

    def _hash(
        self, name: str, ranges: list[tuple[int, int]], piece_size: int, readers: Readers, progress: Progress
    ) -> list[tuple[bytes, bytes]]:
        source = ObjectSource(self._opened[name], readers)
        run: Any = {"device": self._device, "threads": self._threads, "progress": progress}
        return hash_file_ranges(source, ranges, piece_size, **run)
