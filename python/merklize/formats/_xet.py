"""The xet hash, by which the Hugging Face hub identifies the content of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from .. import _native
from .._inputs import each_of, encoded
from .._settings import settings
from .._types import HostData, Path, Progress
from ..errors import FileError, in_call, shown
from ._input import path_of


def xet(data: HostData | str | os.PathLike[str] | int, *, threads: int | None = None, progress: Progress = None) -> str:
    """Return the xet hash in the hub's form, 64 hexadecimal digits: the `hash` of hf_xet.hash_files().

    data      bytes-like, an array, the path of a file, or a descriptor open for reading
    threads   of the CPU; None is all that the process may use
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled

    Raises FileError: unreadable, or changed while it was read.

    >>> len(merklize.formats.xet(b"abc"))
    64
    """
    run = settings("cpu", threads, progress)
    if (path := path_of(data)) is not None:
        return _native.xet_hash_file(path, run)
    if isinstance(data, int) and not isinstance(data, bool):
        return _native.xet_hash_descriptor(data, f"file descriptor {shown(data)}", run)
    return _native.xet_hash(data, run)


def xet_files(paths: Iterable[Path], *, threads: int | None = None, progress: Progress = None) -> list[str | FileError]:
    """Return the xet hashes of many files, several at once: one result for each path, in order.

    A file that fails does not stop the others: its result is the FileError, not raised.
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(in_call(f"paths must be an iterable of paths, got one path ({type(paths).__name__})"))
    names = [encoded(path, "path") for path in each_of(paths)]
    results = _native.xet_hash_files(names, settings("cpu", threads, progress))
    return [result if isinstance(result, str) else FileError._of(*result) for result in results]


class XetChunk(NamedTuple):
    """A chunk of a file."""

    hash: str
    size: int


def xet_chunks(data: HostData, *, threads: int | None = None) -> list[XetChunk]:
    """Return the chunks of bytes or an array, in order, with their hashes."""
    return [XetChunk(*chunk) for chunk in _native.xet_chunks(data, settings("cpu", threads))]
