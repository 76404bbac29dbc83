"""The digest of one file: read, mapped, or taken from an object's read()."""

from __future__ import annotations

import io
import os
import stat
import time
from mmap import ACCESS_READ
from mmap import mmap as Mapping
from typing import Any, NamedTuple

from . import _native
from ._inputs import read_bytes, read_into
from .errors import Cancelled, FileError


def require_unchanged(descriptor: int, name: str, before: os.stat_result) -> None:
    """Raise FileError if a file has changed since `before`. Of a pipe or a device, times tell nothing of its bytes."""
    after = os.fstat(descriptor)
    facts = ("st_size", "st_mtime_ns", "st_ctime_ns") if stat.S_ISREG(before.st_mode) else ()
    if any(getattr(before, what) != getattr(after, what) for what in facts):
        raise FileError(f"{name}: changed while being read")


class How(NamedTuple):
    """The options of hash_file()."""

    hash: str
    key: Any
    context: str | None
    length: int
    seek: int
    run: _native.Settings
    mmap: bool = False

    def path(self, path: bytes) -> bytes:
        """Hash the file of a path."""
        if self.mmap and os.path.isfile(path):
            with _open_to_read(path) as file:
                return self.descriptor(file.fileno(), os.fsdecode(path))
        if self.hash != "blake3":
            return _native.hash_message_file(path, self.hash, self.key, self.length, self.run)
        return _native.hash_file(path, self.key, self.context, self.length, self.seek, self.run)

    def descriptor(self, descriptor: int, name: str) -> bytes:
        """Hash the rest of a file. `name` is for error texts."""
        if self.mmap and (digest := self.mapped(descriptor, name)) is not None:
            return digest
        if self.hash != "blake3":
            return _native.hash_message_descriptor(descriptor, name, self.hash, self.key, self.length, self.run)
        return _native.hash_descriptor(descriptor, name, self.key, self.context, self.length, self.seek, self.run)

    def source(self, source: Any) -> bytes:
        """Hash an object of a store."""
        return _native.hash_source(source, self.hash, self.key, self.context, self.length, self.seek, self.run)

    def mapped(self, descriptor: int, name: str) -> bytes | None:
        """Hash the rest of a plain file, and leave the file at its end; None if it cannot be mapped."""
        try:
            before = os.fstat(descriptor)
            begin = os.lseek(descriptor, 0, os.SEEK_CUR)
            if not stat.S_ISREG(before.st_mode) or begin >= before.st_size:
                return None
            mapping = Mapping(descriptor, before.st_size, access=ACCESS_READ)
        except (OSError, ValueError, OverflowError):
            return None
        with mapping, memoryview(mapping) as whole, whole[begin:] as rest:
            if self.hash != "blake3":
                digest = _native.hash_message(rest, self.hash, self.key, self.length, self.run)
            else:
                digest = _native.hash(rest, self.key, self.context, self.length, self.seek, self.run)
        require_unchanged(descriptor, name, before)
        os.lseek(descriptor, before.st_size, os.SEEK_SET)
        return digest

    def hasher(self) -> _native.Hasher:
        """Return a new hasher."""
        if self.hash != "blake3":
            return _native.make_message_hasher(self.hash, self.key, self.length, self.run)
        return _native.make_hasher(self.key, self.context, self.run)


def _open_to_read(path: bytes) -> io.FileIO:
    name = os.fsdecode(path)
    try:
        return io.FileIO(name)
    except OSError as error:
        raise FileError._refused("open", name, error) from None


def is_plain(file: Any) -> bool:
    """Tell whether an open file's bytes are those of its descriptor, from the position that the file states."""
    raw = file.raw if type(file) in (io.BufferedReader, io.BufferedRandom) else file
    # Bytes that a buffer has read ahead of a pipe are in the buffer alone.
    return type(raw) is io.FileIO and (raw is file or raw.seekable())


def hash_plain_file(file: Any, how: How) -> bytes:
    """Hash an open file that is_plain(), from its position, and leave the file at its end, or beyond it as it was."""
    descriptor = file.fileno()
    name = file.name if isinstance(file.name, str) else f"file descriptor {descriptor}"
    seekable, position = file.seekable(), 0
    if seekable:
        # A buffered file has another position than its descriptor. Seeking to the end also drops the buffer.
        if file.writable():
            file.flush()
        position = file.tell()
        os.lseek(descriptor, position, os.SEEK_SET)
    try:
        return how.descriptor(descriptor, name)
    finally:
        if seekable and file.seek(0, os.SEEK_END) < position:
            file.seek(position)


def hash_object(file: Any, how: How) -> bytes:
    """Hash the bytes of an object's readinto() or read(), to the end: a decompressor, a socket's file, memory."""
    hasher = how.hasher()
    piece = memoryview(bytearray(1 << 20))
    report = how.run.progress
    last = time.monotonic()
    while True:
        data = piece[: read_into(file, piece)] if hasattr(file, "readinto") else read_bytes(file, len(piece))
        if not data:
            return hasher.digest(how.length, how.seek)
        hasher.update(data)
        if report is not None and time.monotonic() - last >= 0.05:
            last = time.monotonic()
            if _native.cancels(report(0.0)):  # the total is not known
                raise Cancelled("cancelled by the caller's progress function")
