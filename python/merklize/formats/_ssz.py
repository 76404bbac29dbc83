"""Roots of SSZ, the serialisation of Ethereum's consensus layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arrays, _native
from .._options import RunOptions, run_of, takes
from ..errors import InvalidArgument
from ..hashing import merge
from ._input import as_bytes

if TYPE_CHECKING:
    from typing_extensions import Unpack


def zero_hash(depth: int) -> bytes:
    """Return the root of 2^depth chunks of zeros; depth 0 to 64."""
    if _arrays.unsigned(depth, "depth") > 64:
        raise InvalidArgument(f"depth must be at most 64, got {depth}")
    node = bytes(32)
    for _ in range(depth):
        node = merge(node, node, "sha256")
    return node


@takes(RunOptions)
def ssz(
    chunks: Any,
    limit: int | None = None,
    mix_in_length: int | None = None,
    **options: Unpack[RunOptions],
) -> bytes:
    """Return merkleize(chunks, limit), 32 bytes.

    chunks         uint8[n, 32]; or bytes, or unsigned integers [n], little endian: the last chunk is padded with zeros
    limit          chunks that the type allows; None: as many as there are
    mix_in_length  the number of elements of a list, which is hashed with the root

    Raises InvalidArgument: more chunks than the limit; an array of another shape or dtype.

    >>> merklize.formats.ssz(np.zeros((2, 32), np.uint8)) == merklize.formats.zero_hash(1)
    True
    """
    content = as_bytes(chunks, "chunks")
    shape, kind = getattr(chunks, "shape", (0,)), str(getattr(chunks, "dtype", "uint8")).rpartition(".")[2]
    fits = tuple(shape[1:]) == (32,) if len(shape) == 2 else len(shape) == 1 and kind.startswith("uint")
    if not fits or (len(shape) == 2 and kind != "uint8"):
        raise InvalidArgument(f"chunks must be bytes, uint8[n, 32] or unsigned integers [n], got {kind}{list(shape)}")
    if len(content) % 32:
        content = np.concatenate([content, np.zeros(-len(content) % 32, np.uint8)])
    return _native.ssz(content, limit, mix_in_length, run_of("ssz", options))
