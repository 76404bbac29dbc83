"""Roots of SSZ, the serialisation of Ethereum's consensus layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..hashing import merge
from ..tree import MerkleTree
from ._input import as_bytes

if TYPE_CHECKING:
    from .._types import Device

PLAIN = "sha256_plain"
_ZERO_HASHES = [bytes(32)]


def zero_hash(depth: int) -> bytes:
    """Return the root of 2^depth chunks of zeros."""
    while len(_ZERO_HASHES) <= depth:
        _ZERO_HASHES.append(merge(_ZERO_HASHES[-1], _ZERO_HASHES[-1], PLAIN))
    return _ZERO_HASHES[depth]


def ssz(
    chunks: Any,
    limit: int | None = None,
    mix_in_length: int | None = None,
    *,
    device: Device = "auto",
    threads: int | None = None,
) -> bytes:
    """Return merkleize(chunks, limit), 32 bytes.

    chunks         uint8[n, 32], or bytes: the last chunk is filled with zeros
    limit          chunks that the type allows; None: as many as there are
    mix_in_length  of a list: the count of its elements, which is hashed with the root

    Raises InvalidArgument: more chunks than the limit.
    """
    content = as_bytes(chunks, "ssz")
    n = -(-len(content) // 32)
    if limit is not None and n > limit:
        raise InvalidArgument(f"ssz: the limit is {limit} chunks, got {n}")
    depth = (max(n if limit is None else limit, 1) - 1).bit_length()
    if n == 0:
        root = zero_hash(depth)
    else:
        if len(content) % 32:
            content = np.concatenate([content, np.zeros(-len(content) % 32, np.uint8)])
        tree = MerkleTree(content.reshape(n, 32), format="ssz", device=device, threads=threads)
        root = tree.root
        for level in range(tree.height, depth):
            root = merge(root, zero_hash(level), PLAIN)
    if mix_in_length is None:
        return root
    if mix_in_length < 0:
        raise InvalidArgument(f"ssz: mix_in_length must be at least 0, got {mix_in_length}")
    return merge(root, mix_in_length.to_bytes(32, "little"), PLAIN)
