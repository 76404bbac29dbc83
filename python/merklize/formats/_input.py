"""The input of functions of formats: bytes, an array, or a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _arrays, _native
from .._inputs import encoded
from .._types import Bytes
from ..errors import InvalidArgument, shown


def path_of(data: Any) -> bytes | None:
    """Return the path of a file given by its name (str or PathLike); None if the data itself is given."""
    return encoded(data, "path") if isinstance(data, (str, os.PathLike)) else None


def as_bytes(data: Any, what: str) -> Bytes:
    """Return the bytes of a bytes-like, or of an array in C order. what: the function and its argument."""
    return np.frombuffer(_native.host_bytes(data, what), np.uint8)


def power_of_two(value: int, least: int, most: int, what: str) -> int:
    """Return the value. Raises InvalidArgument unless it is a power of two from `least` to `most`."""
    number = _arrays.integer(value, what)
    if not least <= number <= most or number & (number - 1):
        raise InvalidArgument(f"{what} must be a power of two from {least} to {most}, got {shown(number)}")
    return number
