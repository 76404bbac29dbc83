"""Formats of whole files: fs-verity, Amazon Glacier's tree hash, BitTorrent v2."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _native
from .._settings import settings
from ..errors import InvalidArgument
from ._input import as_bytes, power_of_two

if TYPE_CHECKING:
    from .._types import Device


def glacier(data: Any, *, device: Device = "auto", threads: int | None = None) -> bytes:
    """Return Amazon Glacier's tree hash, 32 bytes: SHA-256 of pieces of 1 MiB, then pairs; a lone node goes up.

    data  bytes-like, an array, or the path of a file
    """
    return _native.glacier(as_bytes(data, "glacier"), settings(device, threads))


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
    found = _native.bittorrent_v2(as_bytes(data, "bittorrent_v2"), piece_length, settings(device, threads))
    return BitTorrentFile(*found, piece_length)


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
    if algorithm not in ("sha256", "sha512"):
        raise InvalidArgument(f"fs_verity: algorithm must be 'sha256' or 'sha512', got {algorithm!r}")
    salt = bytes(salt)
    if len(salt) > 32:
        raise InvalidArgument(f"fs_verity: salt must be at most 32 bytes, got {len(salt)}")
    content = as_bytes(data, "fs_verity")
    if algorithm == "sha256":
        return _native.fs_verity(content, block_size, salt, settings(device, threads))
    return _fs_verity_sha512(content.data, block_size, salt)


def _fs_verity_sha512(data: memoryview, block_size: int, salt: bytes) -> bytes:
    def digests(level: memoryview) -> bytes:
        blocks = (level[at : at + block_size].tobytes() for at in range(0, len(level), block_size))
        return b"".join(hashlib.sha512(before + block.ljust(block_size, b"\0")).digest() for block in blocks)

    before = salt.ljust(128, b"\0") if salt else b""
    root = digests(data) if len(data) else bytes(64)
    while len(root) > 64:
        root = digests(memoryview(root))
    fields = 1, 2, block_size.bit_length() - 1, len(salt), len(data), root, salt
    return hashlib.sha512(struct.pack("<BBBB4xQ64s32s144x", *fields)).digest()
