"""Digests of many messages of different lengths in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _arrays, _native
from ._native import DeviceArray
from ._options import HashOptions, mode_of, run_of, takes
from ._settings import Steps, is_blake3, require_plain, settings
from ._types import Bytes, Data, HashName
from .errors import InvalidArgument, OutOfMemory, in_call

if TYPE_CHECKING:
    from typing_extensions import Unpack

Name = TypeVar("Name")


@overload
def hash_each(  # type: ignore[overload-overlap]  # a mapping is an iterable, too: it comes first
    messages: Mapping[Name, Data],
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    **options: Unpack[HashOptions],
) -> dict[Name, bytes]: ...
@overload
def hash_each(
    messages: Iterable[Data],
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    **options: Unpack[HashOptions],
) -> Bytes: ...
@takes(HashOptions)
def hash_each(
    messages: Iterable[Data] | Mapping[Name, Data],
    *,
    hash: HashName = "blake3",
    length: int = 32,
    seek: int = 0,
    **options: Unpack[HashOptions],
) -> Bytes | dict[Name, bytes]:
    """Return hash() of each of many messages, all in one job a device.

    messages  a list or any iterable: the digests are uint8[n, 32], in order. A mapping, such as a model's state dict:
              the digests are a dict of bytes with the same names, in the same order. Each message is what hash() takes,
              of any length, dtype and strides: bytes-like, an array, or a tensor, which is hashed where it lies.
              All are hashed when the last one has come: an iterator must not fill one buffer again and again
    hash      "blake3", or a hash of bytes as hash() takes it: those are computed by the CPU, a thread a message
    length    bytes of output of each message
    device    of messages on the host. Messages on devices stay there: another name is an error
    stream    of the only device that messages are on
    progress  as in hash_file()

    The rest is as in hash(). Short messages on the host are hashed side by side in lanes, long ones by all threads.
    Raises InvalidArgument, Unavailable, OutOfMemory.

    >>> merklize.hash_each({"a": b"1", "b": b"2"})["a"] == merklize.hash(b"1")
    True
    """
    if isinstance(messages, str) or _native.is_data(messages):
        raise TypeError(
            in_call(
                f"messages must be a list or a mapping of messages, got one ({type(messages).__name__}); "
                "hash() takes one message, hash_rows() the rows of an array"
            )
        )
    names = tuple(messages) if isinstance(messages, Mapping) else None
    given = _arrays.collected(tuple(messages.values()) if isinstance(messages, Mapping) else messages, "message")
    if names is not None and len(names) != len(given):
        raise InvalidArgument(
            in_call("messages must not change while they are read: names and values differ in number")
        )
    key, context = mode_of(options)
    run = run_of("hash_each", options, tuned=is_blake3(hash))
    if not is_blake3(hash):
        require_plain(hash, key, context, length, seek)
    size = _arrays.unsigned(length, "length")
    digests = _digests(len(given), size)
    if not is_blake3(hash):
        _native.hash_message_each(given, names, digests, hash, key, size, run)
    else:
        _native.hash_each(given, names, digests, key, context, size, seek, run)
    if names is None:
        return digests
    return _native.named_digests(names, digests, size)


def _digests(n: int, length: int) -> Bytes:
    import numpy as np

    if n * length >= 2**63:
        raise InvalidArgument(f"{n} outputs of {length} bytes are more than 2^63 bytes")
    try:
        return np.empty((n, length), np.uint8)
    except MemoryError:
        raise OutOfMemory(in_call(f"no memory for {n * length} bytes")) from None


def rows_output(
    rows: Any, key: Any, context: Any, length: int, seek: int, run: _native.Settings
) -> Bytes | DeviceArray:
    """Return any part of the output of each row. The host makes it from the two values below each root."""
    size = _arrays.unsigned(length, "length")
    digests = _digests(rows.shape[0], size)
    there = rows.device if isinstance(rows, _native.DeviceArray) else None
    if there is not None and rows.shape[1] <= 1024:
        rows, run = rows.numpy(), settings("cpu", None)
    _native.hash_rows_output(rows, rows.shape[1], digests, key, context, size, seek, run)
    return digests if there is None else _native.DeviceArray.from_numpy(digests, there)


def leaves_of_list(messages: Any, hash: _native.HashInfo, key: Any, context: Any, run: _native.Settings) -> Any:
    """Return the leaves of messages of any lengths: by BLAKE3 all at once, else those of one length at once."""
    import numpy as np

    word = np.dtype(_arrays.element_type(hash) or "uint8")
    leaves = np.empty((len(messages), 32), np.uint8)
    if hash.name == "blake3":
        _native.hash_each(messages, None, leaves, key, context, 32, 0, run)
        return leaves
    given = [np.frombuffer(_native.host_bytes(message, f"message {i}"), np.uint8) for i, message in enumerate(messages)]
    for i, message in enumerate(messages):
        kind = message.format if isinstance(message, memoryview) else getattr(getattr(message, "dtype", ""), "str", "")
        if word.itemsize > 1 and kind[:1] in (">", "!"):
            raise InvalidArgument(f"message {i} must have words in little endian, got {kind}; give .astype('{word}')")
    steps = Steps(run.progress, sum(map(len, given)))
    run = steps.over(run)
    by_length: dict[int, list[int]] = {}
    for i, message in enumerate(given):
        by_length.setdefault(len(message), []).append(i)
    for length, which in by_length.items():
        if length % word.itemsize:
            raise InvalidArgument(
                f"message {which[0]} has {length} bytes; {hash.name!r} takes words of {word.itemsize} bytes"
            )
        steps.step(length * len(which))
        rows = np.concatenate([given[i] for i in which]).reshape(len(which), length)
        digests = np.empty((len(which), 32), np.uint8)
        _native.hash_leaves(rows.view(word), length, digests, hash.name, key, context, run)
        leaves[which] = digests
    return leaves.view(word)
