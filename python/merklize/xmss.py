"""Keys of Ethereum's XMSS: trees over one-time keys, made from seeds on the CPU or a device.

A key signs one message for each epoch, and keeps no state. docs/xmss.md begins with what a caller must not do.

>>> import os
>>> keys = merklize.xmss.keys([os.urandom(32) for _ in range(3)], 1000, 1063)
>>> message = merklize.hash(b"a block", hash="sha256")
>>> signature = keys[0].sign(1007, message)
>>> merklize.xmss.verify(keys[0].public_key, 1007, message, signature)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from . import _native
from ._options import RunOptions, run_of, takes
from ._types import Bytes, HostData, Indices
from .errors import in_call

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Key", "keys", "verify", "verify_each"]


class Key:
    """The key of a seed for a range of epochs. keys() makes it.

    A key does not know which epochs were used: never sign two messages at one epoch. It holds the seed, which no text
    shows, and which is wiped when the last reference to the key goes. It can be neither copied nor pickled. Threads may
    share a key.
    """

    __slots__ = ("__weakref__", "_key")

    _key: _native.XmssKey

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Refuse: keys() makes keys."""
        raise TypeError(in_call("xmss.keys() makes keys of seeds"))

    @classmethod
    def _of(cls, key: _native.XmssKey) -> Key:
        made = cls.__new__(cls)
        made._key = key
        return made

    @property
    def public_key(self) -> bytes:
        """The root and the parameter, 16 bytes each."""
        return self._key.public_key

    @property
    def first_epoch(self) -> int:
        """The first epoch at which it can sign."""
        return self._key.first_epoch

    @property
    def last_epoch(self) -> int:
        """The last epoch at which it can sign."""
        return self._key.last_epoch

    @takes(RunOptions)
    def path(self, epoch: int, **options: Unpack[RunOptions]) -> Bytes:
        """Return the siblings from the leaf of an epoch up: uint8[32, 16].

        The bottom tree of the epoch is made again, about the square root of the range, unless the last call needed the
        same one. Raises InvalidArgument: an epoch outside the range.

        >>> import os
        >>> (key,) = merklize.xmss.keys([os.urandom(32)], 0, 255)
        >>> key.path(7).shape
        (32, 16)
        """
        import numpy as np

        return np.frombuffer(self._key.path(epoch, run_of("Key.path", options)), np.uint8).reshape(32, 16)

    @takes(RunOptions)
    def sign(self, epoch: int, message: HostData, **options: Unpack[RunOptions]) -> bytes:
        """Return the signature of a message by the one-time key of an epoch: 1208 bytes.

        message  32 bytes, usually a digest

        Before the call, store where a crash cannot lose it that the epoch is used: two messages at one epoch let others
        sign. The same key, epoch and message give the same bytes. Costs what path() does, and about 2^15 attempts.
        Raises InvalidArgument: an epoch outside the range, a message of another length.

        >>> import os
        >>> (key,) = merklize.xmss.keys([os.urandom(32)], 0, 255)
        >>> len(key.sign(7, bytes(32)))
        1208
        """
        return self._key.sign(epoch, message, run_of("Key.sign", options))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        """Refuse: a copy or a pickle would hold the seed."""
        raise TypeError("a Key of XMSS can be neither copied nor pickled: its seed would have to be in the copy")

    def __repr__(self) -> str:
        return f"<Key: {self.public_key.hex()}, epochs {self.first_epoch} to {self.last_epoch}>"


@takes(RunOptions)
def keys(
    seeds: Sequence[HostData] | HostData,
    first_epoch: int,
    last_epoch: int,
    **options: Unpack[RunOptions],
) -> list[Key]:
    """Return the keys of seeds, all for the epochs `first_epoch` to `last_epoch`, both included, in one call.

    seeds  32 secret random bytes each: a list of bytes, uint8[n, 32], or all behind one another in bytes

    A key keeps its seed and the upper half of its tree, so memory grows with the square root of the range. Copies of
    seeds are wiped, on devices, too, but not the caller's objects. Costs 347 compressions of BLAKE2s for each epoch of
    each key. Raises InvalidArgument: a seed of other than 32 bytes, a range that ends before it begins or after
    epoch 2^32 - 1.

    >>> (key,) = merklize.xmss.keys([bytes(range(32))], 0, 4)    # a seed of a test vector
    >>> key.public_key.hex()
    'ed0d3c8e7cf085e06979d7b4754d7638c487ed3aef7201c095bf4c74aad6b6e3'
    """
    run = run_of("keys", options)
    return [Key._of(key) for key in _native.xmss_keys(seeds, first_epoch, last_epoch, run)]


def verify(public_key: HostData, epoch: int, message: HostData, signature: HostData) -> bool:
    """Tell whether a signature of the message is valid for the key and the epoch.

    Bytes of other lengths and integers below 0 or of 2^32 and more are False. Costs about 150 compressions of BLAKE2s.

    >>> import os
    >>> (key,) = merklize.xmss.keys([os.urandom(32)], 0, 255)
    >>> signature = key.sign(7, bytes(32))
    >>> [merklize.xmss.verify(key.public_key, epoch, bytes(32), signature) for epoch in (7, 8)]
    [True, False]
    """
    return _native.xmss_verify(public_key, epoch, message, signature)


@takes(RunOptions)
def verify_each(
    public_keys: Sequence[HostData] | Bytes,
    epochs: Sequence[int] | Indices,
    messages: Sequence[HostData] | Bytes,
    signatures: Sequence[HostData] | Bytes,
    **options: Unpack[RunOptions],
) -> list[bool]:
    """Verify many signatures side by side: one result for each, in order.

    public_keys, messages, signatures  lists of bytes, or uint8[n, 32], [n, 32] and [n, 1208]
    epochs                             as many integers

    In lists, bytes of another length are False, as with verify(), and so are integers that are no epoch. Raises
    InvalidArgument: counts that differ.

    >>> import os
    >>> keys = merklize.xmss.keys([os.urandom(32) for _ in range(2)], 0, 255)
    >>> publics, messages = [key.public_key for key in keys], [bytes(32)] * 2
    >>> merklize.xmss.verify_each(publics, [7, 7], messages, [key.sign(7, bytes(32)) for key in keys])
    [True, True]
    """
    run = run_of("verify_each", options)
    numbers = epochs.tolist() if hasattr(epochs, "tolist") else epochs
    if not isinstance(numbers, (list, tuple)):
        raise TypeError(in_call(f"epochs must be a list or an array of integers, got {type(epochs).__name__}"))
    return _native.xmss_verify_each(public_keys, tuple(numbers), messages, signatures, run)
