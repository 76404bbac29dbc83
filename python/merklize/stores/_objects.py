"""Objects of stores, pinned to the version that was opened: a range of another version is an error."""

from __future__ import annotations

import asyncio
import os
import random
import re
import stat
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..extensions import file_error, local_path, refused, shown
from ._failures import CHANGED, Passing, extra_of, failure_of, failure_of_status
from ._limits import limits
from ._systems import file_system

_T = TypeVar("_T")

NO_RANGES = "the server ignores ranges"


class Stored:
    """An object of a store that is open for reading.

    name     for texts, without secrets
    size     bytes; None while that is not known, of a server that ignores ranges
    version  what the store calls this content: an ETag, a generation; "" if it has no name for it
    ranges   whether parts can be read; otherwise only stream() reads it, once
    descriptor   of a file of this machine
    """

    name: str
    size: int | None = None
    version: str = ""
    ranges: bool = True
    descriptor: int | None = None

    def __init__(self, url: str, system: Any, path: str) -> None:
        """Remember where it is."""
        self.name, self._extra, self._system, self._path = shown(url), extra_of(url), system, path
        self._head = b""
        self._is_open = False

    def open(self, first: int) -> None:
        """Find out size and version; also read up to `first` bytes if that takes no further request."""
        raise NotImplementedError

    def pin(self, size: int, version: str) -> None:
        """Take size and version from an earlier open(), perhaps on another machine. Raises FileError."""
        self.open(0)
        if (self.size, self.version) != (size, version):
            raise file_error(self.name, CHANGED)

    def fetch(self, start: int, end: int) -> bytes:
        """Read bytes start to end - 1 in one attempt. Raises Passing, FileError."""
        raise NotImplementedError

    def require_same(self) -> None:
        """Refuse an object that changed since it was opened, where fetch() cannot tell."""

    def stream(self) -> Iterator[bytes]:
        """Read all of an object without ranges, once, in order."""
        raise NotImplementedError

    def read(self, start: int, end: int) -> bytes:
        """Read bytes start to end - 1, in several attempts. Raises FileError."""
        if not self.ranges:
            raise file_error(self.name, f"{NO_RANGES}, and only parts of the object are wanted")
        if start >= end:
            return b""
        if end <= len(self._head):
            return self._head[start:end]
        return self.tried(lambda: self._fetch_whole(start, end), f"bytes {start} to {end - 1}")

    def _fetch_whole(self, start: int, end: int) -> bytes:
        data = self.fetch(start, end)
        if len(data) != end - start:
            raise Passing(f"asked for {end - start} bytes, got {len(data)}")
        return data

    def tried(self, work: Callable[[], _T], what: str) -> _T:
        """Call a function, and retry while it raises Passing. Raises FileError."""
        pause = limits.pause
        for attempt in range(1, limits.attempts + 1):
            try:
                return work()
            except Exception as error:
                failure = failure_of(error, self.name, self._extra, self._is_open)
            if not isinstance(failure, Passing):
                raise failure from None
            if attempt < limits.attempts:
                time.sleep(pause * random.uniform(0.5, 1))
                pause *= 2
        times = f"{limits.attempts} attempts" if limits.attempts > 1 else "one attempt"
        raise file_error(self.name, f"cannot read {what}: {failure}; gave up after {times}")

    def _run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a coroutine function on fsspec's loop, within the time of one attempt."""
        from fsspec.asyn import sync

        async def limited() -> Any:
            try:
                return await asyncio.wait_for(work(*arguments), limits.timeout)
            except asyncio.TimeoutError:
                raise Passing(f"no answer within {limits.timeout:g} s") from None

        return sync(self._system.loop, limited)


class S3Object(Stored):
    """An object of S3 or a compatible store. Every request names the ETag, so the server refuses another version."""

    def _find(self) -> None:
        self._bucket, self._key, self._asked_version = self._system.split_path(self._path)
        if not self._key:
            raise file_error(self.name, "is a bucket, not an object")

    def pin(self, size: int, version: str) -> None:
        """Send no request, because each request for a range names the ETag."""
        self._find()
        self.size, self.version, self._is_open = size, version, True

    def open(self, first: int) -> None:
        """Request the first range; the response has the size and the ETag."""
        self._find()
        answer, data = self.tried(lambda: self._run(self._get_first, first), "the first bytes")
        self.version = str(answer.get("ETag", ""))
        self.size = len(data) if answer.get("ContentRange") is None else _total(answer["ContentRange"], self.name)
        self._head, self._is_open = data, True
        if len(data) != min(self.size, first):
            self._head = b""

    async def _get_first(self, first: int) -> Any:
        try:
            return await self._get(f"bytes=0-{max(first, 1) - 1}")
        except Exception as error:
            answer = getattr(error, "response", None)
            if isinstance(answer, dict) and answer.get("ResponseMetadata", {}).get("HTTPStatusCode") == 416:
                return await self._get(None)  # an empty object has no range
            raise

    async def _get(self, wanted: str | None) -> tuple[dict[str, Any], bytes]:
        await self._system.set_session()
        client = await self._system.get_s3(self._bucket)
        more: dict[str, Any] = dict(self._system.req_kw)
        if wanted is not None:
            more["Range"] = wanted
        if self._asked_version:
            more["VersionId"] = self._asked_version
        if self.version:
            more["IfMatch"] = self.version
        answer = await client.get_object(Bucket=self._bucket, Key=self._key, **more)
        async with answer["Body"] as body:
            return answer, await body.read()

    def fetch(self, start: int, end: int) -> bytes:
        """Read a range of this ETag."""
        answer, data = self._run(self._get, f"bytes={start}-{end - 1}")
        if self.version and answer.get("ETag") != self.version:
            raise file_error(self.name, f"{CHANGED} (another ETag)")
        _require_range(answer.get("ContentRange"), start, end, self.size, self.name)
        return bytes(data)


class HttpObject(Stored):
    """An object of an HTTP server. Each response must have the ETag, the time of change and the size of the first."""

    _answer: Any = None
    _etag: str | None = None
    """The ETag of the first response. A weak ETag names no version, but if it changes, the object has changed."""

    def pin(self, size: int, version: str) -> None:
        """Send no request, because each response is compared."""
        self.size, self.version, self._is_open = size, version, True

    def open(self, first: int) -> None:
        """Request the first range; the response tells size and version, and whether the server takes ranges."""
        status, headers, data = self.tried(lambda: self._run(self._get, 0, max(first, 1), True), "the first bytes")
        self.version, self._etag = _http_version(headers), headers.get("ETag")
        self._is_open = True
        if status == 206:
            self.size = _total(headers.get("Content-Range"), self.name)
            if len(data) == min(self.size, first):
                self._head = data
        elif status == 416:  # an empty object has no range
            self.size = _total(headers.get("Content-Range"), self.name)
            if self.size != 0:
                raise file_error(self.name, "cannot read: the server refuses the first range (status 416)")
        else:
            self.ranges = False
            length = headers.get("Content-Length")
            self.size = int(length) if re.fullmatch("[0-9]{1,19}", length or "") else None

    async def _get(self, start: int, end: int, is_first: bool) -> Any:
        session = await self._system.set_session()
        options = dict(self._system.kwargs)
        wanted = {"Range": f"bytes={start}-{end - 1}", "Accept-Encoding": "identity"}
        options["headers"] = {**options.get("headers", {}), **wanted}
        answer = await session.get(self._system.encode_url(self._path), **options)
        keep = False
        try:
            status, headers = answer.status, answer.headers
            if headers.get("Content-Encoding", "identity") not in ("identity", ""):
                raise file_error(self.name, "the server sends it encoded (Content-Encoding), not as it is")
            if status == 206:
                return status, headers, await answer.read()
            if status == 416 and is_first and headers.get("Content-Range", "").endswith("/0"):
                return status, headers, b""
            if status == 200 and is_first:
                self._answer, keep = answer, True
                return status, headers, b""
            if status == 200:
                self._require_version(headers)
                raise file_error(self.name, f"{NO_RANGES}: it sent the whole object for bytes {start} to {end - 1}")
            raise failure_of_status(status, "", self.name, self._extra, self._is_open)
        finally:
            if not keep:
                answer.release() if answer.content.at_eof() else answer.close()

    def fetch(self, start: int, end: int) -> bytes:
        """Read a range of this version."""
        _, headers, data = self._run(self._get, start, end, False)
        self._require_version(headers)
        _require_range(headers.get("Content-Range"), start, end, self.size, self.name)
        return bytes(data)

    def _require_version(self, headers: Any) -> None:
        if _http_version(headers) != self.version or self._etag not in (None, headers.get("ETag")):
            raise file_error(self.name, f"{CHANGED} (another ETag or Last-Modified)")

    def stream(self) -> Iterator[bytes]:
        """Read the response to the request for the first range."""
        answer, self._answer = self._answer, None
        done = 0
        try:
            while True:
                try:
                    data = self._run(_read_some, answer.content, limits.range_size)
                except Exception as error:
                    failure = failure_of(error, self.name, self._extra, True)
                    if isinstance(failure, Passing):
                        why = f"{failure} after {done} bytes; {NO_RANGES}, so it cannot go on there"
                        failure = file_error(self.name, f"cannot read: {why}")
                    raise failure from None
                if not data:
                    break
                done += len(data)
                yield data
        finally:
            self._system.loop.call_soon_threadsafe(answer.close)
        if self.size is not None and done != self.size:
            raise file_error(self.name, f"the server stated {self.size} bytes and sent {done}")
        self.size = done


class OtherObject(Stored):
    """An object of any other fsspec file system, whose facts about it must be equal before and after reading."""

    def open(self, first: int) -> None:
        """Get the file system's facts about the object."""
        self._facts = self.tried(self._info, "what it is")
        if self._facts.get("type") == "directory":
            raise file_error(self.name, "is a folder, not an object")
        size = self._facts.get("size")
        if not isinstance(size, int):
            raise file_error(self.name, "the store does not say its size")
        self.size, self._is_open = size, True
        self.version = repr(sorted((key, str(value)) for key, value in self._facts.items() if key in _IDENTITY))
        generation = self._facts.get("generation")
        if generation and getattr(self._system, "version_aware", False) and "#" not in self._path:
            self._path = f"{self._path}#{generation}"

    def _info(self) -> dict[str, Any]:
        self._system.invalidate_cache()
        found = self._system.info(self._path.rpartition("#")[0] if self._is_open and "#" in self._path else self._path)
        return dict(found)

    def fetch(self, start: int, end: int) -> bytes:
        """Read a range."""
        return bytes(self._system.cat_file(self._path, start=start, end=end))

    def require_same(self) -> None:
        """Get the facts again, and compare them."""
        found = self.tried(self._info, "what it is now")
        if any(found.get(key) != self._facts.get(key) for key in ("size", *_IDENTITY)):
            raise file_error(self.name, CHANGED)


class LocalObject(Stored):
    """A file of this machine, by a file:// URL. For work shared with machines that see the same file."""

    def open(self, first: int) -> None:
        """Open it."""
        try:
            self._file = open(self._path, "rb", buffering=0)  # noqa: SIM115  # open as long as this object
        except OSError as error:
            raise refused("open", self._path, error) from None
        self.name, self.descriptor = self._path, self._file.fileno()
        found = os.fstat(self.descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise file_error(self._path, "is not a file")
        self.size, self.version, self._is_open = found.st_size, _file_version(found), True

    def fetch(self, start: int, end: int) -> bytes:
        """Read a range."""
        return os.pread(self._file.fileno(), end - start, start)

    def require_same(self) -> None:
        """Compare size and times."""
        if _file_version(os.fstat(self._file.fileno())) != self.version:
            raise file_error(self.name, CHANGED)


def _file_version(found: os.stat_result) -> str:
    # Not the inode, which network file systems may number by machine.
    return f"{found.st_size} {found.st_mtime_ns}"


_IDENTITY = (
    "ETag", "etag", "generation", "VersionId", "version_id", "mtime", "LastModified", "last_modified", "updated",
    "modified", "created", "md5", "md5Hash", "crc32c", "content_md5", "ino", "checksum",
)  # fmt: skip

_KINDS: dict[str | None, type[Stored]] = {"s3": S3Object, "http": HttpObject}


def open_object(url: str, first: int | None = None) -> Stored:
    """Open an object.

    first  bytes that will surely be read; they may come with the first response. None: a range

    Raises FileError (not there, no credentials, unreachable), Unavailable (the extra is not installed).
    """
    stored = _object(url)
    stored.open(limits.range_size if first is None else min(first, limits.range_size))
    return stored


def pinned_object(url: str, size: int, version: str) -> Stored:
    """Open an object in the version that open_object() found, perhaps on another machine. Raises FileError."""
    stored = _object(url)
    stored.pin(size, version)
    return stored


def _object(url: str) -> Stored:
    path = local_path(url)
    if path is not None:
        return LocalObject(url, None, path)
    extra = extra_of(url) if "::" not in url else None
    system, place = file_system(url, **({"version_aware": True} if extra == "gcs" else {}))
    return _KINDS.get(extra, OtherObject)(url, system, place)


async def _read_some(content: Any, most: int) -> bytes:
    """Read until there are `most` bytes, or to the end."""
    parts, count = [], 0
    while count < most and (part := await content.read(most - count)):
        parts.append(part)
        count += len(part)
    return b"".join(parts)


def _http_version(headers: Any) -> str:
    """Return the version in a response. Versions with the same weak ETag may have different bytes."""
    etag = headers.get("ETag", "")
    return "|".join(filter(None, ("" if etag.startswith("W/") else etag, headers.get("Last-Modified"))))


def _total(content_range: str | None, name: str) -> int:
    found = re.fullmatch(r"bytes (?:\d+-\d+|\*)/(\d{1,19})", content_range or "")
    if found is None:
        raise file_error(name, "the server does not say the size of the object (Content-Range)")
    return int(found[1])


def _require_range(content_range: str | None, start: int, end: int, size: int | None, name: str) -> None:
    """Refuse a response that has another range than the requested one, or an object of another size."""
    found = re.fullmatch(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19}|\*)", content_range or "")
    if found is None:
        raise Passing("the answer to a range does not say which range it is (Content-Range)")
    if found[3] != "*" and int(found[3]) != size:
        raise file_error(name, f"{CHANGED}: it has {found[3]} bytes now, and had {size}")
    if (int(found[1]), int(found[2])) != (start, end - 1):
        raise Passing(f"asked for bytes {start} to {end - 1}, got bytes {found[1]} to {found[2]}")
