"""Files that are written to a store. They appear complete or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..errors import Error
from ..extensions import MOST_STREAMED, alone, beside, file_error, shown
from ._failures import Passing, extra_of, failure_of
from ._ranges import opened
from ._systems import file_system

_APPEAR_WHOLE = ("s3", "gcs")


def require_writable(url: str) -> None:
    """Refuse a URL that cannot be written to, before there is anything to write."""
    system, path = file_system(url)
    if extra_of(url) == "http" or not path.strip("/"):
        raise file_error(shown(url), "cannot write: objects are written to s3, gs and other stores of fsspec")
    del system


def upload(path: str, url: str) -> None:
    """Copy a file to an object. Raises FileError; then the object is as it was."""
    _put(url, lambda system, to: system.put_file(path, to))


def write_object(content: bytes, url: str) -> None:
    """Write an object. Raises FileError; then the object is as it was."""
    _put(url, lambda system, to: system.pipe_file(to, content))


@alone
def _put(url: str, put: Any) -> None:
    name, extra = shown(url), extra_of(url)
    system, path = file_system(url)
    # Where an object would be visible half written, it gets its name at the end.
    at_once = extra in _APPEAR_WHOLE or "memory" in system.protocol
    to = path if at_once else beside(path, ".partial")
    try:
        put(system, to)
        if not at_once:
            system.mv(to, path)
        system.invalidate_cache()
    except BaseException as error:
        if not at_once:
            with suppress(Exception):
                system.rm_file(to)
        if isinstance(error, Error):
            raise
        failure = failure_of(error, name, extra)
        if isinstance(failure, Passing):
            failure = file_error(name, f"cannot write: {failure}")
        raise failure from None


def read_whole(url: str, most: int, may_be: Callable[[bytes], bool] | None = None) -> bytes:
    """Return a whole small object: a manifest, an index, a proof. Raises FileError if it has more than `most` bytes.

    may_be  takes each piece. Where it returns False, the text ends there, because it is no such object. An object whose
            size its server does not state may then have 32 MiB at most: it may have no end.
    """
    parts, count = [], 0
    with opened(url) as source:
        if may_be is not None and source.size is None:
            most = min(most, MOST_STREAMED)
        for piece in source.pieces(None):
            count += len(piece)
            if max(count, source.size or 0) > most:
                raise file_error(source.name, f"must have at most {most} bytes, got more")
            parts.append(piece)
            if may_be is not None and not may_be(piece):
                return b"".join(parts)
        source.require_same()
    return b"".join(parts)
