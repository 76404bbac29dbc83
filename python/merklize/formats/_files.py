"""Formats of whole files: fs-verity, Amazon Glacier's tree hash, BitTorrent v2."""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from .._file_hash import require_unchanged
from .._options import RunOptions, run_of, takes
from .._settings import Steps
from ..errors import FileError, InvalidArgument, shown
from ..tree import MerkleTree
from ..tree_file import merkle_root_file
from ._input import as_bytes, path_of, power_of_two

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(RunOptions)
def glacier(data: Any, **options: Unpack[RunOptions]) -> bytes:
    """Return Amazon Glacier's tree hash, 32 bytes: SHA-256 of pieces of 1 MiB, then of pairs; an odd node moves up.

    data  bytes-like, an array, or the path of a file, which is read

    Raises FileError: unreadable, or it changed while it was read.

    >>> merklize.formats.glacier(b"abc") == merklize.hash(b"abc", hash="sha256")
    True
    """
    if (path := path_of(data)) is not None:
        return merkle_root_file(path, format="glacier", **options).root
    return _native.glacier(data, run_of("glacier", options, timed=False))


_BLOCK = 16384
"""Bytes of a leaf of BitTorrent v2."""


class BitTorrentFile(NamedTuple):
    """What a torrent of version 2 stores for a file."""

    root: bytes | None
    """`pieces root`, 32 bytes; None for an empty file, which has none."""
    layers: bytes
    """The file's value in `piece layers`: 32 bytes for each piece; empty if the file is no longer than a piece."""
    piece_length: int


@takes(RunOptions)
def bittorrent_v2(data: Any, piece_length: int = 1 << 20, **options: Unpack[RunOptions]) -> BitTorrentFile:
    """Return `pieces root` and piece layer of a file for BitTorrent v2 (BEP 52).

    data          bytes-like, an array, or the path of a file, which is read
    piece_length  a power of two, at least 16384

    Raises InvalidArgument, FileError.

    >>> merklize.formats.bittorrent_v2(b"abc").root == merklize.hash(b"abc", hash="sha256")
    True
    """
    piece_length = power_of_two(piece_length, _BLOCK, 1 << 62, "piece_length")
    if (path := path_of(data)) is not None:
        # Not by the format, which refuses an empty file.
        tree = MerkleTree.from_file(path, _BLOCK, "sha256", rule="pad", **options)
        if tree.file_size == 0:
            return BitTorrentFile(None, b"", piece_length)
        pieces: Any = tree.level((piece_length // _BLOCK).bit_length() - 1) if tree.file_size > piece_length else b""
        return BitTorrentFile(
            tree.root, bytes(pieces.numpy() if tree.on_device and len(pieces) else pieces), piece_length
        )
    found = _native.bittorrent_v2(data, piece_length, run_of("bittorrent_v2", options, timed=False))
    return BitTorrentFile(*found, piece_length)


@takes(RunOptions)
def fs_verity(
    data: Any,
    block_size: int = 4096,
    salt: bytes = b"",
    algorithm: str = "sha256",
    **options: Unpack[RunOptions],
) -> bytes:
    """Return the fs-verity digest of a file, as `fsverity digest` prints it and the kernel measures it.

    data        bytes-like, an array, or the path of a file, which is read
    block_size  bytes of a block, a power of two from 1024 to 65536
    salt        at most 32 bytes
    algorithm   "sha256", or "sha512", which hashlib computes block by block

    Raises InvalidArgument, FileError.

    >>> merklize.formats.fs_verity(b"").hex()[:16]
    '3d248ca542a24fc6'
    """
    block_size = power_of_two(block_size, 1024, 65536, "block_size")
    if not isinstance(algorithm, str) or algorithm not in ("sha256", "sha512"):
        raise InvalidArgument(f"algorithm must be 'sha256' or 'sha512', got {shown(algorithm)}")
    salt = bytes(_native.host_bytes(salt, "salt"))
    if len(salt) > 32:
        raise InvalidArgument(f"salt must be at most 32 bytes, got {len(salt)}")
    run, path = run_of("fs_verity", options, timed=False), path_of(data)
    if algorithm == "sha256":
        if path is not None:
            return _native.fs_verity_file(path, block_size, salt, run)
        return _native.fs_verity(data, block_size, salt, run)
    steps = Steps(run.progress, 0)
    if path is not None:
        return _fs_verity_sha512(_read(path, block_size, steps), block_size, salt, steps)
    content = as_bytes(data, "data").data
    steps.whole = len(content)
    return _fs_verity_sha512(_blocks_of(content, block_size), block_size, salt, steps)


def _blocks_of(data: memoryview, block_size: int) -> Iterator[bytes]:
    return (data[at : at + block_size].tobytes() for at in range(0, len(data), block_size))


def _read(path: bytes, block_size: int, steps: Steps) -> Iterator[bytes]:
    """Yield the blocks of a file. Raises FileError."""
    name = os.fsdecode(path)
    try:
        with open(path, "rb", 1 << 20) as file:
            before = os.fstat(file.fileno())
            steps.whole = before.st_size
            while block := file.read(block_size):
                yield block
            if stat.S_ISREG(before.st_mode):
                require_unchanged(file.fileno(), name, before)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError._refused("read", name, error) from None


def _fs_verity_sha512(blocks: Iterator[bytes], block_size: int, salt: bytes, steps: Steps) -> bytes:
    size, before = 0, salt.ljust(128, b"\0") if salt else b""

    def digest(block: bytes) -> bytes:
        nonlocal size
        size += len(block)
        steps.step(len(block))
        return hashlib.sha512(before + block.ljust(block_size, b"\0")).digest()

    root, bytes_of_file = b"".join(map(digest, blocks)) or bytes(64), size
    while len(root) > 64:
        root = b"".join(map(digest, _blocks_of(memoryview(root), block_size)))
    fields = 1, 2, block_size.bit_length() - 1, len(salt), bytes_of_file, root, salt
    return hashlib.sha512(struct.pack("<BBBB4xQ64s32s144x", *fields)).digest()
