"""Files that are written. Each appears complete or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress

from . import _native
from ._urls import system_name
from .errors import FileError


def beside(path: str, end: str) -> str:
    """Return the path of the file beside `path` that has this ending; a shorter one where that is too long."""
    return os.fsdecode(_native.beside(system_name(path, "path"), end))


def is_stream(path: str) -> bool:
    """Tell whether a path exists and is no regular file, but a device or a pipe, which is written to directly."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def open_stream(path: str) -> int:
    """Open a path for which is_stream() is true."""
    return os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOCTTY)


def write_all(descriptor: int, data: memoryview | bytes, offset: int | None = None) -> None:
    """Write all bytes: at an offset, or at a stream's position."""
    view = memoryview(data)
    while view:
        count = os.write(descriptor, view) if offset is None else os.pwrite(descriptor, view, offset)
        view = view[count:]
        offset = None if offset is None else offset + count


def take_place(descriptor: int, written: str, real: str) -> None:
    """Sync a complete file to the disk, then give it its name and the permissions of the file that had the name."""
    with suppress(FileNotFoundError):
        os.fchmod(descriptor, os.stat(real).st_mode & 0o7777)
    os.fsync(descriptor)
    os.replace(written, real)
    folder = os.open(os.path.dirname(real) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_whole(path: str, content: bytes) -> None:
    """Write a file under another name until it is complete and on the disk; an older file stays until then.

    A link is followed, and its target replaced. A device or a pipe is written to as it is. Raises FileError.
    """
    try:
        if is_stream(path):
            descriptor, hidden = open_stream(path), None
        else:
            real = os.path.realpath(path)
            if os.path.islink(real):  # links without an end
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            folder, name = os.path.split(real)
            hidden = beside(os.path.join(folder, f".{name}"), f".{secrets.token_hex(8)}.tmp")
            descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        try:
            write_all(descriptor, content)
            if hidden is not None:
                take_place(descriptor, hidden, real)
        except BaseException:
            if hidden is not None:
                with suppress(OSError):
                    os.unlink(hidden)
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileError._refused("write", path, error) from None
