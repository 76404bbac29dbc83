"""Solidity's ABI encoding of values, `abi.encode(...)`, from which the leaves of StandardMerkleTree are made.

Types: address, bool, uint8 to uint256, int8 to int256, bytes1 to bytes32, bytes, string, and arrays of these, T[] and
T[n].
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from .. import _native
from ..errors import InvalidArgument, shown

_ARRAY = re.compile(r"^(.*)\[(\d*)\]$")
_WORD = re.compile(r"^(uint|int|bytes)(\d*)$")


def encode(types: Sequence[str], values: Sequence[Sequence[Any]]) -> list[bytes]:
    """Return abi.encode of each value, one field a type.

    Raises InvalidArgument: unknown types, values that do not fit.
    """
    return _tuples([_encoder(type) for type in types], list(checked(types, values)))


def checked(types: Sequence[str], values: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Yield the values, each with one field a type. Raises InvalidArgument."""
    for value in values:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or len(value) != len(types):
            got = f"{len(value)} fields" if isinstance(value, (list, tuple)) else shown(value)
            raise InvalidArgument(f"a value must have {len(types)} fields, one a type, got {got}")
        yield value


def _tuples(fields: list[tuple[int | None, Callable[[Any], bytes]]], values: Iterable[Sequence[Any]]) -> list[bytes]:
    if any(size is None for size, _ in fields):
        return [_tuple(fields, value) for value in values]
    encoders = [encoder for _, encoder in fields]
    return [b"".join([encoder(field) for encoder, field in zip(encoders, value)]) for value in values]


def _tuple(fields: list[tuple[int | None, Callable[[Any], bytes]]], value: Sequence[Any]) -> bytes:
    head, tail = [], b""
    at = sum(size or 32 for size, _ in fields)
    for (size, encoder), field in zip(fields, value):
        encoded = encoder(field)
        if size is None:  # of variable size: the head has its offset
            head.append((at + len(tail)).to_bytes(32, "big"))
            tail += encoded
        else:
            head.append(encoded)
    return b"".join(head) + tail


def _bytes(value: Any, what: str) -> bytes:
    if isinstance(value, str):
        digits = value[2:] if value[:2] in ("0x", "0X") else None
        try:
            if digits is None:
                raise ValueError
            return bytes.fromhex(digits)
        except ValueError:
            raise InvalidArgument(f"{what}: must be bytes or 0x and hexadecimal digits, got {shown(value)}") from None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(_native.host_bytes(value, what))
    raise InvalidArgument(f"{what}: must be bytes or 0x and hexadecimal digits, got {shown(value)}")


def _integer(type: str, least: int, most: int) -> Callable[[Any], bytes]:
    def encoder(value: Any) -> bytes:
        try:
            number = operator.index(int(value, 0) if isinstance(value, str) else value)
        except (TypeError, ValueError):
            raise InvalidArgument(f"{type}: must be an integer, got {shown(value)}") from None
        if isinstance(value, bool) or not least <= number <= most:
            raise InvalidArgument(f"{type}: must be {least} to {most}, got {shown(value)}")
        return number.to_bytes(32, "big", signed=number < 0)

    return encoder


def _address(value: Any) -> bytes:
    address = _bytes(value, "address")
    if len(address) != 20:
        raise InvalidArgument(f"address: must have 20 bytes, got {len(address)}")
    return bytes(12) + address


def _bool(value: Any) -> bytes:
    if value is not True and value is not False:
        raise InvalidArgument(f"bool: must be True or False, got {shown(value)}")
    return bytes(31) + bytes([value])


def _fixed(type: str, size: int) -> Callable[[Any], bytes]:
    def encoder(value: Any) -> bytes:
        word = _bytes(value, type)
        if len(word) != size:
            raise InvalidArgument(f"{type}: must have {size} bytes, got {len(word)}")
        return word.ljust(32, b"\0")

    return encoder


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(32, "big") + data + bytes(-len(data) % 32)


def _string(value: Any) -> bytes:
    if not isinstance(value, str):
        raise InvalidArgument(f"string: must be text, got {shown(value)}")
    try:
        return _sized(value.encode())
    except UnicodeEncodeError:
        raise InvalidArgument("string: must be text that UTF-8 can hold, got lone surrogates") from None


@cache
def _encoder(type: str) -> tuple[int | None, Callable[[Any], bytes]]:
    """Return the number of bytes of a value in the head, or None for a variable size; and the encoder."""
    if not isinstance(type, str) or len(type) > 64:
        raise InvalidArgument(f"an ABI type must be text of at most 64 characters, got {shown(type)}")
    if found := _ARRAY.match(type):
        return _array(type, _encoder(found[1]), int(found[2]) if found[2] else None)
    simple: dict[str, tuple[int | None, Callable[[Any], bytes]]] = {
        "address": (32, _address),
        "bool": (32, _bool),
        "string": (None, _string),
        "bytes": (None, lambda value: _sized(_bytes(value, "bytes"))),
    }
    if type in simple:
        return simple[type]
    if found := _WORD.match(type):
        kind, bits = found[1], int(found[2] or 256)
        if kind == "bytes" and 1 <= bits <= 32:
            return 32, _fixed(type, bits)
        if kind != "bytes" and bits % 8 == 0 and 8 <= bits <= 256:
            least, most = (0, 2**bits - 1) if kind == "uint" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            return 32, _integer(type, least, most)
    raise InvalidArgument(f"unknown ABI type {shown(type)}")


def _array(
    type: str, item: tuple[int | None, Callable[[Any], bytes]], count: int | None
) -> tuple[int | None, Callable[[Any], bytes]]:
    def encoder(value: Any) -> bytes:
        if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
            raise InvalidArgument(f"{type}: must be a list, got {shown(value)}")
        if count is not None and len(value) != count:
            raise InvalidArgument(f"{type}: must have {count} items, got {len(value)}")
        items = _tuple([item] * len(value), value)
        return items if count is not None else len(value).to_bytes(32, "big") + items

    return (None if count is None or item[0] is None else count * item[0]), encoder
