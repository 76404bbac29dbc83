"""Shapes and dtypes. NumPy is imported on first use, because hashing bytes does not need it and it is slow to import.

What comes out of here is on the host, a NumPy array in C order, or on a device, a DeviceArray.
"""

from __future__ import annotations

import operator
import sys
from array import array as Words64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._inputs import each_of, numbered
from ._native import DeviceArray, HashInfo, Settings
from ._types import Array, Digest, Digests
from .errors import InvalidArgument, in_call, shown

DIGEST_ITEMS = {"uint8": 32, "uint64": 4, "int64": 4, "uint32": 8, "int32": 8}
"""How many items of a dtype are a digest."""


def describe(array: Array | DeviceArray) -> str:
    """Return dtype and shape as in "uint8[8, 32]"."""
    return f"{array.dtype}{list(array.shape)}"


def place(array: Array | DeviceArray) -> str:
    """Return the id of the device that an array is on, or "the host"."""
    return array.device if isinstance(array, _native.DeviceArray) else "the host"


def element_type(hash: HashInfo) -> str:
    """Return the name of the dtype of a field hash's words; "" for a hash of bytes."""
    return f"uint{hash.element_bits}" if hash.is_field else ""


def digests(value: object, what: str, settings: Settings, shape: str = "...") -> Array | DeviceArray:
    """Check that `value` is uint8[..., 32], or the same as words. `shape` is "..." or the dimensions: "n"; "m, n"."""
    checked: Array | DeviceArray = _native.digest_array(value, what, shape, settings)
    return checked


def refuse_mask(value: object, what: str) -> None:
    """Raise InvalidArgument for a masked array, whose mask np.asarray() forgets."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise InvalidArgument(f"{what}: a masked array; give its .data, or what .filled() makes of it")


def from_lists(value: Any, what: str) -> Any:
    """Return np.asarray() of what a caller gives.

    Raises InvalidArgument for a masked array, and for lists that are nested more than 3 deep: of one that holds itself
    NumPy makes arrays for ever.
    """
    import numpy as np

    refuse_mask(value, what)
    if _is_deeper(value, 3):
        raise InvalidArgument("lists must be nested at most 3 deep")
    return np.asarray(value)


def _is_deeper(value: object, most: int) -> bool:
    return isinstance(value, (list, tuple)) and (most == 0 or any(_is_deeper(item, most - 1) for item in value))


def listed(value: Any, what: str, shape: str, settings: Settings) -> Any:
    """Return joined(), or of shape "m, n" an array of such lists. The extension calls it for what is none of NumPy."""
    if isinstance(value, (bytes, bytearray, memoryview, str)):
        kind = type(value).__name__
        hint = "MerkleTree.from_messages() hashes messages"
        raise TypeError(in_call(f"{what} must be an array or a list of digests, got {kind}; {hint}"))
    if shape != "m, n" or not isinstance(value, Sequence):
        return joined(value, what)
    import numpy as np

    rows = [np.asarray(digests(item, f"{what}[{k}]", settings, "n")).view(np.uint8) for k, item in numbered(value)]
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        counts = " and ".join(map(str, sorted(lengths)[:2]))
        raise InvalidArgument(f"{what} must be lists of equally many digests, got {counts}")
    return np.stack(rows) if rows else np.empty((0, 0, 32), np.uint8)


def joined(value: Any, what: str) -> Any:
    """Return a list of digests as an array; anything else as it is."""
    if not isinstance(value, Sequence) or isinstance(value, (bytes, bytearray, memoryview, str)):
        return value
    import numpy as np

    parts = [leaf if type(leaf) is bytes and len(leaf) == 32 else _leaf(leaf, what, k) for k, leaf in numbered(value)]
    return np.frombuffer(b"".join(parts), np.uint8).reshape(-1, 32)


def _leaf(value: Any, what: str, k: int) -> bytes:
    try:
        return _native.digest(value, "leaf")
    except (InvalidArgument, TypeError) as error:
        name = "" if what == "leaves" else f"{what}: "
        is_bytes = isinstance(value, (bytes, bytearray, memoryview))
        got = f"{memoryview(value).nbytes} bytes" if is_bytes else type(value).__name__
        hint = "MerkleTree.from_messages() hashes messages"
        text = f"{name}leaf {k} must be a digest of 32 bytes, got {got}; {hint}"
        raise (InvalidArgument(text) if isinstance(error, InvalidArgument) else TypeError(in_call(text))) from None


def slots(value: object, what: str, settings: Settings) -> Array | DeviceArray:
    """Check that `value` is the nodes of a tree, as digests(), and can be written in place."""
    array: Any = value if isinstance(value, _native.DeviceArray) else _native.imported(value, what, settings)
    digests(array, what, settings, "2n")
    if isinstance(array, _native.DeviceArray):
        is_good = _native.is_writable(array)
    else:
        is_good = array.flags.c_contiguous and array.flags.writeable
    if not is_good:
        raise InvalidArgument(f"{what} must be writable and in C order, for they are written in place")
    checked: Array | DeviceArray = array
    return checked


def integer(value: Any, what: str) -> int:
    """Return an integer of any type as a Python integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(in_call(f"{what} must be an integer, got {type(value).__name__}")) from None


def unsigned(value: Any, what: str) -> int:
    """Return a count or an index as a Python integer."""
    number = integer(value, what)
    if not 0 <= number < 2**64:
        raise InvalidArgument(f"{what} must be 0 to 2^64 - 1, got {shown(number)}")
    return number


def indices(value: Any, what: str, n_leaves: int, *, any_order: bool = True) -> Any:
    """Return indices of leaves, any iterable of integers, as uint64[k].

    n_leaves  of the tree. Of an iterable the first index beyond them is an error, and so are more indices than leaves
              where it does not know its length: it may have no end
    any_order whether a set is one, too
    """
    import numpy as np

    if type(value) is list and len(value) == 1 and type(value[0]) is int and 0 <= value[0] < n_leaves:
        return np.array(value, np.uint64)  # a proof of one leaf, in a third of the time
    if not hasattr(value, "dtype"):
        if not isinstance(value, Iterable):
            raise TypeError(in_call(f"{what} must be integers, got {type(value).__name__}"))
        numbers, most = Words64("Q"), 2**64 if hasattr(value, "__len__") else n_leaves
        for item in each_of(value, any_order=any_order):
            number = unsigned(item, what)
            if number >= n_leaves:
                rule = (
                    f"leaf index must be below {n_leaves}, got"
                    if n_leaves
                    else "the tree has no leaves, got leaf index"
                )
                raise InvalidArgument(f"{rule} {number}")
            if len(numbers) == most:
                raise InvalidArgument(f"an iterator gives more than {n_leaves} indices, as many as leaves")
            numbers.append(number)
        return np.array(numbers, np.uint64)
    refuse_mask(value, what)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InvalidArgument(f"{what}: {error}") from None
    if array.dtype.kind not in "iu":
        raise TypeError(in_call(f"{what} must be an integer, got {array.dtype}"))
    if array.ndim != 1:
        raise InvalidArgument(f"{what}: expected one dimension, got {describe(array)}")
    if array.size and array.dtype.kind == "i" and array.min() < 0:
        raise InvalidArgument(f"{what} must not be negative, got {array.min()}")
    return np.ascontiguousarray(array, np.uint64)


def nodes(buffer: Any, hash: str) -> Digests:
    """Return nodes in a buffer as an array of the form that goes with the hash."""
    import numpy as np

    items = element_type(_native.hash_by_name(hash)) or "uint8"
    found: Digests = np.frombuffer(buffer, items).reshape(-1, DIGEST_ITEMS[items])
    return found


def changes(value: Mapping[int, Digest], n_leaves: int) -> tuple[Any, Any]:
    """Return {index: leaf} as uint64[k] and uint8[k, 32]."""
    import numpy as np

    if not isinstance(value, Mapping):
        raise TypeError(in_call(f"changes must be a mapping {{index: leaf}}, got {type(value).__name__}"))
    found = indices(value, "index", n_leaves)
    digests = [_native.digest(leaf, f"leaf {index}") for index, leaf in value.items()]
    return found, np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)


def empty(beside: Array | DeviceArray, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return an array that the extension will fill in, on the device of `beside`."""
    import numpy as np

    if isinstance(beside, _native.DeviceArray):
        return _native.empty(beside.device, shape, dtype)
    return np.empty(shape, dtype)


def output(beside: Any, out: object, shape: tuple[int, ...], dtype: Any, settings: Settings) -> Any:
    """Return the array on a device that a call with wait=False writes: `out` if it is given, else a new one."""
    if not isinstance(beside, _native.DeviceArray):
        raise InvalidArgument("the data must be on a device with wait=False, got memory of the host")
    if out is None:
        return _native.empty(beside.device, shape, dtype)
    array = _native.imported(out, "out", settings)
    if not isinstance(array, _native.DeviceArray) or not _native.is_writable(array):
        raise InvalidArgument("out must be writable, in C order and on a device")
    same_type = array.dtype == dtype or {array.dtype, dtype} in ({"uint64", "int64"}, {"uint32", "int32"})
    if tuple(array.shape) != tuple(shape) or not same_type:
        raise InvalidArgument(f"out must be {dtype}{list(shape)}, got {describe(array)}")
    return array


def result(beside: Any, out: object, shape: tuple[int, ...], dtype: Any, settings: Settings, wait: bool) -> Any:
    """Return the array that a call writes: a new one beside its data, or with wait=False that of output()."""
    if not wait:
        return output(beside, out, shape, dtype, settings)
    if out is not None:
        raise InvalidArgument("out is for calls with wait=False; others return new arrays")
    return empty(beside, shape, dtype)


def device_bytes(value: object, what: str, settings: Settings) -> DeviceArray:
    """Return bytes on a device that a call may write."""
    array = _native.imported(value, what, settings)
    if not isinstance(array, _native.DeviceArray) or not _native.is_writable(array) or array.dtype != "uint8":
        raise InvalidArgument(f"{what} must be uint8, writable, in C order and on a device")
    return array


def collected(items: Iterable[Any], what: str) -> Any:
    """Return messages as a list or tuple. Those of an iterator are checked as they come, because it may have no end."""
    if isinstance(items, (list, tuple)):
        return items
    found: list[Any] = []
    for item in each_of(items):
        if not _native.is_data(item):
            number, kind = len(found), type(item).__name__
            raise TypeError(in_call(f"{what} {number} must be bytes-like, a NumPy array or a tensor, got {kind}"))
        found.append(item)
    return found


def is_array(value: object) -> bool:
    """Tell whether `value` may be an array, of NumPy or on a device, without importing NumPy."""
    return hasattr(value, "dtype") or hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")
