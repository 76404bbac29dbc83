"""A download that is verified while it comes, and that goes on where it was broken off."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import http.client
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import Cancelled, FileError, InvalidArgument, Mismatch
from ._calls import Fault, form_of, require_outboard, verify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Buffer

    from .._types import HostData, Path, Progress

_WINDOW = 4 << 20  # bytes that are verified at once
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers that another try may change


class Fetched(NamedTuple):
    """What a download did, in bytes of the message."""

    path: str
    size: int
    kept: int
    """Were there already, from an earlier try, and right."""
    received: int
    """Came from the server, wrong ones too."""
    repeated: int
    """Of those, were wrong and were asked for again."""


def fetch(
    url: str,
    root: Buffer,
    outboard: HostData,
    out: Path,
    *,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
    retries: int = 5,
    timeout: float = 30,
    progress: Progress = None,
) -> Fetched:
    """Download a file whose BLAKE3 digest is `root`, group by verified group.

    What is verified is written to OUT.partial, and stays there if the download fails: the next call verifies it and
    goes on. What is wrong, or does not come, is asked for again. `out` appears when all of it is right.

    url       http or https; a server that does not give ranges is read from the beginning
    outboard  bytes-like: groups of 16 KiB are enough
    size      of the file, if the format does not have it
    retries   tries in a row that bring nothing new before it gives up, with growing pauses
    timeout   seconds that the server may be silent
    progress  called with the share that is there, 0 to 1; returning False raises Cancelled

    Memory: 4 MiB, or a group. Raises Mismatch: the outboard is not the root's, or the server's file is another;
    FileError: the server refuses, or the file cannot be written; InvalidArgument: the URL, the format, the size.
    """
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise InvalidArgument(f"fetch: the URL must be of http or https, got {_shown(url)}")
    form = form_of(format, group_size)
    nodes = memoryview(cast("Any", outboard)).cast("B")
    if form[2]:
        stated = int.from_bytes(nodes[:8], "little")
        if size is not None and size != stated:
            raise Mismatch(f"the outboard is of a message of {stated} bytes, not of {size}")
        size = stated
    elif size is None:
        raise InvalidArgument("fetch: size must be given: this format does not have it")
    name = os.fsdecode(out)
    rules: dict[str, Any] = {"format": format, "group_size": group_size}
    require_outboard(nodes, size, root, **rules)
    with _partial(f"{name}.partial") as (fd, was_there):
        job = _Download(url, root, nodes, size, max(1024 << form[0], _WINDOW), rules, fd, timeout, progress)
        job.resume(was_there)
        job.run(retries)
        os.fsync(fd)
        os.replace(f"{name}.partial", name)
    return Fetched(name, size, job.kept, job.received, job.repeated)


def _shown(url: str) -> str:
    """Return a URL for texts: without what may be secret, which is a password or a signature."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


@contextlib.contextmanager
def _partial(path: str) -> Iterator[tuple[int, bool]]:
    """Open a file that one process at a time may have."""
    try:
        was_there = os.path.exists(path)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise FileError._refused("open", path, error) from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield fd, was_there
    except BlockingIOError:
        raise FileError._of(f"{path}: another process is downloading it", errno.EAGAIN, path) from None
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError._of(f"{path}: {error.strerror}", error.errno or 0, path) from None
    finally:
        os.close(fd)


class _Broken(Exception):
    """A try ended early; another one may go further."""


class _Download:
    def __init__(
        self,
        url: str,
        root: Buffer,
        outboard: memoryview,
        size: int,
        window: int,
        rules: dict[str, Any],
        fd: int,
        timeout: float,
        progress: Progress,
    ) -> None:
        self._url, self._root, self._outboard, self._size = url, root, outboard, size
        self._window, self._rules, self._fd = window, rules, fd
        self._timeout, self._progress = timeout, progress
        self._missing: list[tuple[int, int]] = [(0, size)] if size else []  # begin and end, in order
        self._wrong: Fault | None = None  # the last one that came
        self.kept = self.received = self.repeated = 0

    def resume(self, was_there: bool) -> None:
        """Find out what of an earlier try is right."""
        if was_there and os.fstat(self._fd).st_size and self._size:
            os.ftruncate(self._fd, self._size)
            found = []
            for begin in range(0, self._size, 16 * self._window):
                data = os.pread(self._fd, min(16 * self._window, self._size - begin), begin)
                found += self._verified(data, begin)
            self._missing = [(fault.offset, fault.offset + fault.length) for fault in found]
            self.kept = self._size - self._left()
        os.ftruncate(self._fd, self._size)

    def _left(self) -> int:
        return sum(end - begin for begin, end in self._missing)

    def _verified(self, data: bytes, offset: int) -> list[Fault]:
        """Return what of a part is wrong. Raises Mismatch: the outboard is."""
        report = verify(data, self._root, self._outboard, offset=offset, size=self._size, **self._rules)
        for fault in report.faults:
            if fault.in_outboard:
                raise Mismatch(f"the outboard is not the root's: {fault}")
        return report.faults

    def run(self, retries: int) -> None:
        """Ask for what is missing until nothing is."""
        failures = 0
        while self._missing:
            before = self._left()
            try:
                for begin, end in list(self._missing):
                    self._range(begin, end)
                reason = f"{self._wrong}" if self._wrong else "the server sent too little"
            except _Broken as broken:
                reason = str(broken)
            failures = 0 if self._left() < before else failures + 1
            if self._missing and failures > retries:
                text = f"{_shown(self._url)}: {reason}; {self._left()} of {self._size} bytes are missing"
                raise Mismatch(text) if self._wrong else FileError(text)
            if self._missing and failures:
                time.sleep(min(0.1 * 2**failures, 10))

    def _range(self, begin: int, end: int) -> None:
        """Ask for bytes `begin` to `end` and keep what of them is right."""
        with self._answer(begin, end) as response:
            at = self._first_byte(response, begin)
            while at < begin:  # the server gives no ranges
                at += len(self._read(response, min(self._window, begin - at)))
            while at < end:
                data = self._read(response, min(self._window - at % self._window, end - at))
                self._keep(data, at)
                at += len(data)

    def _answer(self, begin: int, end: int) -> Any:
        headers = {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity", "User-Agent": "merklize"}
        try:
            return urllib.request.urlopen(urllib.request.Request(self._url, headers=headers), timeout=self._timeout)
        except urllib.error.HTTPError as error:
            error.close()
            text = f"the server answered {error.code} {error.reason}"
            if error.code in _PASSING:
                raise _Broken(text) from None
            if error.code == 416:
                raise Mismatch(f"{_shown(self._url)}: the server's file is shorter than {self._size} bytes") from None
            raise FileError(f"{_shown(self._url)}: {text}") from None
        except (OSError, http.client.HTTPException) as error:
            raise _Broken(f"cannot connect: {getattr(error, 'reason', error)}") from None

    def _first_byte(self, response: Any, begin: int) -> int:
        """Return where in the file the answer begins."""
        if response.status == 200:
            return 0
        stated = response.headers.get("Content-Range", "")
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", stated.strip())
        if response.status != 206 or not found or int(found[1]) != begin:
            raise _Broken(f"asked for bytes from {begin} on, the server answered {response.status} {stated!r}")
        if found[2] != "*" and int(found[2]) != self._size:
            text = f"the server's file has {found[2]} bytes, the outboard's {self._size}"
            raise Mismatch(f"{_shown(self._url)}: {text}")
        return begin

    def _read(self, response: Any, count: int) -> bytes:
        """Return `count` bytes, or as many as come before the connection ends."""
        data = bytearray()
        try:
            while len(data) < count and (more := response.read(count - len(data))):
                data += more
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, http.client.IncompleteRead):
                data += error.partial
        if not data:
            raise _Broken("the connection ended early")
        return bytes(data)

    def _keep(self, data: bytes, at: int) -> None:
        """Verify what came and write what is right. Of a group that is cut off nothing is known."""
        self.received += len(data)
        group = 1024 << form_of(**self._rules)[0]
        whole = len(data) if at + len(data) == self._size else len(data) // group * group
        faults = self._verified(data[:whole], at) if whole else []
        good, begin = [], at
        for fault in faults:
            good.append((begin, fault.offset))
            begin = fault.offset + fault.length
            self.repeated += fault.length
            self._wrong = fault
        good.append((begin, at + whole))
        for first, last in good:
            _write(self._fd, data[first - at : last - at], first)
            self._found(first, last)
        if self._progress and self._progress(1 - self._left() / self._size) is False:
            raise Cancelled("cancelled by the progress function")

    def _found(self, first: int, last: int) -> None:
        """Note that bytes `first` to `last` are there."""
        left = []
        for begin, end in self._missing:
            left += [(begin, min(end, first)), (max(begin, last), end)]
        self._missing = [(begin, end) for begin, end in left if begin < end]


def _write(fd: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        count = os.pwrite(fd, view, offset)
        view, offset = view[count:], offset + count
