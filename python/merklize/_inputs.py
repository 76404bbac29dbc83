"""Inputs as callers give them: names of files, descriptors, iterables."""

from __future__ import annotations

import operator
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from . import _native
from ._types import Input
from ._urls import is_url, plain, refuse_near_url, stores, system_name
from .errors import FileError, InvalidArgument, in_call, shown

_T = TypeVar("_T")
_NO_DATA = "the file has no data now; it must be in blocking mode"


def encoded(path: Any, what: str) -> bytes:
    """Return a path as bytes. Raises TypeError (no path), InvalidArgument (lone surrogates)."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(in_call(f"{what} must be a path, got {type(path).__name__}"))
    refuse_near_url(path)
    name = system_name(path, what)
    if b"\0" in name:
        raise InvalidArgument(f"{what}: a path cannot hold a zero byte")
    return name


def path_text(path: Any, what: str) -> str:
    """Return a path as text. Raises what encoded() raises."""
    return os.fsdecode(encoded(path, what))


def name_of(path: Any, what: str) -> str:
    """Return a path, or a URL of a store, as text. Raises what plain() and encoded() raise."""
    path = plain(path)
    return str(path) if is_url(path) else path_text(path, what)


def each_of(values: Iterable[_T], *, any_order: bool = False) -> Iterator[_T]:
    """Iterate over an argument. Of memoryviews CPython's own errors are no mistakes of a call's family.

    any_order  the result does not depend on the order, so it may be a set, whose order changes from run to run

    Raises TypeError if `values` is a set, a mapping, of which only the keys would be taken, or a view of several
    dimensions, ValueError if it is a released view.
    """
    if isinstance(values, Mapping) and not any_order:
        raise TypeError(in_call(f"a {type(values).__name__} has keys and values; give a list"))
    if isinstance(values, (set, frozenset)) and not any_order:
        raise TypeError(in_call(f"a {type(values).__name__} has no order; give a list"))
    if isinstance(values, memoryview) and values.ndim != 1:
        raise TypeError(in_call("an iterable is needed, got a memoryview of several dimensions"))
    for value in values:  # noqa: UP028 - iter() of a released view is a SystemError
        yield value


def numbered(values: Iterable[_T], *, any_order: bool = False) -> Iterator[tuple[int, _T]]:
    """Do what enumerate() does, by each_of()."""
    number = 0
    for value in each_of(values, any_order=any_order):
        yield number, value
        number += 1  # noqa: SIM113 - enumerate() is what this replaces


class SeekableFile:
    """A file or a block device, open to be read at any place. A named pipe is refused as the extension refuses it."""

    def __init__(self, path: Any, what: str) -> None:
        """Open it. Raises FileError, and what encoded() raises.

        what  the argument, for errors
        """
        self.name, self._what = path_text(path, what), what
        try:
            # A blocking open() of a named pipe waits for a writer.
            self._file = os.open(self.name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise FileError._refused("open", self.name, error) from None
        kind = os.fstat(self._file).st_mode
        if not stat.S_ISREG(kind) and not stat.S_ISBLK(kind):
            os.close(self._file)
            raise FileError(f"{self.name}: not a regular file or a block device")

    def __enter__(self) -> SeekableFile:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def read(self, begin: int, end: int) -> bytes:
        """Return bytes `begin` to `end`. Raises FileError, InvalidArgument: the file ends before."""
        found = bytearray()
        while (at := begin + len(found)) < end:
            try:
                part = os.pread(self._file, end - at, at)
            except OSError as error:
                raise FileError._refused("read", self.name, error) from None
            if not part:
                raise InvalidArgument(f"{self._what}: {self.name} ends before byte {at}")
            found += part
        return bytes(found)


def is_source(value: Any) -> bool:
    """Tell whether an argument is a Source of merklize.extensions."""
    return hasattr(value, "pieces") and hasattr(value, "require_same")


@contextmanager
def opened_path(path: Any, what: str, first: int | None = None) -> Iterator[Any]:
    """Give a file as the extension takes it: a path as bytes, a Source, an object of a store opened.

    first  bytes of an object that will surely be read; None: many
    """
    path = plain(path)
    if is_url(path):
        with stores().opened(str(path), first) as source:
            yield source
    else:
        yield path if is_source(path) else encoded(path, what)


@contextmanager
def opened(value: Input, what: str) -> Iterator[Any]:
    """Do the same for an input that may be a descriptor, which is given unchanged."""
    if isinstance(value, bool):
        raise TypeError(in_call(f"{what} must be a path or a descriptor, got bool"))
    if isinstance(value, int):
        yield value
    else:
        with opened_path(value, what) as source:
            yield source


def read_bytes(file: Any, most: int) -> memoryview:
    """Return what an open file's read() gives: bytes, none at the end.

    Raises BlockingIOError (no data now), TypeError (what came is no bytes).
    """
    data = file.read(most)
    if data is None:
        raise BlockingIOError(in_call(_NO_DATA))
    if isinstance(data, str):
        raise TypeError(in_call(f"an open file must give bytes, got text from {type(file).__name__}"))
    return memoryview(_native.host_bytes(data, f"read() of {type(file).__name__}: what it gives"))


def read_into(file: Any, piece: memoryview) -> int:
    """Return the count of bytes that an open file's readinto() put into a buffer; 0: the end.

    Raises BlockingIOError (no data now), TypeError (no count), InvalidArgument (a count that cannot be).
    """
    count = file.readinto(piece)
    if count is None:
        raise BlockingIOError(in_call(_NO_DATA))
    name = f"readinto() of {type(file).__name__}"
    try:
        count = operator.index(count)
    except TypeError:
        raise TypeError(in_call(f"{name} must return a count of bytes, got {type(count).__name__}")) from None
    if not 0 <= count <= len(piece):
        raise InvalidArgument(f"{name} must return 0 to {len(piece)}, the bytes of its buffer, got {shown(count)}")
    return count


@contextmanager
def output_file(path: Any, what: str) -> Iterator[bytes]:
    """Give the path to write an output to.

    Of a URL it is a file in the folder for temporary files, which goes to the store when it is whole.
    """
    path = plain(path)
    if not is_url(path):
        yield encoded(path, what)
        return
    stores().require_writable(path)
    with tempfile.TemporaryDirectory(prefix="merklize-") as folder:
        made = os.path.join(folder, "tree.mkl")
        yield os.fsencode(made)
        stores().upload(made, path)
