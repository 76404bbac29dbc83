"""Verification while reading."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from .. import _arrays, _native
from .._inputs import read_bytes
from .._types import Digest, HostData
from ..errors import InvalidArgument, Mismatch, in_call, shown
from .calls import form_of, known_size, require_outboard, require_size, verify


class HasRead(Protocol):
    """Anything open for reading bytes."""

    def read(self, size: int, /) -> bytes | None:
        """Return up to `size` bytes; none at the end."""


class Decoder(_native.BaoDecoder):
    """Verifies an encoding or a slice that comes in order.

    root    the digest that is trusted
    ranges  of a slice: (start, length) of each range that it was made of; None: an encoding
    size    as in decode()

    while wanted := decoder.wants():
        message_bytes = decoder.take(file.read(wanted))
    """

    def __init__(
        self,
        root: Digest,
        *,
        ranges: Iterable[tuple[int, int]] | None = None,
        format: str = "bao",
        group_size: int | None = None,
        size: int | None = None,
    ) -> None:
        """Begin."""
        form = form_of(format, group_size)
        super().__init__(root, ranges, form, known_size(size, form))
        self._given = None if size is None else _arrays.unsigned(size, "size")

    def wants(self) -> int:
        """Return how many bytes take() takes next: at most 272 KiB, or a group; 0: all is verified."""
        return super().wants()

    def take(self, data: HostData, /) -> bytes:
        """Verify the next wants() bytes, and return the bytes of the message among them: whole chunks, or none.

        Raises Mismatch if they do not match the root, and the same bytes are then still wanted; or if they state
        another size than was given.
        """
        found = super().take(data)
        require_size(self._given, super().size)
        return found

    @property
    def offset(self) -> int:
        """Where the bytes of the last take() begin in the message."""
        return super().offset

    @property
    def size(self) -> int:
        """The message's size as stated. It is proven once the last chunk is verified."""
        return super().size


def _read_exactly(file: HasRead, count: int) -> bytes:
    data = bytearray()
    while len(data) < count and (more := read_bytes(file, count - len(data))):
        data += more
    if len(data) > count:
        raise InvalidArgument(f"read() of {type(file).__name__} must give what it is asked for, got more")
    return bytes(data)


def decode_stream(
    file: HasRead,
    root: Digest,
    *,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
) -> Iterator[bytes]:
    """Yield the message of an encoding that is read in order, piece by verified piece.

    size  as in decode()

    Raises Mismatch: not what the root says, truncated, or bytes follow it. What was yielded before is right.
    """
    if not callable(getattr(file, "read", None)):
        raise TypeError(in_call(f"file must be open for reading, got {type(file).__name__} without read()"))
    decoder = Decoder(root, format=format, group_size=group_size, size=size)

    def decode_stream() -> Iterator[bytes]:  # errors of later pieces name the function, too
        read = 0
        while wanted := decoder.wants():
            item = _read_exactly(file, wanted)
            if len(item) < wanted:
                raise Mismatch(f"truncated: {wanted} bytes must follow byte {read}, and there are {len(item)}")
            read += wanted
            if data := decoder.take(item):
                yield data
        if read_bytes(file, 1):
            raise Mismatch(f"bytes follow its end at {read}")

    return decode_stream()


class Reader(io.RawIOBase):
    """A file, open for reading at any position, that gives only verified bytes.

    file      of the message, with read() and seek(); it is not closed
    outboard  bytes-like; that of a large file may be mapped (mmap, numpy.memmap)
    size      of the message; None asks the file for its end

    Reads whole groups, 256 KiB at least, and keeps the last ones. Not for several threads at once. A read that begins
    at bytes that do not match the root raises Mismatch; a read that reaches such bytes ends before them.
    """

    def __init__(
        self,
        file: Any,
        root: Digest,
        outboard: HostData,
        *,
        format: str = "bao",
        group_size: int | None = None,
        size: int | None = None,
    ) -> None:
        """Raise Mismatch if the outboard cannot belong to this file, by its length or the size that it states."""
        super().__init__()
        for method in ("read", "seek"):
            if not callable(getattr(file, method, None)):
                raise TypeError(in_call(f"file must be open for reading, got {type(file).__name__} without {method}()"))
        self._file = file
        self._root = _native.digest(root, "root")
        self._outboard = outboard
        self._form: dict[str, Any] = {"format": format, "group_size": group_size}
        self._size = _arrays.unsigned(file.seek(0, io.SEEK_END) if size is None else size, "size")
        group = 1024 << form_of(format, group_size)[0]
        self._window = max(group, 256 << 10)
        self._kept = b""
        self._kept_at = 0
        self._at = 0
        require_outboard(outboard, self._size, self._root, **self._form)

    def readable(self) -> bool:
        """Return True."""
        self._checkClosed()
        return True

    def seekable(self) -> bool:
        """Return True."""
        self._checkClosed()
        return True

    def tell(self) -> int:
        """Return where the next read begins."""
        self._checkClosed()
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move there, as io.RawIOBase.seek()."""
        self._checkClosed()
        offset, whence = _arrays.integer(offset, "offset"), _arrays.integer(whence, "whence")
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}
        if whence not in starts or starts[whence] + offset < 0:
            raise InvalidArgument(
                f"offset {shown(offset)} from {shown(whence)} is before the beginning, or from nowhere"
            )
        self._at = starts[whence] + offset
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Fill a writable buffer with verified bytes; fewer at the end, and where a group ends."""
        self._checkClosed()
        _native.host_bytes(buffer, "buffer")  # refuses arrays of Python objects
        try:
            out = memoryview(buffer).cast("B")
        except ValueError as error:  # NumPy's error for dtypes that the buffer protocol lacks
            raise InvalidArgument(f"buffer must be writable bytes, got {type(buffer).__name__}: {error}") from None
        if self._at >= self._size or not out:
            return 0
        if not self._kept_at <= self._at < self._kept_at + len(self._kept):
            self._load(self._at // self._window * self._window, len(out))
        first = self._at - self._kept_at
        part = self._kept[first : first + len(out)]
        out[: len(part)] = part
        self._at += len(part)
        return len(part)

    def _load(self, begin: int, wanted: int) -> None:
        count = min(self._size - begin, max(1, min(wanted // self._window, 32)) * self._window)
        self._file.seek(begin)
        data = _read_exactly(self._file, count)
        if len(data) < count:
            raise Mismatch(f"the file ends at byte {begin + len(data)}, the message at {self._size}")
        first, last = begin, begin + count
        report = verify(data, self._root, self._outboard, offset=begin, size=self._size, **self._form)
        for fault in report.faults:  # the bytes between faults are right
            if fault.offset > self._at:
                last = min(last, fault.offset)
            elif fault.offset + fault.length <= self._at:
                first = fault.offset + fault.length
            else:
                raise Mismatch(str(fault))
        self._kept, self._kept_at = data[first - begin : last - begin], first
