"""dm-verity: the tree over the blocks of a disk, by which Linux checks each block that it reads."""

from __future__ import annotations

import os
import uuid as _uuid
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from .. import _native
from .._inputs import encoded
from .._options import RunOptions, run_of, takes
from .._types import Buffer
from ..errors import InvalidArgument, shown
from ._input import path_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class DmVerity(NamedTuple):
    """How a disk is hashed: the facts of a superblock."""

    algorithm: str
    """"sha256" or "sha512"."""
    salt_after: bool
    """False: format 1, the salt comes before each block; True: format 0 (Chrome OS), after it."""
    data_block_size: int
    hash_block_size: int
    data_blocks: int
    salt: bytes
    uuid: _uuid.UUID
    hash_blocks: int
    """Blocks of the tree, without that of the superblock."""


class DmVerityReport(NamedTuple):
    """Blocks that do not belong to the root. The report is true if there are none."""

    wrong_data_blocks: int
    data_blocks: list[int]
    """Numbers of the first 1000 wrong blocks, from 0."""
    wrong_hash_blocks: int
    hash_blocks: list[int]
    """The same for the tree: offset in the hash file / hash_block_size."""

    def __bool__(self) -> bool:
        return not self.wrong_data_blocks and not self.wrong_hash_blocks


def _how(
    algorithm: str,
    salt_after: bool,
    data_block_size: int,
    hash_block_size: int,
    data_blocks: int | None,
    salt: Buffer,
) -> tuple[Any, ...]:
    if not isinstance(algorithm, str) or algorithm not in ("sha256", "sha512"):
        raise InvalidArgument(f"algorithm must be 'sha256' or 'sha512', got {shown(algorithm)}")
    held = bytes(_native.host_bytes(salt, "salt"))
    return algorithm, salt_after, data_block_size, hash_block_size, data_blocks, held


class _Expected(TypedDict, total=False):
    """Fields that a superblock must have."""

    algorithm: str | None
    salt_after: bool | None
    data_block_size: int | None
    hash_block_size: int | None
    data_blocks: int | None
    salt: Buffer | None


class _VerifyOptions(_Expected, RunOptions, total=False):
    """The options of dm_verity_verify()."""


def _area(
    hashes: str | os.PathLike[str], offset: int, how: DmVerity | None, options: dict[str, Any]
) -> tuple[bytes, tuple[Any, ...] | None, int, bool]:
    """Return what the native functions take of a hash area; the fields that it must have leave `options`."""
    expected = {name: options.pop(name, None) for name in DmVerity._fields[:6]}
    expected = {name: value for name, value in expected.items() if value is not None}
    path = encoded(hashes, "hashes")
    if how is not None:
        if not isinstance(how, DmVerity):
            raise InvalidArgument(f"how must be a DmVerity, got {shown(how)}")
        if expected:
            raise InvalidArgument(f"{next(iter(expected))} is for a superblock, and how is for a tree without")
        return path, _how(*how[:6]), offset, False
    if not expected:
        return path, None, offset, True
    found = _native.dm_verity_dump(path, offset)
    fields: dict[str, Any] = dict(zip(DmVerity._fields[:6], found)) | {"data_blocks": None} | expected
    return path, _how(**fields), offset, True


@takes(RunOptions)
def dm_verity(
    data: Any,
    *,
    algorithm: str = "sha256",
    salt_after: bool = False,
    data_block_size: int = 4096,
    hash_block_size: int = 4096,
    data_blocks: int | None = None,
    salt: Buffer = b"",
    **options: Unpack[RunOptions],
) -> bytes:
    """Return the root hash of a disk, as `veritysetup format` prints it: 32 bytes, or 64 by SHA-512.

    data             bytes-like, an array, or the path of a file or block device, which is read
    algorithm        "sha256", or "sha512", which runs on the CPU
    salt_after       False: format 1, the salt comes before each block; True: format 0 (Chrome OS), after it
    data_block_size  bytes of a block, a power of two from 512 to 524288
    hash_block_size  the same for the blocks of the tree
    data_blocks      only so many blocks are hashed; None: all of the data, which must be whole blocks
    salt             at most 256 bytes; the default of veritysetup is 32 random bytes

    Raises InvalidArgument, FileError.
    """
    how = _how(algorithm, salt_after, data_block_size, hash_block_size, data_blocks, salt)
    run, path = run_of("dm_verity", options, timed=False), path_of(data)
    return _native.dm_verity(data, how, run) if path is None else _native.dm_verity_file(path, how, run)


@takes(RunOptions)
def dm_verity_format(
    data: str | os.PathLike[str],
    hashes: str | os.PathLike[str],
    *,
    algorithm: str = "sha256",
    salt_after: bool = False,
    data_block_size: int = 4096,
    hash_block_size: int = 4096,
    data_blocks: int | None = None,
    salt: Buffer = b"",
    offset: int = 0,
    superblock: bool = True,
    uuid: _uuid.UUID | None = None,
    **options: Unpack[RunOptions],
) -> tuple[bytes, DmVerity]:
    """Write the tree of a disk, as `veritysetup format` does; return the root hash and the facts of the superblock.

    A new file replaces `hashes` when it is complete. A block device, the data file itself, and a file with offset > 0
    are written in place, the superblock last.

    data        the path of a file or block device
    hashes      the path of the tree; it may be `data` with an `offset` after data_blocks
    offset      bytes into `hashes`: a multiple of 512 with a superblock, otherwise of hash_block_size
    superblock  whether the fields are written before the tree
    uuid        of the superblock; None: a random one

    The other arguments are those of dm_verity().

    Raises InvalidArgument, FileError.
    """
    how = _how(algorithm, salt_after, data_block_size, hash_block_size, data_blocks, salt)
    if uuid is not None and not isinstance(uuid, _uuid.UUID):
        raise InvalidArgument(f"uuid must be a uuid.UUID, got {shown(uuid)}")
    if uuid is None:
        uuid = _uuid.uuid4()
    root, facts = _native.dm_verity_format(
        encoded(data, "data"),
        encoded(hashes, "hashes"),
        how,
        offset,
        superblock,
        uuid.bytes,
        run_of("dm_verity_format", options, timed=False),
    )
    return root, _facts(facts)


def _facts(fields: Any) -> DmVerity:
    return DmVerity._make([*fields[:6], _uuid.UUID(bytes=fields[6]), fields[7]])


def dm_verity_dump(hashes: str | os.PathLike[str], offset: int = 0) -> DmVerity:
    """Return the facts of the superblock at `offset` bytes.

    Raises InvalidArgument (no superblock, or a field with an impossible value), FileError.
    """
    return _facts(_native.dm_verity_dump(encoded(hashes, "hashes"), offset))


def trusted_root(root: Any, what: str) -> Any:
    """Return the bytes of a root hash that is given as hexadecimal digits; anything else as it is."""
    if not isinstance(root, str):
        return root
    digits = root[2:] if root[:2] in ("0x", "0X") else root
    try:
        return bytes.fromhex(digits if digits.isalnum() else "?")  # fromhex() would skip spaces
    except ValueError:
        raise InvalidArgument(f"{what} must be bytes or hexadecimal digits, got {shown(root)}") from None


@takes(_VerifyOptions)
def dm_verity_verify(
    data: str | os.PathLike[str],
    hashes: str | os.PathLike[str],
    root: Buffer | str,
    *,
    offset: int = 0,
    how: DmVerity | None = None,
    **options: Unpack[_VerifyOptions],
) -> DmVerityReport:
    """Hash all data again, and compare every block of the tree with the level above, up to the root.

    A root binds the data only together with the facts of DmVerity. An attacker who writes the superblock can choose
    others, under which other data has this root. So state them as you have them from where the root came from:
    algorithm, salt_after, data_block_size, hash_block_size, data_blocks, salt. A superblock that differs is an error.
    Without data_blocks the blocks must be all of the data, up to a hash area in the same file.

    data    the path of a file or block device
    hashes  the path of the tree
    root    the trusted root hash, as bytes or hexadecimal digits
    offset  bytes into `hashes`: of the superblock, or of the tree if `how` is given
    how     the facts, if there is no superblock; None: they are read from the superblock

    Raises InvalidArgument (no superblock, or an impossible or unexpected one; bytes of the data that would not be
    checked; a tree that ends early), FileError.
    """
    what, given = "dm_verity_verify", dict(options)
    with_path, fields, offset, superblock = _area(hashes, offset, how, given)
    run = run_of(what, cast("RunOptions", given), timed=False)
    found = _native.dm_verity_verify(
        encoded(data, "data"), with_path, trusted_root(root, "root"), fields, offset, superblock, run
    )
    return DmVerityReport(*found)


@takes(_VerifyOptions)
def dm_verity_verify_digests(
    hashes: str | os.PathLike[str],
    root: Buffer | str,
    first: int,
    digests: Buffer,
    *,
    offset: int = 0,
    how: DmVerity | None = None,
    **options: Unpack[_VerifyOptions],
) -> DmVerityReport:
    """Compare digests of data blocks with the tree, and the tree's blocks above them with the root.

    hashes   the path of the tree
    root     the trusted root hash, as bytes or hexadecimal digits
    first    the number of the first of these data blocks
    digests  of the blocks with the salt, one after the other: 32 bytes each, or 64 by SHA-512

    The other arguments are those of dm_verity_verify(). Other blocks are not looked at. `check_model(verity=...)` calls
    this for tensors.

    Raises InvalidArgument (as dm_verity_verify(); no whole digests; blocks behind the data), FileError.
    """
    what, given = "dm_verity_verify_digests", dict(options)
    with_path, fields, offset, superblock = _area(hashes, offset, how, given)
    run = run_of(what, cast("RunOptions", given), timed=False)
    trusted = trusted_root(root, "root")
    found = _native.dm_verity_verify_digests(with_path, trusted, first, digests, fields, offset, superblock, run)
    return DmVerityReport(*found)
