"""Formats of whole files: fs-verity, Amazon Glacier's tree hash, BitTorrent v2."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import InvalidArgument
from ..hashing import hash as digest_of
from ..hashing import hash_leaves
from ..tree import MerkleTree
from ._input import as_bytes, power_of_two

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._types import Device

PLAIN = "sha256_plain"


def _pieces(data: NDArray[np.uint8], piece: int, device: Device, threads: int | None) -> NDArray[np.uint8]:
    """SHA-256 of each piece of the data; the last one may be shorter."""
    whole = len(data) // piece
    leaves = np.empty((whole + (len(data) % piece != 0), 32), np.uint8)
    if whole:
        rows = data[: whole * piece].reshape(whole, piece)
        leaves[:whole] = hash_leaves(rows, PLAIN, device=device, threads=threads)
    if len(leaves) > whole:
        leaves[whole] = np.frombuffer(digest_of(data[whole * piece :], hash=PLAIN), np.uint8)
    return leaves


def glacier(data: Any, *, device: Device = "auto", threads: int | None = None) -> bytes:
    """Return Amazon Glacier's tree hash, 32 bytes: SHA-256 of pieces of 1 MiB, then pairs; a lone node goes up.

    data  bytes-like, an array, or the path of a file
    """
    content = as_bytes(data, "glacier")
    if len(content) == 0:
        return digest_of(b"", hash=PLAIN)
    return MerkleTree(_pieces(content, 1 << 20, device, threads), format="glacier", device=device, threads=threads).root


class BitTorrentFile(NamedTuple):
    """What a torrent of version 2 says of a file."""

    root: bytes | None
    """`pieces root`, 32 bytes; None of an empty file, which has none."""
    layers: bytes
    """The file's value in `piece layers`: 32 bytes for each piece; empty if the file is no longer than a piece."""
    piece_length: int


def bittorrent_v2(
    data: Any, piece_length: int = 1 << 20, *, device: Device = "auto", threads: int | None = None
) -> BitTorrentFile:
    """Return `pieces root` and piece layer of a file for BitTorrent v2 (BEP 52).

    data          bytes-like, an array, or the path of a file
    piece_length  a power of two, at least 16384

    Raises InvalidArgument, FileError.
    """
    power_of_two(piece_length, 1 << 14, 1 << 62, "bittorrent_v2: piece_length")
    content = as_bytes(data, "bittorrent_v2")
    if len(content) == 0:
        return BitTorrentFile(None, b"", piece_length)
    tree = MerkleTree(
        _pieces(content, 1 << 14, device, threads), format="bittorrent_v2", device=device, threads=threads
    )
    level = piece_length.bit_length() - 1 - 14
    layers = np.asarray(tree.level(level)).tobytes() if len(content) > piece_length else b""
    return BitTorrentFile(tree.root, layers, piece_length)


class _Algorithm(NamedTuple):
    number: int
    digest: int
    block: int


ALGORITHMS = {"sha256": _Algorithm(1, 32, 64), "sha512": _Algorithm(2, 64, 128)}


def fs_verity(
    data: Any,
    block_size: int = 4096,
    salt: bytes = b"",
    algorithm: str = "sha256",
    *,
    device: Device = "auto",
    threads: int | None = None,
) -> bytes:
    """Return the fs-verity digest of a file, as `fsverity digest` prints it and the kernel measures it.

    data        bytes-like, an array, or the path of a file
    block_size  bytes of a block, a power of two from 1024 to 65536
    salt        at most 32 bytes
    algorithm   "sha256", or "sha512", which hashlib computes block by block

    Raises InvalidArgument, FileError.
    """
    power_of_two(block_size, 1024, 65536, "fs_verity: block_size")
    if algorithm not in ALGORITHMS:
        raise InvalidArgument(f"fs_verity: algorithm must be {' or '.join(map(repr, ALGORITHMS))}, got {algorithm!r}")
    how = ALGORITHMS[algorithm]
    salt = bytes(salt)
    if len(salt) > 32:
        raise InvalidArgument(f"fs_verity: salt must be at most 32 bytes, got {len(salt)}")
    content = as_bytes(data, "fs_verity")
    before = salt.ljust(-(-len(salt) // how.block) * how.block, b"\0")
    root = bytes(how.digest)
    if len(content):
        level = _verity_level(content, block_size, before, algorithm, device, threads)
        while len(level) > 1:
            level = _verity_level(level.reshape(-1), block_size, before, algorithm, device, threads)
        root = level[0].tobytes()
    descriptor = struct.pack(
        "<BBBB4xQ64s32s144x",
        1, how.number, block_size.bit_length() - 1, len(salt), len(content), root, salt,
    )  # fmt: skip
    return hashlib.new(algorithm, descriptor).digest()


def _verity_level(
    data: NDArray[np.uint8], block_size: int, before: bytes, algorithm: str, device: Device, threads: int | None
) -> NDArray[np.uint8]:
    """Digests of the blocks of the data, the last one filled with zeros, each with `before` in front."""
    count = -(-len(data) // block_size)
    if algorithm != "sha256":
        whole = hashlib.new(algorithm, before)
        digests = []
        for at in range(0, len(data), block_size):
            one = whole.copy()
            one.update(data[at : at + block_size].tobytes().ljust(block_size, b"\0"))
            digests.append(np.frombuffer(one.digest(), np.uint8))
        return np.stack(digests)
    digests256 = np.empty((count, 32), np.uint8)
    # In parts, because a salt must be copied in front of each block.
    part = count if not before else (64 << 20) // block_size
    for first in range(0, count, part):
        piece = data[first * block_size : (first + part) * block_size]
        n = -(-len(piece) // block_size)
        if before or len(piece) % block_size:
            whole_blocks = len(piece) // block_size if not before else 0
            if whole_blocks:
                blocks = piece[: whole_blocks * block_size].reshape(whole_blocks, block_size)
                digests256[first : first + whole_blocks] = hash_leaves(blocks, PLAIN, device=device, threads=threads)
            rest = np.zeros((n - whole_blocks, len(before) + block_size), np.uint8)
            rest[:, : len(before)] = np.frombuffer(before, np.uint8)
            tail = piece[whole_blocks * block_size :]
            full = len(tail) // block_size
            rest[:full, len(before) :] = tail[: full * block_size].reshape(full, block_size)
            if full < len(rest):
                rest[full, len(before) : len(before) + len(tail) - full * block_size] = tail[full * block_size :]
            digests256[first + whole_blocks : first + n] = hash_leaves(rest, PLAIN, device=device, threads=threads)
        else:
            digests256[first : first + n] = hash_leaves(
                piece.reshape(n, block_size), PLAIN, device=device, threads=threads
            )
    return digests256
