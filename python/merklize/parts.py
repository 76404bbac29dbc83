"""Digests and roots of data in several arrays on devices, such as tensors sharded over GPUs, by all devices at once.

digest_of_pieces() makes the digest of a message of which chaining values are known.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import _arrays, _native
from ._inputs import numbered
from ._native import DeviceArray
from ._settings import settings
from ._types import Buffer, Tensor
from .errors import InvalidArgument

__all__ = ["digest_of_pieces", "hash_parts", "merkle_root_parts"]


def hash_parts(
    parts: Iterable[Tensor | DeviceArray],
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
    threads: int | None = None,
) -> bytes:
    """Return the BLAKE3 digest of the bytes of several arrays, one after another: hash() of their concatenation.

    parts    tensors or DeviceArrays, of one device or several; the bytes of each in C order. Each non-empty part but
             the last must have a multiple of 1024 bytes

    Waits for the work that is enqueued on the parts' default streams; the rest is as in hash(). Devices work at once,
    so timings (merklize.tuning.options) are those of the slowest.
    Raises InvalidArgument: a part on the host, or of another length.
    """
    run = settings("auto", threads)
    return _native.hash_parts(parts, key, context, length, seek, run)


def merkle_root_parts(
    leaves: Iterable[Tensor | DeviceArray],
    hash: str = "blake3",
    *,
    threads: int | None = None,
) -> bytes:
    """Return the Merkle root of leaves that lie in several arrays: merkle_root() of their concatenation.

    leaves  2^k tensors or DeviceArrays of equal shape, uint8[n, 32], uint64[n, 4] or uint32[n, 8], n a power of two

    Waits for the work that is enqueued on the parts' default streams; the rest is as in merkle_root().
    Raises InvalidArgument: a part on the host, shapes, dtypes, a word >= p.
    """
    run = settings("auto", threads)
    arrays = [_arrays.digests(part, f"merkle_root_parts: part {k}", run, "n") for k, part in numbered(leaves)]
    if len({_arrays.describe(array) for array in arrays}) > 1:
        shapes = ", ".join(_arrays.describe(array) for array in arrays[:8])
        raise InvalidArgument(f"merkle_root_parts: the parts must be alike, got {shapes}")
    return _native.merkle_root_parts(list(arrays), hash, run)


def digest_of_pieces(
    pieces: Buffer,
    *,
    key: Buffer | None = None,
    context: str | None = None,
    length: int = 32,
    seek: int = 0,
) -> bytes:
    """Return the BLAKE3 digest of a message from the chaining values of its parts, in order.

    pieces   two or more, 32 bytes each: of parts of 2^k chunks of 1024 bytes, the last one shorter; or the two
             nodes below the root of a tree by "blake3_parent"
    key      32 bytes: the values were made under this key
    context  the values were made by this context
    length   bytes of output, from byte `seek` on

    The host computes it. Raises InvalidArgument: fewer than 2 values.

    >>> leaves = merklize.hash_each([b"a", b"b"])    # stand for chaining values
    >>> merklize.parts.digest_of_pieces(leaves) == merklize.MerkleTree(leaves, "blake3_parent").root
    False
    """
    return _native.digest_of_pieces(pieces, key, context, length, seek)
