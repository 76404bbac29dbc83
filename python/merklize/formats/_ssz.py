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

    chunks         uint8[n, 32], or bytes: the last chunk is padded with zeros
    limit          chunks that the type allows; None: as many as there are
    mix_in_length  the number of elements of a list, which is hashed with the root

    Raises InvalidArgument: more chunks than the limit.

    >>> merklize.formats.ssz(np.zeros((2, 32), np.uint8)) == merklize.formats.zero_hash(1)
    True
    """
    content = as_bytes(chunks, "chunks")
    if len(content) % 32:
        content = np.concatenate([content, np.zeros(-len(content) % 32, np.uint8)])
    return _native.ssz(content, limit, mix_in_length, run_of("ssz", options))
