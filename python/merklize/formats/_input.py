"""What the functions of formats take: bytes, an array, or a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_bytes(data: Any, what: str) -> NDArray[np.uint8]:
    """Return the bytes of a bytes-like, an array in C order, or a file given by its path (str or PathLike).

    A file is mapped, not read: it must not shrink meanwhile.
    """
    if isinstance(data, (str, os.PathLike)):
        try:
            size = os.stat(data).st_size
            return np.memmap(data, np.uint8, "r") if size else np.zeros(0, np.uint8)
        except OSError as error:
            raise FileError._of(f"{os.fspath(data)!r}: {error.strerror}", error.errno or 0, os.fspath(data)) from None
    if isinstance(data, np.ndarray):
        return np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(data, np.uint8)
    except TypeError:
        raise TypeError(f"{what}: data must be bytes-like, an array or a path, got {type(data).__name__}") from None


def power_of_two(value: int, least: int, most: int, what: str) -> int:
    """Return the value. Raises ValueError's kind unless it is a power of two from `least` to `most`."""
    from ..errors import InvalidArgument

    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} must be an integer, got {type(value).__name__}")
    if not least <= value <= most or value & (value - 1):
        raise InvalidArgument(f"{what} must be a power of two from {least} to {most}, got {value}")
    return value
