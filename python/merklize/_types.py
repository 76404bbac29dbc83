"""Names for annotations; imported by type checkers only."""

from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

Array = NDArray[Any]
"""A NumPy array of any dtype."""
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Digests = Union[NDArray[np.uint8], NDArray[np.uint64]]
"""uint8[..., 32], or the same bytes as little-endian words: uint64[..., 4]."""
Data = Union[Buffer, NDArray[Any]]
"""bytes, bytearray, memoryview, ... or any NumPy array."""
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Progress = Optional[Callable[[float], object]]
"""Called about every 50 ms with the share of the work that is done, 0 to 1; returning False cancels the work."""
