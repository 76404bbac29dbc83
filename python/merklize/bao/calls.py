"""Making, decoding and verifying outboards, encodings and slices."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from .. import _native
from .._arrays import device_bytes, integer, unsigned
from .._inputs import is_source, opened_path, output_file
from .._options import RunOptions, run_of, takes
from .._settings import settings
from .._types import Data, Digest, HostData, Path, Progress, Source
from ..errors import InvalidArgument, Mismatch, in_call, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "FORMATS",
    "Encoding",
    "Fault",
    "Outboard",
    "Report",
    "decode",
    "decode_slice",
    "encode",
    "encode_file",
    "encoding_size",
    "outboard",
    "outboard_file",
    "outboard_size",
    "require_outboard",
    "slice",
    "slice_ranges",
    "verify",
]

FORMATS: dict[str, tuple[int, bool, bool]] = {
    "bao": (0, False, True),
    "bao_tree": (4, False, False),
    "bao_tree_post": (4, True, False),
}
"""For each format: log2 of a group's chunks; whether parents follow their children; whether the size comes first."""


class Outboard(NamedTuple):
    """The nodes of a message's tree."""

    outboard: bytes
    root: bytes
    """hash() of the message."""


class Encoding(NamedTuple):
    """Nodes and message together."""

    encoding: bytes
    root: bytes


class Fault(NamedTuple):
    """Bytes of a message that cannot be verified. As text, it is a sentence."""

    offset: int
    length: int
    in_outboard: bool
    """True: the outboard is wrong, so nothing is known of the message. False: the message is wrong."""

    def __str__(self) -> str:
        where = f"bytes {self.offset} to {self.offset + self.length}"
        if self.in_outboard:
            return f"{where} cannot be verified: the outboard is not the root's"
        return f"{where} are not what the root says"


class Report(NamedTuple):
    """The result of a verification. True if nothing is wrong."""

    faults: list[Fault]
    size: int
    """Bytes that were verified, in whole groups."""

    def __bool__(self) -> bool:
        return not self.faults

    def require(self) -> None:
        """Raise Mismatch, with the first faults in its text, unless nothing is wrong."""
        if self.faults:
            more = f"; and {len(self.faults) - 3} more" if len(self.faults) > 3 else ""
            raise Mismatch("; ".join(map(str, self.faults[:3])) + more)


def form_of(format: str, group_size: int | None) -> tuple[int, bool, bool]:
    """Return a form as the extension takes it."""
    if not isinstance(format, str):
        raise TypeError(in_call(f"format must be a string, got {type(format).__name__}"))
    if format not in FORMATS:
        raise InvalidArgument(f"format must be one of {', '.join(FORMATS)}, got {shown(format)}")
    group_log, is_post, has_size = FORMATS[format]
    if group_size is not None:
        group_size = integer(group_size, "group_size")
        if group_size not in [1024 << k for k in range(21)]:
            raise InvalidArgument(f"group_size must be a power of two, 1024 to 2^30, got {shown(group_size)}")
        group_log = group_size.bit_length() - 11
    return group_log, is_post, has_size


def known_size(size: int | None, form: tuple[int, bool, bool], encoding: HostData = b"") -> int:
    """Return the size for the extension: 0 if the format states it. Raises Mismatch: the encoding states another."""
    if size is None and not form[2]:
        raise InvalidArgument("size must be given: this format does not have it")
    head = bytes(memoryview(_native.host_bytes(encoding, "encoding"))[:8]) if size is not None and form[2] else b""
    if len(head) == 8:
        require_size(size, int.from_bytes(head, "little"))
    return 0 if size is None else size


def require_size(size: int | None, stated: int) -> None:
    """Raise Mismatch unless `size`, if it is given, is what was stated."""
    if size is not None and unsigned(size, "size") != stated:
        raise Mismatch(f"size must be the message's, which is stated as {stated} bytes, got {shown(size)}")


def require_outboard(outboard: HostData, size: int, root: Digest, format: str, group_size: int | None) -> None:
    """Raise Mismatch unless an outboard fits a message of `size` bytes; if `size` is 0, unless the root does."""
    size = unsigned(size, "size")
    if size == 0:
        verify(b"", root, outboard, format=format, group_size=group_size).require()
    else:
        _native.bao_require_outboard(outboard, size, form_of(format, group_size))


def in_groups(start: int, length: int, size: int, group: int) -> tuple[int, int]:
    """Return begin and end of a range's groups. An empty range takes the group at `start`; beyond the end, the last."""
    last = max(size - 1, 0)
    begin = min(start, last) // group * group
    return begin, min((min(start + max(length, 1) - 1, last) // group + 1) * group, size)


@takes(RunOptions)
def outboard(
    data: Data,
    *,
    format: str = "bao",
    group_size: int | None = None,
    out: object = None,
    **options: Unpack[RunOptions],
) -> Outboard:
    """Return the outboard of a message and its root, from one pass over it.

    data      bytes-like, or any array or tensor, in C order; one on a device is hashed there
    device    "auto", or an id of devices()
    threads   of the CPU; None is all that the process may use
    stream    queue of a device to follow
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled
    out       for data on a device: a writable tensor or DeviceArray there, uint8[outboard_size(...)], that gets the
              outboard. The result's is then empty: nothing but the root comes to the host

    Costs memory on a device: twice the outboard.

    >>> made = merklize.bao.outboard(b"message", format="bao_tree")
    >>> made.root == merklize.hash(b"message")
    True
    """
    form = form_of(format, group_size)
    run = run_of("outboard", options)
    there = None if out is None else device_bytes(out, "out", run)
    return Outboard(*_native.bao_outboard(data, form, there, run))


@takes(RunOptions)
def outboard_file(
    path: Path,
    out: Path | None = None,
    *,
    format: str = "bao",
    group_size: int | None = None,
    **options: Unpack[RunOptions],
) -> Outboard:
    """Return the outboard of a file of any size and its root, or write the outboard to a file.

    path  of a file, a block device or a pipe, or a URL
    out   a file or a URL to write, which appears when it is whole. The result's outboard is then empty, and memory is
          32 bytes for each 256 KiB of the file; 64 bytes for each group where only reading tells how much there is

    Raises FileError: unreadable, or changed while it was read.
    """
    form = form_of(format, group_size)
    run = run_of("outboard_file", options)
    with opened_path(path, "path") as source:
        if out is None:
            return Outboard(*_native.bao_outboard_file(source, form, None, run))
        with output_file(out, "out") as to:
            return Outboard(*_native.bao_outboard_file(source, form, to, run))


def encode(
    data: HostData,
    *,
    format: str = "bao",
    group_size: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Encoding:
    """Return the encoding of a message, and its root. On the CPU."""
    return Encoding(*_native.bao_encode(data, form_of(format, group_size), settings("cpu", threads, progress)))


def encode_file(
    path: Path,
    out: Path,
    *,
    format: str = "bao",
    group_size: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> bytes:
    """Write the encoding of a file of any size to a file, which appears when it is whole. Return the root.

    Both may be URLs. `path` may be a block device or a pipe. A pipe is copied first, beside `out`.

    Raises FileError: unreadable, or changed while it was read.
    """
    form = form_of(format, group_size)
    run = settings("cpu", threads, progress)
    with opened_path(path, "path") as source, output_file(out, "out") as to:
        return _native.bao_encode_file(source, form, to, run)


def outboard_size(size: int, *, format: str = "bao", group_size: int | None = None) -> int:
    """Return the bytes of the outboard of a message of `size` bytes."""
    return _native.bao_outboard_bytes(size, form_of(format, group_size))


def encoding_size(size: int, *, format: str = "bao", group_size: int | None = None) -> int:
    """Return the bytes of the encoding of a message of `size` bytes."""
    return _native.bao_encoding_bytes(size, form_of(format, group_size))


def decode(
    encoding: HostData,
    root: Digest,
    *,
    outboard: HostData | None = None,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
) -> bytes:
    """Return the message of an encoding, all of it verified against the root.

    outboard  if given, `encoding` is the message itself
    size      of the message; the format "bao" states it, and then it must be the same

    Raises Mismatch: not what the root says, truncated, or bytes follow it; of another size.
    """
    form = form_of(format, group_size)
    if outboard is None:
        return _native.bao_decode(encoding, root, form, known_size(size, form, encoding))
    message = bytes(_native.host_bytes(encoding, "encoding"))
    require_size(size, len(message))
    verify(message, root, outboard, format=format, group_size=group_size).require()
    return message


def slice(
    data: HostData,
    start: int,
    length: int,
    *,
    outboard: HostData | None = None,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
) -> bytes:
    """Return the slice of message bytes `start` to `start + length`, which can be verified against the root.

    Verifies nothing itself.

    data      an encoding; with `outboard`, the message. Both may be files that are mapped (mmap, numpy.memmap)
    size      as in decode()

    As in bao, no length takes the chunk of `start`, and a start beyond the end the last chunk.
    Raises Mismatch: encoding or outboard are longer or shorter than the size says.
    """
    return slice_ranges(data, [(start, length)], outboard=outboard, format=format, group_size=group_size, size=size)


def slice_ranges(
    data: HostData,
    ranges: Iterable[tuple[int, int]],
    *,
    outboard: HostData | None = None,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
) -> bytes:
    """Return the slice of several ranges, (start, length) each, in any order."""
    form = form_of(format, group_size)
    if outboard is not None:
        require_size(size, memoryview(_native.host_bytes(data, "data")).nbytes)
    whole = 0 if outboard is not None else known_size(size, form, data)
    return _native.bao_slice(data, outboard, ranges, form, whole)


def decode_slice(
    slice: HostData,
    root: Digest,
    start: int,
    length: int,
    *,
    format: str = "bao",
    group_size: int | None = None,
    size: int | None = None,
) -> bytes:
    """Return message bytes `start` to `start + length` from their slice, verified; fewer where the message ends.

    size  as in decode()

    Slices of several ranges are for Decoder. Raises Mismatch: not what the root says, truncated, or bytes follow it.

    >>> made = merklize.bao.encode(bytes(100_000))
    >>> part = merklize.bao.slice(made.encoding, 5000, 10)
    >>> merklize.bao.decode_slice(part, made.root, 5000, 10) == bytes(10)
    True
    """
    form = form_of(format, group_size)
    return _native.bao_decode_slice(slice, root, start, length, form, known_size(size, form, slice))


def verify(
    data: HostData | str | os.PathLike[str] | Source,
    root: Digest,
    outboard: HostData,
    *,
    offset: int = 0,
    length: int | None = None,
    size: int | None = None,
    format: str = "bao",
    group_size: int | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Report:
    """Verify a message, or a part of it, by its outboard.

    data    the path of a file or a block device, or a URL: only what is verified is read. Of a pipe all is, into a
            temporary file. Or bytes of the message from `offset` on, which begin with a group and end with one or with
            the message
    length  of a file or URL: verify this many bytes from `offset` on, widened to groups; None is all the rest. No bytes
            take the group at `offset`, and beyond the end the last one
    size    of the message that `data` is a part of; None: it ends with `data`

    Raises Mismatch: the outboard has another length, or states another size, than this message's; InvalidArgument: a
    part that is not whole groups, or has no bytes where the message has some.

    >>> data = bytes(100_000)
    >>> made = merklize.bao.outboard(data)
    >>> report = merklize.bao.verify(data[16384:20480], made.root, made.outboard, offset=16384, size=len(data))
    >>> bool(report)
    True
    """
    form = form_of(format, group_size)
    run = settings("cpu", threads, progress)
    offset = unsigned(offset, "offset")
    length = None if length is None else unsigned(length, "length")
    size = None if size is None else unsigned(size, "size")
    if isinstance(data, (str, os.PathLike)) or is_source(data):
        first = None if (offset, length) == (0, None) else 0
        with opened_path(data, "data", first) as source:
            found, whole = _native.bao_verify_source(source, offset, length, root, outboard, form, run)
        begin, end = in_groups(offset, whole if length is None else length, whole, 1024 << form[0])
        return Report([Fault(*fault) for fault in found], end - begin)
    part = memoryview(_native.host_bytes(data, "data"))
    if length is not None and length != part.nbytes:
        raise InvalidArgument(f"length is for files; data has {part.nbytes} bytes, got {shown(length)}")
    whole = offset + part.nbytes if size is None else size
    found = _native.bao_verify(part, offset, whole, root, outboard, form, run)
    return Report([Fault(*fault) for fault in found], part.nbytes)
