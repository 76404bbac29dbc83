"""The definitions of the names in _types. Type checkers import them, and programs that ask for a function's types."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Literal, NewType, Optional, Protocol, Union

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from typing_extensions import Buffer, Self
else:  # typing_extensions need not be installed
    try:
        from typing_extensions import Buffer, Self
    except ImportError:
        import collections.abc
        import typing

        Buffer = getattr(collections.abc, "Buffer", Union[bytes, bytearray, memoryview])
        Self = getattr(typing, "Self", Any)

__all__ = [
    "Array",
    "Buffer",
    "Bytes",
    "Data",
    "Device",
    "Digest",
    "Digests",
    "GivenHash",
    "HashName",
    "HostData",
    "Indices",
    "Input",
    "Leaves",
    "Path",
    "Policy",
    "Progress",
    "Self",
    "Source",
    "Tensor",
    "Tree",
    "Words",
]


class SupportsDLPack(Protocol):
    """Tensors of PyTorch, CuPy, JAX, ..., on the host or on a device."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class SupportsCudaArrayInterface(Protocol):
    """Arrays of Numba, ... on a device."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


class Tree(Protocol):
    """MerkleTree or TreeFile, without an import of their modules, which need these names."""

    @property
    def hash(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def height(self) -> int: ...
    def _nodes_at(self, level: int, indices: Indices) -> Any: ...


class Source(Protocol):
    """Data that is read by other code, in ranges (merklize.extensions). Errors of its functions reach the caller.

    A source that gives more or fewer bytes than its size, or than the ranges have, makes a call raise FileError.
    """

    @property
    def name(self) -> str:
        """For texts."""

    @property
    def descriptor(self) -> int | None:
        """A file of this machine that has the data and is read in place of pieces(); None: there is none."""

    @property
    def size(self) -> int | None:
        """Bytes; None if only reading tells."""

    def pieces(self, ranges: list[tuple[int, int]] | None, /) -> Iterator[bytes]:
        """Yield the bytes of ranges (start, end), one after another and in order; None: all bytes."""

    def require_same(self) -> None:
        """Raise FileError if the data has changed since it was opened."""


class TorchDevice(Protocol):
    """torch.device."""

    @property
    def type(self) -> str: ...
    @property
    def index(self) -> int: ...


Array = NDArray[Any]
"""A NumPy array of any dtype."""
Tensor = Union[SupportsDLPack, SupportsCudaArrayInterface]
"""An array of another library. If it is on a device, results are DeviceArrays there, else NumPy arrays."""
Bytes = NDArray[np.uint8]
Indices = NDArray[np.uint64]
Words = Union[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int32]]
"""Words of 64 or 32 bits. The bits of signed words count."""
Digests = Union[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int32]]
"""uint8[..., 32], or the same bytes as little-endian words: uint64[..., 4] or uint32[..., 8], or signed."""
HostData = Union[Buffer, NDArray[Any]]
"""bytes, bytearray, memoryview, ... or any NumPy array."""
Digest = Union[Buffer, NDArray[Any], str]
"""One digest: 32 bytes, or 64 hexadecimal digits with or without 0x."""
Leaves = Union[Digests, Tensor, Sequence[Digest]]
"""Digests as an array, or a list of them."""
Data = Union[HostData, Tensor]
"""Host data, or any tensor."""
OneDevice = Union[str, int, TorchDevice]
"""An id of devices(), "auto", N for "cuda:N", or PyTorch's."""
Device = Union[OneDevice, Sequence[OneDevice]]
"""One device, or several: "cuda:all", "cpu,cuda:0", ["cuda:0", "cuda:1"], [0, 1]."""
NamedHash = Literal[
    "blake3",
    "rp64_256_v1",
    "rp64_256_v2",
    "rp64_256_v3",
    "sha256_rfc6962",
    "rpo256",
    "rpx256",
    "poseidon2_goldilocks_8",
    "poseidon2_goldilocks_12",
    "poseidon2_miden",
    "poseidon2_babybear_16",
    "poseidon2_babybear_24",
    "poseidon2_koalabear_16",
    "poseidon2_koalabear_24",
    "sha256",
    "sha256d",
    "sha256_compress",
    "keccak256",
    "keccak256_sorted",
    "eidos",
    "eidos_v0",
    "rpo256_r1",
    "rpo256_r2",
    "rpx256_r2",
    "keccakf64",
    "blake2s",
    "sha3_256",
    "rpjive64_256",
    "poseidon_goldilocks_8",
    "poseidon_goldilocks_12",
    "poseidon_babybear_16",
    "poseidon_koalabear_16",
    "poseidon_babybear_24",
    "poseidon_koalabear_24",
    "blake3_parent",
    "sha256_trunc254",
    "rp64_256",
    "rpo256_r3",
    "rpo256_r4",
    "rpx256_r3",
    "rpx256_r4",
]
GivenHash = NewType("GivenHash", str)
"""The name that poseidon() or poseidon2() gave a hash of the caller's own constants."""
HashName = Union[NamedHash, GivenHash]
Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
Input = Union[Path, int, Source]
"""A path, a Source, or a descriptor open for reading, which is read from its position to its end."""
Policy = Optional[Mapping[str, Union[int, str]]]
"""Tuning values by name; None lets the device's table decide."""
Progress = Optional[Callable[[float], object]]
"""Called about every 50 ms with the share of the work that is done, 0 to 1; returning False cancels the work."""
