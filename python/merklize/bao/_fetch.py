"""A download that is verified while it arrives, and resumes where it was interrupted."""

from __future__ import annotations

import base64
import bisect
import contextlib
import errno
import fcntl
import functools
import http.client
import io
import os
import re
import socket
import stat
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

from ..errors import Cancelled, FileError, InvalidArgument, Mismatch
from ..extensions import (
    Digest,
    HostData,
    Path,
    Progress,
    beside,
    cancels,
    file_error,
    is_stream,
    open_stream,
    path_text,
    printable,
    refused,
    shown,
    split_http,
    take_place,
    write_all,
)
from .calls import FORMATS, Fault, outboard_size, require_outboard, verify

_WINDOW = 4 << 20  # bytes that are verified at once
_LONGEST = 10**9  # seconds; sockets take few more
_READ = 1 << 18  # the most bytes that are lost when a connection breaks
_NEAR = 1 << 20  # ranges closer than this are one request, because a request takes as long as so many bytes
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # status codes after which another attempt may succeed
_REDIRECTS = {301, 302, 303, 307, 308}
_MOST_REDIRECTS = 10
_OWN = "must be a regular file of this user, with one name and no link; remove it"
_MARK = b"MKLFETCH"  # behind the data of OUT.partial, with root and size: what the file is the beginning of
_clock = time.monotonic


class Fetched(NamedTuple):
    """The counts of a download, in bytes of the message."""

    path: str
    """The path written to; "" for a descriptor."""
    size: int
    kept: int
    """Bytes of an earlier attempt that were right."""
    received: int
    """Bytes that came from the server, wrong ones included."""
    repeated: int
    """Received bytes that were wrong and were requested again."""


def fetch(
    url: str,
    root: Digest,
    outboard: HostData,
    out: Path | int,
    *,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
    retries: int = 5,
    timeout: float = 30,
    speed_limit: int = 1024,
    progress: Progress = None,
) -> Fetched:
    """Download a file whose BLAKE3 digest is `root`, group by verified group.

    Verified bytes are written to OUT.partial, which stays if the download fails; the next call verifies it and resumes.
    Its last 48 bytes say of which root and size it is: a file that no such download left is refused. Wrong and missing
    bytes are requested again. `out` appears when it is complete.

    url          http or https; a user and password in it go to that server alone. A server that does not give ranges is
                 read from the beginning
    outboard     bytes-like: groups of 16 KiB are enough
    out          a path: a link is followed, and its target replaced. A device, a pipe or a descriptor gets what is
                 verified in order
    size         of the file, if the format does not have it
    retries      attempts in a row without new bytes after which it gives up, with growing pauses
    timeout      seconds that the server may be silent
    speed_limit  least bytes a second, averaged over `timeout` seconds; a slower attempt ends
    progress     called with the share that is there, 0 to 1; returning False raises Cancelled

    Memory: 4 MiB, or a group. Raises Mismatch: the outboard or the server's file does not match the root; FileError:
    the server refuses, or the file cannot be written; InvalidArgument: the URL, the format, the size.
    """
    try:
        place = _place(url)
    except ValueError as error:
        raise InvalidArgument(f"{error}, got {shown(url)}") from None
    outboard_size(0, format=format, group_size=group_size)  # refuses both
    if progress is not None and not callable(progress):
        raise TypeError(f"fetch: progress must be callable, got {type(progress).__name__}")
    group_log, _, has_size = FORMATS[format]
    group = 1024 << group_log if group_size is None else group_size
    nodes = memoryview(cast("Any", outboard)).cast("B")
    if has_size:
        stated = int.from_bytes(nodes[:8], "little")
        if size is not None and size != stated:
            raise Mismatch(f"the outboard is of a message of {stated} bytes, not of {size}")
        size = stated
    elif size is None:
        raise InvalidArgument("size must be given: this format does not have it")
    name = "" if isinstance(out, int) else path_text(out, "out")
    rules: dict[str, Any] = {"format": format, "group_size": group_size}
    require_outboard(nodes, size, root, **rules)
    server = _Server(place, shown(url), min(timeout, _LONGEST), speed_limit)
    with _opened(out) as (fd, partial):
        job = _Download(server, root, nodes, size, group, rules, fd, not partial, progress)
        if partial:
            job.resume(partial)
        try:
            job.run(retries)
        except BaseException:
            if partial and job.has_nothing:
                os.unlink(partial)
            raise
        if partial:
            os.ftruncate(fd, size)
    return Fetched(name, size, job.kept, job.received, job.repeated)


@contextlib.contextmanager
def _opened(out: Path | int) -> Iterator[tuple[int, str]]:
    """Give the descriptor to write to, and the name that the file has until it is complete, empty for a stream."""
    if isinstance(out, int):
        with _named("the descriptor"):
            yield out, ""
        return
    name = path_text(out, "out")
    if is_stream(name):
        with _named(name):
            fd = open_stream(name)
            try:
                yield fd, ""
            finally:
                os.close(fd)
        return
    real = os.path.realpath(name)
    partial = beside(real, ".partial")
    with _named(partial):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            fd, is_new = os.open(partial, flags | os.O_EXCL, 0o666), True
        except FileExistsError:
            fd, is_new = _open_old(partial, flags), False
        try:
            _lock(fd, partial)
            if not is_new:
                _require_own(fd, partial)
            yield fd, partial
            take_place(fd, partial, real)
        finally:
            os.close(fd)


@contextlib.contextmanager
def _named(path: str) -> Iterator[None]:
    """Turn OSErrors into errors of this package."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise refused("write", path, error) from None


def _open_old(partial: str, flags: int) -> int:
    """Open the file that an earlier attempt left."""
    try:
        return os.open(partial, flags, 0o666)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise FileError(f"{partial}: {_OWN}") from None


def _require_own(fd: int, partial: str) -> None:
    """Refuse a file that another user may have put there."""
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode) or info.st_nlink != 1 or info.st_uid != os.geteuid():
        raise FileError(f"{partial}: {_OWN}")


def _lock(fd: int, partial: str) -> None:
    """Refuse a file that another process writes."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_busy = not os.path.samestat(os.fstat(fd), os.lstat(partial))  # the other process has finished it
    except (BlockingIOError, FileNotFoundError):
        is_busy = True
    if is_busy:
        raise file_error(partial, "another process is downloading it", errno.EAGAIN)


class _Broken(Exception):
    """An attempt ended early; another attempt may get further."""


class _Slow(_Broken):
    """An attempt ended because it was too slow, no matter what it received."""


class _Place(NamedTuple):
    """The parts of a URL."""

    url: str
    """The URL without credentials and fragment, in ASCII."""
    origin: tuple[str, str | None, int]
    """Protocol, host and port: the only server that may get the credentials."""
    credentials: bytes
    """User:password, or empty."""


def _place(url: str) -> _Place:
    """Take a URL apart. Raises ValueError, with the rule that the URL breaks; TypeError: it is no text."""
    if not isinstance(url, str):
        raise TypeError(f"url must be a string, got {type(url).__name__}")
    if url.partition("://")[0].lower() not in ("http", "https"):
        raise ValueError("the URL must be of http or https")
    if re.search(r"[\0- \x7f]", url):
        raise ValueError("the URL must have no blanks and control characters (a blank is %20)")
    parts, host, port = split_http(url)
    user, at, place = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    credentials = b":".join(map(urllib.parse.unquote_to_bytes, (name, password))) if at else b""
    plain = urllib.parse.urlunsplit((parts.scheme, place, parts.path, parts.query, ""))
    quoted = re.sub("[^!-~]+", lambda found: urllib.parse.quote(found[0], errors="surrogateescape"), plain)
    return _Place(quoted, (parts.scheme, host, port or {"http": 80, "https": 443}[parts.scheme]), credentials)


class _Paced(io.RawIOBase):
    """Reads from a socket as long as it gives enough bytes a second."""

    def __init__(self, raw: socket.SocketIO, seconds: float, least: int) -> None:
        self._raw, self._seconds, self._least = raw, seconds, least
        self._waited, self._came = 0.0, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        began = _clock()
        count = self._raw.readinto(buffer)
        self._waited += _clock() - began
        self._came += count or 0
        if self._waited >= self._seconds:
            if self._came < self._least * self._waited:
                raise _Slow(f"the server sends fewer than {self._least} bytes a second")
            self._waited, self._came = 0.0, 0
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Answer(http.client.HTTPResponse):
    """A response that is read by _Paced from its first line on."""

    def __init__(self, pace: tuple[float, int], sock: socket.socket, *arguments: Any, **options: Any) -> None:
        super().__init__(sock, *arguments, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Paced(sock.makefile("rb", buffering=0), *pace))


class _Server:
    """A server that has the file, and the requests to it."""

    def __init__(self, place: _Place, name: str, timeout: float, speed_limit: int) -> None:
        self.name = name
        self._place, self._timeout = place, timeout
        pace = (timeout, speed_limit)

        def connection(kind: Any, *arguments: Any, **options: Any) -> Any:
            made = kind(*arguments, **options)
            made.response_class = functools.partial(_Answer, pace)
            return made

        class Http(urllib.request.HTTPHandler):
            def http_open(self, request: Any) -> Any:
                return self.do_open(cast("Any", functools.partial(connection, http.client.HTTPConnection)), request)

        class Https(urllib.request.HTTPSHandler):
            def https_open(self, request: Any) -> Any:
                return self.do_open(cast("Any", functools.partial(connection, http.client.HTTPSConnection)), request)

        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler, Http, Https, urllib.request.HTTPErrorProcessor):
            self._opener.add_handler(handler())
        self._opener.add_handler(urllib.request.HTTPDefaultErrorHandler())

    def ask(self, begin: int, end: int) -> Any:
        """Return the answer to a request for bytes `begin` to `end`. Raises _Broken, FileError, Mismatch."""
        place = self._place
        for _ in range(_MOST_REDIRECTS + 1):
            found = self._ask_at(place, begin, end)
            if not isinstance(found, str):
                return found
            with contextlib.suppress(ValueError):  # an invalid URL is refused below
                found = urllib.parse.urljoin(place.url, found)
            try:
                there = _place(found)
            except ValueError as error:
                raise FileError(f"{self.name}: the server sends elsewhere: {error}, got {shown(found)}") from None
            # Credentials for this server are not sent to another server.
            kept = place.credentials if there.origin == place.origin else b""
            place = there._replace(credentials=there.credentials or kept)
        raise FileError(f"{self.name}: the server sends elsewhere more than {_MOST_REDIRECTS} times")

    def _ask_at(self, place: _Place, begin: int, end: int) -> Any:
        headers = {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity", "User-Agent": "merklize"}
        if place.credentials:
            headers["Authorization"] = f"Basic {base64.b64encode(place.credentials).decode()}"
        try:
            return self._opener.open(urllib.request.Request(place.url, headers=headers), timeout=self._timeout)
        except urllib.error.HTTPError as error:
            error.close()
            location = error.headers.get("Location")
            if error.code in _REDIRECTS and location:
                return (
                    location.encode("latin-1", "replace").decode("utf-8", "surrogateescape").strip().replace(" ", "%20")
                )
            # Not the server's own text, which may be anything.
            text = f"the server answered {error.code} {http.client.responses.get(error.code, '')}".rstrip()
            if error.code in _PASSING:
                raise _Broken(text) from None
            if error.code == 416:
                raise Mismatch(f"{self.name}: the server's file is shorter than the outboard's") from None
            raise FileError(f"{self.name}: {text}") from None
        except OSError as error:
            why = getattr(error, "reason", error)
            raise _Broken(f"cannot connect: {printable(getattr(why, 'strerror', None) or str(why))[:200]}") from None
        except http.client.HTTPException as error:
            raise _Broken(f"the server does not speak HTTP ({type(error).__name__})") from None


def stated_size(url: str, timeout: float, speed_limit: int) -> int | None:
    """Return the bytes of a file as its server states them; None if it states none, or cannot be asked now.

    timeout, speed_limit  as in fetch(). The size is a claim of the server's, which only an outboard's root proves.
    """
    try:
        with _Server(_place(url), shown(url), min(timeout, _LONGEST), speed_limit).ask(0, 1) as response:
            whole = re.fullmatch(r"bytes 0-0/(\d{1,19})", response.headers.get("Content-Range", "").strip(), re.ASCII)
            stated = whole[1] if response.status == 206 and whole else response.headers.get("Content-Length", "")
            is_known = whole is not None or response.status == 200
            return int(stated) if is_known and re.fullmatch(r"\d{1,19}", stated, re.ASCII) else None
    except Mismatch:  # it has no first byte
        return 0
    except (_Broken, ValueError):  # fetch() says why, if it is so again
        return None


class _Download:
    def __init__(
        self,
        server: _Server,
        root: Digest,
        outboard: memoryview,
        size: int,
        group: int,
        rules: dict[str, Any],
        fd: int,
        in_order: bool,
        progress: Progress,
    ) -> None:
        self._server, self._root, self._outboard, self._size = server, root, outboard, size
        self._group, self._window = group, max(group, _WINDOW)
        self._rules, self._fd, self._in_order = rules, fd, in_order
        self._progress = progress
        self._missing: list[tuple[int, int]] = [(0, size)] if size else []  # begin and end, in order; no two touch
        self._left = size
        self._wrong: Fault | None = None  # the last fault that was received
        self.kept = self.received = self.repeated = 0

    def resume(self, partial: str) -> None:
        """Verify what an earlier attempt left, and keep what is right. Raises FileError: it is of something else."""
        mark, there = self._mark(), os.fstat(self._fd).st_size
        is_own = there == self._size + len(mark) and os.pread(self._fd, len(mark), self._size) == mark
        # A process that was killed at the very end leaves the data without the mark. Then nothing is missing.
        if is_own or (there == self._size and there):
            for begin in range(0, self._size, 16 * self._window):
                data = os.pread(self._fd, min(16 * self._window, self._size - begin), begin)
                self._found(self._right(data, begin, self._verified(data, begin)))
            self.kept = self._size - self._left
        if there and not is_own and (there != self._size or self._left):
            raise FileError(
                f"{partial}: is not what a download of this root and size left: remove it, or write to another file"
            )
        os.pwrite(self._fd, mark, self._size)

    @property
    def has_nothing(self) -> bool:
        """Whether no byte is there."""
        return self._left == self._size

    def _mark(self) -> bytes:
        root = self._root
        digest = bytes.fromhex(root[-64:]) if isinstance(root, str) else bytes(cast("Any", root))
        return _MARK + digest + self._size.to_bytes(8, "little")

    def _verified(self, data: bytes | bytearray, offset: int) -> list[Fault]:
        """Return the faults of a part. Raises Mismatch if the outboard is wrong."""
        report = verify(data, self._root, self._outboard, offset=offset, size=self._size, **self._rules)
        for fault in report.faults:
            if fault.in_outboard:
                raise Mismatch(f"the outboard is not the root's: {fault}")
        return report.faults

    @staticmethod
    def _right(data: bytes | bytearray, at: int, faults: Iterable[Fault]) -> list[tuple[int, int]]:
        """Return begin and end of the right ranges in a part that begins at `at`."""
        ends = [at, *(end for fault in faults for end in (fault.offset, fault.offset + fault.length)), at + len(data)]
        return [(begin, end) for begin, end in zip(ends[::2], ends[1::2]) if begin < end]

    def run(self, retries: int) -> None:
        """Request missing ranges until none is missing."""
        failures = 0
        while self._missing:
            before, is_slow = self._left, False
            try:
                for begin, end in _joined(self._missing):
                    if self._range(begin, end):
                        break
                reason = f"{self._wrong}" if self._wrong else "the server sent too little"
            except _Broken as broken:
                reason, is_slow = str(broken), isinstance(broken, _Slow)
            failures = failures + 1 if is_slow or self._left == before else 0
            if self._missing and failures > retries:
                text = f"{self._server.name}: {reason}; {self._left} of {self._size} bytes are missing"
                raise Mismatch(text) if self._wrong else FileError(text)
            if self._missing and failures:
                time.sleep(min(0.1 * 2 ** min(failures, 7), 10))

    def _range(self, begin: int, end: int) -> bool:
        """Request bytes `begin` to `end` and keep what is right; tell whether the response had all missing bytes."""
        with self._server.ask(begin, end) as response:
            is_all: bool = response.status == 200  # the server gives no ranges
            at, end = (0, self._missing[-1][1]) if is_all else (self._first_byte(response, begin), end)
            while at < end:
                data = bytearray()
                try:
                    self._read(response, min(self._window - at % self._window, end - at), data)
                finally:  # also what came before a Ctrl-C
                    if data and any(first < at + len(data) and at < last for first, last in self._missing_from(at)):
                        self._keep(data, at)
                at += len(data)
        return is_all

    def _first_byte(self, response: Any, begin: int) -> int:
        """Return the position in the file at which the response begins."""
        stated = response.headers.get("Content-Range", "")
        found = re.fullmatch(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19}|\*)", stated.strip(), re.ASCII)
        if response.status != 206 or not found or int(found[1]) != begin:
            answered = f"{response.status} {stated[:80]!r}"
            raise _Broken(f"asked for bytes from {begin} on, the server answered {answered}")
        if found[2] != "*" and int(found[2]) != self._size:
            text = f"the server's file has {found[2]} bytes, the outboard's {self._size}"
            raise Mismatch(f"{self._server.name}: {text}")
        return begin

    def _read(self, response: Any, count: int, data: bytearray) -> None:
        """Read `count` bytes, or as many as come before the connection ends."""
        try:
            while len(data) < count and (more := response.read(min(count - len(data), _READ))):
                data += more
                self.received += len(more)
        except (OSError, http.client.HTTPException):
            pass  # the bytes received before are good
        if not data:
            raise _Broken("the connection ended early")

    def _keep(self, data: bytearray, at: int) -> None:
        """Verify the received bytes and write what is right. A group that is cut off cannot be verified."""
        whole = data if at + len(data) == self._size else data[: len(data) // self._group * self._group]
        faults = self._verified(whole, at) if whole else []
        for fault in faults:
            self.repeated += fault.length
            self._wrong = fault
        right = self._right(whole, at, faults)
        if self._in_order:  # the bytes before are written already
            here = self._missing[0][0]
            right = [(here, end) for begin, end in right if begin <= here < end]
        for begin, end in right:
            write_all(self._fd, memoryview(data)[begin - at : end - at], None if self._in_order else begin)
        self._found(right)
        if self._progress and cancels(self._progress(1 - self._left / self._size)):
            raise Cancelled("cancelled by the progress function")
        if self._in_order and faults:
            raise _Broken(str(faults[0]))

    def _missing_from(self, at: int) -> Iterable[tuple[int, int]]:
        """Return the first range that ends behind `at`, if there is one."""
        k = bisect.bisect_right(self._missing, (at, self._size))
        k -= k > 0 and self._missing[k - 1][1] > at
        return self._missing[k : k + 1]

    def _found(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Note that these bytes are there. The cost does not depend on the number of other missing ranges."""
        for first, last in ranges:
            begin = bisect.bisect_left(self._missing, (first,))
            begin -= begin > 0 and self._missing[begin - 1][1] > first
            end = bisect.bisect_left(self._missing, (last,))
            old = self._missing[begin:end]
            new = [(b, e) for one in old for b, e in ((one[0], first), (last, one[1])) if b < e]
            self._left -= sum(e - b for b, e in old) - sum(e - b for b, e in new)
            self._missing[begin:end] = new


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges that cover these, with ranges near each other joined."""
    joined: list[tuple[int, int]] = []
    for begin, end in ranges:
        if joined and begin - joined[-1][1] <= _NEAR:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined
