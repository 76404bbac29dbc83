"""Shapes and dtypes. NumPy is imported on first use: hashing bytes does not need it, and it is slow to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._types import Array, Bytes, Digests, Words


def describe(array: Array) -> str:
    """Return dtype and shape as in "uint8[8, 32]"."""
    return f"{array.dtype}{list(array.shape)}"


def _array(value: object, what: str) -> Array:
    import numpy as np

    if not isinstance(value, np.ndarray):
        raise TypeError(f"{what} must be a NumPy array, got {type(value).__name__}")
    return value


def _contiguous(array: Array) -> Array:
    import numpy as np

    return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED", "ENSUREARRAY"])


def byte_rows(value: object, what: str) -> Bytes:
    """Check that `value` is uint8[n, m]; return it contiguous."""
    array = _array(value, what)
    if array.ndim != 2 or array.dtype != "uint8":
        raise InvalidArgument(f"{what} must be uint8[n, m], got {describe(array)}")
    return _contiguous(array)


def word_rows(value: object, what: str) -> Words:
    """Check that `value` is uint64[n, k] or uint64[k]; return it contiguous."""
    array = _array(value, what)
    if array.ndim not in (1, 2) or array.dtype != "uint64":
        raise InvalidArgument(f"{what} must be uint64[n, k] or uint64[k], got {describe(array)}")
    return _contiguous(array)


def digests(value: object, what: str, shape: str = "...") -> Digests:
    """Check that `value` is uint8[..., 32] or uint64[..., 4]; return it contiguous. `shape` is for the error's text."""
    array = _array(value, what)
    width = {"uint8": 32, "uint64": 4}.get(array.dtype.name if array.dtype.isnative else "")
    if width is None or array.ndim == 0 or array.shape[-1] != width:
        raise InvalidArgument(f"{what} must be uint8[{shape}, 32] or uint64[{shape}, 4], got {describe(array)}")
    return _contiguous(array)


def empty(shape: tuple[int, ...], dtype: Any) -> Array:
    """Return an array that the extension will fill in."""
    import numpy as np

    return np.empty(shape, dtype)


def is_array(value: object) -> bool:
    """Tell without importing NumPy whether `value` may be an array of it."""
    return hasattr(value, "dtype")
