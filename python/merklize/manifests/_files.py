"""Files that a manifest is made of: which they are, under which rules, and their digests."""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from .. import _native
from .._settings import settings
from .._urls import is_url
from ..errors import Cancelled, FileError, InvalidArgument
from ..hashing import hash_files
from ._entries import File, Seen, Shard, Tensor, cut, shown, utf8
from ._memory import require_text
from ._safetensors import MOST_SEPARATORS, Header, parse_json, read_at, read_header

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .._types import Device, Progress

SUFFIX = ".safetensors"
INDEX_SUFFIX = ".index.json"
CLOCK_NS = 20_000_000
"""Two writes closer than this may have one time: the system's clock is as coarse as 10 ms."""
LEAST_TIME = -(2**63)
"""Nanoseconds of the earliest time that a manifest holds."""


class Source(NamedTuple):
    """Files to make a manifest of."""

    kind: str
    """"file", "index" or "folder"."""
    folder: str
    name: str | None
    """Of the file or the index in its folder."""
    shards: list[str]
    files: list[str]
    """All names are relative to the folder, with / between their parts."""
    weights: dict[str, str] | None = None
    """Of an index: the shard of each tensor."""


def find(path: str, ignore: Iterable[str], follow_links: bool, exclude: str | None = None) -> Source:
    """Find the files of a safetensors file, an index of shards, or a folder.

    ignore        patterns of names, or of paths below the folder, that are left out
    follow_links  take symbolic links to files for the files
    exclude       a path that is left out: the manifest's own

    Raises FileError, and InvalidArgument for names that no manifest can hold.
    """
    if is_url(path):
        from ..stores._manifests import find_url

        return find_url(path, ignore, exclude)
    if os.path.isdir(path):
        own = None if exclude is None else os.path.realpath(exclude)
        names = sorted(_below(path, tuple(ignore), follow_links, own), key=utf8)
        require_distinct(names)
        shards = [name for name in names if name.endswith(SUFFIX)]
        return Source("folder", path, None, shards, [name for name in names if not name.endswith(SUFFIX)])
    folder, name = os.path.split(path)
    folder = folder or "."
    require_path(name)
    if name.endswith(INDEX_SUFFIX):
        weights = _read_index(path)
        return Source("index", folder, name, sorted(set(weights.values()), key=utf8), [], weights)
    return Source("file", folder, name, [name], [])


def _below(folder: str, ignore: tuple[str, ...], follow: bool, own: str | None) -> list[str]:
    names = []
    prefixes = [""]
    while prefixes:
        prefix = prefixes.pop()
        try:
            with os.scandir(os.path.join(folder, prefix)) as entries:
                found = list(entries)
        except OSError as error:
            raise FileError._refused("read", os.path.join(folder, prefix), error) from None
        for entry in found:
            name = prefix + entry.name
            if any(fnmatchcase(name, pattern) or fnmatchcase(entry.name, pattern) for pattern in ignore):
                continue
            require_text(name, "file")
            if entry.is_symlink():
                _require_link(entry, follow)
            if entry.is_dir():
                prefixes.append(name + "/")
            elif not entry.is_file():
                raise InvalidArgument(f"{entry.path} is neither a file nor a folder; ignore it")
            elif own is None or entry.name != os.path.basename(own) or os.path.realpath(entry.path) != own:
                names.append(require_path(name))
    return names


def _require_link(entry: os.DirEntry[str], follow: bool) -> None:
    """Refuse a link, unless it is to be followed and is not to a folder."""
    if not follow:
        raise InvalidArgument(
            f"{entry.path} is a symbolic link, whose file may lie outside of the folder; ignore it, or follow links"
        )
    if entry.is_dir():
        raise InvalidArgument(f"{entry.path} is a symbolic link to a folder, which is never followed")


def require_path(name: str) -> str:
    """Return the name. Raises InvalidArgument unless it stays in its folder on every system."""
    require_text(name, "file")
    parts = name.split("/")
    if not name or "\0" in name or "\\" in name or any(part in ("", ".", "..") for part in parts) or ":" in parts[0]:
        raise InvalidArgument(
            f"the name {shown(name)} of a file must be relative, below its folder, with / between parts"
        )
    return name


def require_distinct(names: Iterable[str]) -> None:
    """Refuse two names that differ in the case of ASCII letters alone."""
    seen: dict[bytes, str] = {}
    for name in names:
        other = seen.setdefault(utf8(name).lower(), name)
        if other != name:
            both = f"{shown(other)} and {shown(name)}"
            raise InvalidArgument(f"the files {both} differ in case alone: some systems have only one")


def _read_index(path: str) -> dict[str, str]:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise FileError._refused("read", path, error) from None
    return weights_of(content, path)


def weights_of(content: bytes, path: str) -> dict[str, str]:
    """Return the file of each tensor, from an index of shards. path  for error texts"""
    try:
        fields = parse_json(content, MOST_SEPARATORS)
    except ValueError as error:
        raise InvalidArgument(f"{path}: not an index of shards: {error}") from None
    weights = fields.get("weight_map") if isinstance(fields, dict) else None
    if not isinstance(weights, dict) or not all(isinstance(shard, str) for shard in weights.values()):
        raise InvalidArgument(f"{path}: not an index of shards: weight_map must map names of tensors to files")
    if not weights:
        raise InvalidArgument(f"{path}: the index names no tensor")
    for shard in weights.values():
        require_path(shard)
    return weights


class Known(NamedTuple):
    """What an older manifest has of files that did not change since."""

    seen: Mapping[str, Seen]
    files: Mapping[str, File]
    ranges: Mapping[tuple[str, int, int], Tensor]
    """Tensors by shard, offset and size."""


class Found(NamedTuple):
    """What is in the files."""

    tensors: list[Tensor]
    files: list[File]
    shards: list[Shard]
    seen: list[Seen]
    hashed: list[str]
    """Files that were hashed, not known already."""
    failed: dict[str, Exception]
    """Files that could not be read, where that is no error."""

    @property
    def size(self) -> int:
        """Bytes of what was hashed."""
        return sum(tensor.size for tensor in self.tensors) + sum(file.size for file in self.files)


def reader_of(source: Source) -> type[Reader]:
    """Return the class that hashes the files of a source: on a disk, or in a store."""
    if not is_url(source.folder):
        return Reader
    from ..stores._manifests import StoreReader

    return StoreReader


class Reader:
    """Hashes the files of a source."""

    def __init__(
        self,
        source: Source,
        piece_size: int,
        follow_links: bool,
        device: Device,
        threads: int | None,
        progress: Progress,
        known: Known | None = None,
        wanted: Callable[..., bool] | None = None,
        keep_going: bool = False,
    ) -> None:
        """Take the options.

        known       what need not be hashed again
        wanted      of a tensor's name and its shard, or of a file's name: whether to hash it; None: all
        keep_going  note files that cannot be read as failed, and go on
        """
        self._source = source
        self._piece_size = piece_size
        self._flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow_links else os.O_NOFOLLOW)
        self._device, self._threads, self._progress = device, threads, progress
        self._known = known or Known({}, {}, {})
        self._wanted = wanted or (lambda *names: True)
        self._keep_going = keep_going
        self._found = Found([], [], [], [], [], {})
        self._done = self._total = 0

    def read(self) -> Found:
        """Hash. Raises FileError (also if a file changes meanwhile), InvalidArgument."""
        stats = {name: info for name in [*self._source.shards, *self._source.files] if (info := self._stat(name))}
        self._wait_for_clock(stats.values())
        self._total = sum(info.st_size for info in stats.values())
        headers: dict[str, Header] = {}
        for name in self._source.shards:
            if name in stats:
                self._guarded(name, self._header, name, stats[name], headers)
        names = self._names(headers)
        for shard, header in headers.items():
            self._guarded(shard, self._shard, shard, stats[shard], header, names)
        self._files({name: stats[name] for name in self._source.files if name in stats})
        return self._found

    def _guarded(self, name: str, work: Callable[..., None], *arguments: object) -> None:
        try:
            work(*arguments)
        except (FileError, InvalidArgument) as error:
            if not self._keep_going:
                raise
            self._found.failed[name] = error

    def _path(self, name: str) -> str:
        return os.path.join(self._source.folder, name)

    def _stat(self, name: str) -> os.stat_result | None:
        follow = not self._flags & os.O_NOFOLLOW
        try:
            with _folder_of(self._source.folder, name, follow) as (folder, last):
                info = os.stat(last, dir_fd=folder, follow_symlinks=follow)
            if stat.S_ISLNK(info.st_mode):
                raise InvalidArgument(f"{self._path(name)} is a symbolic link")
            if not stat.S_ISREG(info.st_mode):
                raise InvalidArgument(f"{self._path(name)} is not a file")
            return info
        except OSError as error:
            failure: Exception = FileError._refused("read", self._path(name), error)
        except InvalidArgument as error:
            failure = error
        if not self._keep_going:
            raise failure
        self._found.failed[name] = failure
        return None

    def _wait_for_clock(self, stats: Iterable[os.stat_result]) -> None:
        # A write after this moment must get a later time than the one that is noted: refresh() goes by it.
        newest = max((info.st_mtime_ns for info in stats), default=0)
        left = newest + CLOCK_NS - time.time_ns()
        if 0 < left <= CLOCK_NS:
            time.sleep(left / 1e9)

    def _header(self, name: str, info: os.stat_result, headers: dict[str, Header]) -> None:
        with self._open(name, info) as opened:
            path, descriptor = self._path(name), opened.fileno
            headers[name] = read_header(lambda at, n: read_at(descriptor, path, at, n), path, info.st_size)

    def _open(self, name: str, info: os.stat_result) -> _Opened:
        return _Opened(self._source.folder, name, self._flags, info)

    def _names(self, headers: Mapping[str, Header]) -> dict[tuple[str, str], str]:
        """Return what tensors are called in the manifest: by shard and name.

        In a folder: its path below the folder, then the name. A name that several files of one folder have is preceded
        by the file's.
        """
        if self._source.weights is not None:
            self._guarded(self._source.name or "", self._require_index, headers, self._source.weights)
            return {(shard, tensor.name): tensor.name for shard, header in headers.items() for tensor in header.tensors}
        owners: dict[str, list[tuple[str, str]]] = {}
        for shard, header in headers.items():
            prefix = shard.rpartition("/")[0]
            for tensor in header.tensors:
                plain = f"{prefix}/{tensor.name}" if prefix else tensor.name
                owners.setdefault(plain, []).append((shard, tensor.name))
        names = {}
        for plain, found in owners.items():
            for shard, name in found:
                names[shard, name] = plain if len(found) == 1 else f"{shard}:{name}"
        if len(set(names.values())) < len(names):
            raise InvalidArgument(f"{self._source.folder}: two tensors of different files would have one name")
        return names

    def _require_index(self, headers: Mapping[str, Header], weights: Mapping[str, str]) -> None:
        there = {(shard, tensor.name) for shard, header in headers.items() for tensor in header.tensors}
        index = self._path(self._source.name or "")
        for name, shard in weights.items():
            if shard in headers and (shard, name) not in there:
                raise InvalidArgument(
                    f"{index}: the shard {cut(shard)} has no tensor {shown(name)}, which the index says it has"
                )
        for shard, name in sorted(there):
            if weights.get(name) != shard:
                raise InvalidArgument(
                    f"{index}: the tensor {shown(name)} of the shard {cut(shard)} is not in the index"
                )

    def _shard(self, shard: str, info: os.stat_result, header: Header, names: Mapping[tuple[str, str], str]) -> None:
        old = self._known.ranges if self._is_known(shard, info) else {}
        tensors = [
            (names[shard, tensor.name], tensor)
            for tensor in header.tensors
            if self._wanted(names[shard, tensor.name], shard)
        ]
        wanted = [t for _, t in tensors if (shard, t.offset, t.size) not in old]
        with self._open(shard, info) as opened:
            run = settings(self._device, self._threads, self._part(info.st_size))
            ranges = [(tensor.offset, tensor.size) for tensor in wanted]
            made = _native.hash_file_ranges(opened.fileno, self._path(shard), ranges, self._piece_size, run)
        digests = {(tensor.offset, tensor.size): found for tensor, found in zip(wanted, made)}
        for name, t in tensors:
            if (t.offset, t.size) in digests:
                digest, pieces = digests[t.offset, t.size]
            else:
                _, _, _, digest, _, _, _, pieces = old[shard, t.offset, t.size]
            self._found.tensors.append(Tensor(name, t.dtype, t.shape, digest, t.size, shard, t.offset, pieces))
        self._found.shards.append(Shard(shard, info.st_size, header.digest))
        self._note(shard, info, bool(wanted))
        self._advance(info.st_size)

    def _is_known(self, name: str, info: os.stat_result) -> bool:
        return self._known.seen.get(name) == Seen(name, info.st_size, info.st_mtime_ns, info.st_ino)

    def _note(self, name: str, info: os.stat_result, hashed: bool) -> None:
        if LEAST_TIME <= info.st_mtime_ns <= time.time_ns() - CLOCK_NS:  # a time of the future tells nothing
            self._found.seen.append(Seen(name, info.st_size, info.st_mtime_ns, info.st_ino))
        if hashed:
            self._found.hashed.append(name)

    def _files(self, stats: Mapping[str, os.stat_result]) -> None:
        small = []
        for name, info in stats.items():
            if not self._wanted(name, None):
                continue
            if self._is_known(name, info) and name in self._known.files:
                self._found.files.append(self._known.files[name])
                self._note(name, info, False)
            elif self._piece_size and info.st_size > self._piece_size:
                self._guarded(name, self._large_file, name, info)
            else:
                small.append(name)
        sizes = sum(stats[name].st_size for name in small)
        paths = [self._path(name) for name in small]
        digests = hash_files(paths, device=self._device, threads=self._threads, progress=self._part(sizes))
        for name, digest in zip(small, digests):
            self._guarded(name, self._small_file, name, stats[name], digest)
        self._advance(sizes)
        self._found.files.sort(key=lambda file: utf8(file.path))

    def _large_file(self, name: str, info: os.stat_result) -> None:
        with self._open(name, info) as opened:
            run = settings(self._device, self._threads, self._part(info.st_size))
            ranges = [(0, info.st_size)]
            made = _native.hash_file_ranges(opened.fileno, self._path(name), ranges, self._piece_size, run)
        self._found.files.append(File(name, info.st_size, *made[0]))
        self._note(name, info, True)
        self._advance(info.st_size)

    def _small_file(self, name: str, info: os.stat_result, digest: bytes | FileError) -> None:
        if isinstance(digest, FileError):
            raise digest
        now = self._stat(name)
        if now is None:
            return
        _require_same(self._path(name), info, now)
        self._found.files.append(File(name, info.st_size, digest))
        self._note(name, info, True)

    def _advance(self, size: int) -> None:
        self._done += size
        if self._progress is not None and self._progress(self._done / max(1, self._total)) is False:
            raise Cancelled("cancelled by the caller's progress function")

    def _part(self, size: int) -> Progress:
        if self._progress is None:
            return None
        report, done, total = self._progress, self._done, max(1, self._total)
        return lambda share: report((done + share * size) / total)


def _require_same(path: str, before: os.stat_result, now: os.stat_result) -> None:
    facts = ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
    if any(getattr(before, fact) != getattr(now, fact) for fact in facts):
        raise FileError(f"{path}: changed while being read")


@contextmanager
def _folder_of(folder: str, name: str, follow_links: bool) -> Iterator[tuple[int, str]]:
    """Open the folder that holds a name below `folder`, part by part, and give it with the last part of the name.

    Raises InvalidArgument: a part is a symbolic link, unless links are followed; OSError.
    """
    *parts, last = [name] if follow_links else name.split("/")
    flags = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
    at = os.open(folder, flags)
    try:
        for part in parts:
            try:
                below = os.open(part, flags | os.O_NOFOLLOW, dir_fd=at)
            except OSError:
                if stat.S_ISLNK(os.stat(part, dir_fd=at, follow_symlinks=False).st_mode):
                    raise InvalidArgument(f"{os.path.join(folder, name)} lies below a symbolic link") from None
                raise
            os.close(at)
            at = below
        yield at, last
    finally:
        os.close(at)


class _Opened:
    """A file that must be, while it is open, the one of which the system has said `info`."""

    def __init__(self, folder: str, name: str, flags: int, info: os.stat_result) -> None:
        self._folder, self._name, self._flags, self._info = folder, name, flags, info
        self._path = os.path.join(folder, name)
        self.fileno = -1

    def __enter__(self) -> _Opened:
        try:
            with _folder_of(self._folder, self._name, not self._flags & os.O_NOFOLLOW) as (folder, last):
                self.fileno = os.open(last, self._flags, dir_fd=folder)
        except OSError as error:
            raise FileError._refused("read", self._path, error) from None
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                _require_same(self._path, self._info, os.fstat(self.fileno))
        finally:
            os.close(self.fileno)
