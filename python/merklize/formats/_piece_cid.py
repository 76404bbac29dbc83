"""Filecoin's piece commitment (CommP)."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from .. import _native
from .._inputs import opened_path
from .._settings import settings
from .._types import Digests, Progress


class PieceCid(NamedTuple):
    """The commitment to a piece, by which storage providers identify it."""

    v2: str
    """"bafkzcib...", FRC-0069: root, height and padding."""
    v1: str
    """"baga6ea4seaq...": only the root. A verifier needs the size, too."""
    root: bytes
    """The commitment, 32 bytes."""
    size: int
    """Bytes of the data."""
    height: int
    """Of the tree, which has 2^height leaves of 32 bytes."""

    @property
    def padded_size(self) -> int:
        """Bytes of the piece that a provider stores."""
        return 32 << self.height


def piece_cid(data: Any, *, threads: int | None = None, progress: Progress = None) -> PieceCid:
    """Return Filecoin's piece commitment (CommP) of data: its PieceCID in both versions.

    data      bytes-like, an array, or the path or URL of a file, which is read; at most 127/128 of 64 GiB
    threads   of the CPU; None is all that the process may use
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled

    Raises InvalidArgument (too large), FileError.

    >>> merklize.formats.piece_cid(bytes(127)).v1[:12]
    'baga6ea4seaq'
    """
    run = settings("cpu", threads, progress)
    if not isinstance(data, (str, os.PathLike)):
        return PieceCid(*_native.piece_cid(data, run))
    with opened_path(data, "data") as source:
        return PieceCid(*_native.piece_cid_file(source, run))


def piece_leaves(data: Any) -> Digests:
    """Return the leaves of a piece's tree over some data, uint8[n, 32]: 4 for each 127 bytes begun, 254 bits each.

    data  bytes-like or an array: a whole piece's, or a part that begins at a multiple of 127 bytes

    A tree over all leaves has the root of piece_cid(). Its proofs show that a range of the data lies under that root:
    bytes from 127 a up to 127 b are the leaves from 4 a up to 4 b.

    >>> data = bytes(range(256)) * 100
    >>> tree = merklize.MerkleTree(merklize.formats.piece_leaves(data), "sha256_trunc254", rule="pad")
    >>> tree.root == merklize.formats.piece_cid(data).root
    True
    >>> part = merklize.formats.piece_leaves(data[127 * 3 : 127 * 5])
    >>> proof = tree.prove_range(4 * 3, 4 * 5)
    >>> merklize.verify(proof, tree.root) and bool((proof.leaves == part).all())
    True
    """
    import numpy as np

    return np.frombuffer(_native.piece_leaves(data), np.uint8).reshape(-1, 32)
