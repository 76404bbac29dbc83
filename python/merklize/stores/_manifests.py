"""Manifests of weights that lie in stores: the same entries as of files on a disk."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from .._settings import settings
from .._urls import extra_of, file_system, shown
from ..errors import Error, FileError, InvalidArgument
from ..hashing import Hasher
from ..manifests._entries import File, Shard, Tensor, utf8
from ..manifests._files import INDEX_SUFFIX, SUFFIX, Reader, Source, require_distinct, require_path, weights_of
from ..manifests._safetensors import Header, read_header
from ._failures import Passing, failure_of, file_error
from ._limits import limits
from ._objects import Stored, open_object
from ._ranges import Readers
from ._write import read_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_INDEX_BYTES = 256 << 20
UNIT = 8 << 20
"""Bytes that are hashed at once: a power of two."""


def find_url(url: str, ignore: Iterable[str], exclude: str | None) -> Source:
    """Find the objects of a safetensors file, an index of shards, or a folder, as find() does it on a disk."""
    folder, _, name = url.rpartition("/")
    if _is_folder(url):
        folder = url.rstrip("/")
        names = [name for name in _below(folder) if not _is_ignored(name, tuple(ignore))]
        names = [name for name in names if exclude != f"{folder}/{name}"]
        require_distinct(names)
        shards = [name for name in names if name.endswith(SUFFIX)]
        return Source("folder", folder, None, shards, [name for name in names if not name.endswith(SUFFIX)])
    if "?" in name:
        raise InvalidArgument(f"{shown(url)}: a manifest needs names of objects: a URL with a query string has none")
    require_path(name)
    if name.endswith(INDEX_SUFFIX):
        weights = weights_of(read_whole(url, MOST_INDEX_BYTES), shown(url))
        return Source("index", folder, name, sorted(set(weights.values()), key=utf8), [], weights)
    return Source("file", folder, name, [name], [])


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
    return sorted((require_path(name[len(prefix) :]) for name in found if name.startswith(prefix)), key=utf8)


def _final(error: Exception, url: str) -> BaseException:
    failure = failure_of(error, shown(url), extra_of(url))
    return file_error(shown(url), f"cannot list: {failure}") if isinstance(failure, Passing) else failure


def _is_ignored(name: str, patterns: tuple[str, ...]) -> bool:
    parts = name.split("/")
    paths = ["/".join(parts[: k + 1]) for k in range(len(parts))]
    return any(fnmatchcase(text, pattern) for text in (*paths, *parts) for pattern in patterns)


class _Facts(NamedTuple):
    """What Reader asks of a file's stat."""

    st_size: int
    st_mtime_ns: int = 0


class StoreReader(Reader):
    """Hashes the objects of a source."""

    _opened: dict[str, Stored | Error]

    def read(self) -> Any:
        """Open all objects, several at once, and hash them."""
        names = [*self._source.shards, *self._source.files]

        def opened(name: str) -> Stored | Error:
            try:
                return open_object(self._path(name), 8)
            except Error as error:
                return error

        with ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
            self._opened = dict(zip(names, pool.map(opened, names)))
        return super().read()

    def _path(self, name: str) -> str:
        return f"{self._source.folder}/{name}"

    def _stat(self, name: str) -> Any:
        found = self._opened[name]
        if isinstance(found, Stored):
            if found.ranges and found.size is not None:
                return _Facts(found.size)
            found = file_error(found.name, "the server ignores ranges, and a manifest needs them")
        if not self._keep_going or not isinstance(found, FileError):
            raise found
        self._found.failed[name] = found
        return None

    def _stored(self, name: str) -> Stored:
        found = self._opened[name]
        if not isinstance(found, Stored):
            raise found
        return found

    def _header(self, name: str, info: Any, headers: dict[str, Header]) -> None:
        stored = self._stored(name)
        headers[name] = read_header(lambda at, count: stored.read(at, at + count), stored.name, info.st_size)

    def _is_known(self, name: str, info: Any) -> bool:
        return False

    def _note(self, name: str, info: Any, hashed: bool) -> None:
        if hashed:
            self._found.hashed.append(name)

    def _shard(self, shard: str, info: Any, header: Header, names: Mapping[tuple[str, str], str]) -> None:
        wanted = [(names[shard, t.name], t) for t in header.tensors if self._wanted(names[shard, t.name], shard)]
        with Readers() as readers:
            made = self._hash(shard, [(t.offset, t.size) for _, t in wanted], readers)
            for (name, t), (digest, pieces) in zip(wanted, made):
                entry = Tensor(name, t.dtype, t.shape, digest, t.size, shard, t.offset, pieces)
                self._found.tensors.append(entry)
                self._advance(t.size)
        self._stored(shard).require_same()
        self._found.shards.append(Shard(shard, info.st_size, header.digest))
        self._note(shard, info, bool(wanted))

    def _files(self, stats: Mapping[str, Any]) -> None:
        names = [name for name in stats if self._wanted(name, None)]

        def digest(name: str) -> File | Error:
            try:
                (made,) = self._hash(name, [(0, stats[name].st_size)], readers)
                self._stored(name).require_same()
                return File(name, stats[name].st_size, *made)
            except Error as error:
                return error

        with Readers() as readers, ThreadPoolExecutor(limits.parallel, "merklize-object") as pool:
            for name, file in zip(names, pool.map(digest, names)):
                self._guarded(name, self._one_file, name, stats[name], file)
        self._found.files.sort(key=lambda file: utf8(file.path))

    def _one_file(self, name: str, info: Any, file: File | Error) -> None:
        if not isinstance(file, File):
            raise file
        self._found.files.append(file)
        self._note(name, info, True)
        self._advance(info.st_size)

    def _hash(self, name: str, ranges: list[tuple[int, int]], readers: Readers) -> Iterator[tuple[bytes, bytes]]:
        """Give the digest, and the values of the pieces, of each range (offset, bytes); they are in order."""
        feed = _Feed(self._stored(name), ranges, readers)
        run = settings(self._device, self._threads)
        for offset, size in ranges:
            if not self._piece_size or size <= self._piece_size:
                hasher = Hasher(device=self._device, threads=self._threads)
                for at in range(0, size, UNIT):
                    hasher.update(feed.take(offset + at, offset + min(at + UNIT, size)))
                yield hasher.digest(), b""
                continue
            unit, small = max(self._piece_size, UNIT), min(self._piece_size, UNIT)
            pieces = b""
            for first in range(0, size, unit):
                values = b""
                for at in range(first, min(first + unit, size), UNIT):
                    part = feed.take(offset + at, offset + min(at + UNIT, size))
                    values += _native.piece_values(part, at, small, None, None, run)
                pieces += values if small == self._piece_size else _native.value_of_pieces(values, None, None)
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
