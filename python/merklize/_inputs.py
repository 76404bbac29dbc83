"""Inputs as callers give them: names of files, descriptors, iterables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from ._urls import refuse_near_url
from .errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ._types import Input

_T = TypeVar("_T")


def encoded(path: Any, what: str) -> bytes:
    """Return a path as bytes. Raises TypeError (no path), InvalidArgument (lone surrogates)."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} must be a path, got {type(path).__name__}")
    refuse_near_url(path)
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError:
        raise InvalidArgument(
            f"{what}: a path must be text that the file system can hold, got lone surrogates"
        ) from None
    if b"\0" in name:
        raise InvalidArgument(f"{what}: a path cannot hold a zero byte")
    return name


def numbered(values: Iterable[_T]) -> Iterator[tuple[int, _T]]:
    """Give what enumerate() gives. Of a released memoryview that is a ValueError, and enumerate()'s a SystemError."""
    number = 0
    for value in values:
        yield number, value
        number += 1  # noqa: SIM113 - enumerate() is what this replaces


def opened(value: Input, what: str) -> bytes | int:
    """Return a path as bytes, a descriptor as it is."""
    if isinstance(value, bool):
        raise TypeError(f"{what} must be a path or a descriptor, got bool")
    return value if isinstance(value, int) else encoded(value, what)
