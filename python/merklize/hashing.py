"""Digests: of bytes, arrays and files by BLAKE3 and others, of field elements, and the 2-to-1 merge of Merkle trees."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, overload

from . import _arrays, _native
from ._file_hash import How, hash_object, hash_plain_file, is_plain, require_unchanged
from ._inputs import each_of, encoded, is_source, opened_path
from ._native import DeviceArray, flag
from ._options import HashOptions, mode_of, run_of, signature_of, takes
from ._settings import device_name, hash_info, is_blake3, require_plain, settings
from ._types import Buffer, Data, Device, Digests, HashName, Input, Path, Progress, Self, Tensor
from ._urls import is_url, plain, stores
from .each import leaves_of_list
from .errors import FileError, InvalidArgument, in_call, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

HASHES: tuple[HashName, ...] = tuple(cast("HashName", info.name) for info in _native.hashes())
"""The hashes of Merkle trees, by their names; "rp64_256" is another name of "rp64_256_v3"."""


class Hasher(_native.Hasher):
    """Streaming BLAKE3, or another hash of bytes, shaped like hashlib's objects and blake3-py's.

    data      the first bytes to update with
    hash      "blake3", or a hash as hash() takes it, but neither Eidos nor RpJive64_256, which begin with the length
    key       32 bytes: keyed hashing; of "blake2s" 1 to 32 bytes
    context   text that names a purpose: key derivation; the data is then the key material
    device    "auto", or an id of devices()
    threads   for large updates; None, which is also Hasher.AUTO, is all that the process may use
    usedforsecurity  ignored, as in blake3-py

    Threads may share a hasher: each call, update_file() too, waits for the previous one. A signal handler that uses the
    hasher in the middle of a call gets InvalidArgument.

    >>> hasher = merklize.Hasher(b"a")
    >>> hasher.update(b"bc").hexdigest()[:16]
    '6437b3ac38465133'
    """

    AUTO = None

    def __init__(
        self,
        data: Data = b"",
        *,
        hash: HashName = "blake3",
        key: Buffer | None = None,
        context: str | None = None,
        device: Device = "auto",
        threads: int | None = None,
        usedforsecurity: bool = True,
    ) -> None:
        """Begin with `data`."""
        name = device if type(device) is str else device_name(device)
        _native.Hasher.__init__(self, data, hash, key, context, name, threads)

    def update(self, data: Data, /) -> Self:
        """Append the bytes of a bytes-like, or of any array or tensor on the host, in C order. Return self.

        When Ctrl-C interrupts it, the state is lost: reset() before further use.
        """
        return super().update(data)

    def update_file(self, path: Path) -> Self:
        """Append a file's bytes, read in pieces of 4 MiB and never mapped. Return self.

        Raises FileError: unreadable, or it changed while it was read. After an error, or Ctrl-C, some of its bytes may
        have been appended.
        """
        return super().update_file(path)

    def digest(self, length: int = 32, seek: int = 0) -> bytes:
        """Return output bytes `seek` to `seek + length` for all input so far; more input may follow."""
        return super().digest(length, seek)

    def hexdigest(self, length: int = 32, seek: int = 0) -> str:
        """Return digest() as lower-case hexadecimal text."""
        return super().hexdigest(length, seek)

    def copy(self) -> Self:
        """Return a second hasher of the same class, with the same input so far."""
        return super().copy()

    __copy__ = copy

    def reset(self) -> None:
        """Go back to the empty input, in the same mode."""
        super().reset()


def _pieces_of_file(path: Path, what: str) -> Iterator[memoryview]:
    """Return an iterator of a file's bytes, which opens the file. For methods of the extension."""
    name = os.fsdecode(encoded(path, what))

    def pieces() -> Iterator[memoryview]:
        try:
            with open(name, "rb", buffering=0) as file:
                before = os.fstat(file.fileno())
                piece = memoryview(bytearray(min(4 << 20, max(before.st_size, 1 << 16))))
                while count := file.readinto(piece):
                    yield piece[:count]
                require_unchanged(file.fileno(), name, before)
        except OSError as error:
            if isinstance(error, FileError):
                raise
            raise FileError._refused("read", name, error) from None

    return pieces()


class HasFileno(Protocol):
    """Anything open for reading that has a file descriptor and no read() of its own."""

    def fileno(self) -> int:
        """Return the descriptor."""


class HasRead(Protocol):
    """Anything open for reading bytes."""

    def read(self, size: int, /) -> bytes | None:
        """Return up to `size` bytes; none at the end."""


@overload
def hash(
    data: Data,
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    wait: Literal[True] = True,
    out: None = None,
    **options: Unpack[HashOptions],
) -> bytes: ...
@overload
def hash(
    data: Tensor,
    *,
    hash: HashName = "blake3",
    wait: Literal[False],
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> DeviceArray: ...
@takes(HashOptions)
def hash(
    data: Data,
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> bytes | DeviceArray:
    """Return the digest of bytes, by BLAKE3 or by another hash of bytes.

    data      bytes-like, or an array of any dtype and layout: its bytes in C order. Of NumPy; or a tensor with
              `__dlpack__` or `__cuda_array_interface__` (PyTorch, CuPy, JAX, Numba), which is hashed where it lies
    hash      "blake3", or the plain digest of one message by "sha256" (SHA-256), "sha256d", "sha3_256", "keccak256"
              (Ethereum's), "blake2s", "eidos" or "rpjive64_256" (Miden's and Winterfell's hashes of bytes): one chain
              of blocks, which the CPU computes. These have no context, no longer output and, but for "blake2s", no key
    length    bytes of output; of "blake2s" 1 to 32, each a function of its own
    seek      position in the extendable output where they start
    wait      False: return at once, with the digest as a DeviceArray uint8[32] that is complete once the work on
              `stream` is. For data on a device and 32 bytes of output. The data and `out` must stay until then. Such
              calls can be captured into a CUDA graph (docs/async.md)
    out       with wait=False: the tensor uint8[32] to write; None: a new DeviceArray
    key       32 bytes: keyed hashing; of "blake2s" 1 to 32 bytes
    context   text that names a purpose: key derivation; `data` is then the key material
    device    "auto", or an id of devices(); several share data on the host: "cuda:all", ["cuda:0", "cuda:1"]. Data on a
              device stays there: another name is an error
    threads   of the CPU; None is all that the process may use
    stream    the device's queue to run on, after what it has already: a stream of PyTorch, CuPy or Numba, or the number
              of a CUstream or cl_command_queue. None is CUDA's default stream, ordered after the tensor's own
    progress  called about every 50 ms with the share that is done, 0 to 1; returning False raises Cancelled

    Raises InvalidArgument, Unavailable, OutOfMemory.

    >>> merklize.hash(b"abc").hex()[:16]
    '6437b3ac38465133'
    >>> merklize.hash(b"abc", hash="sha256").hex()[:16]
    'ba7816bf8f01cfea'
    """
    key, context = mode_of(options)
    run = run_of("hash", options, wait=wait, tuned=is_blake3(hash))
    if not is_blake3(hash):
        require_plain(hash, key, context, length, seek)
    if wait and out is None:
        if not is_blake3(hash):
            return _native.hash_message(data, hash, key, length, run)
        return _native.hash(data, key, context, length, seek, run)
    if wait:
        raise InvalidArgument("out is for calls with wait=False; others return new arrays")
    if not is_blake3(hash):
        raise InvalidArgument(f"wait=False is of 'blake3', got {shown(hash)}; hash_rows() takes any hash of bytes")
    if (_arrays.unsigned(length, "length"), _arrays.unsigned(seek, "seek")) != (32, 0):
        raise InvalidArgument(
            f"with wait=False the first 32 bytes are given, got length {shown(length)} from {shown(seek)}"
        )
    there = _native.import_array(data, "data", run)
    digest = _arrays.output(there, out, (32,), "uint8", run)
    _native.enqueue_hash(there, digest, key, context, run)
    return cast("DeviceArray", digest)


@takes(HashOptions)
def hash_file(
    path: Input | HasFileno | HasRead,
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    mmap: bool = False,
    **options: Unpack[HashOptions],
) -> bytes:
    """Return the digest of a file, which is never completely in memory.

    path      a path, or a file descriptor or open file: read from its position to its end, and left open.
              A plain file is read by all threads; anything else by its readinto() or read(): gzip.open(), io.BytesIO.
              Or a URL of fsspec, "s3://...", "gs://...", "https://...": docs/stores.md. Or a Source, an object that
              gives ranges of its bytes: merklize.extensions
    progress  as in hash(); 0 while the length is not known
    mmap      True: a plain file is mapped, not read, which saves a copy of what the system has in memory. Only for
              files that nobody makes shorter meanwhile, which would end the process (SIGBUS). A file that cannot be
              mapped is read

    The rest is as in hash(). Raises FileError too: unreadable, or size or times changed while it was read.
    A file that states a wrong size, as those in /proc and /sys do, is read to its end. While a file is written in
    place, even by a single write(), its digest may be that of neither version.

    >>> merklize.hash_file("data.bin") == merklize.hash(open("data.bin", "rb").read())
    True
    """
    key, context = mode_of(options)
    run = run_of("hash_file", options, tuned=is_blake3(hash))
    if not is_blake3(hash):
        require_plain(hash, key, context, length, seek)
    how = How(hash, key, context, length, seek, run, flag(mmap, "mmap"))
    path = plain(path)
    if is_url(path) or is_source(path):
        with opened_path(path, "path") as source:
            return how.source(source)
    if isinstance(path, (str, bytes, os.PathLike)):
        return how.path(encoded(path, "path"))
    if isinstance(path, int) and not isinstance(path, bool):
        return how.descriptor(path, f"file descriptor {shown(path)}")
    if isinstance(path, io.TextIOBase):
        raise TypeError(
            in_call(f"an open file must give bytes, got a text file ({type(path).__name__}); open it with mode 'rb'")
        )
    if hasattr(path, "readable") and not path.readable():
        raise FileError(in_call(f"{path!r} is not open for reading"))
    if is_plain(path):
        return hash_plain_file(path, how)
    if hasattr(path, "readinto") or hasattr(path, "read"):
        return hash_object(path, how)
    if hasattr(path, "fileno"):
        descriptor = path.fileno()
        return how.descriptor(descriptor, f"file descriptor {descriptor}")
    raise TypeError(in_call(f"path must be a path, a file descriptor or an open file, got {type(path).__name__}"))


def _path(path: Path) -> Any:
    found = plain(path)
    return found if is_url(found) else encoded(found, "path")


@takes(HashOptions)
def hash_files(
    paths: Iterable[Path],
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    **options: Unpack[HashOptions],
) -> list[bytes | FileError]:
    """Return the digests of many files, several at once: one result for each path, in order.

    A file that fails does not stop the others: its result is the FileError, not raised. Options as in hash_file().
    Paths may be URLs, too.

    >>> found = merklize.hash_files(["data.bin", "missing"])
    >>> [isinstance(digest, bytes) for digest in found]
    [True, False]
    """
    if isinstance(paths, (str, bytes, os.PathLike)):
        kind = type(paths).__name__
        raise TypeError(in_call(f"paths must be an iterable of paths, got one path ({kind}); hash_file() takes one"))
    key, context = mode_of(options)
    run = run_of("hash_files", options, tuned=is_blake3(hash))
    if not is_blake3(hash):
        require_plain(hash, key, context, length, seek)
    names = [_path(path) for path in each_of(paths)]

    def hash_named(names: list[Any], run: _native.Settings) -> list[bytes | FileError]:
        if not is_blake3(hash):
            results = _native.hash_message_files(names, hash, key, length, run)
        else:
            results = _native.hash_files(names, key, context, length, seek, run)
        return [result if isinstance(result, bytes) else FileError._of(*result) for result in results]

    urls = [k for k, name in enumerate(names) if is_url(name)]
    if not urls:
        return hash_named(names, run)
    how = How(hash, key, context, length, seek, run)
    device, threads, is_tuned = run.device, run.threads or None, is_blake3(hash)

    def begin(progress: Progress) -> Callable[[Any], bytes]:
        return how._replace(run=settings(device, threads, progress, tuned=is_tuned, timed=False)).source

    found = dict(zip(urls, stores().hash_urls([names[k] for k in urls], begin, run.progress)))
    files = [k for k in range(len(names)) if k not in found]
    quiet = settings(device, threads, tuned=is_tuned)  # progress of the URLs is reported already
    found |= zip(files, hash_named([names[k] for k in files], quiet))
    return [found[k] for k in range(len(names))]


@takes(HashOptions)
def hash_leaves(
    messages: Data | Iterable[Buffer],
    hash: HashName = "blake3",
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> Digests | DeviceArray:
    """Return the digests of n messages as leaves of a tree of this hash.

    messages  uint8[n, m], for field hashes words as in hash_rows(); any strides. A tensor on a device stays there.
              Or a list or other iterable of bytes-likes of any lengths. All are hashed when the last one has come: an
              iterator must not fill one buffer again and again
    hash      "blake3": BLAKE3 of the message; "sha256_rfc6962": SHA-256 of the byte 0 and the message; a field hash:
              its hash of the message's words

    The options are as in hash(); key is of "blake3" and "blake2s", context of "blake3". Raises InvalidArgument.

    >>> merklize.hash_leaves([b"a", b"bc"]).shape
    (2, 32)
    """
    key, context = mode_of(options)
    run = run_of("hash_leaves", options, wait=wait)
    return leaves_of("message", messages, hash, key, context, run, out)


def leaves_of(
    noun: str, messages: Any, hash: str, key: Any, context: Any, run: _native.Settings, out: Any = None
) -> Digests | DeviceArray:
    """Do what hash_leaves() does. Error texts call a message `noun`."""
    which = hash_info(hash)
    if not _arrays.is_array(messages) and not isinstance(messages, (bytes, bytearray, memoryview, str)):
        if not run.wait or out is not None:
            raise InvalidArgument(f"a list of {noun}s is hashed with wait=True and without out")
        given = _arrays.collected(messages, noun)
        return cast("Digests", leaves_of_list(given, which, key, context, run))
    rows = _native.leaf_rows(messages, f"{noun}s", which, run)
    return digests_of(rows, which, hash, key, context, run, out)


def digests_of(
    rows: Any, which: _native.HashInfo, hash: str, key: Any, context: Any, run: _native.Settings, out: Any
) -> Digests | DeviceArray:
    """Return the digests of imported rows: uint8[n, m]; or words [n, k], or [k] for one row."""
    bits = which.element_bits or 8
    shape, dtype = (*rows.shape[:-1], 256 // bits), rows.dtype if which.is_field else "uint8"
    row_bytes = rows.shape[-1] * (bits // 8)
    digests: Digests | DeviceArray = _arrays.result(rows, out, shape, dtype, run, run.wait)
    hash_them = _native.hash_leaves if run.wait else _native.enqueue_hash_leaves
    hash_them(rows, row_bytes, digests, hash, key, context, run)
    return digests


@overload
def merge(
    left: bytes,
    right: bytes,
    hash: HashName = "blake3",
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> bytes: ...
@overload
def merge(
    left: Digests,
    right: Digests,
    hash: HashName = "blake3",
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> Digests: ...
@overload
def merge(
    left: Tensor,
    right: Tensor,
    hash: HashName = "blake3",
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> Digests | DeviceArray: ...
@takes(HashOptions)
def merge(
    left: bytes | Digests | Tensor,
    right: bytes | Digests | Tensor,
    hash: HashName = "blake3",
    *,
    wait: bool = True,
    out: Tensor | None = None,
    **options: Unpack[HashOptions],
) -> bytes | Digests | DeviceArray:
    """Return the 2-to-1 hash of one pair of digests or of arrays of pairs, in the form of the input.

    left, right  both 32 bytes, or both uint8[..., 32], or both the same bytes as little-endian words, uint64[..., 4],
                 uint32[..., 8] or signed; both on the host or both on the same device
    hash         one of HASHES; for field hashes each word is less than the field's modulus
    key          32 bytes: keyed merges, of "blake3"; of "blake2s" 1 to 32
    context      text that names a purpose: derive-key merges, of "blake3"

    The options are as in hash(); one pair of bytes is merged on the CPU.
    Raises InvalidArgument: shapes, dtypes, a word >= p, an unknown hash.

    >>> left, right = merklize.hash(b"left"), merklize.hash(b"right")
    >>> merklize.merge(left, right) == merklize.hash(left + right)
    True
    """
    key, context = mode_of(options)
    run = run_of("merge", options, wait=wait)
    if not _arrays.is_array(left) and not _arrays.is_array(right):
        return _native.merge_one(left, right, hash, key, context)
    first = _arrays.digests(left, "left", run)
    second = _arrays.digests(right, "right", run)
    if first.shape != second.shape or first.dtype != second.dtype:
        left_is, right_is = _arrays.describe(first), _arrays.describe(second)
        raise InvalidArgument(f"left and right must be alike, got {left_is} and {right_is}")
    if _arrays.place(first) != _arrays.place(second):
        left_is, right_is = _arrays.place(first), _arrays.place(second)
        raise InvalidArgument(f"left is on {left_is}, right on {right_is}")
    merged: Digests | DeviceArray = _arrays.result(first, out, first.shape, first.dtype, run, wait)
    merge_them = _native.merge if wait else _native.enqueue_merge
    merge_them(first, second, merged, hash, key, context, run)
    return merged


if not TYPE_CHECKING:
    # Little data on the host is hashed before any option is read, which would take most of the time.
    hash = _native.quick_hash(hash, signature_of(hash))
    merge = _native.quick_merge(merge, signature_of(merge))
    _native.quicken(Hasher)
