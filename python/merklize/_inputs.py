"""Inputs of trees: files by their names, and descriptors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._types import Input


def opened(value: Input, what: str) -> bytes | int:
    """Return a path as bytes, a descriptor as it is."""
    if isinstance(value, bool):
        raise TypeError(f"{what} must be a path or a descriptor, got bool")
    return value if isinstance(value, int) else os.fsencode(value)
